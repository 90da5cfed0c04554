package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// batchWork is how many multiplications of a batch are done between two looks at the team, and by one thread at least.
const batchWork = 1 << 18

// GemmStrided computes count products C_k = alpha op(A_k) op(B_k) + beta C_k. a, b and c describe the first matrices; those of product k begin k
// strides behind them. A stride of A or B may be 0: all products share the matrix. The C_k overlap neither one another
// nor any A or B. A cancelled team leaves some products undone. See Gemm for the rest.
func GemmStrided[T dense.Scalar](team *sched.Team, tA, tB Transpose, alpha T, count int, a dense.Matrix[T], strideA int, b dense.Matrix[T], strideB int, beta T, c dense.Matrix[T], strideC int) {
	require(count >= 0 && min(strideA, strideB, strideC) >= 0, "GemmStrided: %d products, strides %d, %d, %d", count, strideA, strideB, strideC)
	k := requireProduct("GemmStrided", tA, tB, a, b, c)
	if count == 0 || c.Rows == 0 || c.Cols == 0 {
		return
	}
	if k == 0 {
		strideA, strideB = 0, 0 // there is nothing in A and B
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

// GemmBatch computes the products C_k = alpha op(A_k) op(B_k) + beta C_k, whose shapes may differ. The C_k overlap neither one another nor
// any A or B. A cancelled team leaves some products undone. See Gemm for the rest.
func GemmBatch[T dense.Scalar](team *sched.Team, tA, tB Transpose, alpha T, as, bs []dense.Matrix[T], beta T, cs []dense.Matrix[T]) {
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

// batch has the products 0 <= k < count computed, those from k0 to k1 by a call of some: one after the other on all threads if they are few and
// large, else each on one thread.
func batch(team *sched.Team, count, work int, some func(team *sched.Team, k0, k1 int)) {
	if threads := team.Threads(); threads > 1 && count < 4*threads && work >= realBlocking[float64](kernel.Best()).ThreadWork {
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
