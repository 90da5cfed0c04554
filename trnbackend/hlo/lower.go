package hlo

import (
	"fmt"
	"math"
	"slices"

	"trnsci/trnbackend/graph"
)

// opcode returns the name that XLA has for an operation.
func opcode(o graph.Op) string {
	switch o {
	case graph.Exp:
		return "exponential"
	case graph.ReduceSum, graph.ReduceMax, graph.ReduceMin:
		return "reduce"
	case graph.GatherRows, graph.DynamicSlice:
		return "gather"
	}
	return o.String()
}

// node appends what computes a node and returns the instruction that has its value.
func (l *lowering) node(n *graph.Node) int {
	if value, ok := l.withoutElements(n); ok {
		return value
	}
	i := Instruction{Opcode: opcode(n.Op), Shape: array(n.Shape), Operands: l.operands(n)}
	switch n.Op {
	case graph.Parameter:
		i.Parameter = l.parameters
		l.parameters++
		i.Attributes = []Attribute{{inputNames, n.Name}}
	case graph.Constant:
		i.Literal = &Literal{array(n.Shape), n.Literal}
	case graph.Iota, graph.Broadcast, graph.Transpose, graph.Concatenate:
		i.Dims = n.Dims
	case graph.Compare:
		i.Direction = n.Direction.String()
	case graph.Dot:
		i.Dot, i.Precision = &Dot{n.Contract, n.Batch}, precision(l.dtype(n))
	case graph.Slice:
		i.Ranges = ranges(n)
	case graph.Pad:
		i.Padding = padding(n)
	case graph.Divide:
		if n.Shape.DType == graph.S32 {
			return l.quotient(n, i)
		}
		for k, o := range n.Operands {
			if l.isQuotient(o) {
				i.Operands[k] = l.kept(n.Shape, i.Operands[k])
			}
		}
	case graph.Convert:
		switch {
		case l.dtype(n) == graph.F64 && n.Shape.DType == graph.BF16:
			return l.roundOnce(n)
		case l.dtype(n) == graph.S32 && n.Shape.DType == graph.BF16:
			return l.roundIntegerOnce(n)
		}
	case graph.Rsqrt:
		return l.inSingle(n, l.reciprocalRoot)
	case graph.ReduceSum:
		return l.inSingle(n, l.reduce)
	case graph.ReduceMax, graph.ReduceMin:
		return l.reduce(n, i.Operands[0], n.Shape.DType)
	case graph.DynamicSlice:
		return l.dynamicSlice(n)
	case graph.DynamicUpdateSlice:
		if n.Shape.Rank() == 0 {
			return i.Operands[1] // all of a scalar is replaced
		}
	case graph.GatherRows:
		i.Gather, i.SliceSizes = rows(n)
	}
	return l.add(i)
}

// withoutElements appends the value of a node that has no elements, or none to compute it from; XLA's passes end the process for some of these.
func (l *lowering) withoutElements(n *graph.Node) (value int, ok bool) {
	if n.Op == graph.Parameter || n.Op == graph.Constant {
		return 0, false
	}
	if n.Shape.Size() == 0 {
		return l.filled(n.Shape, 0), true
	}
	empty := func(k int) bool { return l.graph.Nodes()[n.Operands[k]].Shape.Size() == 0 }
	switch {
	case n.Op == graph.Dot && empty(0):
		return l.filled(n.Shape, 0), true
	case n.Op.IsReduce() && empty(0):
		return l.filled(n.Shape, neutral(n.Op, n.Shape.DType)), true
	case n.Op == graph.Pad && empty(0):
		return l.add(Instruction{Opcode: "broadcast", Shape: array(n.Shape), Operands: []int{l.at[n.Operands[1]]}}), true
	case n.Op == graph.DynamicUpdateSlice && empty(1):
		return l.at[n.Operands[0]], true
	}
	return 0, false
}

// operands returns the instructions of a node's operands, those of a concatenation that have elements.
func (l *lowering) operands(n *graph.Node) []int {
	var list []int
	for _, o := range n.Operands {
		if n.Op != graph.Concatenate || l.graph.Nodes()[o].Shape.Size() > 0 {
			list = append(list, l.at[o])
		}
	}
	return list
}

