package hlo

import (
	"fmt"
	"math"
	"slices"

	"trnsci/trnbackend/graph"
)

// emitter says how nodes of an operation are written.
type emitter struct {
	opcode string // XLA's name
	// fill sets the fields of an instruction that only some opcodes have.
	fill func(l *lowering, n *graph.Node, i *Instruction)
	// emit appends a node in more than the one instruction i, and returns the instruction that has its value.
	emit func(l *lowering, n *graph.Node, i Instruction) int
	// empty appends the value of a node with operands without elements, if these make it a special case. XLA's passes
	// crash for some such nodes.
	empty func(l *lowering, n *graph.Node) (value int, ok bool)

	isQuotient bool // elements are quotients
	moves      bool // elements are copies of the operands' elements
}

// emitters has every operation. It is set in init because functions of some entries use it.
var emitters []emitter

func init() {
	emitters = []emitter{
		graph.Parameter: {opcode: "parameter", fill: (*lowering).fillParameter},
		graph.Constant:  {opcode: "constant", fill: (*lowering).fillConstant},
		graph.Iota:      {opcode: "iota", fill: (*lowering).fillDims},

		graph.Negate:  {opcode: "negate"},
		graph.Abs:     {opcode: "abs"},
		graph.Sign:    {opcode: "sign"},
		graph.Exp:     {opcode: "exponential"},
		graph.Log:     {opcode: "log"},
		graph.Sqrt:    {opcode: "sqrt"},
		graph.Rsqrt:   {opcode: "divide", emit: (*lowering).rsqrt, isQuotient: true},
		graph.Tanh:    {opcode: "tanh"},
		graph.Not:     {opcode: "not"},
		graph.Convert: {opcode: "convert", emit: (*lowering).convert},

		graph.Add:      {opcode: "add"},
		graph.Subtract: {opcode: "subtract"},
		graph.Multiply: {opcode: "multiply"},
		graph.Divide:   {opcode: "divide", emit: (*lowering).divide, isQuotient: true},
		graph.Maximum:  {opcode: "maximum"},
		graph.Minimum:  {opcode: "minimum"},
		graph.And:      {opcode: "and"},
		graph.Or:       {opcode: "or"},
		graph.Compare:  {opcode: "compare", fill: (*lowering).fillDirection},
		graph.Select:   {opcode: "select"},

		graph.Dot:       {opcode: "dot", fill: (*lowering).fillDot, empty: (*lowering).emptyDot},
		graph.ReduceSum: {opcode: "reduce", emit: (*lowering).reduceSum, empty: (*lowering).emptyReduce},
		graph.ReduceMax: {opcode: "reduce", emit: (*lowering).reduceExtreme, empty: (*lowering).emptyReduce},
		graph.ReduceMin: {opcode: "reduce", emit: (*lowering).reduceExtreme, empty: (*lowering).emptyReduce},

		graph.Broadcast:    {opcode: "broadcast", fill: (*lowering).fillDims, moves: true},
		graph.Reshape:      {opcode: "reshape", moves: true},
		graph.Transpose:    {opcode: "transpose", fill: (*lowering).fillDims, moves: true},
		graph.Slice:        {opcode: "slice", fill: (*lowering).fillRanges, moves: true},
		graph.DynamicSlice: {opcode: "gather", emit: (*lowering).dynamicSlice},
		graph.DynamicUpdateSlice: {
			opcode: "dynamic-update-slice", emit: (*lowering).dynamicUpdate, empty: (*lowering).emptyUpdate,
		},
		graph.GatherRows:  {opcode: "gather", fill: (*lowering).fillGather},
		graph.Concatenate: {opcode: "concatenate", fill: (*lowering).fillDims, moves: true},
		graph.Pad:         {opcode: "pad", fill: (*lowering).fillPadding, empty: (*lowering).emptyPad},
	}
}

// node appends the instructions that compute a node and returns the one that has its value.
func (l *lowering) node(n *graph.Node) int {
	e := &emitters[n.Op]
	if given := n.Op == graph.Parameter || n.Op == graph.Constant; !given && n.Shape.Size() == 0 {
		return l.filled(n.Shape, 0)
	}
	if e.empty != nil {
		if value, ok := e.empty(l, n); ok {
			return value
		}
	}
	i := Instruction{Opcode: e.opcode, Shape: array(n.Shape), Operands: l.operands(n)}
	if e.fill != nil {
		e.fill(l, n, &i)
	}
	if e.emit != nil {
		return e.emit(l, n, i)
	}
	return l.add(i)
}

