package x86

import (
	"bytes"
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Block is a block of arguments of kernels: a Go struct whose fields all take eight bytes, so that the offset of a
// field is given by its place in the list. The assembly writes counts and offsets, never a pointer: the garbage
// collector finds only addresses that Go code stored.
type Block struct {
	name, comment string
	fields        []Field
}

// Field is a field of a Block: its name, its type, which is unsafe.Pointer, int, uint64 or float64, and a comment.
type Field [3]string

// NewBlock returns a block. Its name may be that of another package's type.
func NewBlock(name, comment string, fields []Field) *Block { return &Block{name, comment, fields} }

// FieldBytes is the size of a field.
const FieldBytes = 8

// At returns the memory operand of a field of the block that base points to.
func (b *Block) At(base reg.Register, name string) operand.Mem {
	for i, f := range b.fields {
		if f[0] == name {
			return operand.Mem{Base: base, Disp: FieldBytes * i}
		}
	}
	panic("no field " + name + " in " + b.name)
}

// Arg returns the memory operand of a field of the block of arguments.
func (b *Block) Arg(name string) operand.Mem { return b.At(RegArgs, name) }

// declaration returns the Go declaration of the block.
func (b *Block) declaration() string {
	var text bytes.Buffer
	fmt.Fprintf(&text, "// %s %s\ntype %s struct {\n", b.name, b.comment, b.name)
	for _, f := range b.fields {
		fmt.Fprintf(&text, "%s %s // %s\n", f[0], f[1], f[2])
	}
	fmt.Fprintf(&text, "}\n")
	return text.String()
}
