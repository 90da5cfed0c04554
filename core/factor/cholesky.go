// Package factor has the Cholesky, LU and QR factorizations of dense matrices, and solves with their factors and with
// triangular matrices.
package factor

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel/gemm"
	"trnsci/core/sched"
)

// Cholesky overwrites a Hermitian (real: symmetric) positive definite matrix by the lower triangular L of A = L L^H,
// zeros above the diagonal included. Only the lower triangle of a is read, and the imaginary parts of its diagonal are
// taken to be zero. The diagonal of L is real and positive.
//
// It returns a *NotPositiveDefiniteError if a pivot is not positive or is NaN, and the team's error after cancellation;
// a is then partly overwritten. The steps of progress are completed even if a pivot is not positive.
//
// Cost: n^3/6 multiply-adds. Method: recursive halving of the order (Gustavson, IBM J. Res. Dev. 41, 1997), which turns
// everything but blocks on the diagonal into triangular solves and products of matrices; between two orders, block
// columns from left to right (Golub and Van Loan, Matrix Computations, 4th ed., section 4.2.6), which threads share.
func Cholesky[T dense.Scalar](team *sched.Team, a dense.Matrix[T]) error {
	n := a.Rows
	if a.Cols != n {
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if n == 0 {
		return nil
	}
	for i := range n {
		a.Set(i, i, dense.FromReal[T](dense.Real(a.At(i, i))))
	}
	return choleskyFrom(team.Plan(cube(n)), a, 0)
}

// copySteps is the number of steps, in units of cube, for the copy of an element to new memory: measured with one
// thread at order 3000.
const copySteps = 240

// choleskyFrom factors the block on the diagonal of the matrix that begins in the given row.
func choleskyFrom[T dense.Scalar](team *sched.Team, a dense.Matrix[T], row int) error {
	n := a.Rows
	switch parts := dense.Parts[T](); {
	case n <= choleskyBase/parts:
		order := choleskyBlock(a)
		team.Step(cube(n))
		if order > 0 {
			return &NotPositiveDefiniteError{Arg: "a", Order: row + order}
		}
		return team.Err()
	case n > leastColumnsOrder/parts && n <= mostColumnsOrder/parts:
		columns := team.Phase(cube(n))
		defer columns.End()
		return choleskyColumns(columns, a, row)
	}
	half := (n/2 + gemm.TriangleOrder - 1) / gemm.TriangleOrder * gemm.TriangleOrder
	first, below, rest := a.Slice(0, half, 0, half), a.Slice(half, n, 0, half), a.Slice(half, n, half, n)
	if err := choleskyFrom(team, first, row); err != nil {
		team.Step(cube(n) - cube(half))
		return err
	}
	a.Slice(0, half, half, n).Clear()
	solving := team.Phase(3 * half * half * (n - half))
	blas.Trsm(solving, blas.Right, blas.Lower, blas.ConjTrans, blas.NonUnit, 1, first, below)
	solving.End()
	if err := team.Err(); err != nil {
		return err
	}
	update := team.Phase(3 * half * (n - half) * (n - half))
	blas.Herk(update, blas.Lower, blas.NoTrans, -1, below, 1, rest)
	update.End()
	if err := team.Err(); err != nil {
		return err
	}
	return choleskyFrom(team, rest, row+half)
}

// CholeskyView writes the lower Cholesky factor of a to out, which has the same shape and may have any strides; out may
// be a itself. Only the lower triangle of a determines the result. With checkFinite an infinity or a NaN anywhere in a
// is a *dense.ArgumentError, before anything is written; otherwise a matrix whose lower triangle is not finite is
// reported as not positive definite. No further memory is needed if the rows or the columns of out are contiguous.
func CholeskyView[T dense.Scalar](team *sched.Team, a, out dense.View[T], checkFinite bool) error {
	if checkFinite {
		if err := blas.CheckFinite(team, a, "a"); err != nil {
			return err
		}
	}
	n, copying := a.Rows, copySteps*a.Rows*a.Cols
	team = team.Plan(cube(n) + copying)
	l, byRows := out.Matrix()
	byColumns := false
	if !byRows {
		if l, byColumns = out.T().Matrix(); !byColumns {
			l = dense.New[T](out.Rows, out.Cols)
		}
	}
	switch inPlace := sameMemory(a, out); {
	case inPlace && byColumns:
		if err := transposeInPlace(team, l); err != nil {
			return err
		}
	case !inPlace || !byRows:
		if err := blas.CopyView(team, l.View(), a); err != nil {
			return err
		}
	}
	team.Step(copying)
	if err := Cholesky(team.Phase(cube(n)), l); err != nil || byRows {
		return err
	}
	if byColumns {
		return transposeInPlace(team, l)
	}
	return blas.CopyView(team, out, l.View())
}

// sameMemory reports whether two views of one shape have the same elements in the same positions.
func sameMemory[T dense.Scalar](a, b dense.View[T]) bool {
	return len(a.Data) > 0 && len(b.Data) > 0 && &a.Data[a.Offset] == &b.Data[b.Offset] &&
		a.RowStride == b.RowStride && a.ColStride == b.ColStride
}

// Order of the tiles of transposeInPlace: two tiles of complex numbers fit the first-level cache.
const transposeTile = 32

// transposeInPlace replaces a square matrix by its transpose.
func transposeInPlace[T dense.Scalar](team *sched.Team, a dense.Matrix[T]) error {
	n := a.Rows
	return team.For((n+transposeTile-1)/transposeTile, func(_, tile int) error {
		first := tile * transposeTile
		end := min(n, first+transposeTile)
		for j0 := 0; j0 < end; j0 += transposeTile {
			for i := first; i < end; i++ {
				for j := j0; j < min(i, j0+transposeTile); j++ {
					x, y := a.At(i, j), a.At(j, i)
					a.Set(i, j, y)
					a.Set(j, i, x)
				}
			}
		}
		return nil
	})
}
