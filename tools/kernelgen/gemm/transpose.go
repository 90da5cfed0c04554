package gemm

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var transposeBlock = x86.NewBlock("transposeArgs", "is the block of arguments of the transposing kernels.", []x86.Field{
	{"src", "unsafe.Pointer", "first element of what is transposed"},
	{"dst", "unsafe.Pointer", "first element of the transpose"},
	{"srcRow", "int", "bytes from a row of the source to the next"},
	{"dstRow", "int", "bytes from a row of the transpose to the next"},
	{"offset", "int", "bytes from dst to the transpose of the squares that are next; starts at 0"},
	{"rows", "int", "squares above one another; used up by the kernel"},
	{"cols", "int", "squares beside one another, at least 1"},
})

func transposeField(name string) operand.Mem { return transposeBlock.Arg(name) }

// General registers of the transposing kernels; regA points to the square being read.
var (
	regFirst   = reg.R15 // the first square of the row of squares
	regBelow   = reg.RBX // the square below
	regSquares = reg.RCX // squares that are left in the row of squares
	regTo      = reg.RDI // where the square goes
	stridesTo  = x86.Multiples{reg.R12, reg.RDX, reg.RSI, reg.R14}
)

// pair64 is a pair of doubles that is moved as a whole.
var pair64 = x86.Element{Name: "C128", Bytes: 16, Double: true}

// transpose generates a kernel for whole squares as large as a vector of 32 bytes. It takes two of them, one above the
// other, along the rows: so a line of 64 bytes of the transpose is written at once.
func (s set) transpose() {
	s.BeginKernel(x86.Kernel{
		Base: "transpose", Suffix: s.Name + s.SetName(), Block: transposeBlock,
		Doc:       "transposes squares, see transposeArgs.",
		Params:    "s kernel.Set, bytes int",
		Condition: fmt.Sprintf("bytes == %d", s.Bytes),
	})
	s.MOVQ(transposeField("src"), regFirst)
	s.MOVQ(transposeField("srcRow"), x86.StridesA[0])
	s.MOVQ(transposeField("dstRow"), stridesTo[0])
	x86.StridesA.Multiply(s.Context)
	stridesTo.Multiply(s.Context)
	for squares := 2; squares >= 1; squares-- {
		s.rowOfSquares(squares)
	}
	s.Label("done")
	s.Finish()
}

// rowOfSquares transposes rows of squares, one or two at a time, while that number of rows is left.
func (s set) rowOfSquares(squares int) {
	label, next := fmt.Sprintf("high_%d", squares), fmt.Sprintf("high_%d", squares-1)
	if squares == 1 {
		next = "done"
	}
	side := s.VectorBytes / s.Bytes
	s.Label(label)
	s.CMPQ(transposeField("rows"), operand.Imm(uint64(squares)))
	s.JLT(operand.LabelRef(next))
	s.MOVQ(regFirst, x86.RegA)
	s.MOVQ(transposeField("dst"), regTo)
	s.ADDQ(transposeField("offset"), regTo)
	s.MOVQ(transposeField("cols"), regSquares)
	s.Label(label + "_square")
	s.LEAQ(operand.Mem{Base: x86.RegA, Index: x86.StridesA[0], Scale: uint8(side)}, regBelow)
	for i := range squares {
		s.square([]reg.Register{x86.RegA, regBelow}[i], i)
	}
	s.ADDQ(operand.Imm(uint64(s.VectorBytes)), x86.RegA)
	s.LEAQ(operand.Mem{Base: regTo, Index: stridesTo[0], Scale: uint8(side)}, regTo)
	s.DECQ(regSquares)
	s.JNZ(operand.LabelRef(label + "_square"))
	for range squares {
		s.LEAQ(operand.Mem{Base: regFirst, Index: x86.StridesA[0], Scale: uint8(side)}, regFirst)
	}
	s.ADDQ(operand.Imm(uint64(squares*s.VectorBytes)), transposeField("offset"))
	s.SUBQ(operand.Imm(uint64(squares)), transposeField("rows"))
	s.JMP(operand.LabelRef(label))
}

// square transposes square i of those above one another, half its columns at a time: a register takes 16 bytes of a row
// and of the row half a side further down, so that only transposes within 16 bytes remain.
func (s set) square(from reg.Register, i int) {
	const halfBytes = 16
	m := halfBytes / s.Bytes
	for half := range 2 {
		rows, free := s.Registers[8*half:][:m], s.Registers[8*half+m:]
		for k, row := range rows {
			upper, lower := x86.StridesA.After(from, k), x86.StridesA.After(from, k+m)
			upper.Disp, lower.Disp = half*halfBytes, half*halfBytes
			s.Move(upper, row.AsX())
			s.VINSERTF128(operand.Imm(1), lower, row, row)
		}
		for k, column := range s.columns(rows, free) {
			to := stridesTo.After(regTo, half*m+k)
			to.Disp = i * s.VectorBytes
			s.Move(column, to)
		}
	}
}

// columns returns the columns of the rows within each 16 bytes.
func (s set) columns(rows, free []reg.VecPhysical) []reg.VecPhysical {
	if len(rows) == 1 {
		return rows
	}
	for k := 0; k < len(rows); k += 2 {
		s.UnpackLow(rows[k+1], rows[k], free[k])
		s.UnpackHigh(rows[k+1], rows[k], free[k+1])
	}
	if s.Double {
		return free[:len(rows)]
	}
	for k := range 2 { // pairs of singles
		s.VUNPCKLPD(free[k+2], free[k], rows[2*k])
		s.VUNPCKHPD(free[k+2], free[k], rows[2*k+1])
	}
	return rows
}
