package householder

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/sched"
)

const (
	// Reflectors in a block. More of them give matrix products better shapes, but 1/n of the work grows with their number.
	// For large matrices they are as many as a kernel's tile has columns, of which a complex number takes two.
	fewReflectors, manyReflectors, manySingleReflectors = 16, 24, 48
	// From this order on blocks have many reflectors.
	manyReflectorsOrder = 512
	// From this order on the matrices of all blocks do not stay in the second-level cache from one group of vectors to the
	// next. The operand that the next product reads first is then prefetched during the current product. For smaller
	// orders that would only evict other data from the first-level cache.
	prefetchOrder = 512
	// Lengths of reflectors are rounded up to whole vectors of the widest kernel where the order allows it.
	lengthMultiple = 16
)

// ReflectorsPerBlock returns how many reflectors of a matrix of order n and type W form a block.
func ReflectorsPerBlock[W dense.Scalar](n int) int {
	switch {
	case n < manyReflectorsOrder:
		return fewReflectors
	case dense.IsSingle[W]() && !dense.IsComplex[W]():
		return manySingleReflectors
	}
	return manyReflectors
}

// Block is the product H_last ... H_first of some reflectors in compact WY form, I - V T V^H: the reflectors are the
// columns of V, and T is lower triangular. It replaces a row x^T by x^T - x^T L V^T with L = conj(V) T^T. Complex
// arithmetic is done by products of real matrices, in which real and imaginary parts are stored side by side or one
// below the other,
//
//	re(x^T L), im(x^T L) = re(x)^T (re L, im L) + im(x)^T (-im L, re L)
//
// R is the real type. GatherRows makes the blocks, ApplyBlocks applies them.
type Block[R dense.Float] struct {
	first, count int             // reflectors of the lengths first <= i < first+count
	parts        int             // real numbers for each element: 1 or 2
	rows         dense.Matrix[R] // V^T, a reflector in each row; complex: im V^T, re V^T and -im V^T, one below the other
	left         dense.Matrix[R] // L; complex: -im L, re L and im L, side by side; empty if the product is the identity
}

// realBlocks returns how many real matrices the fields rows and left of a Block hold.
func realBlocks(parts int) int { return 2*parts - 1 }

// newBlocks returns the blocks of the n-1 reflectors of a matrix of order n and type W, in the order of application,
// without their matrices. If the number of reflectors is not a multiple of the block's, the first block, that of the
// shortest ones, has fewer.
func newBlocks[W dense.Scalar, R dense.Float](n int) []Block[R] {
	together := ReflectorsPerBlock[W](n)
	count := ceilDiv(n-1, together)
	blocks := make([]Block[R], count)
	for i := range blocks {
		end := n - (count-1-i)*together
		first := max(1, end-together)
		length := min(n, ceilDiv(end-1, lengthMultiple)*lengthMultiple)
		blocks[i] = Block[R]{first: first, count: end - first, parts: dense.Parts[W](), rows: dense.Matrix[R]{Cols: length}}
	}
	return blocks
}

// BlockElements returns an upper bound on the real numbers of memory that GatherRows takes for a matrix of order n and
// type W: those of the blocks, and the scratch memory of each thread.
func BlockElements[W dense.Scalar](n, threads int) int {
	together := min(n, ReflectorsPerBlock[W](n))
	longest := n/2 + together + lengthMultiple // on average
	matrices := 1
	if dense.IsComplex[W]() {
		matrices = 2 * realBlocks(2)
	}
	return matrices*(n+together)*longest + threads*formElements(n, dense.Parts[W](), together)
}

// formElements returns how many numbers of scratch memory form takes for count reflectors of a matrix of order n: for
// their transpose, a Gram matrix, and T twice.
func formElements(n, parts, count int) int {
	wide := parts * count
	return wide * (n + 3*wide)
}

