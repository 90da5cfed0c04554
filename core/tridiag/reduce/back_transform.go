package reduce

import (
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/sched"
)

const (
	// Reflections of a block. With more of them the products have better shapes, but a share of 1/n of the work grows
	// with their number. For large matrices they are as many as a kernel's tile has columns, of which complex ones take
	// two.
	smallBlock, largeBlock, largeSingleBlock = 16, 24, 48
	// Blocks are large from this order on.
	minLargeBlockOrder = 512
	// From this order on the matrices of all blocks do not stay in the second-level cache from one chunk of vectors to
	// the next: each product prefetches what the next one reads first. Below, that would evict other data from the
	// first-level cache.
	minPrefetchOrder = 512
	// The lengths of reflections are rounded up to whole vectors of the widest kernel where the order allows it.
	lengthMultiple = 16
)

// BlockSize returns the number of reflections in a block for a matrix of order n and type W.
func BlockSize[W dense.Scalar](n int) int {
	switch {
	case n < minLargeBlockOrder:
		return smallBlock
	case dense.IsSingle[W]() && !dense.IsComplex[W]():
		return largeSingleBlock
	}
	return largeBlock
}

// Reflectors is the unitary matrix Q of Hermitian as a product of block reflectors. R is the real type of the matrix.
type Reflectors[R dense.Float] []blockReflector[R]

// blockReflector is the product P_{last} ... P_{first} = I - V T V^H of some reflections, with their vectors as the
// columns of V and a lower triangular T (Schreiber and Van Loan, "A storage-efficient WY representation for products of
// Householder transformations", SIAM J. Sci. Stat. Comput. 10, 1989). It replaces a row x^T by x^T - x^T L V^T with L =
// conj(V) T^T.
//
// All arithmetic is real. The real and imaginary parts of a complex matrix stand side by side or below one another, so
// that a product of complex matrices is one of real ones:
//
//	re(x^T L), im(x^T L) = re(x)^T (re L, im L) + im(x)^T (-im L, re L)
type blockReflector[R dense.Float] struct {
	first, count int             // the orders first <= i < first+count of the reflections
	parts        int             // 1: real, 2: complex
	rows         dense.Matrix[R] // V^T, one reflection per row; complex: im V^T, re V^T and -im V^T below one another
	left         dense.Matrix[R] // L; complex: -im L, re L and im L side by side; empty if the product is the identity
}

// copiesOf returns how many real matrices rows and left hold for a matrix with the given number of parts.
func copiesOf(parts int) int { return 2*parts - 1 }

// newBlocks returns the blocks of the n-1 reflections of a matrix of order n and type W, in the order of application
// and without their matrices. The block of the shortest reflections may be smaller than the others.
func newBlocks[W dense.Scalar, R dense.Float](n int) Reflectors[R] {
	size := BlockSize[W](n)
	count := ceilDiv(n-1, size)
	blocks := make(Reflectors[R], count)
	for i := range blocks {
		end := n - (count-1-i)*size
		first := max(1, end-size)
		length := min(n, ceilDiv(end-1, lengthMultiple)*lengthMultiple)
		rows := dense.Matrix[R]{Cols: length}
		blocks[i] = blockReflector[R]{first: first, count: end - first, parts: partsOf[W](), rows: rows}
	}
	return blocks
}

// ReflectorElements bounds the numbers of memory that NewReflectors takes for a matrix of order n and type W: the
// matrices of all blocks and scratch memory for each thread.
func ReflectorElements[W dense.Scalar](n, threads int) int {
	size := min(n, BlockSize[W](n))
	longest := n/2 + size + lengthMultiple // on average
	matrices := 1
	if dense.IsComplex[W]() {
		matrices = 2 * copiesOf(2)
	}
	return matrices*(n+size)*longest + threads*formElements(n, partsOf[W](), size)
}

// formElements returns how many numbers of scratch memory form takes for count reflections of a matrix of order n:
// their transpose, a Gram matrix, and T twice.
func formElements(n, parts, count int) int {
	wide := parts * count
	return wide * (n + 3*wide)
}

// NewReflectors gathers the reflections that Hermitian left in h and tau. It sets the elements of h right of the
// reflections to zero, and the blocks of a real matrix refer to h. R is the real type of W; memory has
// ReflectorElements numbers for the team's threads.
//
// It returns the team's error after cancellation.
//
// Cost: n^2 multiply-adds for each reflection of a block.
func NewReflectors[W dense.Scalar, R dense.Float](
	team *sched.Team, h dense.Matrix[W], tau []W, memory []R,
) (Reflectors[R], error) {
	n := h.Rows
	blocks := newBlocks[W, R](n)
	take := func(rows, cols int) dense.Matrix[R] {
		taken := dense.Matrix[R]{Rows: rows, Cols: cols, Stride: cols, Data: memory[: rows*cols : rows*cols]}
		memory = memory[rows*cols:]
		return taken
	}
	for i := range blocks {
		b := &blocks[i]
		length, wide := b.rows.Cols, copiesOf(b.parts)*b.count
		if real, ok := any(h).(dense.Matrix[R]); ok {
			b.rows = real.Slice(b.first, b.first+b.count, 0, length)
		} else {
			b.rows = take(wide, length)
		}
		b.left = take(length, wide)
	}
	perWorker := formElements(n, partsOf[W](), BlockSize[W](n))
	err := team.For(len(blocks), func(worker, i int) error {
		b := &blocks[len(blocks)-1-i] // the longest ones come first
		load(b, h)
		form(b, tau[b.first:b.first+b.count], memory[worker*perWorker:])
		return nil
	})
	return blocks, err
}

