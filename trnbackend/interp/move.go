package interp

import "trnsci/trnbackend/graph"

// moveElements copies elements of src to dst in a nest of loops that starts at the offsets from and to.
func (e *evaluation) moveElements(n nest, dst []float64, to int, src []float64, from int) {
	count, part := n.parts()
	e.parallel(count, func(i int) {
		p, dstAt, srcAt := part(i)
		row := p.innermost()
		p.rows(to+dstAt, from+srcAt, func(to, from int) { moveRow(row, dst[to:], src[from:]) })
	})
}

func moveRow(row loop, dst, src []float64) {
	switch {
	case row.dst == 1 && row.src == 1:
		copy(dst[:row.length], src[:row.length])
	case row.dst == 1 && row.src == 0:
		x := src[0]
		dst = dst[:row.length]
		for i := range dst {
			dst[i] = x
		}
	default:
		for i := range row.length {
			dst[i*row.dst] = src[i*row.src]
		}
	}
}

// gather sets the result to elements of the first operand, from an offset on, with a stride for each dimension.
func (e *evaluation) gather(stride []int, offset int) {
	dims := e.node.Shape.Dims
	e.moveElements(newNest(dims, strides(dims), stride), e.out, 0, e.in[0], offset)
}

func (e *evaluation) broadcast() {
	from := make([]int, e.node.Shape.Rank())
	operand := strides(e.shapes[0].Dims)
	for k, to := range e.node.Attributes.(graph.Axes) {
		from[to] = operand[k]
	}
	e.gather(from, 0)
}

func (e *evaluation) transpose() {
	from := make([]int, e.node.Shape.Rank())
	operand := strides(e.shapes[0].Dims)
	for k, dim := range e.node.Attributes.(graph.Axes) {
		from[k] = operand[dim]
	}
	e.gather(from, 0)
}

func (e *evaluation) slice() {
	r, from, offset := e.node.Attributes.(graph.Ranges), make([]int, e.node.Shape.Rank()), 0
	operand := strides(e.shapes[0].Dims)
	for k, stride := range r.Stride {
		from[k] = operand[k] * stride
		offset += r.Start[k] * operand[k]
	}
	e.gather(from, offset)
}

func (e *evaluation) dynamicSlice() {
	e.gather(strides(e.shapes[0].Dims), e.start(e.in[1:], e.node.Shape.Dims))
}

// start returns the offset in the first operand of a part of the given dimensions, moved so that the part lies inside.
func (e *evaluation) start(starts [][]float64, part []int) int {
	x := e.shapes[0]
	offset := 0
	for k, stride := range strides(x.Dims) {
		offset += min(max(int(starts[k][0]), 0), x.Dims[k]-part[k]) * stride
	}
	return offset
}

// place copies operand i into the result, from an offset on.
func (e *evaluation) place(i, offset int) {
	dims := e.shapes[i].Dims
	e.moveElements(newNest(dims, strides(e.node.Shape.Dims), strides(dims)), e.out, offset, e.in[i], 0)
}

func (e *evaluation) concatenate() {
	dim, offset := e.node.Attributes.(graph.Axes)[0], 0
	stride := strides(e.node.Shape.Dims)[dim]
	for i, x := range e.shapes {
		e.place(i, offset)
		offset += x.Dims[dim] * stride
	}
}

func (e *evaluation) pad() {
	all, none := []int{len(e.out)}, []int{0}
	e.moveElements(newNest(all, []int{1}, none), e.out, 0, e.in[1], 0)
	offset := 0
	for k, stride := range strides(e.node.Shape.Dims) {
		offset += e.node.Attributes.(graph.Padding).Before[k] * stride
	}
	e.place(0, offset)
}

func (e *evaluation) update() {
	e.place(0, 0)
	e.place(1, e.start(e.in[2:], e.shapes[1].Dims))
}

func (e *evaluation) gatherRows() {
	x := e.shapes[0]
	length := graph.Shape{Dims: x.Dims[1:]}.Size()
	for i, row := range e.in[1] {
		at := min(max(int(row), 0), x.Dims[0]-1) * length
		copy(e.out[i*length:(i+1)*length], e.in[0][at:at+length])
	}
}

// arranged returns the elements of an array with its dimensions in another order.
func (e *evaluation) arranged(x []float64, shape graph.Shape, order []int) []float64 {
	dims, from := make([]int, len(order)), make([]int, len(order))
	for k, dim := range order {
		dims[k], from[k] = shape.Dims[dim], strides(shape.Dims)[dim]
	}
	n := newNest(dims, strides(dims), from)
	if row := n.innermost(); len(n.loops) == 1 && row.dst == row.src {
		return x
	}
	out := make([]float64, len(x))
	e.moveElements(n, out, 0, x, 0)
	return out
}
