//go:build ignore

package main

import (
	"bytes"
	"fmt"
	"go/format"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// block is a block of arguments of kernels. Every field takes eight bytes, so that the offset of a field is its place in
// the list. The assembly writes counts and offsets, never a pointer: the garbage collector finds only addresses that
// Go code stored.
type block struct {
	name, comment string
	fields        []argument
}

type argument struct{ name, kind, comment string }

var gemmBlock = block{"gemmArgs", "is the block of arguments of the GEMM kernels in assembly.", []argument{
	{"a", "unsafe.Pointer", "first element of A"},
	{"b", "unsafe.Pointer", "first element of B"},
	{"c", "unsafe.Pointer", "first element of C"},
	{"lanes", "unsafe.Pointer", "AVX2: a vector with all bits set in the elements that the last vector of a row has"},
	{"mask", "uint64", "AVX-512: one bit for each element that the last vector of a row has"},
	{"partial", "uint64", "0 if the last vector of a row is whole"},
	{"tiles", "int", "tiles of a strip"},
	{"count", "int", "tiles of the strip that are left"},
	{"strips", "int", "strips; used up by the kernel"},
	{"stepA", "int", "bytes from A of a strip to A of the next strip"},
	{"offsetA", "int", "bytes from a to A of the strip being computed; starts at 0"},
	{"stripC", "int", "bytes from C of a strip to C of the next strip"},
	{"offsetC", "int", "bytes from c to C of the strip being computed; starts at 0"},
	{"k", "int", "length of the sums"},
	{"rowA", "int", "bytes from a row of A to the next"},
	{"colA", "int", "bytes from a column of A to the next"},
	{"rowB", "int", "bytes from a row of B to the next"},
	{"stepB", "int", "bytes from B of a tile to B of the next tile"},
	{"offsetB", "int", "bytes from b to B of the tile being computed; starts at 0"},
	{"next", "unsafe.Pointer", "what is prefetched; never read"},
	{"nextCol", "int", "bytes between two prefetches"},
	{"nextStep", "int", "bytes from the first prefetch of a tile to that of the next tile of its strip"},
	{"offsetNext", "int", "bytes from next to the first prefetch of the tile being computed; starts at 0"},
	{"stripNext", "int", "bytes from the first prefetch of a strip to that of the next strip"},
	{"offsetStrip", "int", "bytes from next to the first prefetch of the strip being computed; starts at 0"},
	{"rowC", "int", "bytes from a row of C to the next"},
	{"stepC", "int", "bytes from C of a tile to C of the next tile"},
	{"rows", "int", "rows of a tile"},
	{"vectors", "int", "vectors in a row of a tile"},
	{"accumulate", "uint64", "0: C is overwritten and not read"},
	{"near", "uint64", "0: C is brought near before it is needed"},
	{"alpha", "uint64", "the bits of alpha"},
}}

const fieldBytes = 8

// field returns the memory operand of a field of a GEMM kernel's arguments.
func field(base reg.Register, name string) operand.Mem { return gemmBlock.at(base, name) }

// at returns the memory operand of a field of the block that base points to.
func (b block) at(base reg.Register, name string) operand.Mem {
	for i, f := range b.fields {
		if f.name == name {
			return operand.Mem{Base: base, Disp: fieldBytes * i}
		}
	}
	panic("no field " + name)
}

// source returns the Go declaration of the block.
func (b block) source() []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "// %s\n\n//go:build amd64 && !noasm\n\npackage kernel\n\nimport \"unsafe\"\n\n", origin.GeneratedWarning())
	fmt.Fprintf(&text, "// %s %s\ntype %s struct {\n", b.name, b.comment, b.name)
	for _, f := range b.fields {
		fmt.Fprintf(&text, "%s %s // %s\n", f.name, f.kind, f.comment)
	}
	fmt.Fprintf(&text, "}\n")
	return formatted(text.Bytes())
}

func formatted(source []byte) []byte {
	text, err := format.Source(source)
	check(err)
	return text
}
