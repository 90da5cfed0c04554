package banded

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// partSteps is the work between two looks at the context, in multiply-adds: a fraction of a millisecond.
const partSteps = 1 << 17

// inParts calls body for parts of the range from 0 to count, in order, and looks at the team's context in between. Each
// member of the range takes the given steps.
func inParts(team *sched.Team, count, steps int, body func(first, end int) error) error {
	length := max(1, partSteps/max(1, steps))
	for first := 0; first < count; first += length {
		if err := team.Err(); err != nil {
			return err
		}
		end := min(count, first+length)
		if err := body(first, end); err != nil {
			return err
		}
		team.Step((end - first) * steps)
	}
	return team.Err()
}

// groupColumns is the number of right-hand sides that a thread solves for at a time. It does not depend on the number
// of threads, so that results do not either.
const groupColumns = 16

// overGroups calls solve for groups of the columns of b, which threads share. A single group gets the whole team.
func overGroups[T dense.Scalar](team *sched.Team, b dense.Matrix[T],
	solve func(team *sched.Team, columns dense.Matrix[T]) error) error {
	if b.Cols <= groupColumns {
		return solve(team, b)
	}
	serial := team.Serial()
	return team.For((b.Cols+groupColumns-1)/groupColumns, func(_, group int) error {
		first := group * groupColumns
		return solve(serial, b.Slice(0, b.Rows, first, min(b.Cols, first+groupColumns)))
	})
}

// overVectors calls solve for every column of b as a contiguous vector; threads share the columns.
func overVectors[T dense.Scalar](team *sched.Team, b dense.Matrix[T],
	solve func(team *sched.Team, x []T) error) error {
	if b.Cols == 1 && b.Stride == 1 {
		return solve(team, b.Data[:b.Rows])
	}
	return overGroups(team, b, func(team *sched.Team, columns dense.Matrix[T]) error {
		rows := dense.New[T](columns.Cols, columns.Rows)
		dense.Copy(rows.View(), columns.View().T())
		for k := range rows.Rows {
			if err := solve(team, rows.Row(k)); err != nil {
				return err
			}
		}
		dense.Copy(columns.View().T(), rows.View())
		return nil
	})
}

// vectorsWorkspace returns the bytes that overVectors takes.
func vectorsWorkspace[T dense.Scalar](n, k, threads int) int64 {
	groups := min(threads, (k+groupColumns-1)/groupColumns)
	return int64(groups) * int64(min(k, groupColumns)) * int64(n) * int64(dense.Bytes[T]())
}

// kernelLength is the least length of vectors that the kernels of package blas are called for.
const kernelLength = 16

// subtract subtracts f y from x, which is as long.
func subtract[T dense.Scalar](f T, y, x []T) {
	if len(y) >= kernelLength {
		blas.Axpy(-f, dense.Vec(y), dense.Vec(x))
		return
	}
	for i, v := range y {
		x[i] -= f * v
	}
}

// dot returns the sum of the products of the elements of x and y.
func dot[T dense.Scalar](x, y []T) (sum T) {
	if len(x) >= kernelLength {
		return blas.Dotu(dense.Vec(x), dense.Vec(y))
	}
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// solveTriangle overwrites B by the solution X of op(A) X = B.
func solveTriangle[T dense.Scalar](team *sched.Team, uplo blas.Uplo, trans blas.Transpose, diag blas.Diag,
	a, b dense.Matrix[T]) {
	if b.Cols == 1 {
		blas.Trsv(team, uplo, trans, diag, a, b.ColVec(0, 0, b.Rows))
		return
	}
	blas.Trsm(team, blas.Left, uplo, trans, diag, 1, a, b)
}

// subtractProduct subtracts op(A) B from C.
func subtractProduct[T dense.Scalar](team *sched.Team, trans blas.Transpose, a, b, c dense.Matrix[T]) {
	switch {
	case a.Rows == 0 || a.Cols == 0:
	case c.Cols == 1:
		blas.Gemv(team, trans, -1, a, b.ColVec(0, 0, b.Rows), 1, c.ColVec(0, 0, c.Rows))
	default:
		blas.Gemm(team, trans, blas.NoTrans, -1, a, b, 1, c)
	}
}

const headers = 1 << 12 // structs, and the allocator's rounding up
