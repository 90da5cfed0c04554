package hlo

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// Decode reads a serialized HloModuleProto. It takes what Encode writes and skips fields that Encode does not write.
// The error says that data is not such a message, or has an array that is not row-major, a type that graphs do not
// have, or a literal that does not fill its shape.
func Decode(data []byte) (*Module, error) {
	m := new(Module)
	if err := readAll(data, m.read); err != nil {
		return nil, fmt.Errorf("hlo: %w", err)
	}
	return m, nil
}

// field is a field of a message as it is read. Fields of fixed length and groups, which a module does not have, are
// skipped.
type field struct {
	number protowire.Number
	wire   protowire.Type
	varint uint64
	bytes  []byte
}

// readAll calls read for each field of a message.
func readAll(data []byte, read func(f field) error) error {
	for len(data) > 0 {
		number, wire, length := protowire.ConsumeTag(data)
		if length < 0 {
			return protowire.ParseError(length)
		}
		data = data[length:]
		f := field{number: number, wire: wire}
		switch wire {
		case protowire.VarintType:
			f.varint, length = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			f.bytes, length = protowire.ConsumeBytes(data)
		default:
			length = protowire.ConsumeFieldValue(number, wire, data)
		}
		if length < 0 {
			return protowire.ParseError(length)
		}
		data = data[length:]
		if wire != protowire.VarintType && wire != protowire.BytesType {
			continue
		}
		if err := read(f); err != nil {
			return err
		}
	}
	return nil
}

// message reads the fields of a message in a field.
func (f field) message(read func(f field) error) error {
	if f.wire != protowire.BytesType {
		return fmt.Errorf("field %d is not a message", f.number)
	}
	return readAll(f.bytes, read)
}

func (f field) text(s *string) error {
	if f.wire != protowire.BytesType || !utf8.Valid(f.bytes) {
		return fmt.Errorf("field %d is not a text", f.number)
	}
	*s = string(f.bytes)
	return nil
}

func (f field) integer(x *int) error {
	if f.wire != protowire.VarintType {
		return fmt.Errorf("field %d is not a number", f.number)
	}
	*x = int(f.varint)
	return nil
}

// integers appends a packed list.
func (f field) integers(list *[]int) error {
	if f.wire != protowire.BytesType {
		return fmt.Errorf("field %d is not a list of numbers", f.number)
	}
	for data := f.bytes; len(data) > 0; {
		x, length := protowire.ConsumeVarint(data)
		if length < 0 {
			return protowire.ParseError(length)
		}
		*list = append(*list, int(x))
		data = data[length:]
	}
	return nil
}

// destinations has, for fields of a message by number, where their values go: a *string, an *int, a *[]int for a packed
// list, a *Shape, or a function that reads the field. Other fields are skipped.
type destinations map[protowire.Number]any

func (to destinations) read(f field) error {
	switch at := to[f.number].(type) {
	case *string:
		return f.text(at)
	case *int:
		return f.integer(at)
	case *[]int:
		return f.integers(at)
	case *Shape:
		return f.shape(at)
	case func(f field) error:
		return at(f)
	}
	return nil
}

// inside returns a function that reads the message in a field.
func inside(read func(f field) error) func(f field) error {
	return func(f field) error { return f.message(read) }
}

// appendTo returns a function that appends the message in a field to a list.
func appendTo[T any](list *[]T, fields func(x *T) destinations) func(f field) error {
	return func(f field) error {
		var x T
		if err := f.message(fields(&x).read); err != nil {
			return err
		}
		*list = append(*list, x)
		return nil
	}
}

// replace returns a function that sets a pointer to the message in a field.
func replace[T any](at **T, fields func(x *T) destinations) func(f field) error {
	return func(f field) error {
		*at = new(T)
		return f.message(fields(*at).read)
	}
}

func (m *Module) read(f field) error {
	return destinations{
		moduleName: &m.Name, moduleEntryName: &m.EntryName, moduleEntryID: &m.EntryID,
		moduleComputations: appendTo(&m.Computations, (*Computation).fields),
		moduleProgram:      inside(m.Program.fields().read),
		moduleAliases:      inside(destinations{aliasesEntries: appendTo(&m.Aliases, (*Alias).fields)}.read),
	}.read(f)
}

func (a *Alias) fields() destinations {
	return destinations{aliasOutput: &a.Output, aliasParameter: &a.Parameter, aliasKind: &a.Kind}
}

func (p *ProgramShape) fields() destinations {
	return destinations{
		programParameters: func(f field) error { return readShapeInto(&p.Parameters, f) },
		programResult:     &p.Result,
		programNames: func(f field) error {
			p.Names = append(p.Names, "")
			return f.text(&p.Names[len(p.Names)-1])
		},
	}
}

func (c *Computation) fields() destinations {
	return destinations{
		computationName: &c.Name, computationID: &c.ID, computationRoot: &c.Root,
		computationInstructions: appendTo(&c.Instructions, (*Instruction).fields),
		computationProgram:      inside(c.Program.fields().read),
	}
}

