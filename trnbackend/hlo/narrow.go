package hlo

import "trnsci/trnbackend/graph"

// roundOnce appends the conversion of x from f64 to bf16. XLA converts by way of f32 and so rounds twice, which gives a
// wrong result where the first rounding ends halfway between two bf16 numbers. Then the number on the other side of x
// is nearer:
//
//	near = bf16(x), rest = x - near, other = bf16(near + 2 rest), and the result is other if |x - other| < |rest|
//
// Infinities and NaN stay, since their comparison is false. So does an infinity in place of the largest number, for x
// less than the rounding of f32 below the middle of both.
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

// From the magnitude firstInexact on f32 does not hold all integers. Up to 2^31 it holds those whose last integerBits
// are zero, or zero after the first of them.
const (
	firstInexact = 1 << 24
	integerBits  = 8
)

// roundIntegerOnce appends the conversion of x from s32 to bf16. XLA converts by way of f32 here too. Large numbers are
// replaced by numbers that f32 holds: nonzero last bits become the middle of their range, which lies on the same side
// of every number at which the rounding to bf16 changes, since those are multiples of 2^16:
//
//	low = x & 255, and x becomes x - low + (128 if low != 0) where |x| >= 2^24
//
// The modulus of the smallest integer is itself, so it is left as it is, which is right.
func (l *lowering) roundIntegerOnce(n *graph.Node) int {
	x, whole := l.at[n.Operands[0]], n.Shape.As(graph.S32)
	op := func(opcode string, operands ...int) int {
		return l.add(Instruction{Opcode: opcode, Shape: array(whole), Operands: operands})
	}
	compare := func(d graph.Direction, x, y int) int {
		return l.add(Instruction{Opcode: "compare", Shape: array(n.Shape.As(graph.Pred)), Direction: d.String(),
			Operands: []int{x, y}})
	}
	zero := l.filled(whole, 0)
	low := op("and", x, l.filled(whole, 1<<integerBits-1))
	middle := op("select", compare(graph.NE, low, zero), l.filled(whole, 1<<(integerBits-1)), zero)
	held := op("add", op("subtract", x, low), middle)
	large := compare(graph.GE, op("abs", x), l.filled(whole, firstInexact))
	return l.add(Instruction{Opcode: "convert", Shape: array(n.Shape), Operands: []int{op("select", large, held, x)}})
}