// GatherRows forms the blocks of the reflectors H_i = I - tau[i] v_i v_i^H, 1 <= i < n, of the square matrix h of order
// n. v_i has i elements, which row i of h holds left of the diagonal. Blocks come in the order of application: H_1 acts
// first.
//
// Elements of h right of the reflectors are overwritten by zeros, and the blocks of a real matrix refer to h. R is W's
// real type; memory has BlockElements numbers for the team's threads. The error is the team's.
//
// Cost: n^2 multiply-adds for each reflector of a block.
func GatherRows[W dense.Scalar, R dense.Float](
	team *sched.Team, h dense.Matrix[W], tau []W, memory []R,
) ([]Block[R], error) {
	n := h.Rows
	blocks := newBlocks[W, R](n)
	take := func(rows, cols int) dense.Matrix[R] {
		taken := dense.Matrix[R]{Rows: rows, Cols: cols, Stride: cols, Data: memory[: rows*cols : rows*cols]}
		memory = memory[rows*cols:]
		return taken
	}
	for i := range blocks {
		b := &blocks[i]
		length, wide := b.rows.Cols, realBlocks(b.parts)*b.count
		if real, ok := any(h).(dense.Matrix[R]); ok {
			b.rows = real.Slice(b.first, b.first+b.count, 0, length)
		} else {
			b.rows = take(wide, length)
		}
		b.left = take(length, wide)
	}
	perWorker := formElements(n, dense.Parts[W](), ReflectorsPerBlock[W](n))
	err := team.For(len(blocks), func(worker, i int) error {
		b := &blocks[len(blocks)-1-i] // the longest reflectors come first
		loadRows(b, h)
		form(b, tau[b.first:b.first+b.count], memory[worker*perWorker:])
		return nil
	})
	return blocks, err
}

// loadRows copies the reflectors of h, each of which is one element longer than the one before, to rows, and pads them
// with zeros.
func loadRows[W dense.Scalar, R dense.Float](b *Block[R], h dense.Matrix[W]) {
	for j := range b.count {
		i := b.first + j
		if b.parts == 1 {
			clear(b.rows.Row(j)[i:])
			continue
		}
		above, re, below := b.rows.Row(j), b.rows.Row(b.count+j), b.rows.Row(2*b.count+j)
		reflector := dense.Reals[R](h.Row(i)[:i])
		for k := range i {
			x, y := reflector[2*k], reflector[2*k+1]
			above[k], re[k], below[k] = y, x, -y
		}
		clear(above[i:])
		clear(re[i:])
		clear(below[i:])
	}
}

// form computes L from the reflectors in rows.
func form[W dense.Scalar, R dense.Float](b *Block[R], tau []W, scratch []R) {
	identity := true
	for _, t := range tau {
		identity = identity && t == 0
	}
	if identity {
		b.left = dense.Matrix[R]{}
		return
	}
	wide := b.parts * b.count
	take := func(rows, cols int) dense.Matrix[R] {
		taken := dense.Matrix[R]{Rows: rows, Cols: cols, Stride: cols, Data: scratch[:rows*cols]}
		scratch = scratch[rows*cols:]
		return taken
	}
	if b.parts == 1 {
		formReal(b, tau, take)
		return
	}
	length := b.rows.Cols
	reflectors, transposed := b.rows.Slice(0, wide, 0, length), take(length, wide)
	gram, factor, right := take(wide, wide), take(wide, wide), take(wide, wide)
	transpose(transposed, reflectors)
	blas.GemmDirect(1, reflectors, transposed, 0, gram)
	complexTriangle(tau, gram, factor)
	transpose(right, factor)
	blas.GemmDirect(1, transposed, right, 0, b.left.Slice(0, length, b.count, b.count+wide))
	for i := range length {
		row := b.left.Row(i)
		for j, y := range row[wide:] {
			row[j] = -y
		}
	}
}

