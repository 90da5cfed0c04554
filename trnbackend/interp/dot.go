package interp

import (
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/trnbackend/graph"
)

// dot brings the batch dimensions to the front and the contracted ones to the end of both operands, which are then stacks of matrices X and Y,
// and computes X Y^T for each pair.
func (e *evaluation) dot() []float64 {
	n := e.node
	var stacks [2][]float64
	var rows [2]int
	count, inner := 1, 1
	for i, x := range e.shapes {
		free := others(x.Rank(), slices.Concat(n.Batch[i], n.Contract[i]))
		stacks[i] = arranged(e.in[i], x, slices.Concat(n.Batch[i], free, n.Contract[i]))
		rows[i] = extent(x, free)
		count, inner = extent(x, n.Batch[i]), extent(x, n.Contract[i])
	}
	out := make([]float64, n.Shape.Size())
	if len(out) == 0 || inner == 0 {
		return out
	}
	matrix := func(data []float64, rows, cols int) dense.Matrix[float64] {
		return dense.Matrix[float64]{Rows: rows, Cols: cols, Stride: cols, Data: data}
	}
	blas.GemmStrided(e.team, blas.NoTrans, blas.Trans, 1, count,
		matrix(stacks[0], rows[0], inner), rows[0]*inner, matrix(stacks[1], rows[1], inner), rows[1]*inner,
		0, matrix(out, rows[0], rows[1]), rows[0]*rows[1])
	for i, x := range out {
		out[i] = n.Shape.DType.Round(x)
	}
	return out
}

// extent returns the product of some dimensions.
func extent(x graph.Shape, dims []int) int {
	size := 1
	for _, k := range dims {
		size *= x.Dims[k]
	}
	return size
}
