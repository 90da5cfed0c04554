package interp

import (
	"slices"

	"trnsci/trnbackend/graph"
)

// strides returns the distances of elements in row-major order.
func strides(dims []int) []int {
	s := make([]int, len(dims))
	at := 1
	for k := len(dims) - 1; k >= 0; k-- {
		s[k] = at
		at *= dims[k]
	}
	return s
}

// layout says where the elements of an array of the given dimensions are.
type layout struct {
	dims, strides []int
	offset        int
}

// each calls visit with the place of the first element of every row, a run along the last dimension, in row-major order.
func (l *layout) each(visit func(at int)) {
	if len(l.dims) == 0 {
		visit(l.offset)
		return
	}
	if slices.Contains(l.dims, 0) {
		return
	}
	index := make([]int, len(l.dims)-1)
	at := l.offset
	for {
		visit(at)
		k := len(index) - 1
		for ; k >= 0; k-- {
			index[k]++
			at += l.strides[k]
			if index[k] < l.dims[k] {
				break
			}
			at -= index[k] * l.strides[k]
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// row returns the length of a row and the distance of its elements.
func (l *layout) row() (length, stride int) {
	if last := len(l.dims) - 1; last >= 0 {
		return l.dims[last], l.strides[last]
	}
	return 1, 1
}

// taken returns the elements of src that the layout names, in row-major order.
func (l *layout) taken(src []float64) []float64 {
	var out []float64
	length, stride := l.row()
	out = make([]float64, 0, graph.Shape{Dims: l.dims}.Size())
	l.each(func(at int) {
		if stride == 1 {
			out = append(out, src[at:at+length]...)
			return
		}
		for range length {
			out = append(out, src[at])
			at += stride
		}
	})
	return out
}

// put sets the elements of dst that the layout names to those of src, which are in row-major order.
func (l *layout) put(dst, src []float64) {
	length, stride := l.row()
	l.each(func(at int) {
		for _, x := range src[:length] {
			dst[at] = x
			at += stride
		}
		src = src[length:]
	})
}

// move takes a part of the operand, its dimensions in another order or repeated.
func (e *evaluation) move() []float64 {
	n, from := e.node, strides(e.shapes[0].Dims)
	l := layout{dims: n.Shape.Dims, strides: make([]int, n.Shape.Rank())}
	switch n.Op {
	case graph.Broadcast:
		for k, to := range n.Dims {
			l.strides[to] = from[k]
		}
	case graph.Transpose:
		for k, dim := range n.Dims {
			l.strides[k] = from[dim]
		}
	case graph.Slice:
		for k, stride := range n.Stride {
			l.strides[k] = from[k] * stride
			l.offset += n.Start[k] * from[k]
		}
	case graph.DynamicSlice:
		l.strides, l.offset = from, e.start(e.in[1:], n.Shape.Dims)
	}
	return l.taken(e.in[0])
}

// start returns the place in the operand where a part of the given dimensions begins, moved so that the part lies in it.
func (e *evaluation) start(starts [][]float64, part []int) int {
	x := e.shapes[0]
	offset := 0
	for k, stride := range strides(x.Dims) {
		offset += min(max(int(starts[k][0]), 0), x.Dims[k]-part[k]) * stride
	}
	return offset
}

// assemble puts arrays into places of the result.
func (e *evaluation) assemble() []float64 {
	n := e.node
	out, to := make([]float64, n.Shape.Size()), strides(n.Shape.Dims)
	switch n.Op {
	case graph.Concatenate:
		offset := 0
		for i, x := range e.in {
			l := layout{e.shapes[i].Dims, to, offset}
			l.put(out, x)
			offset += e.shapes[i].Dims[n.Dims[0]] * to[n.Dims[0]]
		}
	case graph.Pad:
		for i := range out {
			out[i] = e.in[1][0]
		}
		l := layout{e.shapes[0].Dims, to, 0}
		for k, before := range n.Start {
			l.offset += before * to[k]
		}
		l.put(out, e.in[0])
	case graph.DynamicUpdateSlice:
		copy(out, e.in[0])
		l := layout{e.shapes[1].Dims, to, e.start(e.in[2:], e.shapes[1].Dims)}
		l.put(out, e.in[1])
	}
	return out
}

func (e *evaluation) gatherRows() []float64 {
	x := e.shapes[0]
	length := graph.Shape{Dims: x.Dims[1:]}.Size()
	out := make([]float64, 0, e.node.Shape.Size())
	for _, row := range e.in[1] {
		at := min(max(int(row), 0), x.Dims[0]-1) * length
		out = append(out, e.in[0][at:at+length]...)
	}
	return out
}

// arranged returns the elements with the dimensions in another order.
func arranged(x []float64, shape graph.Shape, order []int) []float64 {
	if slices.IsSorted(order) {
		return x
	}
	from := strides(shape.Dims)
	l := layout{dims: make([]int, len(order)), strides: make([]int, len(order))}
	for k, dim := range order {
		l.dims[k], l.strides[k] = shape.Dims[dim], from[dim]
	}
	return l.taken(x)
}

// others returns the dimensions below rank that are not among dims.
func others(rank int, dims []int) []int {
	var kept []int
	for k := range rank {
		if !slices.Contains(dims, k) {
			kept = append(kept, k)
		}
	}
	return kept
}
