package graphtest

import (
	"math"
	"slices"

	"trnsci/trnbackend/graph"
)

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

// unary returns the judge of an elementwise operation on one operand.
func unary(f unaryJudge) func(e *evaluation, _ []int, k int) interval {
	return func(e *evaluation, _ []int, k int) interval {
		op, from, to, x := e.node.Op, e.in[0].shape.DType, e.node.Shape.DType, e.in[0].elements[k]
		v := to.Round(op.Unary(from, x.v))
		if x.any || from == graph.S32 && to == graph.S32 && x.lo == math.MinInt32 && !x.known() {
			return anything(to, v)
		}
		return f(op, from, to, v, x)
	}
}

// pairwise returns the judge of an elementwise operation on two operands of one type.
func pairwise(f func(op graph.Op, d graph.DType, x, y interval) interval) func(e *evaluation, _ []int, k int) interval {
	return func(e *evaluation, _ []int, k int) interval {
		return f(e.node.Op, e.node.Shape.DType, e.in[0].elements[k], e.in[1].elements[k])
	}
}
