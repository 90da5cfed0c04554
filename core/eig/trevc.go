package eig

import (
	"math"
	"math/bits"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/quasi"
	"trnsci/core/sched"
)

// stripRows is the number of rows between two matrix products of the back-substitution.
const stripRows = 64

// triangularVectors computes the eigenvectors of an upper (quasi-)triangular matrix T, X with T X = X D, by
// back-substitution for blocks of columns of X. A block is computed a strip of rows at a time from the bottom: the
// contribution of the rows below is one matrix product, after which
//
//	(T[i,i] - d[k]) x[i,k] = -(T[i,i+1:] X[i+1:,k])
//
// is solved for each diagonal block T[i,i] of the strip. Columns that grow too much are scaled down, so that nothing
// overflows, and divisors smaller than rounding errors are replaced by numbers of that size, since eigenvalues may be
// equal. The largest element of a column is at least about 1.
//
// For a complex pair of a real T, the real and the imaginary part of its first vector are two columns.
//
// Source: LAPACK's trevc3 for the divisors; the limits on the growth are those of Kjelgaard Mikkelsen, Schwarz and
// Karlsson, Parallel robust solution of triangular linear systems, Concurrency Comput. 31, 2018, with one scale factor
// for each column.
type triangularVectors[T dense.Scalar] struct {
	triangle[T]
	team      *sched.Team
	solveRows rowSolver[T]
}

// newTriangularVectors returns the back-substitution for t, whose elements it may scale by a power of two.
func newTriangularVectors[T dense.Scalar](team *sched.Team, t dense.Matrix[T]) *triangularVectors[T] {
	n, work, largest := t.Rows, workspace.WorkExponent[T](), dense.MaxExponent[T]()
	headroom := workspace.HeadroomBits + bits.Len(uint(n)) // for elements of T, and as much for sums
	if exponent := workspace.Exponent(t); exponent > work+headroom || exponent < 0 {
		workspace.Scale(t, work-exponent)
	}
	limit := largest / 4
	return &triangularVectors[T]{
		triangle: triangle[T]{
			t: t, values: quasi.Eigenvalues(t.View()), eps: dense.Eps[T](),
			floor: math.Ldexp(1, work+limit+2*headroom-largest), limit: math.Ldexp(1, limit),
		},
		team: team, solveRows: rowSolverFor[T](),
	}
}

// reverse transposes T about its other diagonal. The right eigenvectors then are the conjugate left ones of T before,
// with elements and eigenvalues in reverse order, except that the order within a complex pair stays.
func (s *triangularVectors[T]) reverse() {
	n, t := s.t.Rows, s.t
	for i := range n {
		for j := range n - 1 - i {
			k, l := n-1-j, n-1-i
			x, y := t.At(i, j), t.At(k, l)
			t.Set(i, j, y)
			t.Set(k, l, x)
		}
	}
	s.values = quasi.Eigenvalues(t.View())
}

// blockStart returns i, or i-1 if row i is the second one of a diagonal block of T.
func (s *triangularVectors[T]) blockStart(i int) int {
	if i > 0 && i < s.t.Rows && s.t.At(i, i-1) != 0 {
		return i - 1
	}
	return i
}

// isPair reports whether a complex pair of a real T begins in row i.
func (s *triangularVectors[T]) isPair(i int) bool { return i+1 < s.t.Rows && s.t.At(i+1, i) != 0 }

// solve computes the block of the eigenvectors from c.first on, before end. c.x has as many columns, end rows, and is
// zero.
func (s *triangularVectors[T]) solve(c *vectorBlock[T], end int) error {
	s.begin(c)
	x := c.x
	for bottom := end; bottom > 0; {
		if err := s.team.Err(); err != nil {
			return err
		}
		top := s.blockStart(max(0, bottom-stripRows))
		if bottom < end {
			right := s.t.Slice(top, bottom, bottom, end)
			below, strip := x.Slice(bottom, end, 0, x.Cols), x.Slice(top, bottom, 0, x.Cols)
			blas.Gemm(s.team.Serial(), blas.NoTrans, blas.NoTrans, -1, right, below, 1, strip)
		}
		for next := bottom; next > top; {
			i := s.blockStart(next - 1)
			s.solveRows(&s.triangle, c, i, next-i, bottom)
			next = i
		}
		bottom = top
	}
	return nil
}

// begin lists the vectors of a block and sets their last elements, those in the rows of the eigenvalues' own diagonal
// blocks.
func (s *triangularVectors[T]) begin(c *vectorBlock[T]) {
	c.vectors, c.from = c.vectors[:0], c.from[:0]
	for k := 0; k < c.x.Cols; k++ {
		i := c.first + k
		value := s.values[i]
		v := eigenvector{column: k, re: real(value), im: imag(value), isPair: s.isPair(i)}
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
			c.x.Set(i+1, k+1, dense.FromReal[T](v.im/above))
		} else {
			c.x.Set(i, k, dense.FromReal[T](-v.im/below))
			c.x.Set(i+1, k+1, 1)
		}
		k++
		c.from = append(c.from, len(c.vectors))
	}
	c.from = append(c.from, len(c.vectors))
}
