// Package pairkernel generates the kernels of core/mp2/internal/pairkernel.
package pairkernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var tileBlock = x86.NewBlock("tileArgs", "is the block of arguments of the kernels.", []x86.Field{
	{"x", "unsafe.Pointer", "first element of the tile"},
	{"y", "unsafe.Pointer", "first element of the transposed mirror image of the tile"},
	{"rowEnergies", "unsafe.Pointer", "first parts of the denominators"},
	{"colEnergies", "unsafe.Pointer", "second parts of the denominators"},
	{"rowNormsX", "unsafe.Pointer", "factors of the bounds on x"},
	{"colNormsX", "unsafe.Pointer", ""},
	{"rowNormsY", "unsafe.Pointer", "factors of the bounds on y"},
	{"colNormsY", "unsafe.Pointer", ""},
	{"constants", "unsafe.Pointer", "vectors of constants"},
	{"sums", "unsafe.Pointer", "vectors of sumNames"},
	{"lanes", "unsafe.Pointer", "AVX2: a vector with all bits set in the doubles that are left behind the last " +
		"whole vector"},
	{"lanesX", "unsafe.Pointer", "AVX2: the same for elements of x and y"},
	{"mask", "uint64", "AVX-512: one bit for each element that is left behind the last whole vector"},
	{"rows", "int", "rows of the tile; used up by the kernel"},
	{"steps", "int", "whole vectors of doubles in a row"},
	{"strideX", "int", "bytes from a row of x to the next"},
	{"strideY", "int", "bytes from a row of y to the next"},
})

func tileField(name string) operand.Mem { return tileBlock.Arg(name) }

// What is in memory as whole vectors, in this order, since AVX2 has few registers. Go code has the same order.
var (
	constants = []string{"one", "magnitude", "relative", "absolute", "opposite", "same"}
	sumNames  = []string{"opposite", "same", "products", "magnitude", "denominators", "largest"}
)

// vectorBytes is the size of a vector in constants and sums.
const vectorBytes = 64

// General registers of the kernels; regA, regY and regCol are x, y and the column.
var (
	regY           = reg.RBX
	regColEnergies = reg.RSI
	regColNormsX   = reg.RDI
	regColNormsY   = reg.R8
	regConstants   = reg.R9
	regRowIndex    = reg.R10
	regSide        = reg.R11 // what belongs to the rows, for a moment
)

// tile generates the kernels that add up the terms of a tile of K = (ia|jb), see pairkernel.Tile.
type tile struct {
	set
	single bool // K is float32
	pair   bool // x and y, not x alone

	sums                             map[string]reg.VecPhysical
	energy, normX, normY             reg.VecPhysical // of the row
	x, y, inverse, gx, gy, term, off reg.VecPhysical
}

func newTile(s set, single, pair bool) tile {
	c := tile{set: s, single: single, pair: pair, sums: map[string]reg.VecPhysical{}}
	vectors := s.Registers
	for _, name := range sumNames {
		c.sums[name], vectors = vectors[0], vectors[1:]
	}
	for _, r := range []*reg.VecPhysical{&c.energy, &c.normX, &c.normY, &c.x, &c.y, &c.inverse, &c.gx, &c.gy, &c.term,
		&c.off} {
		*r, vectors = vectors[0], vectors[1:]
	}
	return c
}

// constant returns a vector of constants.
func (c tile) constant(name string) operand.Mem {
	for i, s := range constants {
		if s == name {
			return operand.Mem{Base: regConstants, Disp: i * vectorBytes}
		}
	}
	panic("no constant " + name)
}

func (c tile) function() {
	base := "squareTerms"
	if c.pair {
		base = "pairTerms"
	}
	integrals := x86.Float64
	if c.single {
		integrals = x86.Float32
	}
	c.With(integrals).Begin(base, false, tileBlock, "adds up the terms of a tile.")
	c.MOVQ(tileField("x"), x86.RegA)
	c.MOVQ(tileField("y"), regY)
	c.MOVQ(tileField("colEnergies"), regColEnergies)
	c.MOVQ(tileField("colNormsX"), regColNormsX)
	c.MOVQ(tileField("colNormsY"), regColNormsY)
	c.MOVQ(tileField("constants"), regConstants)
	c.XORQ(regRowIndex, regRowIndex)
	if c.Wide {
		c.KMOVW(tileField("mask"), x86.RestMask)
	}
	for _, sum := range sumNames {
		c.Zero(c.sums[sum])
	}
	c.Label("row")
	c.rowValues()
	c.XORQ(x86.RegCol, x86.RegCol)
	c.MOVQ(tileField("steps"), x86.RegLeft)
	c.TESTQ(x86.RegLeft, x86.RegLeft)
	c.JZ(operand.LabelRef("rest"))
	c.Label("vector")
	c.terms(false)
	c.ADDQ(operand.Imm(uint64(c.VectorBytes/x86.Float64.Bytes)), x86.RegCol)
	c.DECQ(x86.RegLeft)
	c.JNZ(operand.LabelRef("vector"))
	c.Label("rest")
	c.CMPQ(tileField("mask"), operand.Imm(0))
	c.JEQ(operand.LabelRef("next"))
	c.terms(true)
	c.Label("next")
	c.ADDQ(tileField("strideX"), x86.RegA)
	c.ADDQ(tileField("strideY"), regY)
	c.INCQ(regRowIndex)
	c.DECQ(tileField("rows"))
	c.JNZ(operand.LabelRef("row"))
	c.MOVQ(tileField("sums"), regSide)
	for i, sum := range sumNames {
		c.Move(c.sums[sum], operand.Mem{Base: regSide, Disp: i * vectorBytes})
	}
	c.Finish()
}

