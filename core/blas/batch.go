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
	if count == 0 {
		return
	}
	batch(team, count, c.Rows*c.Cols*max(1, a.Rows, a.Cols), func(team *sched.Team, k int) {
		Gemm(team, tA, tB, alpha, moved(a, k*strideA, strideA), moved(b, k*strideB, strideB), beta, moved(c, k*strideC, strideC))
	})
}

// moved returns the matrix that lies behind a by the given number of elements. a's data reaches to the end of the last matrix.
func moved[T dense.Scalar](a dense.Matrix[T], by, stride int) dense.Matrix[T] {
	if stride > 0 && a.Rows > 0 && a.Cols > 0 {
		a.Data = a.Data[by:]
	}
	return a
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
	batch(team, len(cs), work/len(cs), func(team *sched.Team, k int) {
		Gemm(team, tA, tB, alpha, as[k], bs[k], beta, cs[k])
	})
}

// batch calls product for every k < count: on all threads for each if they are few and large, else each on one thread.
func batch(team *sched.Team, count, work int, product func(team *sched.Team, k int)) {
	if threads := team.Threads(); threads > 1 && count < 4*threads && work >= realBlocking[float64](kernel.Best()).ThreadWork {
		for k := range count {
			product(team, k)
		}
		return
	}
	each := max(1, batchWork/max(1, work))
	groups := ceilDiv(count, each)
	within := team.Serial()
	finish(team.For(groups, func(_, g int) error {
		for k := g * each; k < min(count, (g+1)*each); k++ {
			product(within, k)
		}
		return nil
	}))
}
