package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// Gemm computes C = alpha op(A) op(B) + beta C; C overlaps neither A nor B. C is not read where beta is 0, A and B are not
// where alpha is 0. Each element is a sum in the order of the inner dimension, cut at places that depend on its length
// alone, whatever the threads and transposes. A cancelled team leaves C unfinished: callers look at team.Err().
func Gemm[T dense.Scalar](team *sched.Team, tA, tB Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	requireProduct("Gemm", tA, tB, a, b, c)
	finish(multiply(kernel.Best(), team, full, alpha, opOf(tA, a), opOf(tB, b), beta, c))
}

// requireProduct panics unless op(A), op(B) and C fit each other. It returns the inner dimension.
func requireProduct[T dense.Scalar](name string, tA, tB Transpose, a, b, c dense.Matrix[T]) int {
	m, k := opShape(tA, a.Rows, a.Cols)
	kb, n := opShape(tB, b.Rows, b.Cols)
	requireIn(name, k == kb && m == c.Rows && n == c.Cols, "op(A) is %dx%d, op(B) is %dx%d, C is %dx%d", m, k, kb, n, c.Rows, c.Cols)
	return k
}

// ceilDiv returns the smallest integer that is at least x/y.
func ceilDiv(x, y int) int { return (x + y - 1) / y }
