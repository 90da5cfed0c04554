package eigen

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// planes returns how many real numbers one of the type W has, and so how many real matrices a matrix: its real part, and its imaginary part if
// it has one.
func planes[W dense.Scalar]() int {
	if dense.IsComplex[W]() {
		return 2
	}
	return 1
}

const (
	// Reflections that are applied together. More of them make products of better shapes, but 1/n of the work grows with their number. For large
	// matrices they are the columns of a kernel's tile, of which complex ones take two.
	fewReflections, manyReflections, manySingleReflections = 16, 24, 48
	// From this order on there are many of them.
	manyReflectionsOrder = 512
	// From this order on the matrices of all blocks do not stay in the second cache from one chunk of vectors to the next. What the next product
	// reads first is then brought there during the one before it; below, that would push other things out of the first cache.
	farBlocksOrder = 512
	// Lengths of reflections are rounded up to whole vectors of the widest kernel where the order allows it.
	lengthMultiple = 16
)

// reflectionsTogether returns how many reflections of a matrix of order n and type W a block has.
func reflectionsTogether[W dense.Scalar](n int) int {
	switch {
	case n < manyReflectionsOrder:
		return fewReflections
	case dense.IsSingle[W]() && !dense.IsComplex[W]():
		return manySingleReflections
	}
	return manyReflections
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
	together := reflectionsTogether[W](n)
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
	together := min(n, reflectionsTogether[W](n))
	longest := n/2 + together + lengthMultiple // on average
	matrices := 1
	if dense.IsComplex[W]() {
		matrices = 2 * copiesOf(2)
	}
	return matrices*(n+together)*longest + threads*formElements(n, planes[W](), together)
}

// formElements returns how many numbers form takes as scratch memory for count reflections of a matrix of order n: for their transpose, a Gram
// matrix, and T twice.
func formElements(n, planes, count int) int {
	wide := planes * count
	return wide * (n + 3*wide)
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
	perWorker := formElements(n, planes[W](), reflectionsTogether[W](n))
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
	if b.planes == 1 {
		formReal(b, tau, take)
		return
	}
	length := b.rows.Cols
	reflections, transposed := b.rows.Slice(0, wide, 0, length), take(length, wide)
	gram, factor, right := take(wide, wide), take(wide, wide), take(wide, wide)
	transpose(transposed, reflections)
	blas.GemmDirect(1, reflections, transposed, 0, gram)
	complexTriangleOf(tau, gram, factor)
	transpose(right, factor)
	blas.GemmDirect(1, transposed, right, 0, b.left.Slice(0, length, b.count, b.count+wide))
	for i := range length {
		row := b.left.Row(i)
		for j, y := range row[wide:] {
			row[j] = -y
		}
	}
}

// formReal is form for real reflections: L^T = T V^T. P_j (I - V T V^T) adds the row -tau_j (v_j^T V) T to T, and tau_j on the diagonal, so that T is
// the inverse of the strict lower triangle of V^T V plus the diagonal of 1/tau_j, and L^T the solution of a triangular system.
func formReal[W dense.Scalar, R dense.Float](b *reflectionBlock[R], tau []W, take func(rows, cols int) dense.Matrix[R]) {
	count, length := b.count, b.rows.Cols
	gram, solution := take(count, count), take(count, length)
	transpose(b.left, b.rows)
	blas.GemmDirect(1, b.rows, b.left, 0, gram)
	solution.CopyFrom(b.rows)
	for first := 0; first < count; first += kernel.SolveOrder {
		end := min(count, first+kernel.SolveOrder)
		rows := solution.Slice(first, end, 0, length)
		if first > 0 {
			blas.GemmDirect(-1, gram.Slice(first, end, 0, first), solution.Slice(0, first, 0, length), 1, rows)
		}
		var system [kernel.SolveOrder * kernel.SolveOrder]R
		for i := range rows.Rows {
			row := system[i*kernel.SolveOrder:]
			copy(row[:i], gram.Row(first + i)[first:])
			row[i] = R(dense.Real(tau[first+i]))
		}
		kernel.Solve(kernel.Best(), rows.Rows, system[:], rows.Data, 0, rows.Stride, length)
	}
	transpose(b.left, solution)
}

