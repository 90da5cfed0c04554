package banded

import (
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// source reads a square matrix by its diagonals.
type source[T dense.Scalar] struct {
	n, below, above int
	at              func(i, j int) T // only for elements in the band
}

// newSource returns the matrix that is stored as a band, without diagonals that have no elements.
func newSource[T dense.Scalar](band dense.View[T], below int) source[T] {
	n, above := band.Cols, band.Rows-1-below
	return source[T]{n: n, below: min(below, n-1), above: min(above, n-1), at: func(i, j int) T {
		return band.At(above+i-j, j)
	}}
}

// factors is an LU factorization of a source.
type factors[T dense.Scalar] interface {
	// costs returns the steps of factor and of solve with k right-hand sides.
	costs(k int) (factoring, solving int)
	// factor computes the factorization. It returns a *factor.SingularError if a pivot is exactly zero.
	factor(team *sched.Team) error
	// solve overwrites B by the solution X of A X = B, or with trans of A^T X = B.
	solve(team *sched.Team, trans bool, b dense.Matrix[T]) error
}

// checkOrder returns an error unless b has n rows.
func checkOrder[T dense.Scalar](n int, b dense.Matrix[T]) error {
	if b.Rows != n {
		return dense.BadArgument("b", "expected %d rows, got shape (%d, %d)", n, b.Rows, b.Cols)
	}
	return nil
}

func singular(pivot int) error { return &factor.SingularError{Arg: "ab", Pivot: pivot, Factors: "LU"} }
