// Package banded solves systems of equations whose matrix has few parameters: band matrices, tridiagonal ones among
// them, and Toeplitz matrices.
//
// A band matrix is given by its diagonals, each in a row, as in LAPACK and SciPy. The factorizations work on a copy in
// which every block that they need is a rectangle: elements outside of the band that belong to one are stored, too.
// Wide bands are factored by panels of columns with products and triangular solves of level 3 of the BLAS, as dense
// matrices are; narrow ones column by column or row by row.
//
// Threads share right-hand sides and products of wide bands. Results are bitwise the same for any number of threads.
package banded

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Solve overwrites B, n x k, by the solution X of A X = B for an n x n matrix with the given number of diagonals below
// the main one. band has n columns and a row for each diagonal, the uppermost first:
//
//	A(i, j) = band(above + i - j, j)  with above = band.Rows - 1 - below
//
// Other elements of band are not read.
//
// It returns a *factor.SingularError if a pivot is exactly zero, B being unspecified, and the team's error after
// cancellation. Infinities and NaNs propagate.
//
// Cost: n below (below + above) multiply-adds for the LU factorization with partial pivoting, at most n (2 below +
// above) k for the solution. Source: Golub and Van Loan, Matrix Computations, 4th ed., section 4.3; pivots, and the
// pivoting of tridiagonal matrices, are those of LAPACK's gbtrf and gttrf.
func Solve[T dense.Scalar](team *sched.Team, band dense.View[T], below int, b dense.Matrix[T]) error {
	above := band.Rows - 1 - below
	if below < 0 || above < 0 {
		return dense.BadArgument("ab", "%d rows are not enough for %d diagonals below the main one", band.Rows, below)
	}
	if err := checkOrder(band.Cols, b); err != nil || b.Rows == 0 {
		return err
	}
	return newSource(band, below).solve(team, b)
}

// solve is Solve without the checks of arguments.
func (s source[T]) solve(team *sched.Team, b dense.Matrix[T]) error {
	factors := s.factors()
	factoring, solving := factors.costs(b.Cols)
	team = team.Plan(factoring + solving)
	if err := factors.factor(team); err != nil {
		return err
	}
	return factors.solve(team, false, b)
}

// factors returns the factorization that fits the matrix, before it is computed.
func (s source[T]) factors() factors[T] {
	if s.below == 1 && s.above == 1 {
		return &tridiagonal[T]{source: s}
	}
	return newLU(s)
}

// SolveWorkspace returns an upper bound on the memory in bytes that Solve takes for k right-hand sides.
func SolveWorkspace[T dense.Scalar](n, below, above, k, threads int) int64 {
	const tridiagonalArrays = 5
	below, above = max(0, min(below, n-1)), max(0, min(above, n-1))
	elements := int64(max(luElements(n, below, above), tridiagonalArrays*n))
	return elements*int64(dense.Bytes[T]()) + 8*int64(n) + vectorsWorkspace[T](n, k, threads) + headers
}