// dtype returns the type of a node's first operand.
func (l *lowering) dtype(n *graph.Node) graph.DType {
	return l.graph.Nodes()[n.Operands[0]].Shape.DType
}

// precision returns that of both operands of a dot.
func precision(d graph.DType) []int {
	if d == graph.BF16 {
		return []int{defaultPrecision, defaultPrecision}
	}
	return []int{highestPrecision, highestPrecision}
}

func ranges(n *graph.Node) []Range {
	list := make([]Range, len(n.Start))
	for k := range list {
		list[k] = Range{n.Start[k], n.Limit[k], n.Stride[k]}
	}
	return list
}

func padding(n *graph.Node) []Padding {
	list := make([]Padding, len(n.Start))
	for k := range list {
		list[k] = Padding{n.Start[k], n.Limit[k]}
	}
	return list
}

// inSingle computes a node of bf16 in f32, so that it is rounded once; others in their own type.
func (l *lowering) inSingle(n *graph.Node, compute func(n *graph.Node, x int, d graph.DType) int) int {
	x := l.at[n.Operands[0]]
	if n.Shape.DType != graph.BF16 {
		return compute(n, x, n.Shape.DType)
	}
	wide := l.graph.Nodes()[n.Operands[0]].Shape.As(graph.F32)
	x = l.add(Instruction{Opcode: "convert", Shape: array(wide), Operands: []int{x}})
	x = compute(n, x, graph.F32)
	return l.add(Instruction{Opcode: "convert", Shape: array(n.Shape), Operands: []int{x}})
}

// reciprocalRoot appends 1 / sqrt(x) in type d.
func (l *lowering) reciprocalRoot(n *graph.Node, x int, d graph.DType) int {
	shape := array(n.Shape.As(d))
	root := l.add(Instruction{Opcode: "sqrt", Shape: shape, Operands: []int{x}})
	one := l.filled(n.Shape.As(d), 1)
	return l.add(Instruction{Opcode: "divide", Shape: shape, Operands: []int{one, root}})
}

// quotient appends a division of integers, which gives -1 where the divisor is 0. XLA does the same, but makes x / x to 1 for any x.
func (l *lowering) quotient(n *graph.Node, division Instruction) int {
	value := l.add(division)
	zero := l.filled(n.Shape, 0)
	byZero := l.add(Instruction{
		Opcode: "compare", Shape: array(n.Shape.As(graph.Pred)), Operands: []int{division.Operands[1], zero}, Direction: graph.EQ.String(),
	})
	return l.add(Instruction{Opcode: "select", Shape: division.Shape, Operands: []int{byZero, l.filled(n.Shape, -1), value}})
}

// isQuotient reports whether the elements of a node are quotients, moved about or not.
func (l *lowering) isQuotient(node int) bool {
	switch n := &l.graph.Nodes()[node]; n.Op {
	case graph.Divide, graph.Rsqrt: // the latter is written as one
		return true
	case graph.Reshape, graph.Broadcast, graph.Transpose, graph.Slice, graph.Concatenate:
		return slices.ContainsFunc(n.Operands, l.isQuotient)
	}
	return false
}

// kept appends an array that is x, by a choice that hangs on the elements: x where x = x, which is all of them but NaN, else NaN. Of quotients of
// quotients XLA makes others, a / (b / c) becomes a c / b, which are rounded elsewhere and overflow; it does not look through a choice.
func (l *lowering) kept(s graph.Shape, x int) int {
	same := l.add(Instruction{Opcode: "compare", Shape: array(s.As(graph.Pred)), Operands: []int{x, x}, Direction: graph.EQ.String()})
	return l.add(Instruction{Opcode: "select", Shape: array(s), Operands: []int{same, x, l.filled(s, math.NaN())}})
}

// filled appends an array whose elements are all x.
func (l *lowering) filled(s graph.Shape, x float64) int {
	return l.add(Instruction{Opcode: "broadcast", Shape: array(s), Operands: []int{l.scalar(s.DType, x)}})
}

func (l *lowering) scalar(d graph.DType, x float64) int {
	shape := array(graph.Of(d))
	return l.add(Instruction{Opcode: "constant", Shape: shape, Literal: &Literal{shape, []float64{x}}})
}

