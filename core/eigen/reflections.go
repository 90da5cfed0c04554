package eigen

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// planes returns how many real matrices a matrix of the type W is kept as: its real part, and its imaginary part if it has one.
func planes[W dense.Scalar]() int {
	if dense.IsComplex[W]() {
		return 2
	}
	return 1
}

const (
	// Reflections that are applied together: the columns of a kernel's tile for double precision, of a part of it for complex numbers. More
	// of them make products of better shapes, but 1/n of the work grows with their number. In single precision tiles are as wide again.
	blockReflections, singleBlockReflections = 24, 48
	// Lengths of reflections are rounded up to whole vectors of the widest kernel where the order allows it.
	lengthMultiple = 16
)

// reflectionsTogether returns how many reflections of a matrix of type W a block has.
func reflectionsTogether[W dense.Scalar]() int {
	if dense.IsSingle[W]() && !dense.IsComplex[W]() {
		return singleBlockReflections
	}
	return blockReflections
}

// reflectionBlock is the product P_{last} ... P_{first} of some reflections, I - V T V^H: the reflections are the columns of V, and T is
// lower triangular (Schreiber and Van Loan, "A storage-efficient WY representation for products of Householder transformations", SIAM
// J. Sci. Stat. Comput. 10, 1989). It replaces a row x^T by x^T - x^T L V^T with L = conj(V) T^T, in real numbers: those of a complex
// matrix stand beside one another or below one another, so that a product of complex matrices is one of real ones,
//
//	re(x^T L), im(x^T L) = re(x)^T (re L, im L) + im(x)^T (-im L, re L)
type reflectionBlock[R dense.Float] struct {
	first, count int             // the orders first <= i < first+count of the reflections
	planes       int             // 1: real, 2: complex
	rows         dense.Matrix[R] // V^T, a reflection in each row; complex: im V^T, re V^T and -im V^T below one another
	left         dense.Matrix[R] // L; complex: -im L, re L and im L side by side; empty for a product that is the identity
}

// copiesOf returns how many real matrices rows and left have for those of a block.
func copiesOf(planes int) int { return 2*planes - 1 }

// reflectionBlocks returns the blocks of the n-1 reflections of a matrix of order n and type W, which are to be applied from the first to the
// last, without their matrices. The shortest reflections make up for a number that does not fit.
func reflectionBlocks[W dense.Scalar, R dense.Float](n int) []reflectionBlock[R] {
	together := reflectionsTogether[W]()
	count := ceilDiv(n-1, together)
	blocks := make([]reflectionBlock[R], count)
	for i := range blocks {
		end := n - (count-1-i)*together
		first := max(1, end-together)
		length := min(n, ceilDiv(end-1, lengthMultiple)*lengthMultiple)
		blocks[i] = reflectionBlock[R]{first: first, count: end - first, planes: planes[W](), rows: dense.Matrix[R]{Cols: length}}
	}
	return blocks
}

// blockElements bounds the real numbers that the matrices of all blocks of a matrix of order n and type W take, with what form takes besides for
// each of the threads.
func blockElements[W dense.Scalar](n, threads int) int {
	together := min(n, reflectionsTogether[W]())
	longest := n/2 + together + lengthMultiple // on average
	matrices := 1
	if dense.IsComplex[W]() {
		matrices = 2 * copiesOf(2)
	}
	return matrices*(n+together)*longest + threads*formElements(planes[W](), together)
}

// formElements returns how many numbers form takes as scratch memory for count reflections: for a Gram matrix, T and two rows.
func formElements(planes, count int) int {
	gram, factor := planes*planes, copiesOf(planes)*planes
	return (gram+factor)*count*count + planes*count
}

// gather brings the reflections that tridiagonalize left in h and tau into blocks, which are to be applied from the first to the last.
// Elements of h to the right of the reflections are overwritten by zeros, and the blocks of a real matrix refer to h. R is the real type of
// W; memory has blockElements numbers for the team's threads.
//
// Cost: n^2 multiply-adds for each reflection of a block.
func gather[W dense.Scalar, R dense.Float](team *sched.Team, h dense.Matrix[W], tau []W, memory []R) ([]reflectionBlock[R], error) {
	n := h.Rows
	blocks := reflectionBlocks[W, R](n)
	take := func(rows, cols int) dense.Matrix[R] {
		taken := dense.Matrix[R]{Rows: rows, Cols: cols, Stride: cols, Data: memory[: rows*cols : rows*cols]}
		memory = memory[rows*cols:]
		return taken
	}
	for i := range blocks {
		b := &blocks[i]
		length, wide := b.rows.Cols, copiesOf(b.planes)*b.count
		if real, ok := any(h).(dense.Matrix[R]); ok {
			b.rows = real.Slice(b.first, b.first+b.count, 0, length)
		} else {
			b.rows = take(wide, length)
		}
		b.left = take(length, wide)
	}
	perWorker := formElements(planes[W](), reflectionsTogether[W]())
	err := team.For(len(blocks), func(worker, i int) error {
		b := &blocks[len(blocks)-1-i] // the longest ones come first
		fill(b, h)
		form(b, tau[b.first:b.first+b.count], memory[worker*perWorker:])
		return nil
	})
	return blocks, err
}

// fill fills rows with the reflections in h, each of which has one element more than the one before, and with zeros behind them.
func fill[W dense.Scalar, R dense.Float](b *reflectionBlock[R], h dense.Matrix[W]) {
	for j := range b.count {
		i := b.first + j
		if b.planes == 1 {
			clear(b.rows.Row(j)[i:])
			continue
		}
		above, re, below := b.rows.Row(j), b.rows.Row(b.count+j), b.rows.Row(2*b.count+j)
		reflection := dense.Reals[R](h.Row(i)[:i])
		for k := range i {
			x, y := reflection[2*k], reflection[2*k+1]
			above[k], re[k], below[k] = y, x, -y
		}
		clear(above[i:])
		clear(re[i:])
		clear(below[i:])
	}
}

