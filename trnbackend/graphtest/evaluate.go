package graphtest

import (
	"fmt"
	"math"
	"slices"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// Reference holds the results of a graph for some inputs, with the intervals in which results of executors may lie.
type Reference struct {
	graph   *graph.Graph
	results [][]interval
}

// Evaluate returns the results of a graph for buffers of its parameters. It takes some 100 nanoseconds for each element
// and each term of a product.
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
			values[i][k] = judges[n.Op](&e, unravel(n.Shape.Dims, k), k)
		}
	}
	r := &Reference{graph: g}
	for _, result := range g.Results() {
		r.results = append(r.results, values[result.Node])
	}
	return r
}

// Values returns the elements of result i by definition: rounded after every operation, with sums in the order of
// indices.
func (r *Reference) Values(i int) []float64 {
	x := make([]float64, len(r.results[i]))
	for k, e := range r.results[i] {
		x[k] = e.v
	}
	return x
}

// Range returns the least and the greatest value that each element of result i may have. NaN in both says that only NaN
// is right; minus infinity and infinity, that everything is, or everything but NaN.
func (r *Reference) Range(i int) (low, high []float64) {
	for _, x := range r.results[i] {
		if x.v != x.v && !x.any {
			x.lo, x.hi = x.v, x.v
		}
		low, high = append(low, x.lo), append(high, x.hi)
	}
	return low, high
}

// Known returns the number of elements that Compare checks, and the number of all.
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

// Compare returns an error if the buffers of the results differ from those of every correct executor.
func (r *Reference) Compare(got [][]byte) error {
	shapes := r.graph.ResultShapes()
	for i, result := range r.results {
		name := r.graph.Results()[i].Name
		if int64(len(got[i])) != shapes[i].Bytes() {
			return fmt.Errorf("result %q %s has %d bytes", name, shapes[i], len(got[i]))
		}
		for k, y := range trnbackend.Decode(shapes[i].DType, got[i]) {
			if x := result[k]; !x.accepts(y) {
				return fmt.Errorf("result %q %s: element %v is %v, not %v (%v to %v)", name, shapes[i],
					unravel(shapes[i].Dims, k), y, x.v, x.lo, x.hi)
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

// judges has, for each operation, the function that returns the element of an index, which is number k in row-major
// order. Parameters are not computed.
var judges = [...]func(e *evaluation, index []int, k int) interval{
	graph.Parameter: nil,
	graph.Constant:  (*evaluation).constant,
	graph.Iota:      (*evaluation).iota,

	graph.Negate:  unary(exactEnds),
	graph.Abs:     unary(modulus),
	graph.Sign:    unary(exactEnds),
	graph.Exp:     unary(library),
	graph.Log:     unary(library),
	graph.Sqrt:    unary(squareRoot),
	graph.Rsqrt:   unary(reciprocalRoot),
	graph.Tanh:    unary(library),
	graph.Not:     unary(exactEnds),
	graph.Convert: unary(converted),

	graph.Add:      pairwise(arithmetic),
	graph.Subtract: pairwise(arithmetic),
	graph.Multiply: pairwise(arithmetic),
	graph.Divide:   pairwise(arithmetic),
	graph.Maximum:  pairwise(ordering),
	graph.Minimum:  pairwise(ordering),
	graph.And:      pairwise(ordering),
	graph.Or:       pairwise(ordering),
	graph.Compare:  (*evaluation).compared,
	graph.Select:   (*evaluation).chosen,

	graph.Dot:       (*evaluation).dot,
	graph.ReduceSum: (*evaluation).summed,
	graph.ReduceMax: (*evaluation).extreme,
	graph.ReduceMin: (*evaluation).extreme,

	graph.Broadcast:          (*evaluation).broadcast,
	graph.Reshape:            func(e *evaluation, _ []int, k int) interval { return e.in[0].elements[k] },
	graph.Transpose:          (*evaluation).transposed,
	graph.Slice:              (*evaluation).sliced,
	graph.DynamicSlice:       (*evaluation).dynamicallySliced,
	graph.DynamicUpdateSlice: (*evaluation).updated,
	graph.GatherRows:         (*evaluation).gathered,
	graph.Concatenate:        (*evaluation).concatenated,
	graph.Pad:                (*evaluation).padded,
}

func (e *evaluation) constant(_ []int, k int) interval {
	return exactly(e.node.Attributes.(graph.Literal)[k])
}

func (e *evaluation) iota(index []int, _ int) interval {
	return exactly(e.node.Shape.DType.Round(float64(index[e.node.Attributes.(graph.Axes)[0]])))
}

func (e *evaluation) compared(_ []int, k int) interval {
	return compare(e.node.Attributes.(graph.Direction), e.in[0].elements[k], e.in[1].elements[k])
}

func (e *evaluation) chosen(_ []int, k int) interval {
	return choose(e.node.Shape.DType, e.in[0].elements[k], e.in[1].elements[k], e.in[2].elements[k])
}

// eachTerm calls visit with the elements that a reduction combines to the element of an index.
func (e *evaluation) eachTerm(index []int, visit func(term interval)) {
	x, axes := e.in[0], e.node.Attributes.(graph.Axes)
	lengths := make([]int, len(axes))
	for k, dim := range axes {
		lengths[k] = x.shape.Dims[dim]
	}
	for i := range (graph.Shape{Dims: lengths}).Size() {
		visit(x.at(interleaved(x.shape.Rank(), index, axes, unravel(lengths, i))))
	}
}

func (e *evaluation) summed(index []int, _ int) interval {
	total := sum{d: e.in[0].shape.DType}
	e.eachTerm(index, total.add)
	return total.total()
}

func (e *evaluation) extreme(index []int, _ int) interval {
	d := e.in[0].shape.DType
	result := exactly(noneOf(e.node.Op, d))
	e.eachTerm(index, func(term interval) { result = ordering(e.node.Op.Pair(), d, result, term) })
	return result
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

// dot sums over the contracted dimensions. index has those of the batch, then the others of the first operand, then
// those of the second.
func (e *evaluation) dot(index []int, _ int) interval {
	n, x, y := e.node.Attributes.(graph.Dimensions), e.in[0], e.in[1]
	batches := len(n.Batch[0])
	freeX := x.shape.Rank() - batches - len(n.Contract[0])
	var lengths []int
	for _, k := range n.Contract[0] {
		lengths = append(lengths, x.shape.Dims[k])
	}
	total := sum{d: e.node.Shape.DType}
	for i := range (graph.Shape{Dims: lengths}).Size() {
		values := slices.Concat(index[:batches], unravel(lengths, i))
		xs := interleaved(x.shape.Rank(), index[batches:batches+freeX], slices.Concat(n.Batch[0], n.Contract[0]),
			values)
		ys := interleaved(y.shape.Rank(), index[batches+freeX:], slices.Concat(n.Batch[1], n.Contract[1]), values)
		total.add(product(x.at(xs), y.at(ys)))
	}
	return total.total()
}