// reduce appends the reduction of x in type d.
func (l *lowering) reduce(n *graph.Node, x int, d graph.DType) int {
	kind := map[graph.Op]string{graph.ReduceSum: "add", graph.ReduceMax: "maximum", graph.ReduceMin: "minimum"}[n.Op]
	return l.add(Instruction{
		Opcode: "reduce", Shape: array(n.Shape.As(d)), Dims: n.Dims,
		Operands: []int{x, l.scalar(d, neutral(n.Op, d))}, Calls: []int{l.reducer(reducer{kind, d})},
	})
}

// neutral returns what a reduction of nothing is.
func neutral(o graph.Op, d graph.DType) float64 {
	switch {
	case o == graph.ReduceSum:
		return 0
	case o == graph.ReduceMax && d == graph.S32:
		return math.MinInt32
	case o == graph.ReduceMax:
		return math.Inf(-1)
	case d == graph.S32:
		return math.MaxInt32
	}
	return math.Inf(1)
}

// reducer returns the computation that combines two scalars, which the module has once.
func (l *lowering) reducer(r reducer) int {
	if id, ok := l.reducers[r]; ok {
		return id
	}
	c := Computation{Name: fmt.Sprintf("%s_%s", r.opcode, r.dtype), ID: l.nextID()}
	shape := array(graph.Of(r.dtype))
	var operands []int
	for k := range 2 {
		l.appendTo(&c, Instruction{Opcode: "parameter", Shape: shape, Parameter: k})
		operands = append(operands, c.Root)
	}
	l.appendTo(&c, Instruction{Opcode: r.opcode, Shape: shape, Operands: operands})
	l.module.Computations = append(l.module.Computations, finished(c))
	l.reducers[r] = c.ID
	return c.ID
}

// dynamicSlice appends a gather of one part: its start is a list of the starts in all dimensions, and no dimension of the part goes. XLA moves a
// start into the array, but where it makes one of two slices it adds up starts that it has not moved yet: so they come to it in range.
func (l *lowering) dynamicSlice(n *graph.Node) int {
	operands, rank := l.operands(n), n.Shape.Rank()
	if rank == 0 {
		return operands[0]
	}
	var starts []int
	whole := l.graph.Nodes()[n.Operands[0]].Shape.Dims
	for k, s := range operands[1:] {
		s = l.between(s, whole[k]-n.Shape.Dims[k])
		starts = append(starts, l.add(Instruction{Opcode: "reshape", Shape: array(graph.Of(graph.S32, 1)), Operands: []int{s}}))
	}
	start := starts[0]
	if rank > 1 {
		start = l.add(Instruction{Opcode: "concatenate", Shape: array(graph.Of(graph.S32, rank)), Operands: starts, Dims: []int{0}})
	}
	return l.add(Instruction{
		Opcode: "gather", Shape: array(n.Shape), Operands: []int{operands[0], start},
		Gather: &Gather{Offset: upTo(0, rank), Starts: upTo(0, rank)}, SliceSizes: n.Shape.Dims,
	})
}

// between appends min(max(s, 0), most) for an integer s.
func (l *lowering) between(s, most int) int {
	shape := array(graph.Of(graph.S32))
	s = l.add(Instruction{Opcode: "maximum", Shape: shape, Operands: []int{s, l.scalar(graph.S32, 0)}})
	return l.add(Instruction{Opcode: "minimum", Shape: shape, Operands: []int{s, l.scalar(graph.S32, float64(most))}})
}

// rows returns what a gather of rows takes: each element of the list is a start in the first dimension, which goes.
func rows(n *graph.Node) (g *Gather, sizes []int) {
	sizes = slices.Clone(n.Shape.Dims)
	sizes[0] = 1
	return &Gather{Offset: upTo(1, n.Shape.Rank()), Collapsed: []int{0}, Starts: []int{0}, Index: 1}, sizes
}

// upTo returns first, first+1, ..., limit-1.
func upTo(first, limit int) []int {
	var list []int
	for k := first; k < limit; k++ {
		list = append(list, k)
	}
	return list
}
