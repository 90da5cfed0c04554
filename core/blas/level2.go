package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// Gemv computes y = alpha op(A) x + beta y. y is not read where beta is 0, A and x are not where alpha is 0. If the
// team is cancelled, y is unfinished, here and in the other functions of level 2: callers check team.Err().
func Gemv[T dense.Scalar](
	team *sched.Team, trans Transpose, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T],
) {
	rows, cols := opShape(trans, a.Rows, a.Cols)
	require(x.N == cols && y.N == rows, "Gemv: op(A) is %dx%d, x has %d, y has %d elements", rows, cols, x.N, y.N)
	generalProduct(kernel.Best(), team, trans, alpha, a, x, beta, y)
}

// generalProduct is Gemv with the kernels of set.
func generalProduct[T dense.Scalar](
	set kernel.Set, team *sched.Team, trans Transpose, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T,
	y dense.Vector[T],
) {
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
func gemv[R dense.Float, T dense.Scalar](
	set kernel.Set, team *sched.Team, trans Transpose, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T,
	y dense.Vector[T],
) {
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

// addRows sweeps the whole matrix, distributed by rows. The receiver is a value, since data shared by threads escape to
// the heap.
func (s sweep[R, T]) addRows(team *sched.Team) {
	step := max(1, sweepShare/(s.a.Cols*vector.RowGroup)) * vector.RowGroup
	inParallel(team, ceilDiv(s.a.Rows, step), func(c int) {
		s.add(team, c*step, min(s.a.Rows, (c+1)*step), 0, s.a.Cols)
	})
}

// addColumns sweeps the whole matrix, distributed by whole cache lines of columns.
func (s sweep[R, T]) addColumns(team *sched.Team) {
	const each = 2 // shares of a thread: few, since short pieces of rows are slow
	step := dense.WholeLines[T](ceilDiv(s.a.Cols, each*team.Threads()))
	inParallel(team, ceilDiv(s.a.Cols, step), func(c int) {
		s.add(team, 0, s.a.Rows, c*step, min(s.a.Cols, (c+1)*step))
	})
}

func requireSquare[T dense.Scalar](name string, a dense.Matrix[T], x, y int) {
	requireIn(name, a.Rows == a.Cols && x == a.Rows && y == a.Rows, "A is %dx%d, x has %d, y has %d elements", a.Rows,
		a.Cols, x, y)
}

// isDirect reports whether kernels can compute alpha op(A) x + beta y without the workspace of a sweep: alpha is 1 and
// beta 0 or 1, the vectors are contiguous, and the matrix is for one thread.
func isDirect[T dense.Scalar](alpha T, a *dense.Matrix[T], x *dense.Vector[T], beta T, y *dense.Vector[T]) bool {
	return alpha == 1 && (beta == 0 || beta == 1) && x.Inc == 1 && y.Inc == 1 &&
		a.Rows*a.Cols*dense.Bytes[T]() < sweepBytes
}

// gemvDirect computes Gemv if it is direct and T is real, and reports whether it did.
func gemvDirect[T dense.Scalar](
	set kernel.Set, trans Transpose, alpha T, a *dense.Matrix[T], x *dense.Vector[T], beta T, y *dense.Vector[T],
) bool {
	if !isDirect(alpha, a, x, beta, y) {
		return false
	}
	switch y := any(y).(type) {
	case *dense.Vector[float32]:
		addProduct(set, trans, any(a).(*dense.Matrix[float32]), any(x).(*dense.Vector[float32]), beta == 0, y)
	case *dense.Vector[float64]:
		addProduct(set, trans, any(a).(*dense.Matrix[float64]), any(x).(*dense.Vector[float64]), beta == 0, y)
	default:
		return false
	}
	return true
}

// addProduct adds op(A) x to y, or sets y to it if afresh.
func addProduct[T dense.Float](
	set kernel.Set, trans Transpose, a *dense.Matrix[T], x *dense.Vector[T], afresh bool, y *dense.Vector[T],
) {
	in, out := x.Data[:x.N], y.Data[:y.N]
	if afresh {
		clear(out)
	}
	rows := vector.Rows[T]{Count: a.Rows, Cols: a.Cols, Stride: a.Stride, A: a.Data}
	if trans == NoTrans {
		vector.Dots(set, &rows, in, out)
	} else {
		vector.Axpys(set, &rows, in, out)
	}
}
