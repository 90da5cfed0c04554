package hlo

import "trnsci/trnbackend/graph"

// roundOnce appends x, of f64, as bf16. XLA goes through f32 and so rounds twice, which errs where the first rounding
// ends in the middle between two numbers. The number on the other side of x, as far from it, is then the nearer one:
//
//	near = bf16(x), rest = x - near, other = bf16(near + 2 rest), and the result is other if |x - other| < |rest|
//
// Infinities and NaN stay: their comparison is false. So does an infinity that the largest number should have been, for
// x less than the rounding of f32 below the middle of both.
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

// From this magnitude on f32 does not hold all integers. It holds those whose last integerBits are 0 but for the first
// of them, up to 2^31.
const (
	firstInexact = 1 << 24
	integerBits  = 8
)

// roundIntegerOnce appends x, of s32, as bf16. XLA goes through f32 here too. Large numbers are made ones that f32
// holds: what their last bits are stays 0, or becomes the middle, which lies on the same side of all numbers at which
// the rounding to bf16 turns, since these are multiples of 2^16:
//
//	low = x & 255, and x becomes x - low + (128 if low != 0) where |x| >= 2^24
//
// The modulus of the smallest integer is itself, so it stays, which is right.
func (l *lowering) roundIntegerOnce(n *graph.Node) int {
	x, whole := l.at[n.Operands[0]], n.Shape.As(graph.S32)
	op := func(opcode string, operands ...int) int {
		return l.add(Instruction{Opcode: opcode, Shape: array(whole), Operands: operands})
	}
	compare := func(d graph.Direction, x, y int) int {
		return l.add(Instruction{Opcode: "compare", Shape: array(n.Shape.As(graph.Pred)), Direction: d.String(), Operands: []int{x, y}})
	}
	zero := l.filled(whole, 0)
	low := op("and", x, l.filled(whole, 1<<integerBits-1))
	middle := op("select", compare(graph.NE, low, zero), l.filled(whole, 1<<(integerBits-1)), zero)
	held := op("add", op("subtract", x, low), middle)
	large := compare(graph.GE, op("abs", x), l.filled(whole, firstInexact))
	return l.add(Instruction{Opcode: "convert", Shape: array(n.Shape), Operands: []int{op("select", large, held, x)}})
}