// form computes left from the reflections in rows.
func form[W dense.Scalar, R dense.Float](b *reflectionBlock[R], tau []W, scratch []R) {
	identity := true
	for _, t := range tau {
		identity = identity && t == 0
	}
	if identity {
		b.left = dense.Matrix[R]{}
		return
	}
	wide := b.planes * b.count
	take := func(rows, cols int) dense.Matrix[R] {
		taken := dense.Matrix[R]{Rows: rows, Cols: cols, Stride: cols, Data: scratch[:rows*cols]}
		scratch = scratch[rows*cols:]
		return taken
	}
	gram, factor := take(wide, wide), take(copiesOf(b.planes)*b.count, wide)
	reflections := b.rows.Slice(0, wide, 0, b.rows.Cols)
	blas.Gemm(nil, blas.NoTrans, blas.Trans, 1, reflections, reflections, 0, gram)
	factor.Fill(0)
	if b.planes == 1 {
		triangleOf(tau, gram, factor, scratch)
	} else {
		complexTriangleOf(tau, gram, factor, scratch)
	}
	blas.Gemm(nil, blas.Trans, blas.Trans, 1, reflections, factor, 0, b.left)
}

// triangleOf adds T, row by row, to factor, which is zero: P_j (I - V T V^H) adds the row -tau_j (v_j^H V) T to T, and tau_j on the diagonal.
// Element (q, j) of gram is v_j^H v_q.
func triangleOf[W dense.Scalar, R dense.Float](tau []W, gram, factor dense.Matrix[R], weights []R) {
	for j, t := range tau {
		re := R(dense.Real(t))
		for q := range j {
			weights[q] = -re * gram.At(q, j)
		}
		addRows(factor, 0, weights[:j], factor.Row(j))
		factor.Set(j, j, re)
	}
}

// complexTriangleOf is triangleOf for complex reflections, whose imaginary parts come first in gram. With T's rows as (im T, re T), factor gets
//
//	( re T, -im T)
//	( im T,  re T)
//	(-re T,  im T)
func complexTriangleOf[W dense.Scalar, R dense.Float](tau []W, gram, factor dense.Matrix[R], weights []R) {
	count := len(tau)
	turned := weights[count : 2*count]
	for j, t := range tau {
		re, im := R(dense.Real(t)), R(dense.Imag(t))
		for q := range j {
			x := gram.At(q, j) + gram.At(count+q, count+j)
			y := gram.At(q, count+j) - gram.At(count+q, j)
			weights[q], turned[q] = im*y-re*x, -re*y-im*x
		}
		row := factor.Row(count + j)
		addRows(factor, count, weights[:j], row)
		addRows(factor, 0, turned[:j], row) // i T
		row[j] = im
		row[count+j] = re
		above, below := factor.Row(j), factor.Row(2*count+j)
		for k := range j + 1 {
			y, x := row[k], row[count+k]
			above[k], above[count+k], below[k], below[count+k] = x, -y, -x, y
		}
	}
}

// addRows adds multiples of the rows of m from first on to y.
func addRows[R dense.Float](m dense.Matrix[R], first int, weights, y []R) {
	if len(weights) == 0 {
		return
	}
	rows := kernel.Rows[R]{Count: len(weights), Cols: m.Cols, Stride: m.Stride, A: m.Data[first*m.Stride:]}
	kernel.Axpys(kernel.Best(), &rows, weights, y)
}

// applyElements returns how many numbers applyBlocks takes as scratch memory for each row of a matrix of order n and type W.
func applyElements[W dense.Scalar](n int) int { return planes[W]() * min(n, reflectionsTogether[W]()) }

// applyBlocks replaces each row x^T by (Q x)^T, for the product Q of all blocks and x with n elements. The imaginary parts of a complex row are
// behind its real parts.
func applyBlocks[R dense.Float](team *sched.Team, blocks []reflectionBlock[R], x dense.Matrix[R], n int, scratch []R) error {
	for i := range blocks {
		if blocks[i].left.Cols == 0 {
			continue
		}
		if err := team.Err(); err != nil {
			return err
		}
		blocks[i].apply(x, n, scratch)
	}
	return nil
}

// apply is applyBlocks for one block.
func (b *reflectionBlock[R]) apply(x dense.Matrix[R], n int, scratch []R) {
	length, wide := b.rows.Cols, b.planes*b.count
	products := dense.Matrix[R]{Rows: x.Rows, Cols: wide, Stride: wide, Data: scratch[:x.Rows*wide]}
	re := x.Slice(0, x.Rows, 0, length)
	if b.planes == 1 {
		blas.GemmDirect(1, re, b.left, 0, products)
		blas.GemmDirect(-1, products, b.rows, 1, re)
		return
	}
	im, first := x.Slice(0, x.Rows, n, n+length), b.count
	blas.GemmDirect(1, re, b.left.Slice(0, length, first, first+wide), 0, products)
	blas.GemmDirect(1, im, b.left.Slice(0, length, 0, wide), 1, products)
	blas.GemmDirect(-1, products, b.rows.Slice(first, first+wide, 0, length), 1, re)
	blas.GemmDirect(-1, products, b.rows.Slice(0, wide, 0, length), 1, im)
}

// ceilDiv returns the smallest integer that is at least x/y.
func ceilDiv(x, y int) int { return (x + y - 1) / y }
