package graphtest

import "trnsci/trnbackend/graph"

// moved returns the element that an operation which only moves elements puts at an index.
func (e *evaluation) moved(index []int) interval {
	n, x := e.node, e.in[0]
	from := make([]int, x.shape.Rank())
	switch n.Op {
	case graph.Broadcast:
		for k, to := range n.Dims {
			from[k] = index[to]
		}
	case graph.Transpose:
		for k, dim := range n.Dims {
			from[dim] = index[k]
		}
	case graph.Slice:
		for k := range from {
			from[k] = n.Start[k] + index[k]*n.Stride[k]
		}
	case graph.DynamicSlice:
		start, known := e.starts(e.in[1:], n.Shape.Dims)
		for k := range from {
			from[k] = start[k] + index[k]
		}
		if !known {
			return anything(x.shape.DType, x.at(from).v)
		}
	case graph.DynamicUpdateSlice:
		return e.updated(index)
	case graph.GatherRows:
		row := e.in[1].at(index[:1])
		copy(from[1:], index[1:])
		from[0] = clamped(row.v, x.shape.Dims[0]-1)
		if !row.known() {
			return anything(x.shape.DType, x.at(from).v)
		}
	case graph.Concatenate:
		return e.concatenated(index)
	case graph.Pad:
		return e.padded(index)
	}
	return x.at(from)
}

// clamped returns an index moved into 0 to last.
func clamped(x float64, last int) int { return int(min(max(x, 0), float64(last))) }

// starts returns where a part of the first operand begins, and whether that is known.
func (e *evaluation) starts(scalars []array, part []int) (start []int, known bool) {
	known = true
	for k, s := range scalars {
		x := s.elements[0]
		start = append(start, clamped(x.v, e.in[0].shape.Dims[k]-part[k]))
		known = known && x.known()
	}
	return start, known
}

func (e *evaluation) updated(index []int) interval {
	part := e.in[1]
	start, known := e.starts(e.in[2:], part.shape.Dims)
	result := e.in[0].at(index)
	if inside, within := shifted(index, start, part.shape.Dims); within {
		result = part.at(inside)
	}
	if !known {
		return anything(part.shape.DType, result.v)
	}
	return result
}

// shifted returns an index counted from start, and whether it lies in an array of the given dimensions.
func shifted(index, start, dims []int) (inside []int, within bool) {
	within = true
	for k, i := range index {
		inside = append(inside, i-start[k])
		within = within && inside[k] >= 0 && inside[k] < dims[k]
	}
	return inside, within
}

func (e *evaluation) concatenated(index []int) interval {
	start := make([]int, len(index))
	for _, x := range e.in {
		if inside, within := shifted(index, start, x.shape.Dims); within {
			return x.at(inside)
		}
		start[e.node.Dims[0]] += x.shape.Dims[e.node.Dims[0]]
	}
	panic("graphtest: the operands of a concatenation are too short")
}

func (e *evaluation) padded(index []int) interval {
	if inside, within := shifted(index, e.node.Start, e.in[0].shape.Dims); within {
		return e.in[0].at(inside)
	}
	return e.in[1].elements[0]
}
