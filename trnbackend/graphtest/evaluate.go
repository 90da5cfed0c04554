package graphtest

import (
	"fmt"
	"math"
	"slices"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// Reference is what a graph gives for some inputs, with all that executors may give instead.
type Reference struct {
	graph   *graph.Graph
	results [][]interval
}

// Evaluate returns what a graph gives for buffers of its parameters. It takes some 100 nanoseconds for each element and term of a product.
func Evaluate(g *graph.Graph, in [][]byte) *Reference {
	nodes := g.Nodes()
	values := make([][]interval, len(nodes))
	for i, p := range g.Parameters() {
		for _, x := range trnbackend.Decode(nodes[p].Shape.DType, in[i]) {
			values[p] = append(values[p], exactly(x))
		}
	}
	for i := range nodes {
		n := &nodes[i]
		if n.Op == graph.Parameter {
			continue
		}
		e := evaluation{node: n}
		for _, o := range n.Operands {
			e.in = append(e.in, array{nodes[o].Shape, values[o]})
		}
		values[i] = make([]interval, n.Shape.Size())
		for k := range values[i] {
			values[i][k] = e.element(unravel(n.Shape.Dims, k), k)
		}
	}
	r := &Reference{graph: g}
	for _, result := range g.Results() {
		r.results = append(r.results, values[result.Node])
	}
	return r
}

// Values returns the elements of result i as the definition gives them, rounded after every operation, sums in the order of indices.
func (r *Reference) Values(i int) []float64 {
	x := make([]float64, len(r.results[i]))
	for k, e := range r.results[i] {
		x[k] = e.v
	}
	return x
}

// Range returns the least and the greatest value that each element of result i may have. NaN in both says that only NaN is right; minus infinity
// and infinity, that everything is, or everything but NaN.
func (r *Reference) Range(i int) (low, high []float64) {
	for _, x := range r.results[i] {
		if x.v != x.v && !x.any {
			x.lo, x.hi = x.v, x.v
		}
		low, high = append(low, x.lo), append(high, x.hi)
	}
	return low, high
}

// Known returns how many elements Compare looks at, and how many there are.
func (r *Reference) Known() (known, all int) {
	shapes := r.graph.ResultShapes()
	for i, result := range r.results {
		for _, x := range result {
			all++
			if !x.any && (x.known() || shapes[i].DType != graph.Pred) {
				known++
			}
		}
	}
	return known, all
}

// Compare returns an error if the buffers of the results hold what no correct executor gives.
func (r *Reference) Compare(got [][]byte) error {
	shapes := r.graph.ResultShapes()
	for i, result := range r.results {
		name := r.graph.Results()[i].Name
		if int64(len(got[i])) != shapes[i].Bytes() {
			return fmt.Errorf("result %q %s has %d bytes", name, shapes[i], len(got[i]))
		}
		for k, y := range trnbackend.Decode(shapes[i].DType, got[i]) {
			if x := result[k]; !x.accepts(y) {
				return fmt.Errorf("result %q %s: element %v is %v, not %v (%v to %v)", name, shapes[i], unravel(shapes[i].Dims, k), y, x.v, x.lo, x.hi)
			}
		}
	}
	return nil
}

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

// element returns the element of an index, the one that is k-th in row-major order.
func (e *evaluation) element(index []int, k int) interval {
	n := e.node
	d := n.Shape.DType
	switch {
	case n.Op == graph.Constant:
		return exactly(n.Literal[k])
	case n.Op == graph.Iota:
		return exactly(d.Round(float64(index[n.Dims[0]])))
	case n.Op == graph.Compare:
		return compare(n.Direction, e.in[0].elements[k], e.in[1].elements[k])
	case n.Op.IsUnary():
		return unary(n.Op, e.in[0].shape.DType, d, e.in[0].elements[k])
	case n.Op.IsBinary():
		return binary(n.Op, d, e.in[0].elements[k], e.in[1].elements[k])
	case n.Op.IsReduce():
		return e.reduced(index)
	case n.Op == graph.Select:
		return choose(d, e.in[0].elements[k], e.in[1].elements[k], e.in[2].elements[k])
	case n.Op == graph.Dot:
		return e.dot(index)
	case n.Op == graph.Reshape:
		return e.in[0].elements[k]
	}
	return e.moved(index)
}

// reduced combines the elements whose index, without the dimensions that go, is the given one.
func (e *evaluation) reduced(index []int) interval {
	n, x := e.node, e.in[0]
	gone := make([]int, len(n.Dims))
	for k, dim := range n.Dims {
		gone[k] = x.shape.Dims[dim]
	}
	total := sum{d: x.shape.DType}
	extreme := exactly(noneOf(n.Op, x.shape.DType))
	for i := range (graph.Shape{Dims: gone}).Size() {
		term := x.at(interleaved(x.shape.Rank(), index, n.Dims, unravel(gone, i)))
		switch n.Op {
		case graph.ReduceSum:
			total.add(term)
		case graph.ReduceMax:
			extreme = binary(graph.Maximum, x.shape.DType, extreme, term)
		case graph.ReduceMin:
			extreme = binary(graph.Minimum, x.shape.DType, extreme, term)
		}
	}
	if n.Op == graph.ReduceSum {
		return total.total()
	}
	return extreme
}

// noneOf returns the largest or smallest of no elements.
func noneOf(op graph.Op, d graph.DType) float64 {
	largest := math.Inf(1)
	if d == graph.S32 {
		largest = math.MaxInt32
	}
	if op == graph.ReduceMax {
		return d.Round(-largest - 1) // the smallest integer is -largest-1, infinity remains itself
	}
	return largest
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

// dot sums over the contracted dimensions. index has those of the batch, then the others of the first operand, then those of the second.
func (e *evaluation) dot(index []int) interval {
	n, x, y := e.node, e.in[0], e.in[1]
	batches := len(n.Batch[0])
	freeX := x.shape.Rank() - batches - len(n.Contract[0])
	var lengths []int
	for _, k := range n.Contract[0] {
		lengths = append(lengths, x.shape.Dims[k])
	}
	total := sum{d: n.Shape.DType}
	for i := range (graph.Shape{Dims: lengths}).Size() {
		values := slices.Concat(index[:batches], unravel(lengths, i))
		xs := interleaved(x.shape.Rank(), index[batches:batches+freeX], slices.Concat(n.Batch[0], n.Contract[0]), values)
		ys := interleaved(y.shape.Rank(), index[batches+freeX:], slices.Concat(n.Batch[1], n.Contract[1]), values)
		total.add(product(x.at(xs), y.at(ys)))
	}
	return total.total()
}
