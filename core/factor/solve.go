package factor

import (
	"fmt"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// SingularError reports that a diagonal element of a triangular matrix, or a pivot of a factorization, with the 1-based
// number Pivot, is exactly zero.
type SingularError struct {
	Arg     string
	Pivot   int
	Factors string // the name of the factorization, such as "LU", or empty for a triangular matrix
}

func (e *SingularError) Error() string {
	if e.Factors != "" {
		return fmt.Sprintf("%s: the matrix is singular: pivot %d of its %s factorization is zero", e.Arg, e.Pivot, e.Factors)
	}
	return fmt.Sprintf("%s: the matrix is singular: element %d of its diagonal is zero", e.Arg, e.Pivot)
}

// solveColumns is the number of right-hand sides between two reports of progress: enough for the threads to share.
const solveColumns = 256

// SolveTriangular overwrites B, n x k, by the solution X of op(A) X = B. A is n x n and triangular: only its triangle
// uplo is read, and with diag Unit not its diagonal either, which is one.
//
// It returns a *SingularError for the first diagonal element that is exactly zero, before B is changed. A matrix that
// is singular to working precision gives large numbers or infinities. The team's error is returned after cancellation;
// B is then partly overwritten.
//
// Cost: n^2 k / 2 multiply-adds. Source: substitution, Golub and Van Loan, Matrix Computations, 4th ed., section 3.1.
func SolveTriangular[T dense.Scalar](
	team *sched.Team, uplo blas.Uplo, trans blas.Transpose, diag blas.Diag, a, b dense.Matrix[T],
) error {
	if err := checkSystem("a", a, b); err != nil {
		return err
	}
	if diag == blas.NonUnit {
		for i := range a.Rows {
			if a.At(i, i) == 0 {
				return &SingularError{Arg: "a", Pivot: i + 1}
			}
		}
	}
	return overColumns(team, b, func(team *sched.Team, columns dense.Matrix[T]) {
		blas.Trsm(team, blas.Left, uplo, trans, diag, 1, a, columns)
	})
}

// CholeskySolve overwrites B, n x k, by the solution X of A X = B, given the Cholesky factor of A in one triangle of l:
// with uplo Lower L of A = L L^H, with Upper U of A = U^H U. The other triangle of l is not read.
//
// The team's error is returned after cancellation; B is then partly overwritten. A zero on the factor's diagonal, which
// does not come from Cholesky, gives infinities or NaNs.
//
// Cost: n^2 k multiply-adds. Source: Golub and Van Loan, Matrix Computations, 4th ed., section 4.2.
func CholeskySolve[T dense.Scalar](team *sched.Team, uplo blas.Uplo, l, b dense.Matrix[T]) error {
	if err := checkSystem("l", l, b); err != nil {
		return err
	}
	first, second := blas.NoTrans, blas.ConjTrans
	if uplo == blas.Upper {
		first, second = second, first
	}
	return overColumns(team, b, func(team *sched.Team, columns dense.Matrix[T]) {
		solveTwice(team, columns, func(team *sched.Team) {
			blas.Trsm(team, blas.Left, uplo, first, blas.NonUnit, 1, l, columns)
		}, func(team *sched.Team) {
			blas.Trsm(team, blas.Left, uplo, second, blas.NonUnit, 1, l, columns)
		})
	})
}

// checkSystem returns an error unless a, called arg, is square and b has as many rows.
func checkSystem[T dense.Scalar](arg string, a, b dense.Matrix[T]) error {
	if a.Rows != a.Cols {
		return dense.BadArgument(arg, "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if b.Rows != a.Rows {
		return dense.BadArgument("b", "expected %d rows, got shape (%d, %d)", a.Rows, b.Rows, b.Cols)
	}
	return nil
}

// overColumns calls solve for chunks of b's columns. It returns the team's error after cancellation.
func overColumns[T dense.Scalar](team *sched.Team, b dense.Matrix[T],
	solve func(team *sched.Team, columns dense.Matrix[T])) error {
	team = team.Plan(b.Rows * b.Cols) // a step for each element
	for j := 0; j < b.Cols; j += solveColumns {
		end := min(b.Cols, j+solveColumns)
		phase := team.Phase(b.Rows * (end - j))
		solve(phase, b.Slice(0, b.Rows, j, end))
		if err := team.Err(); err != nil {
			return err
		}
		phase.End()
	}
	return nil
}

// solveTwice calls two solvers that take half of the work each.
func solveTwice[T dense.Scalar](team *sched.Team, b dense.Matrix[T], first, second func(team *sched.Team)) {
	half := b.Rows * b.Cols
	team = team.Plan(2 * half)
	phase := team.Phase(half)
	first(phase)
	phase.End()
	phase = team.Phase(half)
	second(phase)
	phase.End()
}
