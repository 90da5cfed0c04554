package graph

import (
	"fmt"
	"math"
	"reflect"
	"strings"
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

// Node is one operation of a graph and its result.
type Node struct {
	Op         Op
	Shape      Shape
	Operands   []int      // numbers of nodes before this one
	Attributes Attributes // of the kind that the operation has
}

func (n *Node) write() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", n.Op, n.Shape)
	for _, o := range n.Operands {
		fmt.Fprintf(&b, " %%%d", o)
	}
	if n.Attributes != nil {
		n.Attributes.write(&b, n.Shape.DType)
	}
	return b.String()
}