// load fills rows with the reflections in h, each one element longer than the one before, and zeros after them.
func load[W dense.Scalar, R dense.Float](b *blockReflector[R], h dense.Matrix[W]) {
	for j := range b.count {
		i := b.first + j
		if b.parts == 1 {
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
func form[W dense.Scalar, R dense.Float](b *blockReflector[R], tau []W, scratch []R) {
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
	reflections, transposed := b.rows.Slice(0, wide, 0, length), take(length, wide)
	gram, factor, right := take(wide, wide), take(wide, wide), take(wide, wide)
	transpose(transposed, reflections)
	blas.GemmDirect(1, reflections, transposed, 0, gram)
	complexFactor(tau, gram, factor)
	transpose(right, factor)
	blas.GemmDirect(1, transposed, right, 0, b.left.Slice(0, length, b.count, b.count+wide))
	for i := range length {
		row := b.left.Row(i)
		for j, y := range row[wide:] {
			row[j] = -y
		}
	}
}

// formReal is form for real reflections: L^T = T V^T. P_j (I - V T V^T) adds the row -tau_j (v_j^T V) T to T, and tau_j
// on the diagonal. Hence T is the inverse of the strict lower triangle of V^T V plus the diagonal of 1/tau_j, and L^T
// solves a triangular system.
func formReal[W dense.Scalar, R dense.Float](b *blockReflector[R], tau []W, take func(rows, cols int) dense.Matrix[R]) {
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

// complexFactor forms T of complex reflections, row by row: P_j (I - V T V^H) adds the row -tau_j (v_j^H V) T to T, and
// tau_j on the diagonal. The complex element (j, q) of gram is v_j^H v_q, with imaginary parts first in its rows and
// columns. factor becomes
//
//	(im T,  re T)
//	(-re T, im T)
func complexFactor[W dense.Scalar, R dense.Float](tau []W, gram, factor dense.Matrix[R]) {
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

// ApplyElements returns how many numbers of scratch memory Apply takes for each row, for a matrix of order n and type
// W.
func ApplyElements[W dense.Scalar](n int) int { return partsOf[W]() * min(n, BlockSize[W](n)) }

// Apply replaces each row x^T of n elements by (Q x)^T. The imaginary parts of a complex row follow its real parts.
//
// It returns the team's error after cancellation.
func (q Reflectors[R]) Apply(team *sched.Team, x dense.Matrix[R], n int, scratch []R) error {
	for i := range q {
		if q[i].left.Cols == 0 {
			continue
		}
		if err := team.Err(); err != nil {
			return err
		}
		var next []R
		if i+1 < len(q) {
			next = q[i+1].left.Data
		}
		q[i].apply(x, n, scratch, next)
	}
	return nil
}

// apply is Apply for one block. The data of the next block's left is prefetched.
func (b *blockReflector[R]) apply(x dense.Matrix[R], n int, scratch, next []R) {
	ahead := func(part []R) []R {
		if n < minPrefetchOrder {
			return nil
		}
		return part
	}
	length, wide := b.rows.Cols, b.parts*b.count
	products := dense.Matrix[R]{Rows: x.Rows, Cols: wide, Stride: wide, Data: scratch[:x.Rows*wide]}
	re := x.Slice(0, x.Rows, 0, length)
	if b.parts == 1 {
		blas.GemmDirectBefore(1, re, b.left, 0, products, ahead(b.rows.Data))
		blas.GemmDirectBefore(-1, products, b.rows, 1, re, ahead(next))
		return
	}
	im, first := x.Slice(0, x.Rows, n, n+length), b.count
	upper, lower := b.rows.Slice(0, wide, 0, length), b.rows.Slice(first, first+wide, 0, length)
	blas.GemmDirectBefore(1, re, b.left.Slice(0, length, first, first+wide), 0, products, ahead(lower.Data))
	leftIm := b.left.Slice(0, length, 0, wide)
	blas.GemmDirectBefore(1, im, leftIm, 1, products, ahead(upper.Slice(0, first, 0, length).Data))
	blas.GemmDirectBefore(-1, products, lower, 1, re, ahead(next[:len(next)/2]))
	blas.GemmDirectBefore(-1, products, upper, 1, im, ahead(next[len(next)/2:]))
}

// partsOf returns how many real numbers a W has.
func partsOf[W dense.Scalar]() int {
	if dense.IsComplex[W]() {
		return 2
	}
	return 1
}

// elementBytes returns the size of a W.
func elementBytes[W dense.Scalar]() int { return int(unsafe.Sizeof(*new(W))) }
