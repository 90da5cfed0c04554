package ldl

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// solveColumns is the number of right-hand sides between two reports of progress: enough for the threads to share.
const solveColumns = 256

// Solve overwrites B, n x k, by the solution X of A X = B. A zero pivot gives infinities or NaNs. The team's error is
// returned after cancellation; B is then partly overwritten.
//
// Cost: n^2 k multiply-adds. Source: Golub and Van Loan, Matrix Computations, 4th ed., section 4.4.5.
func (f *Factors[T]) Solve(team *sched.Team, b dense.Matrix[T]) error {
	n := f.U.Rows
	if b.Rows != n {
		return dense.BadArgument("b", "expected %d rows, got shape (%d, %d)", n, b.Rows, b.Cols)
	}
	transpose := blas.Trans
	if f.Hermitian {
		transpose = blas.ConjTrans
	}
	team = team.Plan(2 * n * b.Cols) // a step for each element and triangular system
	for j := 0; j < b.Cols; j += solveColumns {
		end := min(b.Cols, j+solveColumns)
		columns := b.Slice(0, n, j, end)
		for k, p := range f.Pivots {
			exchange(columns, k, p)
		}
		f.solveUnit(team, transpose, columns)
		f.solveDiagonal(columns)
		if err := team.Err(); err != nil {
			return err
		}
		f.solveUnit(team, blas.NoTrans, columns)
		for k := n - 1; k >= 0; k-- {
			exchange(columns, k, f.Pivots[k])
		}
		if err := team.Err(); err != nil {
			return err
		}
	}
	return nil
}

// solveUnit overwrites B by the solution X of op(U) X = B.
func (f *Factors[T]) solveUnit(team *sched.Team, trans blas.Transpose, b dense.Matrix[T]) {
	phase := team.Phase(b.Rows * b.Cols)
	defer phase.End()
	if b.Cols == 1 {
		blas.Trsv(phase, blas.Upper, trans, blas.Unit, f.U, b.ColVec(0, 0, b.Rows))
		return
	}
	blas.Trsm(phase, blas.Left, blas.Upper, trans, blas.Unit, 1, f.U, b)
}

// solveDiagonal overwrites B by the solution X of D X = B.
func (f *Factors[T]) solveDiagonal(b dense.Matrix[T]) {
	for k := 0; k < b.Rows; k++ {
		x := b.Row(k)
		if f.Above[k] == 0 {
			divide(x, f.U.At(k, k))
			continue
		}
		d, y := f.blockAt(k), b.Row(k+1)
		d.solve(x, y, x, y)
		k++
	}
}

func exchange[T dense.Scalar](a dense.Matrix[T], i, j int) {
	if i != j {
		blas.Swap(a.RowVec(i, 0, a.Cols), a.RowVec(j, 0, a.Cols))
	}
}
