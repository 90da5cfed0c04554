package interp

import "trnsci/trnbackend/graph"

// reduce combines the elements of each result in the order of the operand.
func (e *evaluation) reduce() {
	x, op, axes := e.shapes[0], e.node.Op, e.node.Attributes.(graph.Axes)
	dst := make([]int, x.Rank()) // 0 along the dimensions that are removed
	kept := strides(e.node.Shape.Dims)
	next := 0
	for k := range dst {
		if next < len(axes) && axes[next] == k {
			next++
			continue
		}
		dst[k] = kept[k-next]
	}
	empty := op.Neutral(x.DType)
	e.chunks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			e.out[i] = empty
		}
	})
	n := newNest(x.Dims, dst, strides(x.Dims))
	pair := op.Pair()
	count, part := n.parts()
	e.parallel(count, func(i int) {
		p, dst, src := part(i)
		row := p.innermost()
		p.rows(dst, src, func(dst, src int) { combine(pair, x.DType, row, e.out[dst:], e.in[0][src:]) })
	})
	e.chunks(func(lo, hi int) { round(x.DType, e.out[lo:hi]) })
}

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
