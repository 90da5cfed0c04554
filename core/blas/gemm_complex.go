package blas

import (
	"unsafe"

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
// So A and C are used where they lie, and B is packed. What else there is to a complex product, alpha and conjugates, is
// done while B is packed. Indices of columns of C, and of the inner dimension, count reals; they are even where a block
// or a tile begins.

// pairs holds what a product has beside its real form.
type pairs[T dense.Float] struct {
	conjA, conjB     bool
	alphaRe, alphaIm T
	betaIm           T
}

// gemmComplex computes a product of complex matrices with the kernels of set. R is T's real type.
func gemmComplex[R dense.Float, T dense.Complex](set kernel.Set, team *sched.Team, part part, alpha T, a, b factor[T], beta T, c dense.Matrix[T]) error {
	g := newGemmComplex[R](set, part, alpha, a, b, beta, c)
	return g.compute(team)
}

func newGemmComplex[R dense.Float, T dense.Complex](set kernel.Set, part part, alpha T, a, b factor[T], beta T, c dense.Matrix[T]) gemm[R] {
	_, k := a.shape()
	g := gemm[R]{
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
	return g
}

// width returns how many R make a T: 2 for a complex T, 1 for a real one.
func width[R dense.Float, T dense.Scalar]() int { return bytesOf[T]() / bytesOf[R]() }

func bytesOf[T dense.Scalar]() int {
	var t T
	return int(unsafe.Sizeof(t))
}

// packTile writes the two rows that stand for a row of alpha B, for rows p0 <= p < p1 and cols columns from j0 on. The rows
// of dst are stride apart.
func (q *pairs[T]) packTile(dst []T, stride int, b operand[T], p0, p1, j0, cols int) {
	signB, signA := T(1), T(1)
	if q.conjB {
		signB = -1
	}
	if q.conjA {
		signA = -1
	}
	scaled := q.alphaRe != 1 || q.alphaIm != 0
	for p := p0; p < p1; p += 2 {
		upper, lower := dst[(p-p0)*stride:][:cols], dst[(p-p0+1)*stride:][:cols]
		at := p*b.row + j0*b.col
		for j := 0; j+1 < len(upper) && j+1 < len(lower); j += 2 {
			re, im := b.data[at], signB*b.data[at+1]
			at += 2 * b.col
			if scaled {
				re, im = multiplied(re, im, q.alphaRe, q.alphaIm)
			}
			upper[j], upper[j+1] = re, im
			lower[j], lower[j+1] = -signA*im, signA*re
		}
	}
}

// scalePairs multiplies a row of complex numbers by one.
func scalePairs[T dense.Float](row []T, re, im T) {
	for j := 0; j+1 < len(row); j += 2 {
		row[j], row[j+1] = multiplied(row[j], row[j+1], re, im)
	}
}

// multiplied returns (a + ib) (re + i im). A real factor does not mix infinities of one part into the other.
func multiplied[T dense.Float](a, b, re, im T) (T, T) {
	if im == 0 {
		return a * re, b * re
	}
	return a*re - b*im, a*im + b*re
}
