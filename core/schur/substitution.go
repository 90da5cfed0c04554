package schur

import (
	"math"
	"math/bits"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// stripRows is the number of rows between two products of the back-substitution.
const stripRows = 64

// substitution computes the eigenvectors of an upper (quasi-)triangular matrix T, X with T X = X D, by back-substitution for blocks of
// columns of X. A block is found some rows at a time from the bottom: what the rows below contribute is one matrix product,
//
//	(T[i,i] - d[k]) x[i,k] = -(T[i,i+1:] X[i+1:,k])
//
// is left for each row i of T's diagonal blocks. Columns are scaled down where they grow too much, so that nothing overflows, and
// divisors that are smaller than rounding errors are replaced by numbers of their size: eigenvalues may be equal. The largest element
// of a column is at least about 1.
//
// A complex pair of a real T has the real and the imaginary part of its first vector in two columns.
//
// Source: LAPACK's trevc3 for the divisors; the limits on the growth are those of Kjelgaard Mikkelsen, Schwarz and Karlsson, Parallel robust solution of
// triangular linear systems, Concurrency Comput. 31, 2018, for one scale factor a column.
type substitution[W dense.Scalar] struct {
	team   *sched.Team
	t      dense.Matrix[W]
	values []complex128 // in the order of the diagonal
	solver rowSolver[W]
	eps    float64
	limit  float64 // elements of X are at most this large, so that sums with elements of T do not overflow
	floor  float64 // divisors are at least this large, so that the factors that keep X below the limit do not underflow
}

// columns is a block of columns of X, which begins with eigenvector first.
type columns[W dense.Scalar] struct {
	first   int
	x       dense.Matrix[W]
	vectors []unknown
	from    []int // for each column, and for the one behind the last, the number of vectors before it
	spare   []W   // room for the multiples of the rows below a block, and a row
}

// unknown is an eigenvector of a block: of a pair only the first, which has its real part in one column and its imaginary part in the next.
type unknown struct {
	column   int
	isPair   bool
	re, im   float64 // the eigenvalue
	smallest float64 // divisors are at least this large
}

// rowSolver makes the elements of X in the rows of T's diagonal block from row i on, of order size: the rows below, before row bottom, are
// still to be subtracted from what is there.
type rowSolver[W dense.Scalar] func(s *substitution[W], c *columns[W], i, size, bottom int)

// newSubstitution returns the back-substitution for t, whose elements it may scale by a power of two.
func newSubstitution[W dense.Scalar](team *sched.Team, t dense.Matrix[W], solver rowSolver[W]) *substitution[W] {
	n, of := t.Rows, exponentsOf[W]()
	headroom := headroomBits + bits.Len(uint(n)) // for elements of T, and as much for sums
	if exponent := exponentOf(t); exponent > of.work+headroom || exponent < 0 {
		scale(t, of.work-exponent)
	}
	limit := of.largest / 4
	return &substitution[W]{
		team: team, t: t, values: Eigenvalues(t.View()), solver: solver, eps: dense.Eps[W](),
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

// solve makes the block of the eigenvectors from c.first on, before end. The memory of c.x, which has as many columns and end rows, is zero.
func (s *substitution[W]) solve(c *columns[W], end int) error {
	s.begin(c)
	x := c.x
	for bottom := end; bottom > 0; {
		if err := s.team.Err(); err != nil {
			return err
		}
		top := s.whole(max(0, bottom-stripRows))
		if bottom < end {
			blas.Gemm(s.team.Serial(), blas.NoTrans, blas.NoTrans, -1, s.t.Slice(top, bottom, bottom, end), x.Slice(bottom, end, 0, x.Cols), 1, x.Slice(top, bottom, 0, x.Cols))
		}
		for next := bottom; next > top; {
			i := s.whole(next - 1)
			s.solver(s, c, i, next-i, bottom)
			next = i
		}
		bottom = top
	}
	return nil
}

// begin lists the vectors and sets their last elements, which belong to the eigenvalues' own diagonal blocks.
func (s *substitution[W]) begin(c *columns[W]) {
	c.vectors, c.from = c.vectors[:0], c.from[:0]
	for k := 0; k < c.x.Cols; k++ {
		i := c.first + k
		value := s.values[i]
		v := unknown{column: k, re: real(value), im: imag(value), isPair: s.isPair(i)}
		v.smallest = max(s.eps*(math.Abs(v.re)+math.Abs(v.im)), s.floor)
		c.from = append(c.from, len(c.vectors))
		c.vectors = append(c.vectors, v)
		if !v.isPair {
			c.x.Set(i, k, 1)
			continue
		}
		// (1, i w/b) and (-w/c, i) are eigenvectors of the block [a b; c a] for a + i w, w > 0.
		above, below := dense.Real(s.t.At(i, i+1)), dense.Real(s.t.At(i+1, i))
		if math.Abs(above) >= math.Abs(below) {
			c.x.Set(i, k, 1)
			c.x.Set(i+1, k+1, dense.FromReal[W](v.im/above))
		} else {
			c.x.Set(i, k, dense.FromReal[W](-v.im/below))
			c.x.Set(i+1, k+1, 1)
		}
		k++
		c.from = append(c.from, len(c.vectors))
	}
	c.from = append(c.from, len(c.vectors))
}

// above returns the vectors that have elements above the block that begins with column k of T.
func (c *columns[W]) above(k int) []unknown { return c.vectors[c.from[max(0, k-c.first)]:] }

// shrink multiplies a column, or the two of a pair, by a factor.
func (c *columns[W]) shrink(v *unknown, factor float64) {
	count := 1
	if v.isPair {
		count = 2
	}
	for i := range c.x.Rows {
		row := c.x.Row(i)[v.column:][:count]
		for j := range row {
			row[j] = dense.FromParts[W](dense.Real(row[j])*factor, dense.Imag(row[j])*factor)
		}
	}
}

// isPair reports whether a complex pair of a real T begins in row i.
func (s *substitution[W]) isPair(i int) bool { return i+1 < s.t.Rows && s.t.At(i+1, i) != 0 }
