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

// GemmPieces returns into how many pieces a real Gemm cuts sums of length k.
func GemmPieces[T dense.Float](k int) int {
	return ceilDiv(k, max(1, balanced(k, kernel.BlockingOf[T](kernel.Best()).Inner)))
}

// GemmRoundings returns for each term a_p b_p of a sum of length k, a bound on the roundings that it passes through in an element of a real
// Gemm with alpha = 1 and beta = 0: its product, and the additions from there on to the end of its piece of the sum and of the pieces that follow.
func GemmRoundings[T dense.Float](k int) []float64 {
	roundings := make([]float64, k)
	inner, pieces := balanced(k, kernel.BlockingOf[T](kernel.Best()).Inner), GemmPieces[T](k)
	for p := range roundings {
		piece := p / inner
		end, additions := min(k, (piece+1)*inner), pieces-max(piece, 1)
		roundings[p] = float64(1 + end - p + additions)
	}
	return roundings
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
