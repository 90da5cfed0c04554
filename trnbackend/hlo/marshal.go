package hlo

import (
	"google.golang.org/protobuf/encoding/protowire"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// message is the bytes of a message that is being written.
type message []byte

func (m *message) bytes(field protowire.Number, data []byte) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendBytes(*m, data)
}

func (m *message) text(field protowire.Number, s string) { m.bytes(field, []byte(s)) }

func (m *message) number(field protowire.Number, x int) {
	*m = protowire.AppendTag(*m, field, protowire.VarintType)
	*m = protowire.AppendVarint(*m, uint64(x))
}

// numbers writes a packed list, and nothing for an empty one.
func (m *message) numbers(field protowire.Number, list []int) {
	if len(list) == 0 {
		return
	}
	var packed []byte
	for _, x := range list {
		packed = protowire.AppendVarint(packed, uint64(x))
	}
	m.bytes(field, packed)
}

func (m *Module) marshal() message {
	var out, aliases message
	out.text(moduleName, m.Name)
	out.text(moduleEntryName, m.EntryName)
	for i := range m.Computations {
		out.bytes(moduleComputations, m.Computations[i].marshal())
	}
	out.bytes(moduleProgram, m.Program.marshal())
	out.number(moduleEntryID, m.EntryID)
	for _, a := range m.Aliases {
		aliases.bytes(aliasesEntries, a.marshal())
	}
	if len(aliases) > 0 {
		out.bytes(moduleAliases, aliases)
	}
	return out
}

func (a *Alias) marshal() message {
	var out message
	out.numbers(aliasOutput, a.Output)
	out.number(aliasParameter, a.Parameter)
	out.number(aliasKind, a.Kind)
	return out
}

func (p *ProgramShape) marshal() message {
	var out message
	for i := range p.Parameters {
		out.bytes(programParameters, p.Parameters[i].marshal())
	}
	out.bytes(programResult, p.Result.marshal())
	for _, name := range p.Names {
		out.text(programNames, name)
	}
	return out
}

func (c *Computation) marshal() message {
	var out message
	out.text(computationName, c.Name)
	for i := range c.Instructions {
		out.bytes(computationInstructions, c.Instructions[i].marshal())
	}
	out.bytes(computationProgram, c.Program.marshal())
	out.number(computationID, c.ID)
	out.number(computationRoot, c.Root)
	return out
}

func (i *Instruction) marshal() message {
	var out, attributes message
	out.text(instructionName, i.Name)
	out.text(instructionOpcode, i.Opcode)
	out.bytes(instructionShape, i.Shape.marshal())
	i.marshalParts(&out)
	out.number(instructionID, i.ID)
	out.numbers(instructionOperands, i.Operands)
	out.numbers(instructionCalls, i.Calls)
	if i.Direction != "" {
		out.text(instructionDirection, i.Direction)
	}
	for _, a := range i.Attributes {
		var entry message
		entry.text(attributeKey, a.Key)
		entry.text(attributeValue, a.Value)
		attributes.bytes(attributesMap, entry)
	}
	if len(attributes) > 0 {
		out.bytes(instructionAttributes, attributes)
	}
	return out
}

// marshalParts writes the fields that only some opcodes have.
func (i *Instruction) marshalParts(out *message) {
	if i.Literal != nil {
		out.bytes(instructionLiteral, i.Literal.marshal())
	}
	if i.Opcode == "parameter" {
		out.number(instructionParameter, i.Parameter)
	}
	out.numbers(instructionDims, i.Dims)
	for _, r := range i.Ranges {
		out.bytes(instructionRanges, r.marshal())
	}
	if i.Padding != nil {
		out.bytes(instructionPadding, marshalPadding(i.Padding))
	}
	if i.Dot != nil {
		out.bytes(instructionDot, i.Dot.marshal())
	}
	if i.Gather != nil {
		out.bytes(instructionGather, i.Gather.marshal())
		out.numbers(instructionSliceSizes, i.SliceSizes)
	}
	if i.Precision != nil {
		var config message
		config.numbers(precisionOperands, i.Precision)
		out.bytes(instructionPrecision, config)
	}
}

func (s *Shape) marshal() message {
	if s.Tuple == nil {
		return marshalArray(s.Array)
	}
	var out message
	out.number(shapeType, tupleType)
	for _, a := range s.Tuple {
		out.bytes(shapeTuple, marshalArray(a))
	}
	return out
}

// marshalArray writes a shape with its layout, which XLA requires even for a scalar.
func marshalArray(s graph.Shape) message {
	var out, layout message
	layout.numbers(layoutOrder, rowMajor(s.Rank()))
	layout.number(layoutTailAlignment, tailAlignment)
	out.number(shapeType, elementTypes[s.DType].number)
	out.numbers(shapeDims, s.Dims)
	out.bytes(shapeLayout, layout)
	return out
}

// rowMajor returns the dimensions in the order of their strides, the smallest first.
func rowMajor(rank int) []int {
	order := make([]int, rank)
	for k := range order {
		order[k] = rank - 1 - k
	}
	return order
}

// marshal writes a literal. Its elements are encoded as in a buffer, except for integers, which are varints.
func (l *Literal) marshal() message {
	var out message
	out.bytes(literalShape, l.Shape.marshal())
	d := l.Shape.Array.DType
	if d == graph.S32 {
		list := make([]int, len(l.Elements))
		for i, x := range l.Elements {
			list[i] = int(x)
		}
		out.numbers(literalS32, list)
	} else if len(l.Elements) > 0 {
		out.bytes(elementTypes[d].literal, trnbackend.Encode(d, l.Elements))
	}
	return out
}

func (r *Range) marshal() message {
	var out message
	out.number(rangeStart, r.Start)
	out.number(rangeLimit, r.Limit)
	out.number(rangeStride, r.Stride)
	return out
}

func marshalPadding(dims []Padding) message {
	var out message
	for _, p := range dims {
		var dim message
		dim.number(paddingBefore, p.Before)
		dim.number(paddingBehind, p.Behind)
		out.bytes(paddingConfigDims, dim)
	}
	return out
}

func (d *Dot) marshal() message {
	var out message
	out.numbers(dotContract0, d.Contract[0])
	out.numbers(dotContract1, d.Contract[1])
	out.numbers(dotBatch0, d.Batch[0])
	out.numbers(dotBatch1, d.Batch[1])
	return out
}

func (g *Gather) marshal() message {
	var out message
	out.numbers(gatherOffset, g.Offset)
	out.numbers(gatherCollapsed, g.Collapsed)
	out.numbers(gatherStarts, g.Starts)
	out.number(gatherIndex, g.Index)
	return out
}
