package graph

import "fmt"

// Op is an operation. What each one computes is written at the method of Builder that has its name.
type Op uint8

// The operations.
const (
	Parameter Op = iota
	Constant
	Iota

	// One operand, element by element.
	Negate
	Abs
	Sign
	Exp
	Log
	Sqrt
	Rsqrt
	Tanh
	Not
	Convert

	// Two operands, element by element.
	Add
	Subtract
	Multiply
	Divide
	Maximum
	Minimum
	And
	Or
	Compare

	Select
	Dot
	ReduceSum
	ReduceMax
	ReduceMin

	// Movement of elements.
	Broadcast
	Reshape
	Transpose
	Slice
	DynamicSlice
	DynamicUpdateSlice
	GatherRows
	Concatenate
	Pad
	opCount
)

var opNames = [opCount]string{
	"parameter", "constant", "iota",
	"negate", "abs", "sign", "exp", "log", "sqrt", "rsqrt", "tanh", "not", "convert",
	"add", "subtract", "multiply", "divide", "maximum", "minimum", "and", "or", "compare",
	"select", "dot", "reduce-sum", "reduce-max", "reduce-min",
	"broadcast", "reshape", "transpose", "slice", "dynamic-slice", "dynamic-update-slice", "gather-rows", "concatenate", "pad",
}

func (o Op) String() string { return nameOf(opNames[:], uint8(o), "op") }

// Ops returns all operations.
func Ops() []Op {
	ops := make([]Op, opCount)
	for i := range ops {
		ops[i] = Op(i)
	}
	return ops
}

// IsUnary reports whether o works on each element of one operand.
func (o Op) IsUnary() bool { return Negate <= o && o <= Convert }

// IsBinary reports whether o works on the elements of two operands of one shape.
func (o Op) IsBinary() bool { return Add <= o && o <= Compare }

// IsReduce reports whether o combines elements along dimensions.
func (o Op) IsReduce() bool { return ReduceSum <= o && o <= ReduceMin }

// Direction is what Compare asks.
type Direction uint8

// The directions. A comparison with NaN is false, but for NE.
const (
	EQ Direction = iota
	NE
	LT
	LE
	GT
	GE
	directionCount
)

var directionNames = [directionCount]string{"EQ", "NE", "LT", "LE", "GT", "GE"}

func (d Direction) String() string { return nameOf(directionNames[:], uint8(d), "direction") }

// nameOf returns a name out of a table, or the number of what is not in it: errors print that.
func nameOf(names []string, i uint8, kind string) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}