func (l *lowering) fillParameter(n *graph.Node, i *Instruction) {
	i.Parameter = l.parameters
	l.parameters++
	i.Attributes = []Attribute{{inputNames, n.Attributes.(graph.Input).Name}}
}

func (l *lowering) fillConstant(n *graph.Node, i *Instruction) {
	i.Literal = &Literal{array(n.Shape), n.Attributes.(graph.Literal)}
}

func (l *lowering) fillDims(n *graph.Node, i *Instruction) { i.Dims = n.Attributes.(graph.Axes) }

func (l *lowering) fillDirection(n *graph.Node, i *Instruction) {
	i.Direction = n.Attributes.(graph.Direction).String()
}

// fillDot asks for full precision where XLA could round operands; products of bf16 are exact in any precision.
func (l *lowering) fillDot(n *graph.Node, i *Instruction) {
	d := n.Attributes.(graph.Dimensions)
	i.Dot, i.Precision = &Dot{d.Contract, d.Batch}, []int{highestPrecision, highestPrecision}
	if l.operand(n, 0).DType == graph.BF16 {
		i.Precision = []int{defaultPrecision, defaultPrecision}
	}
}

func (l *lowering) fillRanges(n *graph.Node, i *Instruction) {
	r := n.Attributes.(graph.Ranges)
	i.Ranges = make([]Range, len(r.Start))
	for k := range i.Ranges {
		i.Ranges[k] = Range{r.Start[k], r.Limit[k], r.Stride[k]}
	}
}

func (l *lowering) fillPadding(n *graph.Node, i *Instruction) {
	p := n.Attributes.(graph.Padding)
	i.Padding = make([]Padding, len(p.Before))
	for k := range i.Padding {
		i.Padding[k] = Padding{p.Before[k], p.Behind[k]}
	}
}

// fillGather makes each element of the list a start in the first dimension, which is removed.
func (l *lowering) fillGather(n *graph.Node, i *Instruction) {
	i.SliceSizes = slices.Clone(n.Shape.Dims)
	i.SliceSizes[0] = 1
	i.Gather = &Gather{Offset: upTo(1, n.Shape.Rank()), Collapsed: []int{0}, Starts: []int{0}, Index: 1}
}

// isEmpty reports whether operand k of a node has no elements.
func (l *lowering) isEmpty(n *graph.Node, k int) bool { return l.operand(n, k).Size() == 0 }

func (l *lowering) emptyDot(n *graph.Node) (value int, ok bool) {
	if !l.isEmpty(n, 0) {
		return 0, false
	}
	return l.filled(n.Shape, 0), true
}

func (l *lowering) emptyReduce(n *graph.Node) (value int, ok bool) {
	if !l.isEmpty(n, 0) {
		return 0, false
	}
	return l.filled(n.Shape, n.Op.Neutral(n.Shape.DType)), true
}

func (l *lowering) emptyPad(n *graph.Node) (value int, ok bool) {
	if !l.isEmpty(n, 0) {
		return 0, false
	}
	return l.add(Instruction{Opcode: "broadcast", Shape: array(n.Shape), Operands: []int{l.at[n.Operands[1]]}}), true
}

func (l *lowering) emptyUpdate(n *graph.Node) (value int, ok bool) {
	return l.at[n.Operands[0]], l.isEmpty(n, 1)
}

// operand returns the shape of operand k of a node.
func (l *lowering) operand(n *graph.Node, k int) graph.Shape {
	return l.graph.Nodes()[n.Operands[k]].Shape
}

// operands returns the instructions of a node's operands; of a concatenation, only of those that have elements.
func (l *lowering) operands(n *graph.Node) []int {
	var list []int
	for _, o := range n.Operands {
		if n.Op != graph.Concatenate || l.graph.Nodes()[o].Shape.Size() > 0 {
			list = append(list, l.at[o])
		}
	}
	return list
}

// convert rounds once where XLA would round twice.
func (l *lowering) convert(n *graph.Node, i Instruction) int {
	if n.Shape.DType == graph.BF16 {
		switch l.operand(n, 0).DType {
		case graph.F64:
			return l.roundOnce(n)
		case graph.S32:
			return l.roundIntegerOnce(n)
		}
	}
	return l.add(i)
}

// divide prevents XLA from simplifying quotients of quotients.
func (l *lowering) divide(n *graph.Node, i Instruction) int {
	if n.Shape.DType == graph.S32 {
		return l.quotient(n, i)
	}
	for k, o := range n.Operands {
		if l.isQuotient(o) {
			i.Operands[k] = l.kept(n.Shape, i.Operands[k])
		}
	}
	return l.add(i)
}

