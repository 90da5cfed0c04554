package x86

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// StripBlock is the block of arguments of kernels that work on strips of columns: triangular systems, rotations and
// reflectors.
var StripBlock = NewBlock("StripArgs",
	"is the block of arguments of kernels that work on the rows of a matrix in strips of columns.", []Field{
		{"A", "unsafe.Pointer", "first element of the row that is taken first"},
		{"Factors", "unsafe.Pointer", "triangular matrix, or the rotation or reflector that is taken first"},
		{"Lanes", "unsafe.Pointer", "AVX2: a vector with all bits set in the elements that are left behind the last " +
			"whole vector"},
		{"Mask", "uint64", "one bit for each element that is left behind the last whole vector"},
		{"Stride", "int", "bytes from a row to the one that is taken next"},
		{"Steps", "int", "whole vectors in a row; used up by the kernel"},
		{"Count", "int", "rows of a triangle, rotations, or reflectors of whole order"},
		{"FactorStep", "int", "rotations: bytes from a rotation to the one that is taken next"},
		{"Sign", "uint64", "rotations: bits of zero, or of minus zero if rows are taken from the last to the first"},
		{"Signs", "unsafe.Pointer", "complex reflectors: a vector of the sign bits of imaginary parts, or of real " +
			"ones " +
			"for the conjugate reflectors"},
		{"Short", "int", "real reflectors: 1 if a reflector of two rows follows"},
	})

// otherStripBlock is StripBlock as other packages name it.
var otherStripBlock = NewBlock("vec.StripArgs", "", nil)

func (b *Block) isLocal() bool { return !strings.Contains(b.name, ".") }

// Registers of kernels for strips; RegA points to the strip in the row that is taken first.
var (
	RegFactors = reg.RBX
	RegRow     = reg.RDX // strip of the current row
)

// BeginStrips begins a kernel for strips and loads what they share.
func (s Set) BeginStrips(base string, isComplex bool, doc string) {
	s.Begin(base, isComplex, otherStripBlock, doc)
	s.MOVQ(StripBlock.Arg("A"), RegA)
	s.MOVQ(StripBlock.Arg("Stride"), RegRowA)
	if s.Wide {
		s.KMOVW(StripBlock.Arg("Mask"), RestMask)
	}
}

// Strips generates loops over strips of the columns, as wide as the given numbers of vectors, the last of which is 1,
// and then the code for the columns that are left. body generates the work on a strip. The function ends behind it.
func (s Set) Strips(label string, widths []int, body func(label string, vectors int, rest bool)) {
	for n, vectors := range widths {
		here, next := fmt.Sprintf("%s_%d", label, vectors), label+"_rest"
		if n+1 < len(widths) {
			next = fmt.Sprintf("%s_%d", label, widths[n+1])
		}
		s.Label(here)
		s.Strip(here, next, vectors, body)
	}
	s.Label(label + "_rest")
	s.CMPQ(StripBlock.Arg("Mask"), operand.Imm(0))
	s.JEQ(operand.LabelRef(label + "_done"))
	if !s.Wide {
		s.MOVQ(StripBlock.Arg("Lanes"), RegLeft)
		s.Move(operand.Mem{Base: RegLeft}, RestLanes)
	}
	body(label+"_rest", 1, true)
	s.Label(label + "_done")
	s.Finish()
}

// Strip generates a turn of the loop that begins at the label here over strips of the given number of vectors. It goes
// to next when fewer are left.
func (s Set) Strip(here, next string, vectors int, body func(label string, vectors int, rest bool)) {
	s.CMPQ(StripBlock.Arg("Steps"), operand.Imm(uint64(vectors)))
	s.JLT(operand.LabelRef(next))
	body(here, vectors, false)
	s.ADDQ(operand.U32(vectors*s.VectorBytes), RegA)
	s.SUBQ(operand.Imm(uint64(vectors)), StripBlock.Arg("Steps"))
	s.JMP(operand.LabelRef(here))
}