func transpose[R dense.Float](to, from dense.Matrix[R]) {
	kernel.Transpose(kernel.Best(), from.Rows, from.Cols, from.Data, from.Stride, to.Data, to.Stride)
}

// complexTriangleOf makes T of complex reflections, row by row: P_j (I - V T V^H) adds the row -tau_j (v_j^H V) T to T, and tau_j on the
// diagonal. The imaginary parts come first in gram, whose complex element (j, q) is v_j^H v_q, and in the columns of factor, which gets
//
//	(im T,  re T)
//	(-re T, im T)
func complexTriangleOf[W dense.Scalar, R dense.Float](tau []W, gram, factor dense.Matrix[R]) {
	count := len(tau)
	for j, t := range tau {
		re, im := R(dense.Real(t)), R(dense.Imag(t))
		upper, lower := gram.Row(j), gram.Row(count+j)
		row, below := factor.Row(j), factor.Row(count+j)
		clear(row)
		for q := range j {
			x, y := upper[q]+lower[count+q], lower[q]-upper[count+q]
			x, y = im*y-re*x, -re*y-im*x
			other := factor.Row(q)
			toRe, toIm := row[count:][:q+1], row[:q+1]
			fromRe, fromIm := other[count:][:q+1], other[:q+1]
			for k, a := range fromRe {
				toRe[k] += x*a - y*fromIm[k]
				toIm[k] += x*fromIm[k] + y*a
			}
		}
		row[j], row[count+j] = im, re
		for k, y := range row[:count] {
			below[k], below[count+k] = -row[count+k], y
		}
	}
}

// applyElements returns how many numbers applyBlocks takes as scratch memory for each row of a matrix of order n and type W.
func applyElements[W dense.Scalar](n int) int { return planes[W]() * min(n, reflectionsTogether[W](n)) }

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
		var next []R
		if i+1 < len(blocks) {
			next = blocks[i+1].left.Data
		}
		blocks[i].apply(x, n, scratch, next)
	}
	return nil
}

// apply is applyBlocks for one block in front of one whose left is next.
func (b *reflectionBlock[R]) apply(x dense.Matrix[R], n int, scratch, next []R) {
	ahead := func(part []R) []R {
		if n < farBlocksOrder {
			return nil
		}
		return part
	}
	length, wide := b.rows.Cols, b.planes*b.count
	products := dense.Matrix[R]{Rows: x.Rows, Cols: wide, Stride: wide, Data: scratch[:x.Rows*wide]}
	re := x.Slice(0, x.Rows, 0, length)
	if b.planes == 1 {
		blas.GemmDirectBefore(1, re, b.left, 0, products, ahead(b.rows.Data))
		blas.GemmDirectBefore(-1, products, b.rows, 1, re, ahead(next))
		return
	}
	im, first := x.Slice(0, x.Rows, n, n+length), b.count
	upper, lower := b.rows.Slice(0, wide, 0, length), b.rows.Slice(first, first+wide, 0, length)
	blas.GemmDirectBefore(1, re, b.left.Slice(0, length, first, first+wide), 0, products, ahead(lower.Data))
	blas.GemmDirectBefore(1, im, b.left.Slice(0, length, 0, wide), 1, products, ahead(upper.Slice(0, first, 0, length).Data))
	blas.GemmDirectBefore(-1, products, lower, 1, re, ahead(next[:len(next)/2]))
	blas.GemmDirectBefore(-1, products, upper, 1, im, ahead(next[len(next)/2:]))
}

// ceilDiv returns the smallest integer that is at least x/y.
func ceilDiv(x, y int) int { return (x + y - 1) / y }
