package vector

import (
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// Rows of a triangle that are taken together. Their part of the diagonal lies in one vector, where each row has masks
// of its own: one with and one without its element on the diagonal.
const triangleRows = 4

// symmetricKernel generates the sweep over a triangle of a symmetric matrix, see Symv: dots and axpys of groups of four
// rows beside the diagonal as DotsAxpys has them, and a masked step on it.
type symmetricKernel struct{ upper bool }

func (k symmetricKernel) body(s set, label string) {
	s.MOVQ(vectorField("stride"), x86.RegRowA)
	s.LEAQ(operand.Mem{Base: x86.RegRowA, Index: x86.RegRowA, Scale: 2}, x86.RegRowA3)
	for _, far := range []bool{true, false} {
		g := newGroup(rowsKernel{dots: true, axpys: true, width: 1}, s, label, triangleRows)
		g.far = far
		if far {
			g.loadPointers()
			s.CMPQ(vectorField("prefetch"), operand.Imm(0))
			s.JEQ(operand.LabelRef(label + "near"))
		} else {
			s.Label(label + "near")
		}
		k.groups(triangleGroup{g, g.name()})
	}
}

// triangleGroup is the code for four rows of a triangle.
type triangleGroup struct {
	group
	label string
}

// General registers: a mask being made, and numbers of lanes.
var regMask, regLanes = reg.R10, reg.R11

func (k symmetricKernel) groups(g triangleGroup) {
	g.Label(g.label)
	g.CMPQ(vectorField("count"), operand.Imm(triangleRows))
	g.JLT(operand.LabelRef("done"))
	g.MOVQ(x86.RegGroup, x86.RegA)
	g.XORQ(x86.RegCol, x86.RegCol)
	for _, sum := range g.sums {
		g.Zero(sum)
	}
	for i, alpha := range g.alpha {
		g.Broadcast(operand.Mem{Base: regAlpha, Disp: i * g.Bytes}, alpha)
	}
	if k.upper {
		// Columns from the diagonal on.
		g.MOVQ(vectorField("first"), x86.RegCol)
		g.IMUL3Q(operand.Imm(uint64(g.Bytes)), x86.RegCol, x86.RegCol)
		g.ADDQ(x86.RegCol, x86.RegA)
	}
	if g.far {
		g.LEAQ(operand.Mem{Base: x86.RegA, Index: x86.RegRowA, Scale: triangleRows}, regNext)
	}
	if k.upper {
		g.upperDiagonal()
		g.beside()
		g.rest()
	} else {
		g.MOVQ(vectorField("first"), regLanes)
		g.beside()
		g.lowerDiagonal()
	}
	g.addSums()
	g.LEAQ(operand.Mem{Base: x86.RegGroup, Index: x86.RegRowA, Scale: triangleRows}, x86.RegGroup)
	g.ADDQ(operand.Imm(uint64(triangleRows*g.Bytes)), regAlpha)
	g.ADDQ(operand.Imm(triangleRows), vectorField("first"))
	g.SUBQ(operand.Imm(triangleRows), vectorField("count"))
	g.JMP(operand.LabelRef(g.label))
}

func (g triangleGroup) lanes() int { return g.VectorBytes / g.Bytes }

// beside works on the whole vectors among regLanes columns and leaves the number of the other columns there.
func (g triangleGroup) beside() {
	g.MOVQ(regLanes, x86.RegLeft)
	g.ANDQ(operand.Imm(uint64(g.lanes()-1)), regLanes)
	g.SHRQ(operand.Imm(uint64(bits.Len(uint(g.lanes()))-1)), x86.RegLeft)
	g.JZ(operand.LabelRef(g.label + "_beside"))
	g.Label(g.label + "_vector")
	g.step(0, false)
	g.forward()
	g.DECQ(x86.RegLeft)
	g.JNZ(operand.LabelRef(g.label + "_vector"))
	g.Label(g.label + "_beside")
}

// forward moves on by a vector.
func (g triangleGroup) forward() {
	g.ADDQ(operand.U32(g.VectorBytes), x86.RegA)
	g.ADDQ(operand.U32(g.VectorBytes), x86.RegCol)
	if g.far {
		g.ADDQ(operand.U32(g.VectorBytes), regNext)
	}
}

// ones sets the lowest regLanes bits of regMask.
func (g triangleGroup) ones() {
	g.MOVQ(regLanes, x86.RegLeft)
	g.MOVQ(operand.U32(1), regMask)
	g.SHLQ(reg.CL, regMask)
	g.DECQ(regMask)
}

// selectLanes makes RestLanes select the first regLanes lanes and so many more. It sets regMask to the address of the
// vector that selects regLanes of them. One of n lanes more begins n elements before it.
func (g triangleGroup) selectLanes(more int) {
	g.MOVQ(regLanes, x86.RegLeft)
	g.SHLQ(operand.Imm(uint64(bits.Len(uint(g.Bytes))-1)), x86.RegLeft)
	g.MOVQ(vectorField("lanes"), regMask)
	g.SUBQ(x86.RegLeft, regMask)
	g.Move(g.moreLanes(regMask, more), x86.RestLanes)
}

// moreLanes is the vector that selects n lanes more than that at base.
func (g triangleGroup) moreLanes(base reg.Register, n int) operand.Mem {
	return operand.Mem{Base: base, Disp: -n * g.Bytes}
}

// lowerDiagonal works on the last vector of the rows: the regLanes columns beside the diagonal and 1 to 4 more. Row i
// has the columns of mask i+1, without its last one those of mask i.
func (g triangleGroup) lowerDiagonal() {
	if !g.Wide {
		g.selectLanes(triangleRows)
		mask := func(i int, to reg.VecPhysical) { g.Move(g.moreLanes(regMask, i), to) }
		g.onDiagonalAVX2(mask, 1, 0)
		return
	}
	g.ones()
	masks := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4, reg.K5}
	for i, mask := range masks {
		if i > 0 {
			g.LEAQ(operand.Mem{Base: regMask, Disp: 1, Index: regMask, Scale: 1}, regMask)
		}
		g.KMOVW(regMask.As32(), mask)
	}
	all := masks[triangleRows]
	g.onDiagonal(all, func(i int) (with, without reg.Register) { return masks[i+1], masks[i] })
}

