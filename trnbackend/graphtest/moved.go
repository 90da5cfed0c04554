package graphtest

import (
	"slices"

	"trnsci/trnbackend/graph"
)

func (e *evaluation) broadcast(index []int, _ int) interval {
	from := make([]int, e.in[0].shape.Rank())
	for k, to := range e.node.Attributes.(graph.Axes) {
		from[k] = index[to]
	}
	return e.in[0].at(from)
}

func (e *evaluation) transposed(index []int, _ int) interval {
	from := make([]int, len(index))
	for k, dim := range e.node.Attributes.(graph.Axes) {
		from[dim] = index[k]
	}
	return e.in[0].at(from)
}

func (e *evaluation) sliced(index []int, _ int) interval {
	r, from := e.node.Attributes.(graph.Ranges), make([]int, len(index))
	for k := range from {
		from[k] = r.Start[k] + index[k]*r.Stride[k]
	}
	return e.in[0].at(from)
}

func (e *evaluation) dynamicallySliced(index []int, _ int) interval {
	x, from := e.in[0], make([]int, len(index))
	start, known := e.starts(e.in[1:], e.node.Shape.Dims)
	for k := range from {
		from[k] = start[k] + index[k]
	}
	return x.atIfKnown(from, known)
}

func (e *evaluation) gathered(index []int, _ int) interval {
	x, from := e.in[0], slices.Clone(index)
	row := e.in[1].at(index[:1])
	from[0] = clamped(row.v, x.shape.Dims[0]-1)
	return x.atIfKnown(from, row.known())
}

// atIfKnown returns the element of an index, of which nothing is known if the index is not.
func (a *array) atIfKnown(index []int, known bool) interval {
	x := a.at(index)
	if !known {
		return anything(a.shape.DType, x.v)
	}
	return x
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

func (e *evaluation) updated(index []int, _ int) interval {
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

func (e *evaluation) concatenated(index []int, _ int) interval {
	start, dim := make([]int, len(index)), e.node.Attributes.(graph.Axes)[0]
	for _, x := range e.in {
		if inside, within := shifted(index, start, x.shape.Dims); within {
			return x.at(inside)
		}
		start[dim] += x.shape.Dims[dim]
	}
	panic("graphtest: the operands of a concatenation are too short")
}

func (e *evaluation) padded(index []int, _ int) interval {
	if inside, within := shifted(index, e.node.Attributes.(graph.Padding).Before, e.in[0].shape.Dims); within {
		return e.in[0].at(inside)
	}
	return e.in[1].elements[0]
}
