package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// Gemm computes C = alpha op(A) op(B) + beta C; C overlaps neither A nor B. C is not read if beta is 0, A and B are not
// read if alpha is 0. Each element is a sum in the order of the inner dimension, split at places that depend only on
// that dimension, not on threads or transposes. If the team is cancelled, C is unfinished: callers check team.Err().
func Gemm[T dense.Scalar](
	team *sched.Team, tA, tB Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T],
) {
	requireProduct("Gemm", tA, tB, a, b, c)
	finish(multiply(kernel.Best(), team, full, alpha, opOf(tA, a), opOf(tB, b), beta, c))
}

// GemmPieces returns the number of pieces into which a real Gemm splits sums of length k.
func GemmPieces[T dense.Float](k int) int {
	return ceilDiv(k, max(1, balanced(k, kernel.BlockingOf[T](kernel.Best()).Inner)))
}

// GemmRoundings returns for each term a_p b_p of a sum of length k, a bound on the roundings that it passes through in
// an element of a real Gemm with alpha = 1 and beta = 0: its product, and the additions from there on to the end of its
// piece of the sum and of the pieces that follow.
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

// multiply computes C = alpha A B + beta C, or the requested part of it, with the kernels of set. It returns the team's
// error if the call is cancelled.
func multiply[T dense.Scalar](
	set kernel.Set, team *sched.Team, part part, alpha T, a, b opMatrix[T], beta T, c dense.Matrix[T],
) error {
	if c.Rows == 0 || c.Cols == 0 {
		return nil
	}
	if _, k := a.shape(); k == 0 || alpha == 0 { // neither A nor B is read, as in the reference BLAS
		for i := range c.Rows {
			first, last := part.columns(i, 0, c.Cols, 1)
			scaleOrClear(beta, c.RowVec(i, first, last))
		}
		return nil
	}
	if part == full && computeSmall(set, team, alpha, 1, &a, 0, &b, 0, beta, &c, 0) {
		return nil
	}
	switch c := any(c).(type) {
	case dense.Matrix[float32]:
		return gemmReal(set, team, part, any(alpha).(float32), any(a).(opMatrix[float32]), any(b).(opMatrix[float32]),
			any(beta).(float32), c)
	case dense.Matrix[float64]:
		return gemmReal(set, team, part, any(alpha).(float64), any(a).(opMatrix[float64]), any(b).(opMatrix[float64]),
			any(beta).(float64), c)
	case dense.Matrix[complex64]:
		return gemmComplex[float32](set, team, part, any(alpha).(complex64), any(a).(opMatrix[complex64]),
			any(b).(opMatrix[complex64]), any(beta).(complex64), c)
	case dense.Matrix[complex128]:
		return gemmComplex[float64](set, team, part, any(alpha).(complex128), any(a).(opMatrix[complex128]),
			any(b).(opMatrix[complex128]), any(beta).(complex128), c)
	}
	panic("blas: unreachable dtype")
}

// finish turns a panic of a worker into a panic of the caller. Cancellation is not a failure here: callers check
// team.Err().
func finish(err error) {
	if p, ok := err.(*sched.PanicError); ok {
		panic(p)
	}
}

// requireProduct panics unless the shapes of op(A), op(B) and C match. It returns the inner dimension.
func requireProduct[T dense.Scalar](name string, tA, tB Transpose, a, b, c dense.Matrix[T]) int {
	m, k := opShape(tA, a.Rows, a.Cols)
	kb, n := opShape(tB, b.Rows, b.Cols)
	requireIn(name, k == kb && m == c.Rows && n == c.Cols, "op(A) is %dx%d, op(B) is %dx%d, C is %dx%d", m, k, kb, n,
		c.Rows, c.Cols)
	return k
}

// batchWork is the number of multiplications of a batch between two checks of the team, and the least for one thread.
const batchWork = 1 << 18

// GemmStrided computes count products C_k = alpha op(A_k) op(B_k) + beta C_k. a, b and c describe the first matrices;
// those of product k begin k strides behind them. A stride of A or B may be 0: all products share the matrix. The C_k
// overlap neither one another nor any A or B. If the team is cancelled, some products are not computed. See Gemm for
// the rest.
func GemmStrided[T dense.Scalar](
	team *sched.Team, tA, tB Transpose, alpha T, count int, a dense.Matrix[T], strideA int, b dense.Matrix[T],
	strideB int, beta T, c dense.Matrix[T], strideC int,
) {
	require(count >= 0 && min(strideA, strideB, strideC) >= 0, "GemmStrided: %d products, strides %d, %d, %d", count,
		strideA, strideB, strideC)
	k := requireProduct("GemmStrided", tA, tB, a, b, c)
	if count == 0 || c.Rows == 0 || c.Cols == 0 {
		return
	}
	if k == 0 {
		strideA, strideB = 0, 0 // A and B are empty
	}
	set := kernel.Best()
	x, y := opOf(tA, a), opOf(tB, b)
	if computeSmall(set, team, alpha, count, &x, strideA, &y, strideB, beta, &c, strideC) {
		return
	}
	batch(team, count, c.Rows*c.Cols*max(1, k), func(team *sched.Team, p0, p1 int) {
		x, y, z := x, y, c
		for p := p0; p < p1; p++ {
			x.Data, y.Data, z.Data = a.Data[p*strideA:], b.Data[p*strideB:], c.Data[p*strideC:]
			finish(multiply(set, team, full, alpha, x, y, beta, z))
		}
	})
}

// GemmBatch computes the products C_k = alpha op(A_k) op(B_k) + beta C_k, whose shapes may differ. The C_k overlap
// neither one another nor any A or B. If the team is cancelled, some products are not computed. See Gemm for the rest.
func GemmBatch[T dense.Scalar](
	team *sched.Team, tA, tB Transpose, alpha T, as, bs []dense.Matrix[T], beta T, cs []dense.Matrix[T],
) {
	require(len(as) == len(cs) && len(bs) == len(cs), "GemmBatch: %d, %d and %d matrices", len(as), len(bs), len(cs))
	if len(cs) == 0 {
		return
	}
	work := 0
	for k, c := range cs {
		work += c.Rows * c.Cols * max(1, as[k].Rows, as[k].Cols)
	}
	batch(team, len(cs), work/len(cs), func(team *sched.Team, k0, k1 int) {
		for k := k0; k < k1; k++ {
			Gemm(team, tA, tB, alpha, as[k], bs[k], beta, cs[k])
		}
	})
}

// batch computes the products 0 <= k < count, those from k0 to k1 by one call of some: one after the other on all
// threads if they are few and large, otherwise each on one thread.
func batch(team *sched.Team, count, work int, some func(team *sched.Team, k0, k1 int)) {
	threads := team.Threads()
	if threads > 1 && count < 4*threads && work >= realBlocking[float64](kernel.Best()).ThreadWork {
		some(team, 0, count)
		return
	}
	each := max(1, batchWork/max(1, work))
	within := team.Serial()
	finish(team.For(ceilDiv(count, each), func(_, group int) error {
		some(within, group*each, min(count, (group+1)*each))
		return nil
	}))
}
