package condense

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var hessenbergBlock = x86.NewBlock("hessenbergArgs", "is the block of arguments of the kernels of HessenbergStep.",
	[]x86.Field{
		{"a", "unsafe.Pointer", "first element of the rows"},
		{"y", "unsafe.Pointer", "the vectors, from the first row of the pass on"},
		{"rowsV", "unsafe.Pointer", ""},
		{"rowsX", "unsafe.Pointer", ""},
		{"v", "unsafe.Pointer", "the vectors, from the first column of the pass on"},
		{"w", "unsafe.Pointer", ""},
		{"x", "unsafe.Pointer", ""},
		{"s", "unsafe.Pointer", ""},
		{"imagOffset", "int", "complex: bytes from a vector to the same vector times i"},
		{"stride", "int", "bytes from a row to the next"},
		{"steps", "int", "vectors of the processor in a row"},
		{"top", "int", "rows that are not changed from the left; used up by the kernel"},
		{"rows", "int", "rows behind them; used up by the kernel"},
	})

func hessenbergField(name string) operand.Mem { return hessenbergBlock.Arg(name) }

// General registers of the kernels of HessenbergStep; regA, regGroup, regLeft and the multiples of regRowA are those of
// other kernels. Eight rows are taken together of real matrices only, so that the turned vectors may have one of their
// registers.
var (
	regOfV, regOfX = reg.RSI, reg.RDI
	regOfW, regOfS = reg.R12, reg.R14
	regOfImag      = x86.RegRowA7
	regRows        = reg.RDX // bytes from the first row's elements of the vectors to those of the group
	regSpare       = reg.R15
)

// hessenbergStep generates the pass of HessenbergStep. Rows are taken in groups; for each vector of columns the vectors
// are loaded once.
type hessenbergStep struct {
	set
	pairs bool
	width int // real numbers of an element
}

func newHessenbergStep(s set, pairs bool) hessenbergStep {
	k := hessenbergStep{set: s, pairs: pairs, width: 1}
	if pairs {
		k.width = 2
	}
	return k
}

func (k hessenbergStep) function() {
	k.Begin("hessenbergStep", k.pairs, hessenbergBlock, "does the work of HessenbergStep.")
	k.MOVQ(hessenbergField("a"), x86.RegGroup)
	k.MOVQ(hessenbergField("stride"), x86.RegRowA)
	x86.StridesA.Multiply(k.Context)
	if k.pairs {
		k.MOVQ(hessenbergField("imagOffset"), regOfImag)
	}
	k.XORQ(regRows, regRows)
	most := 4 / k.width // rows that are changed from both sides, of 32 registers
	if !k.Wide {
		most /= 2
	}
	for rows := 2 * most; rows >= 1; rows /= 2 {
		k.newGroup("top", rows, false).generate()
	}
	for rows := most; rows >= 1; rows /= 2 {
		k.newGroup("rows", rows, true).generate()
	}
	k.Finish()
}

// hessenbergGroup is the code for a group of rows.
type hessenbergGroup struct {
	hessenbergStep
	field string // how many rows are left
	rows  int
	both  bool // they are changed from both sides

	a                   reg.VecPhysical
	v, w, x, s          []reg.VecPhysical // vectors, and the turned ones; x is nil if registers do not suffice
	ofY, ofV, ofX, sums []reg.VecPhysical // of the rows, two of a row for pairs
}

// newGroup hands out registers: a row of A, the vectors of columns, and then the numbers of the rows. fold wants those
// of a and v among the first 16. For groups of n rows of real numbers they are
//
//	registers            top rows        rows from both sides
//	a, v, w, s, x        0, 1, -, -, 2   0, 1, 2, 3, 4
//	y of the rows        3 to n+2        5 to n+4            broadcast
//	sums of the rows     n+3 to 2n+2     n+5 to 2n+4         the new y
//	v, x of the rows     -               2n+5 to 4n+4        broadcast
func (k hessenbergStep) newGroup(field string, rows int, both bool) hessenbergGroup {
	g := hessenbergGroup{hessenbergStep: k, field: field, rows: rows, both: both}
	free := k.Registers
	take := func(n int) []reg.VecPhysical {
		taken := free[:n]
		free = free[n:]
		return taken
	}
	g.a, g.v = take(1)[0], take(k.width)
	if both {
		g.w, g.s = take(k.width), take(k.width)
	}
	if k.Wide || !k.pairs {
		g.x = take(k.width)
	}
	count := rows * k.width
	g.ofY, g.sums = take(count), take(count)
	if both {
		g.ofV, g.ofX = take(count), take(count)
	}
	return g
}