// formReal is form for real reflectors: L^T = T V^T. H_j (I - V T V^T) adds the row -tau_j (v_j^T V) T to T, and tau_j
// on the diagonal. So T is the inverse of the strict lower triangle of V^T V plus the diagonal of 1/tau_j, and L^T is
// the solution of a triangular system.
func formReal[W dense.Scalar, R dense.Float](b *Block[R], tau []W, take func(rows, cols int) dense.Matrix[R]) {
	count, length := b.count, b.rows.Cols
	gram, solution := take(count, count), take(count, length)
	transpose(b.left, b.rows)
	blas.GemmDirect(1, b.rows, b.left, 0, gram)
	solution.CopyFrom(b.rows)
	for first := 0; first < count; first += gemm.TriangleOrder {
		end := min(count, first+gemm.TriangleOrder)
		rows := solution.Slice(first, end, 0, length)
		if first > 0 {
			blas.GemmDirect(-1, gram.Slice(first, end, 0, first), solution.Slice(0, first, 0, length), 1, rows)
		}
		var system [gemm.TriangleOrder * gemm.TriangleOrder]R
		for i := range rows.Rows {
			row := system[i*gemm.TriangleOrder:]
			copy(row[:i], gram.Row(first + i)[first:])
			row[i] = R(dense.Real(tau[first+i]))
		}
		gemm.Trsm(kernel.Best(), rows.Rows, system[:], rows.Data, 0, rows.Stride, length)
	}
	transpose(b.left, solution)
}

func transpose[R dense.Float](to, from dense.Matrix[R]) {
	gemm.Transpose(kernel.Best(), from.Rows, from.Cols, from.Data, from.Stride, to.Data, to.Stride)
}

// complexTriangle computes T of complex reflectors row by row: H_j (I - V T V^H) adds the row -tau_j (v_j^H V) T to T,
// and tau_j on the diagonal. Imaginary parts come first in gram, whose complex element (j, q) is v_j^H v_q, and in the
// columns of factor, which becomes
//
//	(im T,  re T)
//	(-re T, im T)
func complexTriangle[W dense.Scalar, R dense.Float](tau []W, gram, factor dense.Matrix[R]) {
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

// ApplyElements returns how many numbers of scratch memory ApplyBlocks takes for each row x, for reflectors of a matrix
// of order n and type W.
func ApplyElements[W dense.Scalar](n int) int {
	return dense.Parts[W]() * min(n, ReflectorsPerBlock[W](n))
}

// ApplyBlocks replaces each row x^T of n elements by (Q x)^T, for the product Q of all blocks. The imaginary parts of a
// complex row stand behind its real parts. The error is the team's.
//
// Cost: 2 n multiply-adds for each row and reflector, four times as many if it is complex.
func ApplyBlocks[R dense.Float](team *sched.Team, blocks []Block[R], x dense.Matrix[R], n int, scratch []R) error {
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

// apply applies one block; next is the field left of the block after it.
func (b *Block[R]) apply(x dense.Matrix[R], n int, scratch, next []R) {
	prefetched := func(part []R) []R {
		if n < prefetchOrder {
			return nil
		}
		return part
	}
	length, wide := b.rows.Cols, b.parts*b.count
	products := dense.Matrix[R]{Rows: x.Rows, Cols: wide, Stride: wide, Data: scratch[:x.Rows*wide]}
	re := x.Slice(0, x.Rows, 0, length)
	if b.parts == 1 {
		blas.GemmDirectBefore(1, re, b.left, 0, products, prefetched(b.rows.Data))
		blas.GemmDirectBefore(-1, products, b.rows, 1, re, prefetched(next))
		return
	}
	im, first := x.Slice(0, x.Rows, n, n+length), b.count
	upper, lower := b.rows.Slice(0, wide, 0, length), b.rows.Slice(first, first+wide, 0, length)
	blas.GemmDirectBefore(1, re, b.left.Slice(0, length, first, first+wide), 0, products, prefetched(lower.Data))
	blas.GemmDirectBefore(1, im, b.left.Slice(0, length, 0, wide), 1, products,
		prefetched(upper.Slice(0, first, 0, length).Data))
	blas.GemmDirectBefore(-1, products, lower, 1, re, prefetched(next[:len(next)/2]))
	blas.GemmDirectBefore(-1, products, upper, 1, im, prefetched(next[len(next)/2:]))
}

// ceilDiv returns the smallest integer that is at least x/y.
func ceilDiv(x, y int) int { return (x + y - 1) / y }
