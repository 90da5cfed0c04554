package eigen

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Reflections that are applied together. More of them make products of better shapes, but 1/n of the work grows with their number.
const blockReflections = 24

// reflectionBlock is the product P_{last} ... P_{first} of some reflections, I - V T V^H: the reflections are the columns of V, and T is
// lower triangular (Schreiber and Van Loan, "A storage-efficient WY representation for products of Householder transformations", SIAM
// J. Sci. Stat. Comput. 10, 1989).
type reflectionBlock[W dense.Wide] struct {
	rows dense.Matrix[W] // V^T: a reflection in each row
	left dense.Matrix[W] // conj(V) T^T; empty for a product that is the identity
}

// orders returns the orders first <= i < end of the reflections of block b of the n-1 reflections of a matrix of order n.
func orders(b, n int) (first, end int) {
	first = 1 + b*blockReflections
	return first, min(n, first+blockReflections)
}

// blockElements returns how many numbers the matrices left of all blocks take for a matrix of order n.
func blockElements(n int) int {
	total := 0
	for b := range ceilDiv(n-1, blockReflections) {
		first, end := orders(b, n)
		total += (end - 1) * (end - first)
	}
	return total
}

// formElements returns how many numbers form takes as scratch memory for a matrix of order n: two square matrices.
func formElements(n int) int {
	count := min(n, blockReflections)
	return 2 * count * count
}

// gather brings the reflections that tridiagonalize left in h and tau into blocks, which are to be applied from the first to the last.
// Elements of h to the right of the reflections are overwritten by zeros. memory has blockElements(n) numbers.
//
// Cost: n^2 blockReflections multiply-adds.
func gather[W dense.Wide](team *sched.Team, h dense.Matrix[W], tau, memory []W) ([]reflectionBlock[W], error) {
	n := h.Rows
	blocks := make([]reflectionBlock[W], ceilDiv(n-1, blockReflections))
	for b := range blocks {
		first, end := orders(b, n)
		size := (end - 1) * (end - first)
		blocks[b] = reflectionBlock[W]{
			rows: h.Slice(first, end, 0, end-1),
			left: dense.Matrix[W]{Rows: end - 1, Cols: end - first, Stride: end - first, Data: memory[:size:size]},
		}
		memory = memory[size:]
	}
	perWorker := formElements(n)
	scratch := make([]W, min(team.Threads(), len(blocks))*perWorker)
	err := team.For(len(blocks), func(worker, i int) error {
		b := len(blocks) - 1 - i // the longest ones come first
		first, end := orders(b, n)
		blocks[b].form(tau[first:end], scratch[worker*perWorker:])
		return nil
	})
	return blocks, err
}

// form computes left from the reflections in rows, each of which has one element more than the one before, the last as many as there are
// columns. The elements behind them become zero.
func (b *reflectionBlock[W]) form(tau, scratch []W) {
	count := b.rows.Rows
	shortest, identity := b.rows.Cols-count+1, true
	for j := range count {
		clear(b.rows.Row(j)[shortest+j:])
		identity = identity && tau[j] == 0
	}
	if identity {
		b.left = dense.Matrix[W]{}
		return
	}
	gram := dense.Matrix[W]{Rows: count, Cols: count, Stride: count, Data: scratch[:count*count]}
	factor := dense.Matrix[W]{Rows: count, Cols: count, Stride: count, Data: scratch[count*count : 2*count*count]}
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, b.rows, b.rows, 0, gram) // element (q, j) is v_j^H v_q
	factor.Fill(0)
	for j := range count {
		// P_j (I - V T V^H) adds the row -tau_j (v_j^H V) T to T, and tau_j on the diagonal.
		row := factor.Row(j)
		for q := range j {
			weight := -tau[j] * gram.At(q, j)
			for k, x := range factor.Row(q)[:q+1] {
				row[k] += weight * x
			}
		}
		row[j] = tau[j]
	}
	blas.Gemm(nil, blas.ConjTrans, blas.Trans, 1, b.rows, factor, 0, b.left)
}

// apply replaces each row x^T by ((I - V T V^H) x)^T. scratch has blockReflections numbers for each row.
func (b *reflectionBlock[W]) apply(x dense.Matrix[W], scratch []W) {
	if b.left.Cols == 0 {
		return
	}
	products := dense.Matrix[W]{Rows: x.Rows, Cols: b.left.Cols, Stride: b.left.Cols, Data: scratch[:x.Rows*b.left.Cols]}
	changed := x.Slice(0, x.Rows, 0, b.rows.Cols)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, changed, b.left, 0, products)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, -1, products, b.rows, 1, changed)
}

// ceilDiv returns the smallest integer that is at least x/y.
func ceilDiv(x, y int) int { return (x + y - 1) / y }