func (l *lowering) rsqrt(n *graph.Node, _ Instruction) int { return l.inSingle(n, l.reciprocalRoot) }

func (l *lowering) reduceSum(n *graph.Node, _ Instruction) int { return l.inSingle(n, l.reduce) }

func (l *lowering) reduceExtreme(n *graph.Node, i Instruction) int {
	return l.reduce(n, i.Operands[0], n.Shape.DType)
}

// dynamicUpdate gives the new value of a scalar, all of which is replaced.
func (l *lowering) dynamicUpdate(n *graph.Node, i Instruction) int {
	if n.Shape.Rank() == 0 {
		return i.Operands[1]
	}
	return l.add(i)
}

// inSingle computes a node of type bf16 in f32, so that it is rounded once, and other nodes in their own type.
func (l *lowering) inSingle(n *graph.Node, compute func(n *graph.Node, x int, d graph.DType) int) int {
	x := l.at[n.Operands[0]]
	if n.Shape.DType != graph.BF16 {
		return compute(n, x, n.Shape.DType)
	}
	wide := l.operand(n, 0).As(graph.F32)
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

// quotient appends a division of integers, which gives -1 where the divisor is 0. So does XLA, but it simplifies x / x
// to 1 for any x.
func (l *lowering) quotient(n *graph.Node, division Instruction) int {
	value := l.add(division)
	zero := l.filled(n.Shape, 0)
	byZero := l.add(Instruction{
		Opcode: "compare", Shape: array(n.Shape.As(graph.Pred)), Operands: []int{division.Operands[1],
			zero}, Direction: graph.EQ.String(),
	})
	return l.add(Instruction{Opcode: "select", Shape: division.Shape,
		Operands: []int{byZero, l.filled(n.Shape, -1), value}})
}

// isQuotient reports whether the elements of a node are quotients, which may have been moved.
func (l *lowering) isQuotient(node int) bool {
	n := &l.graph.Nodes()[node]
	e := &emitters[n.Op]
	return e.isQuotient || e.moves && slices.ContainsFunc(n.Operands, l.isQuotient)
}

// kept appends an array with the value of x as a select that depends on the elements: x where x = x, else NaN. XLA
// rewrites quotients of quotients, a / (b / c) to a c / b, which is rounded differently and may overflow; it does not
// look through a select.
func (l *lowering) kept(s graph.Shape, x int) int {
	same := l.add(Instruction{Opcode: "compare", Shape: array(s.As(graph.Pred)), Operands: []int{x, x},
		Direction: graph.EQ.String()})
	return l.add(Instruction{Opcode: "select", Shape: array(s), Operands: []int{same, x, l.filled(s, math.NaN())}})
}

// reduce appends the reduction of x in type d.
func (l *lowering) reduce(n *graph.Node, x int, d graph.DType) int {
	return l.add(Instruction{
		Opcode: "reduce", Shape: array(n.Shape.As(d)), Dims: n.Attributes.(graph.Axes),
		Operands: []int{x,
			l.scalar(d, n.Op.Neutral(d))}, Calls: []int{l.reducer(reducer{emitters[n.Op.Pair()].opcode, d})},
	})
}

// reducer returns the computation that combines two scalars; the module has each one once.
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

// dynamicSlice appends a gather of one part, whose start is the list of the starts in all dimensions. XLA moves a start
// into the array, but when it merges two slices it adds starts that it has not moved yet. So the starts are clamped
// here.
func (l *lowering) dynamicSlice(n *graph.Node, i Instruction) int {
	operands, rank := i.Operands, n.Shape.Rank()
	if rank == 0 {
		return operands[0]
	}
	var starts []int
	whole := l.operand(n, 0).Dims
	for k, s := range operands[1:] {
		s = l.between(s, whole[k]-n.Shape.Dims[k])
		starts = append(starts,
			l.add(Instruction{Opcode: "reshape", Shape: array(graph.Of(graph.S32, 1)), Operands: []int{s}}))
	}
	start := starts[0]
	if rank > 1 {
		start = l.add(Instruction{Opcode: "concatenate", Shape: array(graph.Of(graph.S32, rank)), Operands: starts,
			Dims: []int{0}})
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

// upTo returns first, first+1, ..., limit-1.
func upTo(first, limit int) []int {
	var list []int
	for k := first; k < limit; k++ {
		list = append(list, k)
	}
	return list
}
