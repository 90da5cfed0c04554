package graph

import (
	"fmt"
	"math"
	"reflect"
)

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

// opEntry is all that this package knows of an operation. Package interp has a table of how operations are computed,
// package hlo one of how they are written, package graphtest tables of how they are judged and generated.
type opEntry struct {
	name       string
	class      opClass
	operands   int  // number of operands, the least number if variadic is set
	variadic   bool // there may be more operands
	attributes Attributes
	infer      func(n *Node, in []Shape) (Shape, error)
	cost       costModel
	flops      func(n *Node, in []Shape) int64
	// element returns element i of the result for operands with the given elements; those of the first operand have the
	// type d. Build evaluates operations that have it on small constants.
	element func(n *Node, d DType, in [][]float64, i int) float64

	// What elementwise operations make of elements before they are rounded to the type of the result.
	unary   func(x float64) float64
	binary  func(x, y float64) float64
	integer func(x, y int32) float64 // binary for s32, nil if there is none

	pair Op // the operation on two elements that a reduction repeats
}

// opClass groups operations that are computed alike.
type opClass uint8

const (
	otherClass opClass = iota
	unaryClass
	binaryClass
	reduceClass
)

// costModel says which bytes an operation reads and writes.
type costModel uint8

const (
	movesAll  costModel = iota // it reads its operands and writes its result
	movesPart                  // it reads as many elements of the first operand as it writes
	movesNone
)

// ops is the table of operations. It is set in init, since functions of some entries look into it.
var ops [opCount]opEntry

func init() {
	ops = [opCount]opEntry{
		Parameter: {name: "parameter", attributes: Input{}, infer: (*Node).inferSource, cost: movesNone},
		Constant:  {name: "constant", attributes: Literal{}, infer: (*Node).inferConstant, cost: movesNone},
		Iota:      {name: "iota", attributes: Axes{}, infer: (*Node).inferIota},

		Negate: unaryEntry("negate", DType.IsNumber, "%s has no arithmetic", func(x float64) float64 { return -x }),
		Abs:    unaryEntry("abs", DType.IsNumber, "%s has no arithmetic", math.Abs),
		Sign:   unaryEntry("sign", DType.IsNumber, "%s has no arithmetic", sign),
		Exp:    unaryEntry("exp", DType.IsFloat, notFloat, math.Exp),
		Log:    unaryEntry("log", DType.IsFloat, notFloat, math.Log),
		Sqrt:   unaryEntry("sqrt", DType.IsFloat, notFloat, math.Sqrt),
		Rsqrt:  unaryEntry("rsqrt", DType.IsFloat, notFloat, func(x float64) float64 { return 1 / math.Sqrt(x) }),
		Tanh:   unaryEntry("tanh", DType.IsFloat, notFloat, math.Tanh),
		Not:    unaryEntry("not", isPred, "%s is not a predicate", func(x float64) float64 { return 1 - x }),
		Convert: {
			name: "convert", class: unaryClass, operands: 1, infer: (*Node).inferConvert, flops: ofResult,
			unary: same, element: elementOfUnary,
		},

		Add: binaryEntry("add",
			func(x, y float64) float64 { return x + y }, func(x, y int32) float64 { return float64(x + y) }),
		Subtract: binaryEntry("subtract",
			func(x, y float64) float64 { return x - y }, func(x, y int32) float64 { return float64(x - y) }),
		Multiply: binaryEntry("multiply",
			func(x, y float64) float64 { return x * y }, func(x, y int32) float64 { return float64(x * y) }),
		Divide:  binaryEntry("divide", func(x, y float64) float64 { return x / y }, divideIntegers),
		Maximum: binaryEntry("maximum", maximum, func(x, y int32) float64 { return float64(max(x, y)) }),
		Minimum: binaryEntry("minimum", minimum, func(x, y int32) float64 { return float64(min(x, y)) }),
		And:     predicateEntry("and", func(x, y float64) float64 { return x * y }),
		Or:      predicateEntry("or", math.Max),
		Compare: {
			name: "compare", class: binaryClass, operands: 2, attributes: EQ, infer: (*Node).inferCompare,
			flops: ofResult, element: elementOfCompare,
		},

		Select: {name: "select", operands: 3, infer: inferSelect, flops: ofResult, element: elementOfSelect},
		Dot:    {name: "dot", operands: 2, attributes: Dimensions{}, infer: (*Node).inferDot, flops: ofDot},

		ReduceSum: reduceEntry("reduce-sum", Add),
		ReduceMax: reduceEntry("reduce-max", Maximum),
		ReduceMin: reduceEntry("reduce-min", Minimum),

		Broadcast: {name: "broadcast", operands: 1, attributes: Axes{}, infer: (*Node).inferBroadcast},
		Reshape: {
			name: "reshape", operands: 1, infer: (*Node).inferReshape, cost: movesNone, element: elementOfReshape,
		},
		Transpose: {name: "transpose", operands: 1, attributes: Axes{}, infer: (*Node).inferTranspose},
		Slice:     {name: "slice", operands: 1, attributes: Ranges{}, infer: (*Node).inferSlice, cost: movesPart},
		DynamicSlice: {
			name: "dynamic-slice", operands: 1, variadic: true, infer: (*Node).inferDynamicSlice, cost: movesPart,
		},
		DynamicUpdateSlice: {
			name: "dynamic-update-slice", operands: 2, variadic: true, infer: inferDynamicUpdate,
		},
		GatherRows: {name: "gather-rows", operands: 2, infer: inferGather, cost: movesPart},
		Concatenate: {
			name: "concatenate", operands: 1, variadic: true, attributes: Axes{}, infer: (*Node).inferConcatenate,
		},
		Pad: {name: "pad", operands: 2, attributes: Padding{}, infer: (*Node).inferPad},
	}
}

