package hlo

import (
	"math"
	"slices"
	"strings"
	"testing"

	"trnsci/trnbackend/graph"
)

// walk goes through the instructions of the entry and the nodes of the graph in parallel.
type walk struct {
	t     *testing.T
	graph *graph.Graph
	left  []Instruction // that were not seen yet
	at    map[int]int   // the instruction of each node
}

// next returns the next instruction, which has the opcode.
func (w *walk) next(opcode string) Instruction {
	w.t.Helper()
	if len(w.left) == 0 || w.left[0].Opcode != opcode {
		w.t.Fatalf("there is no %s at this place: %v", opcode, w.left)
	}
	i := w.left[0]
	w.left = w.left[1:]
	return i
}

// checkNodes checks that the entry computes the nodes of the graph in their order and gives its results.
func checkNodes(t *testing.T, g *graph.Graph, m *Module) {
	t.Helper()
	w := walk{t, g, m.Computations[len(m.Computations)-1].Instructions, map[int]int{}}
	for k := range g.Nodes() {
		n := &g.Nodes()[k]
		empty := func(operand int) bool { return g.Nodes()[n.Operands[operand]].Shape.Size() == 0 }
		switch {
		case n.Op == graph.Parameter || n.Op == graph.Constant:
			w.at[k] = w.plain(n)
		case n.Shape.Size() == 0:
			w.at[k] = w.filled(n.Shape, 0)
		case n.Op == graph.Dot && empty(0) || n.Op == graph.ReduceSum && empty(0):
			w.at[k] = w.filled(n.Shape, 0)
		case n.Op.IsReduce() && empty(0):
			w.at[k] = w.filled(n.Shape, map[bool]float64{
				true:  map[graph.Op]float64{graph.ReduceMax: -1 << 31, graph.ReduceMin: 1<<31 - 1}[n.Op],
				false: map[graph.Op]float64{graph.ReduceMax: math.Inf(-1), graph.ReduceMin: math.Inf(1)}[n.Op],
			}[n.Shape.DType == graph.S32])
		case n.Op == graph.Pad && empty(0):
			i := w.next("broadcast")
			w.same(i, n.Shape, []int{w.at[n.Operands[1]]})
			w.at[k] = i.ID
		case n.Op == graph.DynamicUpdateSlice && empty(1):
			w.at[k] = w.at[n.Operands[0]]
		case n.Op == graph.Convert && n.Shape.DType == graph.BF16 && g.Nodes()[n.Operands[0]].Shape.DType == graph.F64:
			w.at[k] = w.roundedOnce(n)
		case n.Op == graph.Convert && n.Shape.DType == graph.BF16 && g.Nodes()[n.Operands[0]].Shape.DType == graph.S32:
			w.at[k] = w.integerRoundedOnce(n)
		case n.Op == graph.Rsqrt:
			w.at[k] = w.rsqrt(n)
		case n.Op == graph.Divide && n.Shape.DType == graph.S32:
			w.at[k] = w.integerQuotient(n)
		case n.Op == graph.Divide:
			w.at[k] = w.quotient(n)
		case n.Op.IsReduce():
			w.at[k] = w.reduce(n, m)
		case n.Op == graph.DynamicSlice && n.Shape.Rank() > 0:
			w.at[k] = w.dynamicSlice(n)
		case n.Op == graph.DynamicSlice:
			w.at[k] = w.at[n.Operands[0]]
		case n.Op == graph.DynamicUpdateSlice && n.Shape.Rank() == 0:
			w.at[k] = w.at[n.Operands[1]]
		default:
			w.at[k] = w.plain(n)
		}
	}
	w.results(m)
}

func (w *walk) operands(n *graph.Node) []int {
	var list []int
	for _, o := range n.Operands {
		if n.Op != graph.Concatenate || w.graph.Nodes()[o].Shape.Size() > 0 {
			list = append(list, w.at[o])
		}
	}
	return list
}