func (i *Instruction) fields() destinations {
	return destinations{
		instructionName: &i.Name, instructionOpcode: &i.Opcode, instructionShape: &i.Shape, instructionID: &i.ID,
		instructionOperands: &i.Operands, instructionCalls: &i.Calls, instructionParameter: &i.Parameter,
		instructionDims: &i.Dims, instructionSliceSizes: &i.SliceSizes, instructionDirection: &i.Direction,
		instructionAttributes: inside(destinations{attributesMap: appendTo(&i.Attributes, (*Attribute).fields)}.read),
		instructionLiteral: func(f field) error {
			i.Literal = new(Literal)
			return i.Literal.read(f)
		},
		instructionRanges: appendTo(&i.Ranges, (*Range).fields),
		instructionPadding: func(f field) error {
			i.Padding = []Padding{} // that of a scalar is there and empty
			return f.message(destinations{paddingConfigDims: appendTo(&i.Padding, (*Padding).fields)}.read)
		},
		instructionDot:       replace(&i.Dot, (*Dot).fields),
		instructionGather:    replace(&i.Gather, (*Gather).fields),
		instructionPrecision: inside(destinations{precisionOperands: &i.Precision}.read),
	}
}

func (a *Attribute) fields() destinations {
	return destinations{attributeKey: &a.Key, attributeValue: &a.Value}
}

func (r *Range) fields() destinations {
	return destinations{rangeStart: &r.Start, rangeLimit: &r.Limit, rangeStride: &r.Stride}
}

func (p *Padding) fields() destinations {
	return destinations{paddingBefore: &p.Before, paddingBehind: &p.Behind}
}

func (d *Dot) fields() destinations {
	return destinations{
		dotContract0: &d.Contract[0], dotContract1: &d.Contract[1], dotBatch0: &d.Batch[0], dotBatch1: &d.Batch[1],
	}
}

func (g *Gather) fields() destinations {
	return destinations{
		gatherOffset: &g.Offset, gatherCollapsed: &g.Collapsed, gatherStarts: &g.Starts, gatherIndex: &g.Index,
	}
}

// rawShape has the fields of a serialized shape.
type rawShape struct {
	number      int // PrimitiveType
	dims, order []int
	tuple       []graph.Shape
}

func (s *rawShape) read(f field) error {
	switch f.number {
	case shapeType:
		return f.integer(&s.number)
	case shapeDims:
		return f.integers(&s.dims)
	case shapeTuple:
		var element rawShape
		if err := f.message(element.read); err != nil {
			return err
		}
		a, err := element.array()
		s.tuple = append(s.tuple, a)
		return err
	case shapeLayout:
		return f.message(func(f field) error {
			if f.number == layoutOrder {
				return f.integers(&s.order)
			}
			return nil
		})
	}
	return nil
}

// array returns the shape of a row-major array.
func (s *rawShape) array() (graph.Shape, error) {
	for d, t := range elementTypes {
		if t.number != s.number {
			continue
		}
		shape := graph.Shape{DType: d, Dims: s.dims}
		if slices.ContainsFunc(s.dims, func(d int) bool { return d < 0 }) {
			return shape, fmt.Errorf("shape %s has a negative dimension", shape)
		}
		if !slices.Equal(s.order, rowMajor(len(s.dims))) {
			return shape, fmt.Errorf("shape %s has the layout %v, which is not row-major", shape, s.order)
		}
		return shape, nil
	}
	return graph.Shape{}, fmt.Errorf("element type %d is not one of graphs", s.number)
}

// shape reads a shape of an array or of a tuple of arrays.
func (f field) shape(s *Shape) error {
	var raw rawShape
	if err := f.message(raw.read); err != nil {
		return err
	}
	if raw.number == tupleType {
		*s = Shape{Tuple: append([]graph.Shape{}, raw.tuple...)}
		return nil
	}
	a, err := raw.array()
	*s = array(a)
	return err
}

func readShapeInto(list *[]Shape, f field) error {
	var s Shape
	err := f.shape(&s)
	*list = append(*list, s)
	return err
}

// read reads a literal. Its shape must come before its elements.
func (l *Literal) read(f field) error {
	err := f.message(func(f field) error {
		if f.number == literalShape {
			return f.shape(&l.Shape)
		}
		for d, t := range elementTypes {
			if t.literal == f.number {
				return l.readElements(d, f)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if size := l.Shape.Array.Size(); l.Shape.Tuple != nil || len(l.Elements) != size {
		return fmt.Errorf("a literal of shape %s has %d elements", l.Shape.Array, len(l.Elements))
	}
	return nil
}

func (l *Literal) readElements(d graph.DType, f field) error {
	if f.wire != protowire.BytesType || l.Shape.Array.DType != d {
		return fmt.Errorf("a literal of shape %s has elements of another type", l.Shape.Array)
	}
	if d == graph.S32 {
		var list []int
		err := f.integers(&list)
		for _, x := range list {
			if x < math.MinInt32 || x > math.MaxInt32 {
				return fmt.Errorf("a literal of shape %s has the element %d", l.Shape.Array, x)
			}
			l.Elements = append(l.Elements, float64(x))
		}
		return err
	}
	if len(f.bytes)%d.Bytes() != 0 || d == graph.Pred &&
		slices.ContainsFunc(f.bytes, func(b byte) bool { return b > 1 }) {
		return fmt.Errorf("a literal of shape %s has bytes that are not elements", l.Shape.Array)
	}
	l.Elements = append(l.Elements, trnbackend.Decode(d, f.bytes)...)
	return nil
}
