package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// Gemv computes y = alpha op(A) x + beta y. y is not read where beta is 0, A and x are not where alpha is 0. A cancelled team leaves
// y unfinished, here and in the other functions of level 2: callers look at team.Err().
func Gemv[T dense.Scalar](team *sched.Team, trans Transpose, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	rows, cols := opShape(trans, a.Rows, a.Cols)
	require(x.N == cols && y.N == rows, "Gemv: op(A) is %dx%d, x has %d, y has %d elements", rows, cols, x.N, y.N)
	generalProduct(kernel.Best(), team, trans, alpha, a, x, beta, y)
}

// generalProduct is Gemv with the kernels of set.
func generalProduct[T dense.Scalar](set kernel.Set, team *sched.Team, trans Transpose, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	switch {
	case x.N == 0 || y.N == 0 || alpha == 0:
		scaleOrClear(beta, y)
	case gemvDirect(set, trans, alpha, &a, &x, beta, &y):
	case dense.IsSingle[T]():
		gemv[float32](set, team, trans, alpha, a, x, beta, y)
	default:
		gemv[float64](set, team, trans, alpha, a, x, beta, y)
	}
}

// gemv is Gemv with the kernels of set for a matrix that is not empty. R is T's real type.
func gemv[R dense.Float, T dense.Scalar](set kernel.Set, team *sched.Team, trans Transpose, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	s := sweep[R, T]{set: set, a: a, dots: trans == NoTrans, axpys: trans != NoTrans, conj: trans == ConjTrans}
	w := borrow[T](s.inputs(x.N) + s.outputs(y.N))
	defer w.GiveBack()
	s.load(&w, x)
	s.setOut(w.zeros(s.outputs(y.N)))
	switch {
	case !isShared[T](team, a.Rows, a.Cols):
		s.add(team, 0, a.Rows, 0, a.Cols)
	case trans == NoTrans:
		s.addRows(team)
	default:
		s.addColumns(team)
	}
	s.collect(0, y.N)
	accumulate(set, alpha, s.out[:y.N], beta, y)
}

// addRows sweeps the whole matrix, the threads taking rows. By value: what the threads share lives on the heap.
func (s sweep[R, T]) addRows(team *sched.Team) {
	step := max(1, sweepShare/(s.a.Cols*vector.RowGroup)) * vector.RowGroup
	inParallel(team, ceilDiv(s.a.Rows, step), func(c int) { s.add(team, c*step, min(s.a.Rows, (c+1)*step), 0, s.a.Cols) })
}

// addColumns sweeps the whole matrix, the threads taking whole lines of columns.
func (s sweep[R, T]) addColumns(team *sched.Team) {
	const each = 2 // shares of a thread: columns are cut seldom, since short pieces of rows are slow
	step := dense.WholeLines[T](ceilDiv(s.a.Cols, each*team.Threads()))
	inParallel(team, ceilDiv(s.a.Cols, step), func(c int) { s.add(team, 0, s.a.Rows, c*step, min(s.a.Cols, (c+1)*step)) })
}

func opShape(trans Transpose, rows, cols int) (int, int) {
	if trans == NoTrans {
		return rows, cols
	}
	return cols, rows
}

func requireSquare[T dense.Scalar](name string, a dense.Matrix[T], x, y int) {
	requireIn(name, a.Rows == a.Cols && x == a.Rows && y == a.Rows, "A is %dx%d, x has %d, y has %d elements", a.Rows, a.Cols, x, y)
}

// triangleRow returns the columns j0 <= j < j1 of row i of the triangle uplo of order n.
func triangleRow(uplo Uplo, i, n int) (j0, j1 int) {
	if uplo == Lower {
		return 0, i + 1
	}
	return i, n
}
