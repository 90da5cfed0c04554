//go:build ignore

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var panelBlock = block{"panelArgs", "is the block of arguments of solve and rotate in assembly.", []argument{
	{"a", "unsafe.Pointer", "first element of the row that is taken first"},
	{"factors", "unsafe.Pointer", "solve: the triangular matrix; rotate: the rotation that is taken first"},
	{"lanes", "unsafe.Pointer", "AVX2: a vector with all bits set in the elements that are left behind the last whole vector"},
	{"mask", "uint64", "one bit for each element that is left behind the last whole vector"},
	{"stride", "int", "bytes from a row to the one that is taken next"},
	{"steps", "int", "whole vectors in a row; used up by the kernel"},
	{"count", "int", "solve: rows; rotate: rotations; reflectRows: reflectors of three rows"},
	{"turn", "int", "rotate: bytes from a rotation to the one that is taken next"},
	{"sign", "uint64", "rotate: bits of zero, or of minus zero if rows are taken from the last to the first"},
	{"signs", "unsafe.Pointer", "reflectTwoRows: a vector of the sign bits of imaginary parts, or of real ones for the conjugate reflectors"},
	{"short", "int", "reflectRows: 1 if a reflector of two rows follows"},
}}

func panelField(name string) operand.Mem { return panelBlock.at(regArgs, name) }

// General registers of solve and rotate; regA points to the strip of columns in the row that is taken first.
var (
	regFactors = reg.RBX
	regRow     = reg.RDX // strip of the row being rotated
	regTurn    = reg.RSI
)

// begin begins a function.
func (s vectorSet) begin(name, doc string) {
	s.Function(name)
	s.Attributes(attr.NOSPLIT)
	s.Pragma("noescape")
	s.SignatureExpr("func(args *byte)")
	s.Doc(name + " " + doc + " It reads and writes no element outside of the operands.")
	s.Load(s.Param("args"), regArgs)
}

// open begins solve or rotate and loads what they share.
func (s vectorSet) open(name, doc string) {
	s.begin(name, doc)
	s.MOVQ(panelField("a"), regA)
	s.MOVQ(panelField("stride"), regRowA)
	if s.wide {
		s.KMOVW(panelField("mask"), restMask)
	}
}

// strips generates loops over strips of the columns, as wide as the given numbers of vectors, the last of which is 1, and then what is
// left. body generates the work on a strip. The function ends behind it.
func (s vectorSet) strips(label string, widths []int, body func(label string, vectors int, rest bool)) {
	for n, vectors := range widths {
		here, next := fmt.Sprintf("%s_%d", label, vectors), label+"_rest"
		if n+1 < len(widths) {
			next = fmt.Sprintf("%s_%d", label, widths[n+1])
		}
		s.Label(here)
		s.strip(here, next, vectors, body)
	}
	s.Label(label + "_rest")
	s.CMPQ(panelField("mask"), operand.Imm(0))
	s.JEQ(operand.LabelRef(label + "_done"))
	if !s.wide {
		s.MOVQ(panelField("lanes"), regLeft)
		s.move(s.Context, operand.Mem{Base: regLeft}, restLanes)
	}
	body(label+"_rest", 1, true)
	s.Label(label + "_done")
	s.VZEROUPPER()
	s.RET()
}

// strip generates a turn of the loop that begins at the label here over strips of so many vectors, and goes to next when fewer are left.
func (s vectorSet) strip(here, next string, vectors int, body func(label string, vectors int, rest bool)) {
	s.CMPQ(panelField("steps"), operand.Imm(uint64(vectors)))
	s.JLT(operand.LabelRef(next))
	body(here, vectors, false)
	s.ADDQ(operand.U32(vectors*s.vectorBytes), regA)
	s.SUBQ(operand.Imm(uint64(vectors)), panelField("steps"))
	s.JMP(operand.LabelRef(here))
}

// vector returns m moved on by v vectors.
func (s vectorSet) vector(m operand.Mem, v int) operand.Mem { return m.Offset(v * s.vectorBytes) }

// writePanels writes the kernels of panels and their arguments.
func writePanels(dir string) {
	avx512, avx2 := newFile(), newFile()
	for _, e := range []element{float64s, float32s} {
		for _, s := range []vectorSet{
			{Context: avx512, element: e, vectorBytes: 64, registers: zmm, wide: true},
			{Context: avx2, element: e, vectorBytes: 32, registers: ymm},
		} {
			if !s.double {
				copier{s, false}.function()
			}
			copier{s, true}.function()
			s.solve()
			s.multiplyTriangular()
			s.rotate()
			s.rotateComplex()
			if !s.wide { // there is nothing to gain from longer vectors
				s.transpose()
			}
		}
	}
	write(dir, "gen_panel_avx512_amd64", compile(avx512))
	write(dir, "gen_panel_avx2_amd64", compile(avx2))
	writeFile(dir, "gen_panel_args_amd64.go", panelBlock.source())
	writeFile(dir, "gen_copy_args_amd64.go", copyBlock.source())
	writeFile(dir, "gen_transpose_args_amd64.go", transposeBlock.source())
}
