package interp

import (
	"math"

	"trnsci/trnbackend/graph"
)

// reduce combines the elements of each result in the order of the operand.
func (e *evaluation) reduce() {
	x, op := e.shapes[0], e.node.Op
	dst := make([]int, x.Rank()) // 0 along the dimensions that go
	kept := strides(e.node.Shape.Dims)
	next := 0
	for k := range dst {
		if next < len(e.node.Dims) && e.node.Dims[next] == k {
			next++
			continue
		}
		dst[k] = kept[k-next]
	}
	empty := emptyReduction(op, x.DType)
	e.chunks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			e.out[i] = empty
		}
	})
	n := newNest(x.Dims, dst, strides(x.Dims))
	pair := pairs[op]
	count, part := n.parts()
	e.parallel(count, func(i int) {
		p, dst, src := part(i)
		row := p.innermost()
		p.rows(dst, src, func(dst, src int) { combine(pair, x.DType, row, e.out[dst:], e.in[0][src:]) })
	})
	e.chunks(func(lo, hi int) { round(x.DType, e.out[lo:hi]) })
}

// pairs are the operations on two elements that reductions repeat.
var pairs = map[graph.Op]graph.Op{graph.ReduceSum: graph.Add, graph.ReduceMax: graph.Maximum, graph.ReduceMin: graph.Minimum}

// combine adds one row of the operand to the results: dst[i*row.dst] = pair(dst[i*row.dst], src[i*row.src]).
func combine(pair graph.Op, d graph.DType, row loop, dst, src []float64) {
	switch {
	case pair == graph.Add && d.IsFloat() && row.dst == 0:
		sum := dst[0]
		for i := range row.length {
			sum += src[i*row.src]
		}
		dst[0] = sum
	case pair == graph.Add && d.IsFloat():
		for i := range row.length {
			dst[i*row.dst] += src[i*row.src]
		}
	default:
		for i := range row.length {
			dst[i*row.dst] = pair.Binary(d, dst[i*row.dst], src[i*row.src])
		}
	}
}

// emptyReduction returns the reduction of nothing.
func emptyReduction(op graph.Op, d graph.DType) float64 {
	switch {
	case op == graph.ReduceSum:
		return 0
	case d == graph.S32 && op == graph.ReduceMax:
		return math.MinInt32
	case d == graph.S32:
		return math.MaxInt32
	case op == graph.ReduceMax:
		return math.Inf(-1)
	}
	return math.Inf(1)
}
