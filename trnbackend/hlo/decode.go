package hlo

import (
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Decode reads a serialized HloModuleProto. It takes what Encode writes and skips fields that Encode does not write; it
// is an error if data is not such a message, or has an array that is not row-major, a type that graphs do not have, or
// a literal that does not fill its shape.
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

// readInto appends the message in a field to a list.
func readInto[T any](list *[]T, f field, read func(x *T, f field) error) error {
	var x T
	if err := f.message(func(f field) error { return read(&x, f) }); err != nil {
		return err
	}
	*list = append(*list, x)
	return nil
}

func (m *Module) read(f field) error {
	switch f.number {
	case moduleName:
		return f.text(&m.Name)
	case moduleEntryName:
		return f.text(&m.EntryName)
	case moduleComputations:
		return readInto(&m.Computations, f, (*Computation).read)
	case moduleProgram:
		return f.message(m.Program.read)
	case moduleEntryID:
		return f.integer(&m.EntryID)
	case moduleAliases:
		return f.message(func(f field) error { return readInto(&m.Aliases, f, (*Alias).read) })
	}
	return nil
}

func (a *Alias) read(f field) error {
	switch f.number {
	case aliasOutput:
		return f.integers(&a.Output)
	case aliasParameter:
		return f.integer(&a.Parameter)
	case aliasKind:
		return f.integer(&a.Kind)
	}
	return nil
}

func (p *ProgramShape) read(f field) error {
	switch f.number {
	case programParameters:
		return readShapeInto(&p.Parameters, f)
	case programResult:
		return f.shape(&p.Result)
	case programNames:
		var name string
		err := f.text(&name)
		p.Names = append(p.Names, name)
		return err
	}
	return nil
}

func (c *Computation) read(f field) error {
	switch f.number {
	case computationName:
		return f.text(&c.Name)
	case computationInstructions:
		return readInto(&c.Instructions, f, (*Instruction).read)
	case computationProgram:
		return f.message(c.Program.read)
	case computationID:
		return f.integer(&c.ID)
	case computationRoot:
		return f.integer(&c.Root)
	}
	return nil
}

func (i *Instruction) read(f field) error {
	switch f.number {
	case instructionName:
		return f.text(&i.Name)
	case instructionOpcode:
		return f.text(&i.Opcode)
	case instructionShape:
		return f.shape(&i.Shape)
	case instructionID:
		return f.integer(&i.ID)
	case instructionOperands:
		return f.integers(&i.Operands)
	case instructionCalls:
		return f.integers(&i.Calls)
	case instructionAttributes:
		return f.message(func(f field) error { return readInto(&i.Attributes, f, (*Attribute).read) })
	}
	return i.readPart(f)
}

// readPart reads what only some opcodes have.
func (i *Instruction) readPart(f field) error {
	switch f.number {
	case instructionLiteral:
		i.Literal = new(Literal)
		return i.Literal.read(f)
	case instructionParameter:
		return f.integer(&i.Parameter)
	case instructionDims:
		return f.integers(&i.Dims)
	case instructionRanges:
		return readInto(&i.Ranges, f, (*Range).read)
	case instructionPadding:
		i.Padding = []Padding{}
		return f.message(func(f field) error { return readInto(&i.Padding, f, (*Padding).read) })
	case instructionDot:
		i.Dot = new(Dot)
		return f.message(i.Dot.read)
	case instructionGather:
		i.Gather = new(Gather)
		return f.message(i.Gather.read)
	case instructionSliceSizes:
		return f.integers(&i.SliceSizes)
	case instructionPrecision:
		return f.message(func(f field) error { return f.integers(&i.Precision) })
	case instructionDirection:
		return f.text(&i.Direction)
	}
	return nil
}

func (a *Attribute) read(f field) error {
	switch f.number {
	case attributeKey:
		return f.text(&a.Key)
	case attributeValue:
		return f.text(&a.Value)
	}
	return nil
}

func (r *Range) read(f field) error {
	switch f.number {
	case rangeStart:
		return f.integer(&r.Start)
	case rangeLimit:
		return f.integer(&r.Limit)
	case rangeStride:
		return f.integer(&r.Stride)
	}
	return nil
}

func (p *Padding) read(f field) error {
	switch f.number {
	case paddingBefore:
		return f.integer(&p.Before)
	case paddingBehind:
		return f.integer(&p.Behind)
	}
	return nil
}

func (d *Dot) read(f field) error {
	switch f.number {
	case dotContract0:
		return f.integers(&d.Contract[0])
	case dotContract1:
		return f.integers(&d.Contract[1])
	case dotBatch0:
		return f.integers(&d.Batch[0])
	case dotBatch1:
		return f.integers(&d.Batch[1])
	}
	return nil
}

func (g *Gather) read(f field) error {
	switch f.number {
	case gatherOffset:
		return f.integers(&g.Offset)
	case gatherCollapsed:
		return f.integers(&g.Collapsed)
	case gatherStarts:
		return f.integers(&g.Starts)
	case gatherIndex:
		return f.integer(&g.Index)
	}
	return nil
}