// plain checks a node that is a single instruction.
func (w *walk) plain(n *graph.Node) int {
	name := n.Op.String()
	if other, ok := map[graph.Op]string{graph.Exp: "exponential", graph.GatherRows: "gather"}[n.Op]; ok {
		name = other
	}
	i := w.next(name)
	w.same(i, n.Shape, w.operands(n))
	axes, _ := n.Attributes.(graph.Axes)
	if !slices.Equal(i.Dims, axes) {
		w.t.Errorf("%s has dimensions %v, not %v", i.Name, i.Dims, axes)
	}
	ok := true
	switch n.Op {
	case graph.Parameter:
		ok = slices.Equal(i.Attributes, []Attribute{{"neff_input_names", n.Attributes.(graph.Input).Name}})
	case graph.Constant:
		ok = i.Literal.Shape.Array.Equal(n.Shape) &&
			slices.EqualFunc(i.Literal.Elements, n.Attributes.(graph.Literal), sameBits)
	case graph.Compare:
		ok = i.Direction == n.Attributes.(graph.Direction).String()
	case graph.Dot:
		precision := []int{2, 2} // HIGHEST
		if w.graph.Nodes()[n.Operands[0]].Shape.DType == graph.BF16 {
			precision = []int{0, 0} // DEFAULT
		}
		ok = slices.Equal(i.Precision, precision)
		d := n.Attributes.(graph.Dimensions)
		for k := range 2 {
			ok = ok && slices.Equal(i.Dot.Contract[k], d.Contract[k]) && slices.Equal(i.Dot.Batch[k], d.Batch[k])
		}
	case graph.Slice:
		ok = len(i.Ranges) == n.Shape.Rank()
		ranges := n.Attributes.(graph.Ranges)
		for k, r := range i.Ranges {
			ok = ok && r == Range{ranges.Start[k], ranges.Limit[k], ranges.Stride[k]}
		}
	case graph.Pad:
		ok = len(i.Padding) == n.Shape.Rank()
		padding := n.Attributes.(graph.Padding)
		for k, p := range i.Padding {
			ok = ok && p == Padding{padding.Before[k], padding.Behind[k]}
		}
	case graph.GatherRows:
		rank := n.Shape.Rank()
		ok = slices.Equal(i.Gather.Offset, []int{1, 2, 3, 4}[:rank-1]) && slices.Equal(i.Gather.Collapsed, []int{0}) &&
			slices.Equal(i.Gather.Starts, []int{0}) &&
			i.Gather.Index == 1 && i.SliceSizes[0] == 1 && slices.Equal(i.SliceSizes[1:], n.Shape.Dims[1:])
	}
	if !ok {
		w.t.Errorf("%+v is not node %+v", i, n)
	}
	return i.ID
}

func (w *walk) same(i Instruction, s graph.Shape, operands []int) {
	w.t.Helper()
	if !i.Shape.equal(Shape{Array: s}) || !slices.Equal(i.Operands, operands) {
		w.t.Errorf("%s has shape %v and operands %v, not %s and %v", i.Name, i.Shape, i.Operands, s, operands)
	}
}

func sameBits(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
}

// widened checks that a bf16 operand is converted to f32, and returns the instruction and the type of the operation.
func (w *walk) widened(n *graph.Node) (x int, d graph.DType) {
	if n.Shape.DType != graph.BF16 {
		return w.at[n.Operands[0]], n.Shape.DType
	}
	i := w.next("convert")
	w.same(i, w.graph.Nodes()[n.Operands[0]].Shape.As(graph.F32), w.operands(n))
	return i.ID, graph.F32
}

// narrowed checks that the result of an operation that was widened is converted back.
func (w *walk) narrowed(n *graph.Node, x int) int {
	if n.Shape.DType != graph.BF16 {
		return x
	}
	i := w.next("convert")
	w.same(i, n.Shape, []int{x})
	return i.ID
}

// filled checks an array of one number.
func (w *walk) filled(s graph.Shape, x float64) int {
	value, all := w.next("constant"), w.next("broadcast")
	w.same(value, graph.Of(s.DType), nil)
	w.same(all, s, []int{value.ID})
	if !slices.Equal(value.Literal.Elements, []float64{x}) || all.Dims != nil {
		w.t.Errorf("%v along %v, not %v", value.Literal.Elements, all.Dims, x)
	}
	return all.ID
}

