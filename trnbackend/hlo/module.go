package hlo

import "trnsci/trnbackend/graph"

// Module is a program: the part of an HloModuleProto that Encode writes.
type Module struct {
	Name         string
	EntryName    string        // of the computation that is run
	EntryID      int           // of the same
	Computations []Computation // those that are called before those that call
	Program      ProgramShape  // of the entry
	Aliases      []Alias
}

// Alias lets a result take over the buffer of a parameter.
type Alias struct {
	Output    []int // the index in the tuple of results; empty if there is only one result
	Parameter int
	Kind      int // mayAlias
}

// ProgramShape is what a computation takes and gives.
type ProgramShape struct {
	Parameters []Shape
	Result     Shape
	Names      []string // of the parameters' instructions
}

// Computation is a list of instructions, operands before users.
type Computation struct {
	Name         string
	ID           int
	Root         int // the instruction that is the result
	Instructions []Instruction
	Program      ProgramShape
}

// Instruction is one operation. Names and numbers are unique in a module. Fields after Calls belong to some opcodes
// only.
type Instruction struct {
	Name, Opcode string
	ID           int
	Shape        Shape
	Operands     []int       // numbers of instructions
	Calls        []int       // numbers of computations: reduce
	Attributes   []Attribute // parameter, root
	Parameter    int         // parameter: which one
	Literal      *Literal    // constant
	Dims         []int       // broadcast, concatenate, iota, reduce, transpose
	Ranges       []Range     // slice
	Padding      []Padding   // pad
	Dot          *Dot        // dot
	Precision    []int       // dot: of each operand
	Gather       *Gather     // gather
	SliceSizes   []int       // gather: the part that each start names
	Direction    string      // compare
}

// Attribute is a key and a value for compilers; XLA ignores it.
type Attribute struct{ Key, Value string }

// Shape is the shape of an array or, if Tuple is not nil, of a tuple of arrays. Arrays are row-major.
type Shape struct {
	Array graph.Shape
	Tuple []graph.Shape
}

// Literal is the value of a constant.
type Literal struct {
	Shape    Shape
	Elements []float64 // exact in the shape's type
}

// Range selects the elements Start, Start+Stride, ... below Limit of a dimension.
type Range struct{ Start, Limit, Stride int }

// Padding has the numbers of elements before and behind those of a dimension.
type Padding struct{ Before, Behind int }

// Dot has the dimensions of two operands that are summed over and the batch dimensions.
type Dot struct{ Contract, Batch [2][]int }

// Gather describes the parts that a gather takes. Dimension Index of the starts holds the coordinates of one start, in
// the dimensions Starts of the array. The part there, without its dimensions Collapsed, becomes the dimensions Offset
// of the result.
type Gather struct {
	Offset, Collapsed, Starts []int
	Index                     int
}

// mayAlias is the kind of alias that lets the compiler decide whether the buffer is taken over.
const mayAlias = 1

// Precisions of a dot.
const (
	defaultPrecision = 0 // operands may be rounded where that is faster
	highestPrecision = 2 // operands as they are
)

func array(s graph.Shape) Shape { return Shape{Array: s} }
