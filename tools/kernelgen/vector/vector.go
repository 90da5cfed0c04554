// Package vector generates the kernels of core/kernel/vector.
package vector

import (
	"bytes"
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var vectorBlock = x86.NewBlock("vectorArgs", "is the block of arguments of the kernels of vectors.", []x86.Field{
	{"a", "unsafe.Pointer", "first element of the rows, or of the vector of a kernel without rows"},
	{"x0", "unsafe.Pointer", "vectors that are multiplied by the rows"},
	{"x1", "unsafe.Pointer", ""},
	{"y0", "unsafe.Pointer", "vectors to which multiples of the rows are added"},
	{"y1", "unsafe.Pointer", ""},
	{"sums", "unsafe.Pointer", "results"},
	{"alpha", "unsafe.Pointer", "factors"},
	{"lanes", "unsafe.Pointer", "AVX2: a vector with all bits set in the elements that are left behind the last " +
		"whole vector; triangles: one without such elements, before which all others begin"},
	{"mask", "uint64", "one bit for each element that is left behind the last whole vector"},
	{"kernel", "uint64", "which kernel to run, a kernelID"},
	{"count", "int", "rows; used up by the kernel"},
	{"stride", "int", "bytes from a row to the next"},
	{"steps", "int", "whole vectors in a row"},
	{"prefetch", "uint64", "0: nothing is prefetched"},
	{"first", "int", "triangles: row and column of the diagonal element of the first row"},
	{"order", "int", "triangles: rows and columns of the whole"},
})

func vectorField(name string) operand.Mem { return vectorBlock.Arg(name) }

// General registers of the kernels of vectors, in addition to those of x86.
var (
	regSums  = reg.R12
	regAlpha = reg.R14
	regNext  = reg.R15 // what RegA will be in the next group
)

// set generates for one instruction set and element type.
type set struct{ x86.Set }

// sweep generates the loops over the columns: passes over unroll vectors, passes over one and what is left. step(u,
// rest) generates the work on vector u of a pass, advance(n) moves the pointers by n vectors.
func (s set) sweep(label string, unroll int, step func(u int, rest bool), advance func(vectors int)) {
	loop := func(name string, vectors int) {
		s.Label(label + name)
		for u := range vectors {
			step(u, false)
		}
		advance(vectors)
		s.DECQ(x86.RegLeft)
		s.JNZ(operand.LabelRef(label + name))
	}
	s.MOVQ(vectorField("steps"), x86.RegLeft)
	if unroll > 1 {
		s.SHRQ(operand.Imm(uint64(bits.Len(uint(unroll))-1)), x86.RegLeft)
		s.JZ(operand.LabelRef(label + "singles"))
		loop("block", unroll)
		s.Label(label + "singles")
		s.MOVQ(vectorField("steps"), x86.RegLeft)
		s.ANDQ(operand.Imm(uint64(unroll-1)), x86.RegLeft)
	} else {
		s.TESTQ(x86.RegLeft, x86.RegLeft)
	}
	s.JZ(operand.LabelRef(label + "rest"))
	loop("single", 1)
	s.Label(label + "rest")
	s.CMPQ(vectorField("mask"), operand.Imm(0))
	s.JEQ(operand.LabelRef(label + "finish"))
	if !s.Wide {
		s.MOVQ(vectorField("lanes"), x86.RegLeft)
		s.Move(operand.Mem{Base: x86.RegLeft}, x86.RestLanes)
	}
	step(0, true)
	s.Label(label + "finish")
}

// vectorKernel is a kernel by the name that Go code calls it; body generates it for a set.
type vectorKernel struct {
	name string
	body func(s set, label string)
}

var vectorKernels = []vectorKernel{
	{"Dots", rowsKernel{dots: true, width: 1}.body},
	{"DotsPair", rowsKernel{dots: true, width: 2}.body},
	{"Axpys", rowsKernel{axpys: true, width: 1}.body},
	{"AxpysPair", rowsKernel{axpys: true, width: 2}.body},
	{"DotsAxpys", rowsKernel{dots: true, axpys: true, width: 1}.body},
	{"DotsAxpysPair", rowsKernel{dots: true, axpys: true, width: 2}.body},
	{"SymvLower", symmetricKernel{}.body},
	{"SymvUpper", symmetricKernel{upper: true}.body},
	{"Scale", scale},
	{"SumAbs", sumAbs},
	{"SumSquares", sumSquares},
	{"MaxAbs", maxAbs},
	{"MaxSquares", maxSquares},
	{"Interleave", interleave},
}

// function generates one function that holds all kernels.
func (s set) function() {
	s.Begin("vectors", false, vectorBlock, "runs the kernel of vectors that the arguments name.")
	s.MOVQ(vectorField("a"), x86.RegGroup)
	s.MOVQ(vectorField("sums"), regSums)
	s.MOVQ(vectorField("alpha"), regAlpha)
	if s.Wide {
		s.KMOVW(vectorField("mask"), x86.RestMask)
	}
	for i, k := range vectorKernels {
		s.CMPQ(vectorField("kernel"), operand.Imm(uint64(i)))
		s.JEQ(operand.LabelRef(k.name))
	}
	s.Label("done")
	s.Finish()
	for _, k := range vectorKernels {
		s.Label(k.name)
		k.body(s, k.name+"_")
	}
}

// Generate adds the kernels to the package.
func Generate(p *x86.Package) {
	for _, s := range p.Sets() {
		set{s}.function()
	}
	p.Declare("gen_kernels.go", kernelNames())
}

// kernelNames returns the Go declaration of the numbers of the kernels.
func kernelNames() string {
	var text bytes.Buffer
	fmt.Fprintf(&text, "// kernelID is a kernel of vectors in assembly.\ntype kernelID uint8\n\nconst (\n")
	for i, k := range vectorKernels {
		fmt.Fprintf(&text, "kernel%s kernelID = %d\n", k.name, i)
	}
	fmt.Fprintf(&text, ")\n")
	return text.String()
}