// isQuotient follows operations that move elements.
func (w *walk) isQuotient(node int) bool {
	n := w.graph.Nodes()[node]
	moves := []graph.Op{graph.Reshape, graph.Broadcast, graph.Transpose, graph.Slice, graph.Concatenate}
	return n.Op == graph.Divide || n.Op == graph.Rsqrt || slices.Contains(moves, n.Op) &&
		slices.ContainsFunc(n.Operands, w.isQuotient)
}

// quotient checks a division; operands that are quotients go through a select.
func (w *walk) quotient(n *graph.Node) int {
	operands := w.operands(n)
	for k, o := range n.Operands {
		if !w.isQuotient(o) {
			continue
		}
		isNumber := w.next("compare")
		w.same(isNumber, n.Shape.As(graph.Pred), []int{operands[k], operands[k]})
		nan := w.next("constant")
		all, choice := w.next("broadcast"), w.next("select")
		w.same(all, n.Shape, []int{nan.ID})
		w.same(choice, n.Shape, []int{isNumber.ID, operands[k], all.ID})
		if x := nan.Literal.Elements[0]; x == x || isNumber.Direction != "EQ" {
			w.t.Errorf("%+v chooses %v", isNumber, x)
		}
		operands[k] = choice.ID
	}
	i := w.next("divide")
	w.same(i, n.Shape, operands)
	return i.ID
}

func (w *walk) integerQuotient(n *graph.Node) int {
	operands := w.operands(n)
	value := w.next("divide")
	w.same(value, n.Shape, operands)
	zero := w.filled(n.Shape, 0)
	isZero := w.next("compare")
	w.same(isZero, n.Shape.As(graph.Pred), []int{operands[1], zero})
	if isZero.Direction != "EQ" {
		w.t.Errorf("%+v finds divisors of 0", isZero)
	}
	minusOne := w.filled(n.Shape, -1)
	chosen := w.next("select")
	w.same(chosen, n.Shape, []int{isZero.ID, minusOne, value.ID})
	return chosen.ID
}

// roundedOnce checks that x of f64 becomes the nearer one of two bf16 numbers.
func (w *walk) roundedOnce(n *graph.Node) int {
	x, wide := w.operands(n)[0], n.Shape.As(graph.F64)
	step := func(opcode string, shape graph.Shape, operands ...int) int {
		i := w.next(opcode)
		w.same(i, shape, operands)
		return i.ID
	}
	near := step("convert", n.Shape, x)
	back := step("convert", wide, near)
	rest := step("subtract", wide, x, back)
	twice := step("add", wide, rest, rest)
	other := step("convert", n.Shape, step("add", wide, back, twice))
	otherBack := step("convert", wide, other)
	otherRest := step("subtract", wide, x, otherBack)
	distance := step("abs", wide, otherRest)
	nearest := step("abs", wide, rest)
	closer := w.next("compare")
	w.same(closer, n.Shape.As(graph.Pred), []int{distance, nearest})
	if closer.Direction != "LT" {
		w.t.Errorf("distances are compared with %s", closer.Direction)
	}
	return step("select", n.Shape, closer.ID, other, near)
}

func (w *walk) rsqrt(n *graph.Node) int {
	x, d := w.widened(n)
	shape := n.Shape.As(d)
	root, one, quotient := w.next("sqrt"), w.filled(shape, 1), w.next("divide")
	w.same(root, shape, []int{x})
	w.same(quotient, shape, []int{one, root.ID})
	return w.narrowed(n, quotient.ID)
}

func (w *walk) reduce(n *graph.Node, m *Module) int {
	x, d := w.at[n.Operands[0]], n.Shape.DType
	if n.Op == graph.ReduceSum {
		x, d = w.widened(n)
	}
	first, i := w.next("constant"), w.next("reduce")
	w.same(i, n.Shape.As(d), []int{x, first.ID})
	opcode := map[graph.Op]string{graph.ReduceSum: "add", graph.ReduceMax: "maximum", graph.ReduceMin: "minimum"}[n.Op]
	neutral := map[string]float64{"add": 0, "maximum": math.Inf(-1), "minimum": math.Inf(1)}[opcode]
	if d == graph.S32 && n.Op != graph.ReduceSum {
		neutral = map[string]float64{"maximum": -1 << 31, "minimum": 1<<31 - 1}[opcode]
	}
	called := slices.IndexFunc(m.Computations, func(c Computation) bool { return c.ID == i.Calls[0] })
	body := m.Computations[called].Instructions
	if len(i.Calls) != 1 || len(body) != 3 || body[2].Opcode != opcode ||
		!slices.Equal(body[2].Operands, []int{body[0].ID, body[1].ID}) ||
		!body[2].Shape.equal(Shape{Array: graph.Of(d)}) || first.Literal.Elements[0] != neutral ||
		!slices.Equal(i.Dims, n.Attributes.(graph.Axes)) {
		w.t.Errorf("%+v with %+v from %+v is not node %+v", i, body, first, n)
	}
	if n.Op == graph.ReduceSum {
		return w.narrowed(n, i.ID)
	}
	return i.ID
}

