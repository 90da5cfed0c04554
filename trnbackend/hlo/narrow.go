package hlo

import "trnsci/trnbackend/graph"

// roundOnce appends x, of f64, as bf16. XLA goes through f32 and so rounds twice, which errs where the first rounding ends in the middle between
// two numbers. The number on the other side of x, as far from it, is then the nearer one:
//
//	near = bf16(x), rest = x - near, other = bf16(near + 2 rest), and the result is other if |x - other| < |rest|
//
// Infinities and NaN stay: their comparison is false. So does an infinity that the largest number should have been, for x less than the
// rounding of f32 below the middle of both.
func (l *lowering) roundOnce(n *graph.Node) int {
	x := l.at[n.Operands[0]]
	narrow, wide := array(n.Shape), array(n.Shape.As(graph.F64))
	op := func(opcode string, s Shape, operands ...int) int {
		return l.add(Instruction{Opcode: opcode, Shape: s, Operands: operands})
	}
	near := op("convert", narrow, x)
	back := op("convert", wide, near)
	rest := op("subtract", wide, x, back)
	mirrored := op("add", wide, back, op("add", wide, rest, rest))
	other := op("convert", narrow, mirrored)
	otherRest := op("subtract", wide, x, op("convert", wide, other))
	closer := l.add(Instruction{
		Opcode: "compare", Shape: array(n.Shape.As(graph.Pred)), Direction: graph.LT.String(),
		Operands: []int{op("abs", wide, otherRest), op("abs", wide, rest)},
	})
	return op("select", narrow, closer, other, near)
}
