package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// A complex product is computed as a real one of twice the columns and twice the inner dimension, which takes the same
// number of operations (the 1M method: Van Zee, SIAM J. Sci. Comput. 42, 2020). In memory a row of A or C is
//
//	re im re im ...
//
// and so is a row of twice as many reals. C comes out in this order if a row of B is replaced by two:
//
//	 br bi br bi ...
//	-bi br -bi br ...
//
// So A and C are used in place, and B is packed. Alpha and conjugates are applied while B is packed. Indices of columns
// of C, and of the inner dimension, count reals; they are even where a block or a tile begins.

// gemmComplex computes a product of complex matrices with the kernels of set. R is T's real type.
func gemmComplex[R dense.Float, T dense.Complex](
	set kernel.Set, team *sched.Team, part part, alpha T, a, b opMatrix[T], beta T, c dense.Matrix[T],
) error {
	g := newGemmComplex[R](set, part, alpha, a, b, beta, c)
	return g.compute(team)
}

func newGemmComplex[R dense.Float, T dense.Complex](
	set kernel.Set, part part, alpha T, a, b opMatrix[T], beta T, c dense.Matrix[T],
) gemmProblem[R] {
	_, k := a.shape()
	g := gemmProblem[R]{
		set: set, size: kernel.BlockingOf[R](set), m: c.Rows, n: 2 * c.Cols, k: 2 * k,
		alpha: 1, beta: R(dense.Real(beta)),
		a:     operand[R]{dense.Reals[R](a.Data), 2 * a.Stride, 1},
		b:     operand[R]{dense.Reals[R](b.Data), b.Stride, 1},
		c:     dense.Matrix[R]{Rows: c.Rows, Cols: 2 * c.Cols, Stride: 2 * c.Stride, Data: dense.Reals[R](c.Data)},
		packB: true, part: part,
		pairs: &pairs[R]{
			conjA: a.conj, conjB: b.conj,
			alphaRe: R(dense.Real(alpha)), alphaIm: R(dense.Imag(alpha)), betaIm: R(dense.Imag(beta)),
		},
	}
	// Columns of transposed operands are pairs of reals, a stride apart for each of the two that an index counts.
	if a.trans {
		g.a.row, g.a.col, g.packA = 2, a.Stride, true
	}
	if b.trans {
		g.b.row, g.b.col = 1, b.Stride
	}
	g.inner = balanced(g.k, g.size.Inner)
	g.chooseCopying()
	return g
}