func (g hessenbergGroup) generate() {
	label := fmt.Sprintf("%s%d", g.field, g.rows)
	g.Label(label)
	g.CMPQ(hessenbergField(g.field), operand.Imm(uint64(g.rows)))
	g.JLT(operand.LabelRef(label + "_end"))
	g.ofRows("y", g.ofY)
	if g.both {
		g.ofRows("rowsV", g.ofV)
		g.ofRows("rowsX", g.ofX)
		g.MOVQ(hessenbergField("w"), regOfW)
		g.MOVQ(hessenbergField("s"), regOfS)
	}
	g.MOVQ(hessenbergField("v"), regOfV)
	g.MOVQ(hessenbergField("x"), regOfX)
	for _, sum := range g.sums {
		g.Zero(sum)
	}
	g.MOVQ(x86.RegGroup, x86.RegA)
	g.MOVQ(hessenbergField("steps"), x86.RegLeft)
	g.Label(label + "_step")
	g.step()
	pointers := []reg.Register{x86.RegA, regOfV, regOfX}
	if g.both {
		pointers = append(pointers, regOfW, regOfS)
	}
	for _, p := range pointers {
		g.ADDQ(operand.U32(g.VectorBytes), p)
	}
	g.DECQ(x86.RegLeft)
	g.JNZ(operand.LabelRef(label + "_step"))
	g.storeSums()
	g.LEAQ(operand.Mem{Base: x86.RegGroup, Index: x86.RegRowA, Scale: uint8(g.rows)}, x86.RegGroup)
	g.ADDQ(operand.U32(g.rows*g.width*g.Bytes), regRows)
	g.SUBQ(operand.Imm(uint64(g.rows)), hessenbergField(g.field))
	g.JMP(operand.LabelRef(label))
	g.Label(label + "_end")
}

// ofRows broadcasts what a vector has for the rows.
func (g hessenbergGroup) ofRows(field string, registers []reg.VecPhysical) {
	g.MOVQ(hessenbergField(field), regSpare)
	for i, x := range registers {
		g.Broadcast(operand.Mem{Base: regSpare, Index: regRows, Scale: 1, Disp: i * g.Bytes}, x)
	}
}

// at returns a vector of columns, or that of the turned one.
func (g hessenbergGroup) at(base reg.Register, turned int) operand.Mem {
	if turned == 0 {
		return operand.Mem{Base: base}
	}
	return operand.Mem{Base: base, Index: regOfImag, Scale: 1}
}

// step works on one vector of columns of all rows.
func (g hessenbergGroup) step() {
	for _, l := range []struct {
		base      reg.Register
		registers []reg.VecPhysical
	}{{regOfV, g.v}, {regOfW, g.w}, {regOfX, g.x}, {regOfS, g.s}} {
		for part, x := range l.registers {
			g.LoadVector(g.at(l.base, part), false, x)
		}
	}
	for i := range g.rows {
		row := x86.ElementA(i)
		g.LoadVector(row, false, g.a)
		for part := range g.width {
			g.MultiplySubtract(g.ofY[i*g.width+part], g.v[part], g.a)
		}
		if g.both {
			g.MultiplySubtract(g.ofV[i*g.width], g.w[0], g.a)
			if g.pairs { // the element of the column is the conjugate of that of the row
				g.MultiplyAdd(g.ofV[i*g.width+1], g.w[1], g.a)
			}
		}
		g.StoreVector(g.a, false, row)
		for part := range g.width {
			x := operand.Op(g.at(regOfX, part))
			if g.x != nil {
				x = g.x[part]
			}
			g.MultiplyAdd(x, g.a, g.sums[i*g.width+part])
			if g.both {
				g.MultiplyAdd(g.ofX[i*g.width+part], g.a, g.s[part])
			}
		}
	}
	for part, s := range g.s {
		g.StoreVector(s, false, g.at(regOfS, part))
	}
}

// storeSums stores the sums as the new y.
func (g hessenbergGroup) storeSums() {
	g.MOVQ(hessenbergField("y"), regSpare)
	at := func(i int) operand.Mem {
		return operand.Mem{Base: regSpare, Index: regRows, Scale: 1, Disp: i * g.Bytes}
	}
	sum, t := g.v[0], g.a
	if len(g.sums) == 1 {
		g.Fold(g.Add, g.sums[0], g.sums[0], sum, t)
		g.MoveScalar(sum.AsX(), at(0))
		return
	}
	for i := 0; i < len(g.sums); i += 2 {
		g.Fold(g.Add, g.sums[i], g.sums[i+1], sum, t)
		g.MoveTwo(sum.AsX(), at(i))
	}
}
