package graph

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Builder makes a graph. Its methods add a node and return its value. The first mistake is kept, later calls are
// ignored, and Build returns the mistake. A Builder is for one goroutine.
type Builder struct {
	name    string
	nodes   []Node
	params  []int
	results []Result
	inputs  map[string]bool // names of parameters
	outputs map[string]bool // names of results
	where   string          // if not empty, errors name it instead of the caller's line
	err     error
}

// Value is the result of a node that is being built.
type Value struct {
	b    *Builder
	node int
}

// Error is a mistake in a graph: the operation, the line of the caller of Builder (in Parse the line of the text, in
// Rebuild the node), and a message.
type Error struct {
	Graph, Op, Where, Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("graph %s: %s at %s: %s", e.Graph, e.Op, e.Where, e.Message)
}

// NewBuilder returns a builder of a graph with the given name, by which reports tell programs apart.
func NewBuilder(name string) *Builder {
	return &Builder{name: name, inputs: map[string]bool{}, outputs: map[string]bool{}}
}

// Shape returns the shape of a value; after a mistake that of a scalar f32.
func (v Value) Shape() Shape {
	if v.b == nil {
		return Shape{}
	}
	return v.b.nodes[v.node].Shape.clone()
}

// Err returns the first mistake so far.
func (b *Builder) Err() error { return b.err }

// fail keeps a mistake of an operation.
func (b *Builder) fail(op, format string, args ...any) Value {
	if b.err == nil {
		where := b.where
		if where == "" {
			where = callerOfPackage()
		}
		b.err = &Error{b.name, op, where, fmt.Sprintf(format, args...)}
	}
	return Value{}
}

// callerOfPackage returns the file and line of the first caller outside this package; its tests count as outside.
func callerOfPackage() string {
	const deepest = 16
	var counters [deepest]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(1, counters[:])])
	for {
		frame, more := frames.Next()
		if !strings.Contains(frame.Function, "trnbackend/graph.") || strings.HasSuffix(frame.File, "_test.go") {
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return "unknown line"
		}
	}
}

// foreign is the message for a Value of another builder, and for the zero Value.
const foreign = "an operand is of another graph, or none"

// add appends a node whose operands are values of this builder.
func (b *Builder) add(n Node, operands ...Value) Value {
	if b.err != nil {
		return Value{}
	}
	for _, v := range operands {
		if v.b != b {
			return b.fail(n.Op.String(), foreign)
		}
		n.Operands = append(n.Operands, v.node)
	}
	shape, err := n.infer(b.shapes(n.Operands))
	if err != nil {
		return b.fail(n.Op.String(), "%v", err)
	}
	n.Shape = shape
	b.nodes = append(b.nodes, n)
	return Value{b, len(b.nodes) - 1}
}

func (b *Builder) shapes(nodes []int) []Shape {
	shapes := make([]Shape, len(nodes))
	for i, n := range nodes {
		shapes[i] = b.nodes[n].Shape
	}
	return shapes
}

// longestName is the limit of the length of the name of an input or output in bytes: libnrt has 256 bytes for a name
// and a zero behind it.
const longestName = 255

// claim reserves a name of an input or an output, or says why it cannot. Compilers get the names as lists with commas.
func claim(taken map[string]bool, name string) error {
	odd := func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`,"\'`, c) }
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > longestName:
		return fmt.Errorf("the name has %d bytes, the limit is %d", len(name), longestName)
	case strings.ContainsFunc(name, odd):
		return fmt.Errorf("the name %q has a character that is not printable ASCII, or is one of blank, comma, backslash, "+
			"quotation marks", name)
	case taken[name]:
		return fmt.Errorf("the name %q is taken", name)
	}
	taken[name] = true
	return nil
}

// Parameter adds an input. A name is printable ASCII without blanks, commas, backslashes and quotation marks, has at
// most 255 bytes, and is unique among the parameters.
func (b *Builder) Parameter(name string, shape Shape) Value { return b.parameter(name, shape, false) }

// Donated adds an input whose buffer the program may take over for a result of the same shape; the caller's buffer is
// dead after the run.
func (b *Builder) Donated(name string, shape Shape) Value { return b.parameter(name, shape, true) }

func (b *Builder) parameter(name string, shape Shape, donated bool) Value {
	if err := claim(b.inputs, name); err != nil {
		return b.fail(Parameter.String(), "%v", err)
	}
	v := b.add(Node{Op: Parameter, Shape: shape.clone(), Attributes: Input{name, donated}})
	if b.err == nil {
		b.params = append(b.params, v.node)
	}
	return v
}

func (s Shape) clone() Shape { return Shape{s.DType, slices.Clone(s.Dims)} }

// Constant adds an array of the given elements in row-major order, rounded to the shape's type. All NaNs are one.
func (b *Builder) Constant(shape Shape, elements ...float64) Value {
	literal := make(Literal, len(elements))
	for i, x := range elements {
		literal[i] = shape.DType.literal(x)
	}
	return b.add(Node{Op: Constant, Shape: shape.clone(), Attributes: literal})
}

// Scalar adds a constant without dimensions.
func (b *Builder) Scalar(d DType, x float64) Value { return b.Constant(Of(d), x) }

// Iota adds an array in which an element is its own index in one dimension.
func (b *Builder) Iota(shape Shape, dim int) Value {
	return b.add(Node{Op: Iota, Shape: shape.clone(), Attributes: Axes{dim}})
}

// Result makes v an output. It may be any value, a parameter too, and one value may be several outputs: the caller gets
// a buffer for each. Names are as for Parameter, and unique among the results.
func (b *Builder) Result(name string, v Value) {
	const what = "result"
	switch {
	case b.err != nil:
	case v.b != b:
		b.fail(what, "%q is not a value of this graph", name)
	default:
		if err := claim(b.outputs, name); err != nil {
			b.fail(what, "%v", err)
			return
		}
		b.results = append(b.results, Result{name, v.node})
	}
}
