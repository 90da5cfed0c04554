//go:build ignore

package main

import (
	"bytes"
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var vectorBlock = block{"vectorArgs", "is the block of arguments of the kernels of vectors in assembly.", []argument{
	{"a", "unsafe.Pointer", "first element of the rows, or of the vector of a kernel without rows"},
	{"x0", "unsafe.Pointer", "vectors that are multiplied by the rows"},
	{"x1", "unsafe.Pointer", ""},
	{"y0", "unsafe.Pointer", "vectors to which multiples of the rows are added"},
	{"y1", "unsafe.Pointer", ""},
	{"sums", "unsafe.Pointer", "results"},
	{"alpha", "unsafe.Pointer", "factors"},
	{"lanes", "unsafe.Pointer", "AVX2: a vector with all bits set in the elements that are left behind the last whole vector"},
	{"mask", "uint64", "one bit for each element that is left behind the last whole vector"},
	{"kernel", "uint64", "which kernel to run, a vectorKernel"},
	{"count", "int", "rows; used up by the kernel"},
	{"stride", "int", "bytes from a row to the next"},
	{"steps", "int", "whole vectors in a row"},
	{"far", "uint64", "0: nothing is prefetched"},
	{"first", "int", "triangles: row and column of the diagonal element of the first row"},
	{"order", "int", "triangles: rows and columns of the whole"},
}}

func vectorField(name string) operand.Mem { return vectorBlock.at(regArgs, name) }

// General registers of the kernels of vectors; regA and the multiples of regRowA are those of elementA.
var (
	regLeft  = reg.RCX // passes through a loop that are left
	regCol   = reg.RDX // bytes from the first column to the current one
	regGroup = reg.RBX // first element of the group of rows
	regSums  = reg.R12
	regAlpha = reg.R14
	regNext  = reg.R15 // what regA will be in the next group
)

// vectorSet generates for one dtype and instruction set. With AVX-512, what is left behind the last whole vector is masked by
// restMask, with AVX2 by the vector register restLanes.
type vectorSet struct {
	*build.Context
	element
	vectorBytes int
	registers   []reg.VecPhysical
	wide        bool // AVX-512
}

var (
	restMask  = reg.K1
	restLanes = reg.Y15
)

// load brings a vector, or the rest of a row and zeros, into a register.
func (s vectorSet) load(m operand.Mem, rest bool, dst operand.Op) {
	switch {
	case !rest:
		s.move(s.Context, m, dst)
	case s.wide:
		s.loadMasked(s.Context, m, restMask, dst)
	default:
		s.moveLanes(s.Context, m, restLanes, dst)
	}
}

func (s vectorSet) store(src operand.Op, rest bool, m operand.Mem) {
	switch {
	case !rest:
		s.move(s.Context, src, m)
	case s.wide:
		s.move(s.Context, src, restMask, m)
	default:
		s.moveLanes(s.Context, src, restLanes, m)
	}
}

func (s vectorSet) zero(x operand.Op) { s.exclusiveOr(x, x) }

// exclusiveOr changes the bits of y that x names.
func (s vectorSet) exclusiveOr(x, y operand.Op) {
	if s.wide {
		s.VPXORQ(x, y, y)
	} else {
		s.VXORPS(x, y, y)
	}
}

// set returns the name of the instruction set.
func (s vectorSet) set() string {
	if s.wide {
		return "AVX512"
	}
	return "AVX2"
}

// sweep generates the loops over the columns: passes over unroll vectors, passes over one and what is left. step(u, rest)
// generates the work on vector u of a pass, advance(n) moves the pointers by n vectors.
func (s vectorSet) sweep(label string, unroll int, step func(u int, rest bool), advance func(vectors int)) {
	loop := func(name string, vectors int) {
		s.Label(label + name)
		for u := range vectors {
			step(u, false)
		}
		advance(vectors)
		s.DECQ(regLeft)
		s.JNZ(operand.LabelRef(label + name))
	}
	s.MOVQ(vectorField("steps"), regLeft)
	if unroll > 1 {
		s.SHRQ(operand.Imm(uint64(bits.Len(uint(unroll))-1)), regLeft)
		s.JZ(operand.LabelRef(label + "singles"))
		loop("block", unroll)
		s.Label(label + "singles")
		s.MOVQ(vectorField("steps"), regLeft)
		s.ANDQ(operand.Imm(uint64(unroll-1)), regLeft)
	} else {
		s.TESTQ(regLeft, regLeft)
	}
	s.JZ(operand.LabelRef(label + "rest"))
	loop("single", 1)
	s.Label(label + "rest")
	s.CMPQ(vectorField("mask"), operand.Imm(0))
	s.JEQ(operand.LabelRef(label + "finish"))
	if !s.wide {
		s.MOVQ(vectorField("lanes"), regLeft)
		s.move(s.Context, operand.Mem{Base: regLeft}, restLanes)
	}
	step(0, true)
	s.Label(label + "finish")
}

type combine func(c *build.Context, x, y, z operand.Op)

// fold combines the elements of x into one, those of y into another, and leaves the two at the low end of dst. x and y may be
// the same; t is spoilt. dst and t are among the first 16 registers.
func (s vectorSet) fold(op combine, x, y, dst, t reg.VecPhysical) {
	s.unpackLow(s.Context, y, x, t)
	s.unpackHigh(s.Context, y, x, dst)
	op(s.Context, t, dst, dst)
	if s.wide {
		s.VEXTRACTF64X4(operand.Imm(1), dst, t.AsY())
		op(s.Context, t.AsY(), dst.AsY(), dst.AsY())
	}
	s.VEXTRACTF128(operand.Imm(1), dst.AsY(), t.AsX())
	op(s.Context, t.AsX(), dst.AsX(), dst.AsX())
	if !s.double {
		s.VMOVHLPS(dst.AsX(), dst.AsX(), t.AsX())
		op(s.Context, t.AsX(), dst.AsX(), dst.AsX())
	}
}

// vectorKernel is a kernel by the name that Go code calls it; body generates it for a set.
type vectorKernel struct {
	name string
	body func(s vectorSet, label string)
}

var vectorKernels = []vectorKernel{
	{"Dots", rowsKernel{dots: true, width: 1}.body},
	{"DotsPair", rowsKernel{dots: true, width: 2}.body},
	{"Axpys", rowsKernel{axpys: true, width: 1}.body},
	{"AxpysPair", rowsKernel{axpys: true, width: 2}.body},
	{"DotsAxpys", rowsKernel{dots: true, axpys: true, width: 1}.body},
	{"DotsAxpysPair", rowsKernel{dots: true, axpys: true, width: 2}.body},
	{"SymmetricLower", symmetricKernel{}.body},
	{"SymmetricUpper", symmetricKernel{upper: true}.body},
	{"Scale", scale},
	{"SumAbs", sumAbs},
	{"SumSquares", sumSquares},
	{"MaxAbs", maxAbs},
	{"MaxSquares", maxSquares},
	{"Interleave", interleave},
}

// function generates one function that holds all kernels.
func (s vectorSet) function() {
	s.begin("vector"+s.name+s.set(), "runs the kernel of vectors that the arguments name.")
	s.MOVQ(vectorField("a"), regGroup)
	s.MOVQ(vectorField("sums"), regSums)
	s.MOVQ(vectorField("alpha"), regAlpha)
	if s.wide {
		s.KMOVW(vectorField("mask"), restMask)
	}
	for i, k := range vectorKernels {
		s.CMPQ(vectorField("kernel"), operand.Imm(uint64(i)))
		s.JEQ(operand.LabelRef(k.name))
	}
	s.Label("done")
	s.VZEROUPPER()
	s.RET()
	for _, k := range vectorKernels {
		s.Label(k.name)
		k.body(s, k.name+"_")
	}
}

// writeVectors writes the kernels of vectors, their arguments and their names.
func writeVectors(dir string) {
	avx512, avx2 := newFile(), newFile()
	for _, e := range []element{float64s, float32s} {
		vectorSet{Context: avx512, element: e, vectorBytes: 64, registers: zmm, wide: true}.function()
		vectorSet{Context: avx2, element: e, vectorBytes: 32, registers: ymm}.function()
	}
	write(dir, "gen_vector_avx512_amd64", compile(avx512))
	write(dir, "gen_vector_avx2_amd64", compile(avx2))
	writeFile(dir, "gen_vector_args_amd64.go", vectorBlock.source())
	writeFile(dir, "gen_vector_kernels.go", vectorNames())
}

// vectorNames returns the Go declaration of the numbers of the kernels.
func vectorNames() []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "// %s\n\npackage kernel\n\n", origin.GeneratedWarning())
	fmt.Fprintf(&text, "// vectorKernel is a kernel of vectors in assembly.\ntype vectorKernel uint8\n\nconst (\n")
	for i, k := range vectorKernels {
		fmt.Fprintf(&text, "kernel%s vectorKernel = %d\n", k.name, i)
	}
	fmt.Fprintf(&text, ")\n")
	return formatted(text.Bytes())
}
