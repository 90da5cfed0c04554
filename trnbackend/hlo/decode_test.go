package hlo

import (
	"bytes"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"trnsci/trnbackend/graph"
)

// write returns the message that f writes.
func write(f func(m *message)) message {
	var m message
	f(&m)
	return m
}

// withInstruction returns a module of one instruction that has the fields that f writes.
func withInstruction(f func(m *message)) message {
	computation := write(func(m *message) { m.bytes(computationInstructions, write(f)) })
	return write(func(m *message) { m.bytes(moduleComputations, computation) })
}

// withLiteral returns a module with a literal of two elements of the type, whose elements f writes.
func withLiteral(d graph.DType, f func(m *message)) message {
	return withInstruction(func(m *message) {
		m.bytes(instructionLiteral, write(func(m *message) {
			m.bytes(literalShape, marshalArray(graph.Of(d, 2)))
			f(m)
		}))
	})
}

// withShape returns a module with an array of the given type, dimensions and layout.
func withShape(number int, dims, order []int) message {
	return withInstruction(func(m *message) {
		m.bytes(instructionShape, write(func(m *message) {
			m.number(shapeType, number)
			m.numbers(shapeDims, dims)
			m.bytes(shapeLayout, write(func(m *message) { m.numbers(layoutOrder, order) }))
		}))
	})
}

func TestDecodeRefuses(t *testing.T) {
	const f32 = 11
	cases := map[string]struct {
		data    message
		message string
	}{
		"half a tag":        {message{0x80}, "EOF"},
		"a text behind":     {message{1<<3 | 2, 9, 'a'}, "EOF"},
		"a name of bytes":   {write(func(m *message) { m.text(moduleName, "\xff") }), "field 1 is not a text"},
		"a name of numbers": {write(func(m *message) { m.number(moduleName, 1) }), "field 1 is not a text"},
		"an id of text":     {write(func(m *message) { m.text(moduleEntryID, "x") }), "field 6 is not a number"},
		"a number as message": {write(func(m *message) { m.number(moduleComputations, 1) }),
			"field 3 is not a message"},
		"operands of a number": {withInstruction(func(m *message) { m.number(instructionOperands, 1) }),
			"field 36 is not a list of numbers"},
		"half an operand": {withInstruction(func(m *message) { m.bytes(instructionOperands, []byte{0x80}) }),
			"EOF"},
		"columns first":         {withShape(f32, []int{2, 3}, []int{0, 1}), "layout [0 1], which is not row-major"},
		"no layout":             {withShape(f32, []int{2}, nil), "layout [], which is not row-major"},
		"negative dimension":    {withShape(f32, []int{-1}, []int{0}), "negative dimension"},
		"complex":               {withShape(15, nil, nil), "element type 15"},
		"literal without bytes": {withLiteral(graph.F32, func(*message) {}), "shape f32[2] has 0 elements"},
		"literal too long": {withLiteral(graph.F32, func(m *message) { m.bytes(literalF32, make([]byte, 12)) }),
			"shape f32[2] has 3 elements"},
		"half an element": {withLiteral(graph.F32, func(m *message) { m.bytes(literalF32, make([]byte, 7)) }),
			"bytes that are not elements"},
		"a third truth": {withLiteral(graph.Pred, func(m *message) { m.bytes(literalPred, []byte{1, 2}) }),
			"bytes that are not elements"},
		"a long integer": {withLiteral(graph.S32, func(m *message) { m.numbers(literalS32, []int{1, 1 << 31}) }),
			"element 2147483648"},
		"another type": {withLiteral(graph.F32, func(m *message) { m.bytes(literalF64, make([]byte, 16)) }),
			"elements of another type"},
	}
	for name, c := range cases {
		if _, err := Decode(c.data); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: error %v, not %q", name, err, c.message)
		}
	}
}

func TestDecodeSkipsOtherFields(t *testing.T) {
	const free, fixed = 999, 998 // numbers that no message has
	data := write(func(m *message) {
		m.text(free, "x")
		m.number(free, 7)
		*m = protowire.AppendFixed64(protowire.AppendTag(*m, fixed, protowire.Fixed64Type), 1)
		m.text(moduleName, "kept")
	})
	if m, err := Decode(data); err != nil || m.Name != "kept" {
		t.Errorf("%v, %v", m, err)
	}
}

// FuzzDecode requires an error, or a module that survives encoding and decoding.
func FuzzDecode(f *testing.F) {
	for _, c := range opCases(f) {
		data, err := Encode(c.Graph)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			return
		}
		once := m.marshal()
		again, err := Decode(once)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.marshal(), once) {
			t.Errorf("%+v came back as %+v", m, again)
		}
	})
}
