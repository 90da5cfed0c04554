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
	if count == 0 || c.Rows == 0 || c.Cols == 0 {
		return
	}
	x, y, set := opOf(tA, a), opOf(tB, b), kernel.Best()
	_, k := x.shape()
	if k == 0 || alpha == 0 {
		for p := range count {
			c := c
			c.Data = c.Data[p*strideC:]
			finish(multiply(set, team, full, alpha, x, y, beta, c))
		}
		return
	}
	s := strides{count, strideA, strideB, strideC}
	pairs := strides{count, 2 * strideA, 2 * strideB, 2 * strideC}
	switch c := any(c).(type) {
	case dense.Matrix[float32]:
		multiplyEach(team, newGemm(set, full, any(alpha).(float32), any(x).(factor[float32]), any(y).(factor[float32]), any(beta).(float32), c), s)
	case dense.Matrix[float64]:
		multiplyEach(team, newGemm(set, full, any(alpha).(float64), any(x).(factor[float64]), any(y).(factor[float64]), any(beta).(float64), c), s)
	case dense.Matrix[complex64]:
		multiplyEach(team, newGemmComplex[float32](set, full, any(alpha).(complex64), any(x).(factor[complex64]), any(y).(factor[complex64]), any(beta).(complex64), c), pairs)
	case dense.Matrix[complex128]:
		multiplyEach(team, newGemmComplex[float64](set, full, any(alpha).(complex128), any(x).(factor[complex128]), any(y).(factor[complex128]), any(beta).(complex128), c), pairs)
	}
}

// strides tells where the matrices of a batch are.
type strides struct{ count, a, b, c int }

// multiplyEach computes the products of a batch, the first of which is g.
func multiplyEach[T dense.Float](team *sched.Team, g gemm[T], s strides) {
	batch(team, s.count, g.m*g.n*g.k, func(team *sched.Team, k0, k1 int) {
		// What depends on the shape alone is done once for several products.
		simple := !g.packA && !g.packB && g.n <= g.size.Cols && g.k == g.inner && team.Threads() == 1
		var block blockB[T]
		block.split(&g.size, g.n)
		for k := k0; k < k1; k++ {
			g := g
			g.a.data, g.b.data, g.c.Data = g.a.data[k*s.a:], g.b.data[k*s.b:], g.c.Data[k*s.c:]
			if simple {
				g.load(&block, nil, 0, g.k, 0)
				g.strips(nil, &block, 0, g.m, 0, g.k, 0, g.n)
				continue
			}
			finish(g.compute(team))
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