func (w *walk) dynamicSlice(n *graph.Node) int {
	operands, rank := w.operands(n), n.Shape.Rank()
	var starts []int
	whole := w.graph.Nodes()[n.Operands[0]].Shape.Dims
	for k, s := range operands[1:] {
		for _, bound := range []struct {
			opcode string
			value  int
		}{{"maximum", 0}, {"minimum", whole[k] - n.Shape.Dims[k]}} {
			limit := w.next("constant")
			i := w.next(bound.opcode)
			w.same(i, graph.Of(graph.S32), []int{s, limit.ID})
			if limit.Literal.Elements[0] != float64(bound.value) {
				w.t.Errorf("a start is bounded by %v, not %d", limit.Literal.Elements, bound.value)
			}
			s = i.ID
		}
		i := w.next("reshape")
		w.same(i, graph.Of(graph.S32, 1), []int{s})
		starts = append(starts, i.ID)
	}
	start := starts[0]
	if rank > 1 {
		i := w.next("concatenate")
		w.same(i, graph.Of(graph.S32, rank), starts)
		start = i.ID
	}
	i := w.next("gather")
	w.same(i, n.Shape, []int{operands[0], start})
	all := []int{0, 1, 2, 3}[:rank]
	if !slices.Equal(i.Gather.Offset, all) || !slices.Equal(i.Gather.Starts, all) || i.Gather.Collapsed != nil ||
		i.Gather.Index != 0 ||
		!slices.Equal(i.SliceSizes, n.Shape.Dims) {
		w.t.Errorf("%+v %+v is not node %+v", i, i.Gather, n)
	}
	return i.ID
}

// results checks the root, the names of the results and the aliases of donated parameters.
func (w *walk) results(m *Module) {
	results := w.graph.Results()
	root := w.left[len(w.left)-1]
	values, names, seen := []int{root.ID}, []string{}, map[int]bool{}
	if len(results) > 1 {
		values = root.Operands
		if root.Opcode != "tuple" || !root.Shape.equal(Shape{Tuple: w.graph.ResultShapes()}) {
			w.t.Errorf("root %+v", root)
		}
	}
	for k, r := range results {
		value, op := w.at[r.Node], w.graph.Nodes()[r.Node].Op
		if len(results) == 1 || op == graph.Parameter || op == graph.Constant || seen[value] {
			i := w.next("copy")
			w.same(i, w.graph.Nodes()[r.Node].Shape, []int{value})
			value = i.ID
		}
		if values[k] != value {
			w.t.Errorf("result %q is instruction %d, not %d", r.Name, values[k], value)
		}
		seen[value] = true
		names = append(names, r.Name)
	}
	if !slices.Equal(root.Attributes, []Attribute{{"neff_output_names", strings.Join(names, ",")}}) {
		w.t.Errorf("root has the attributes %v", root.Attributes)
	}
	w.donations(m)
}

func (w *walk) donations(m *Module) {
	left := m.Aliases
	for parameter, result := range w.graph.Donation() {
		if result < 0 {
			continue
		}
		var output []int
		if len(w.graph.Results()) > 1 {
			output = []int{result}
		}
		if len(left) == 0 || left[0].Parameter != parameter || left[0].Kind != 1 ||
			!slices.Equal(left[0].Output, output) {
			w.t.Fatalf("aliases %v at parameter %d", left, parameter)
		}
		left = left[1:]
	}
	if len(left) > 0 {
		w.t.Errorf("aliases %v of parameters that are not donated", left)
	}
}
