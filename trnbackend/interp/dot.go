package interp

import (
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/trnbackend/graph"
)

// stack is an operand of a dot as a stack of matrices with a row for each free index and a column for each contracted
// one, or the transposes of these.
type stack struct {
	elements []float64
	free     int // the product of the free dimensions
	form     blas.Transpose
}

// matrix returns the first matrix of the stack as it is stored, and the form in which a product takes it.
func (s *stack) matrix(inner int, natural blas.Transpose) (m dense.Matrix[float64], form blas.Transpose) {
	if s.form == blas.NoTrans {
		return matrixOf(s.elements, s.free, inner), natural
	}
	return matrixOf(s.elements, inner, s.free), flipped(natural)
}

func flipped(form blas.Transpose) blas.Transpose {
	if form == blas.NoTrans {
		return blas.Trans
	}
	return blas.NoTrans
}

func matrixOf(elements []float64, rows, cols int) dense.Matrix[float64] {
	return dense.Matrix[float64]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: elements}
}

// dot brings both operands into the form of stacks of matrices X and Y and computes X Y^T for each pair.
func (e *evaluation) dot() {
	n, d := e.node, e.node.Attributes.(graph.Dimensions)
	x, y := e.stackOf(0), e.stackOf(1)
	count, inner := extent(e.shapes[0], d.Batch[0]), extent(e.shapes[0], d.Contract[0])
	switch {
	case len(e.out) == 0:
		return
	case inner == 0:
		clear(e.out)
		return
	}
	a, formA := x.matrix(inner, blas.NoTrans)
	b, formB := y.matrix(inner, blas.Trans)
	blas.GemmStrided(e.team, formA, formB, 1, count, a, x.free*inner, b, y.free*inner, 0,
		matrixOf(e.out, x.free, y.free), x.free*y.free)
	e.chunks(func(lo, hi int) { round(n.Shape.DType, e.out[lo:hi]) })
}

// stackOf brings the batch dimensions of an operand to the front. The contracted ones come last, or before the free
// ones if they are stored in that order.
func (e *evaluation) stackOf(i int) stack {
	d := e.node.Attributes.(graph.Dimensions)
	shape, batch, contract := e.shapes[i], d.Batch[i], d.Contract[i]
	var free []int
	for k := range shape.Rank() {
		if !slices.Contains(batch, k) && !slices.Contains(contract, k) {
			free = append(free, k)
		}
	}
	s := stack{free: extent(shape, free), form: blas.NoTrans}
	order := slices.Concat(batch, free, contract)
	if transposed := slices.Concat(batch, contract, free); slices.IsSorted(transposed) {
		s.form, order = blas.Trans, transposed
	}
	s.elements = e.arranged(e.in[i], shape, order)
	return s
}

// extent returns the product of some dimensions.
func extent(x graph.Shape, dims []int) int {
	size := 1
	for _, k := range dims {
		size *= x.Dims[k]
	}
	return size
}
