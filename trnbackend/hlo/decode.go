package hlo

import (
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
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