// upperDiagonal works on the first vector of the rows, which begins with the element of the first row on the diagonal,
// and sets regLanes to the number of columns behind it.
func (g triangleGroup) upperDiagonal() {
	lanes := operand.U32(g.lanes())
	g.MOVQ(vectorField("order"), regLanes)
	g.SUBQ(vectorField("first"), regLanes)
	g.CMPQ(regLanes, lanes)
	g.JLE(operand.LabelRef(g.label + "_short"))
	g.MOVQ(lanes, regLanes)
	g.Label(g.label + "_short")
	if g.Wide {
		g.upperMasks()
	} else {
		g.selectLanes(0)
		g.MOVQ(vectorField("lanes"), x86.RegLeft)
		g.onDiagonalAVX2(func(i int, to reg.VecPhysical) {
			g.Move(g.moreLanes(x86.RegLeft, i), to)
			g.VANDNPS(x86.RestLanes, to, to) // all but the first i
		}, 0, 1)
	}
	g.MOVQ(vectorField("order"), regLanes)
	g.SUBQ(vectorField("first"), regLanes)
	g.SUBQ(lanes, regLanes)
	g.JGE(operand.LabelRef(g.label + "_long"))
	g.XORQ(regLanes, regLanes)
	g.Label(g.label + "_long")
	g.forward()
}

// upperMasks is the part of upperDiagonal with the masks of AVX-512.
func (g triangleGroup) upperMasks() {
	g.ones()
	masks := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4, reg.K5}
	for i, mask := range masks {
		if i > 0 {
			g.SHRQ(operand.Imm(uint64(i)), regMask)
			g.SHLQ(operand.Imm(uint64(i)), regMask)
		}
		g.KMOVW(regMask.As32(), mask)
	}
	g.onDiagonal(masks[0], func(i int) (with, without reg.Register) { return masks[i], masks[i+1] })
}

// onDiagonal is step with masks: all for x and y, two for each row.
func (g triangleGroup) onDiagonal(all reg.Register, of func(i int) (with, without reg.Register)) {
	x, y := g.x[0], g.y[0]
	at := func(base reg.Register) operand.Mem { return operand.Mem{Base: base, Index: x86.RegCol, Scale: 1} }
	g.LoadMasked(at(g.regX[0]), all, x)
	g.LoadMasked(at(g.regY[0]), all, y)
	for i := range g.rows {
		with, without := of(i)
		g.LoadMasked(x86.ElementA(i), with, g.a)
		g.MultiplyAdd(g.a, x, with, g.sum(i, 0, 0))
		g.MultiplyAdd(g.a, g.alpha[i], without, y)
	}
	g.Move(y, all, at(g.regY[0]))
}

// onDiagonalAVX2 is step with lanes: RestLanes for x and y, and mask i+with and i+without for row i. Numbers outside of
// a row's lanes are cleared in both factors, since a zero times an infinity is not zero.
func (g triangleGroup) onDiagonalAVX2(mask func(i int, to reg.VecPhysical), with, without int) {
	x, y := g.x[0], g.y[0]
	free := g.Registers[3+2*triangleRows:] // behind a, x and y, and alpha and the sum of each row
	lanes, left, right := free[0], free[1], free[2]
	at := func(base reg.Register) operand.Mem { return operand.Mem{Base: base, Index: x86.RegCol, Scale: 1} }
	g.LoadVector(at(g.regX[0]), true, x)
	g.LoadVector(at(g.regY[0]), true, y)
	multiply := func(i int, factor, sum reg.VecPhysical) {
		mask(i, lanes)
		g.VANDPS(lanes, g.a, left)
		g.VANDPS(lanes, factor, right)
		g.MultiplyAdd(left, right, sum)
	}
	for i := range g.rows {
		g.LoadVector(x86.ElementA(i), true, g.a)
		multiply(i+with, x, g.sum(i, 0, 0))
		multiply(i+without, g.alpha[i], y)
	}
	g.StoreVector(y, true, at(g.regY[0]))
}

// rest works on the regLanes columns that are left behind the last whole vector.
func (g triangleGroup) rest() {
	g.TESTQ(regLanes, regLanes)
	g.JZ(operand.LabelRef(g.label + "_rest"))
	if g.Wide {
		g.ones()
		g.KMOVW(regMask.As32(), x86.RestMask)
	} else {
		g.selectLanes(0)
	}
	g.step(0, true)
	g.Label(g.label + "_rest")
}
