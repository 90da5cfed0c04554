package graphtest

import (
	"slices"

	"trnsci/trnbackend/graph"
)

type array struct {
	shape    graph.Shape
	elements []interval
}

// at returns the element of an index.
func (a *array) at(index []int) interval {
	place := 0
	for k, d := range a.shape.Dims {
		place = place*d + index[k]
	}
	return a.elements[place]
}

// unravel returns the index of an element in row-major order.
func unravel(dims []int, place int) []int {
	index := make([]int, len(dims))
	for k := len(dims) - 1; k >= 0; k-- {
		index[k], place = place%dims[k], place/dims[k]
	}
	return index
}

// evaluation is one node with its operands.
type evaluation struct {
	node *graph.Node
	in   []array
}

// interleaved returns the index that has the given values in some dimensions and rest, in order, in the others.
func interleaved(rank int, rest, dims, values []int) []int {
	index := make([]int, rank)
	for k := range index {
		if at := slices.Index(dims, k); at >= 0 {
			index[k] = values[at]
		} else {
			index[k], rest = rest[0], rest[1:]
		}
	}
	return index
}