const notFloat = "%s is not of a floating-point type"

func isPred(d DType) bool { return d == Pred }

func same(x float64) float64 { return x }

// unaryEntry returns the entry of an operation on one operand of a type that fits, or the error is the message.
func unaryEntry(name string, fits func(DType) bool, message string, f func(x float64) float64) opEntry {
	return opEntry{
		name: name, class: unaryClass, operands: 1, infer: inferSame(fits, message), flops: ofResult,
		unary: f, element: elementOfUnary,
	}
}

func binaryEntry(name string, f func(x, y float64) float64, integer func(x, y int32) float64) opEntry {
	return opEntry{
		name: name, class: binaryClass, operands: 2, infer: inferPair(DType.IsNumber, "%s has no arithmetic"),
		flops: ofResult, binary: f, integer: integer, element: elementOfBinary,
	}
}

func predicateEntry(name string, f func(x, y float64) float64) opEntry {
	return opEntry{
		name: name, class: binaryClass, operands: 2, infer: inferPair(isPred, "%s is not a predicate"), flops: ofResult,
		binary: f, element: elementOfBinary,
	}
}

func reduceEntry(name string, pair Op) opEntry {
	return opEntry{
		name: name, class: reduceClass, operands: 1, attributes: Axes{}, infer: (*Node).inferReduce, flops: ofOperand,
		pair: pair,
	}
}

// missing is the entry of operations that do not exist.
var missing opEntry

// entry returns what the table has of an operation.
func (o Op) entry() *opEntry {
	if o < opCount {
		return &ops[o]
	}
	return &missing
}

func (o Op) String() string {
	if o < opCount {
		return ops[o].name
	}
	return fmt.Sprintf("op(%d)", uint8(o))
}

// Ops returns all operations.
func Ops() []Op {
	list := make([]Op, opCount)
	for i := range list {
		list[i] = Op(i)
	}
	return list
}

// IsUnary reports whether o works on each element of one operand.
func (o Op) IsUnary() bool { return o.entry().class == unaryClass }

// IsBinary reports whether o works on the elements of two operands of one shape.
func (o Op) IsBinary() bool { return o.entry().class == binaryClass }

// IsReduce reports whether o combines elements along dimensions.
func (o Op) IsReduce() bool { return o.entry().class == reduceClass }

// Pair returns the operation on two elements that a reduction repeats.
func (o Op) Pair() Op { return o.entry().pair }

// Neutral returns what a reduction of no elements of type d gives.
func (o Op) Neutral(d DType) float64 {
	least, largest := math.Inf(-1), math.Inf(1)
	if d == S32 {
		least, largest = math.MinInt32, math.MaxInt32
	}
	return map[Op]float64{Add: 0, Maximum: least, Minimum: largest}[o.Pair()]
}

// check requires the operands and attributes that the operation has.
func (n *Node) check(operands int) error {
	e := n.Op.entry()
	switch {
	case e.infer == nil:
		return fmt.Errorf("there is no such operation")
	case e.variadic && operands < e.operands:
		return fmt.Errorf("%d operands", operands)
	case !e.variadic && operands != e.operands:
		return fmt.Errorf("%d operands, not %d", operands, e.operands)
	case reflect.TypeOf(n.Attributes) != reflect.TypeOf(e.attributes):
		return fmt.Errorf("attributes %T, not %T", n.Attributes, e.attributes)
	}
	return nil
}
