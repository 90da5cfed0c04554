package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
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

func newGemmComplex[R dense.Float, T dense.Complex](set kernel.Set, part part, alpha T, a, b factor[T], beta T, c dense.Matrix[T]) gemmProblem[R] {
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
	return g
}

// pack writes the two rows that stand for a row of alpha B, for rows p0 <= p < p1 of B and the tiles of piece, which begin at column j0.
func (q *pairs[T]) pack(set kernel.Set, piece *pieceB[T], b operand[T], p0, p1, j0 int) {
	panel := gemm.Panel[T]{
		Count: piece.count, Rows: (p1 - p0) / 2, Cols: piece.cols, From: b.from(p0, j0), FromRow: 2 * b.row, FromStep: piece.cols,
		To: piece.data, ToRow: piece.row, ToStep: piece.step,
	}
	if b.col != 1 {
		for t := range piece.count {
			transposePairs(set, piece.cols/2, panel.Rows, b.from(p0, j0+t*piece.cols), b.col, piece.data[t*piece.step:], piece.row)
		}
		panel.From, panel.FromRow, panel.FromStep = panel.To, 2*panel.ToRow, panel.ToStep
	}
	sign, signA, signB := T(1), T(1), T(1)
	if q.alphaRe == -1 && q.alphaIm == 0 {
		sign = -1
	}
	if q.conjA {
		signA = -1
	}
	if q.conjB {
		signB = -1
	}
	gemm.PackExpanded(set, &panel, [2]T{sign, sign * signB}, [2]T{-signA * sign * signB, signA * sign})
	if q.alphaIm == 0 && q.alphaRe == sign {
		return
	}
	for t := range piece.count {
		for i := range panel.Rows {
			row := piece.data[t*piece.step+2*i*piece.row:]
			scalePairs(row[:piece.cols], q.alphaRe, q.alphaIm)
			mirrorPairs(row[piece.row:][:piece.cols], row, signA)
		}
	}
}

// mirrorPairs sets lower to the row that goes below upper.
func mirrorPairs[T dense.Float](lower, upper []T, signA T) {
	for j := 0; j+1 < len(lower); j += 2 {
		lower[j], lower[j+1] = -signA*upper[j+1], signA*upper[j]
	}
}

// transposePairs copies pairs: number i of row j of dst, whose rows of pairs are stride pairs apart, is number j of row i of src, whose rows are
// srcStride pairs apart.
func transposePairs[T dense.Float](set kernel.Set, rows, cols int, src []T, srcStride int, dst []T, stride int) {
	if single, ok := any(src).([]float32); ok {
		gemm.Transpose(set, rows, cols, asDoubles(single), srcStride, asDoubles(any(dst).([]float32)), stride)
		return
	}
	for i := range rows {
		at := 2 * i
		for row := src[2*i*srcStride:][:2*cols]; len(row) >= 2; row = row[2:] {
			dst[at], dst[at+1] = row[0], row[1]
			at += 2 * stride
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