// rowValues loads what belongs to a row.
func (c tile) rowValues() {
	broadcast := func(field string, to reg.VecPhysical) {
		c.MOVQ(tileField(field), regSide)
		c.Broadcast(operand.Mem{Base: regSide, Index: regRowIndex, Scale: uint8(x86.Float64.Bytes)}, to)
	}
	broadcast("rowEnergies", c.energy)
	broadcast("rowNormsX", c.normX)
	c.Multiply(c.constant("relative"), c.normX, c.normX)
	if c.pair {
		broadcast("rowNormsY", c.normY)
		c.Multiply(c.constant("relative"), c.normY, c.normY)
	}
}

// column loads a vector of doubles that belong to the columns.
func (c tile) column(base reg.Register, rest bool, to reg.VecPhysical) {
	c.LoadVector(operand.Mem{Base: base, Index: x86.RegCol, Scale: uint8(x86.Float64.Bytes)}, rest, to)
}

// element loads a vector of K as doubles.
func (c tile) element(base reg.Register, rest bool, to reg.VecPhysical) {
	if !c.single {
		c.column(base, rest, to)
		return
	}
	m := operand.Mem{Base: base, Index: x86.RegCol, Scale: uint8(x86.Float32.Bytes)}
	switch {
	case !rest:
		c.VCVTPS2PD(m, to)
	case c.Wide:
		c.VCVTPS2PD_Z(m, x86.RestMask, to)
	default:
		c.MOVQ(tileField("lanesX"), regSide)
		c.VMOVUPS(operand.Mem{Base: regSide}, to.AsX())
		c.VMASKMOVPS(m, to.AsX(), to.AsX())
		c.VCVTPS2PD(to.AsX(), to)
	}
}

// absolute clears the signs.
func (c tile) absolute(x reg.VecPhysical) {
	if c.Wide {
		c.VPANDQ(c.constant("magnitude"), x, x)
	} else {
		c.VANDPD(c.constant("magnitude"), x, x)
	}
}

// reciprocals sets inverse to 1/D, and to 0 behind the last column.
func (c tile) reciprocals(rest bool) {
	c.column(regColEnergies, rest, c.inverse)
	c.Add(c.inverse, c.energy, c.inverse)
	c.Move(c.constant("one"), c.term)
	switch {
	case rest && c.Wide:
		c.VDIVPD_Z(c.inverse, c.term, x86.RestMask, c.inverse)
	case rest:
		c.VDIVPD(c.inverse, c.term, c.inverse)
		c.VANDPD(x86.RestLanes, c.inverse, c.inverse)
	default:
		c.VDIVPD(c.inverse, c.term, c.inverse)
	}
}

// deviation sets x, an absolute value, to (2x + g) g, which bounds the error of x^2 if g bounds that of x.
func (c tile) deviation(x, g reg.VecPhysical) {
	c.Add(x, x, x)
	c.Add(g, x, x)
	c.Multiply(g, x, x)
}

// terms adds a vector of terms to the sums.
func (c tile) terms(rest bool) {
	if rest && !c.Wide { // restLanes is the register of off, which comes into use later
		c.MOVQ(tileField("lanes"), regSide)
		c.Move(operand.Mem{Base: regSide}, x86.RestLanes)
	}
	c.element(x86.RegA, rest, c.x)
	c.reciprocals(rest)
	c.column(regColNormsX, rest, c.gx)
	c.ScaleAdd(c.constant("absolute"), c.normX, c.gx)
	if c.pair {
		c.element(regY, rest, c.y)
		c.column(regColNormsY, rest, c.gy)
		c.ScaleAdd(c.constant("absolute"), c.normY, c.gy)
		c.VSUBPD(c.y, c.x, c.off) // x - y
	}
	c.Multiply(c.x, c.x, c.term)
	if c.pair {
		c.MultiplyAdd(c.y, c.y, c.term)
	}
	c.Multiply(c.constant("opposite"), c.term, c.term)
	c.MultiplyAdd(c.term, c.inverse, c.sums["opposite"])
	c.absolute(c.x)
	c.deviation(c.x, c.gx)
	if c.pair {
		c.absolute(c.y)
		c.deviation(c.y, c.gy)
		c.Add(c.y, c.x, c.x)
	}
	c.Multiply(c.constant("opposite"), c.x, c.x)
	if c.pair {
		c.Multiply(c.off, c.off, c.y)
		c.Multiply(c.constant("same"), c.y, c.y)
		c.MultiplyAdd(c.y, c.inverse, c.sums["same"])
		c.Add(c.y, c.term, c.term)
		c.absolute(c.off)
		c.Add(c.gy, c.gx, c.gx)
		c.deviation(c.off, c.gx)
		c.MultiplyAdd(c.constant("same"), c.off, c.x)
	}
	c.bound()
}

// bound adds the bounds of the errors: x bounds the error of the numerators, which are in term.
func (c tile) bound() {
	c.absolute(c.inverse)
	c.MultiplyAdd(c.x, c.inverse, c.sums["products"])
	c.Multiply(c.inverse, c.term, c.term)
	c.Add(c.term, c.sums["magnitude"], c.sums["magnitude"])
	c.MultiplyAdd(c.term, c.inverse, c.sums["denominators"])
	c.Maximum(c.inverse, c.sums["largest"], c.sums["largest"])
}

// Generate adds the kernels to the package.
func Generate(p *x86.Package) {
	for _, single := range []bool{false, true} {
		for _, pair := range []bool{true, false} {
			newTile(set{p.AVX512(x86.Float64)}, single, pair).function()
			newTile(set{p.AVX2(x86.Float64)}, single, pair).function()
		}
	}
}

// set generates for one instruction set.
type set struct{ x86.Set }
