package schur

import (
	"math"
	"math/bits"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// substitution computes the eigenvectors of an upper (quasi-)triangular matrix T, X with T X = X D, by back-substitution for blocks of
// columns of X. A block is found some rows at a time from the bottom: what the rows below contribute is one matrix product,
//
//	(T[i,i] - d[k]) x[i,k] = -(T[i,i+1:] X[i+1:,k])
//
// is left for each row i of T's diagonal blocks. Columns are scaled down where they grow too much, so that nothing overflows, and
// divisors that are smaller than rounding errors are replaced by numbers of their size: eigenvalues may be equal.
//
// A complex pair of a real T has the real and the imaginary part of its first vector in two columns.
//
// Source: LAPACK's trevc3 for the divisors; the limits on the growth are those of Kjelgaard Mikkelsen, Schwarz and Karlsson, Parallel robust solution of
// triangular linear systems, Concurrency Comput. 31, 2018, for one scale factor a column.
type substitution[W dense.Scalar] struct {
	team   *sched.Team
	t      dense.Matrix[W]
	values []complex128 // in the order of the diagonal
	divide division[W]
	eps    float64
	limit  float64 // elements of X are at most this large, so that sums with elements of T do not overflow
	floor  float64 // divisors are at least this large, so that the factors that keep X below the limit do not underflow
}

// columns is a block of columns of X, which begins with eigenvector first, and its eigenvalues.
type columns[W dense.Scalar] struct {
	first int
	x     dense.Matrix[W]
	least []float64 // the smallest divisor for each
}

// division is the last step for the diagonal block of T in rows i and, if size is 2, i+1: it overwrites the right sides in these rows
// of x by the solutions, from the column behind the block on.
type division[W dense.Scalar] func(s *substitution[W], c columns[W], i, size int)

// newSubstitution returns the back-substitution for t, whose elements it may scale by a power of two.
func newSubstitution[W dense.Scalar](team *sched.Team, t dense.Matrix[W], divide division[W]) *substitution[W] {
	n, of := t.Rows, exponentsOf[W]()
	scale(t, min(0, of.work-exponentOf(t)))
	headroom := headroomBits + bits.Len(uint(n)) // for elements of T, and as much for sums
	limit := of.largest / 4
	return &substitution[W]{
		team: team, t: t, values: Eigenvalues(t.View()), divide: divide, eps: dense.Eps[W](),
		floor: math.Ldexp(1, of.work+limit+2*headroom-of.largest), limit: math.Ldexp(1, limit),
	}
}

// turnOver transposes T at its other diagonal, after which the right eigenvectors are the conjugate left ones of T before, with elements and
// eigenvalues in reverse order, but those of pairs.
func (s *substitution[W]) turnOver() {
	n, t := s.t.Rows, s.t
	for i := range n {
		for j := range n - 1 - i {
			k, l := n-1-j, n-1-i
			x, y := t.At(i, j), t.At(k, l)
			t.Set(i, j, y)
			t.Set(k, l, x)
		}
	}
	s.values = Eigenvalues(t.View())
}

// whole returns i, or i-1 if a diagonal block of T begins there and goes on in row i.
func (s *substitution[W]) whole(i int) int {
	if i > 0 && i < s.t.Rows && s.t.At(i, i-1) != 0 {
		return i - 1
	}
	return i
}

// solve makes the block of the eigenvectors from first on, before end. The memory of x, which has as many columns and end rows, is zero.
func (s *substitution[W]) solve(x dense.Matrix[W], first, end int) error {
	const strip = 32 // rows between two products
	c := columns[W]{first: first, x: x, least: make([]float64, end-first)}
	for k := range c.least {
		value := s.values[first+k]
		c.least[k] = max(s.eps*(math.Abs(real(value))+math.Abs(imag(value))), s.floor)
	}
	s.seed(c)
	for bottom := end; bottom > 0; {
		if err := s.team.Err(); err != nil {
			return err
		}
		top := s.whole(max(0, bottom-strip))
		if bottom < end {
			blas.Gemm(s.team.Serial(), blas.NoTrans, blas.NoTrans, -1, s.t.Slice(top, bottom, bottom, end), x.Slice(bottom, end, 0, x.Cols), 1, x.Slice(top, bottom, 0, x.Cols))
		}
		for i := bottom - 1; i >= top; i-- {
			row := s.whole(i)
			for r := row; r <= i && i+1 < bottom; r++ {
				below := x.Slice(i+1, bottom, 0, x.Cols)
				blas.Gemv(nil, blas.Trans, -1, below, s.t.RowVec(r, i+1, bottom), 1, x.RowVec(r, 0, x.Cols))
			}
			s.divide(s, c, row, i+1-row)
			i = row
		}
		bottom = top
	}
	return nil
}

// seed sets the last elements of the vectors, which belong to the eigenvalues' own diagonal blocks.
func (s *substitution[W]) seed(c columns[W]) {
	for k := 0; k < c.x.Cols; k++ {
		i := c.first + k
		if i+1 == s.t.Rows || s.t.At(i+1, i) == 0 {
			c.x.Set(i, k, 1)
			continue
		}
		// (1, i w/b) and (-w/c, i) are eigenvectors of the block [a b; c a] for a + i w, w > 0.
		w, above, below := imag(s.values[i]), dense.Real(s.t.At(i, i+1)), dense.Real(s.t.At(i+1, i))
		if math.Abs(above) >= math.Abs(below) {
			c.x.Set(i, k, 1)
			c.x.Set(i+1, k+1, dense.FromReal[W](w/above))
		} else {
			c.x.Set(i, k, dense.FromReal[W](-w/below))
			c.x.Set(i+1, k+1, 1)
		}
		k++
	}
}

// shrink multiplies count columns of x by a factor.
func (c columns[W]) shrink(k, count int, factor float64) {
	for i := range c.x.Rows {
		row := c.x.Row(i)[k : k+count]
		for j := range row {
			row[j] = dense.FromParts[W](dense.Real(row[j])*factor, dense.Imag(row[j])*factor)
		}
	}
}

// level multiplies each column, or pair of columns, by the power of two that brings its largest element near 1.
func (s *substitution[W]) level(c columns[W]) {
	largest := make([]float64, c.x.Cols)
	for i := range c.x.Rows {
		for k, x := range c.x.Row(i) {
			largest[k] = max(largest[k], math.Abs(dense.Real(x)), math.Abs(dense.Imag(x)))
		}
	}
	for k := range largest {
		if s.isPair(c.first + k) {
			largest[k] = max(largest[k], largest[k+1])
			largest[k+1] = largest[k]
		}
	}
	factors := make([]W, len(largest))
	for k, size := range largest {
		_, exponent := math.Frexp(size)
		factors[k] = dense.FromReal[W](math.Ldexp(1, -exponent))
	}
	for i := range c.x.Rows {
		row := c.x.Row(i)
		for k, factor := range factors {
			row[k] *= factor
		}
	}
}

// isPair reports whether a complex pair of a real T begins in row i.
func (s *substitution[W]) isPair(i int) bool { return i+1 < s.t.Rows && s.t.At(i+1, i) != 0 }
