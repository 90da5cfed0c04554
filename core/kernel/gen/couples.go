//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var couplesBlock = block{"couplesArgs", "is the block of arguments of the kernels of couples in assembly.", []argument{
	{"x", "unsafe.Pointer", "first element of the tile"},
	{"y", "unsafe.Pointer", "first element of the transposed mirror image of the tile"},
	{"rowEnergies", "unsafe.Pointer", "first parts of the denominators"},
	{"colEnergies", "unsafe.Pointer", "second parts of the denominators"},
	{"rowNormsX", "unsafe.Pointer", "factors of the bounds on x"},
	{"colNormsX", "unsafe.Pointer", ""},
	{"rowNormsY", "unsafe.Pointer", "factors of the bounds on y"},
	{"colNormsY", "unsafe.Pointer", ""},
	{"constants", "unsafe.Pointer", "vectors of coupleConstants"},
	{"sums", "unsafe.Pointer", "vectors of coupleSums"},
	{"lanes", "unsafe.Pointer", "AVX2: a vector with all bits set in the doubles that are left behind the last whole vector"},
	{"lanesX", "unsafe.Pointer", "AVX2: the same for elements of x and y"},
	{"mask", "uint64", "AVX-512: one bit for each element that is left behind the last whole vector"},
	{"rows", "int", "rows of the tile; used up by the kernel"},
	{"steps", "int", "whole vectors of doubles in a row"},
	{"strideX", "int", "bytes from a row of x to the next"},
	{"strideY", "int", "bytes from a row of y to the next"},
}}

func couplesField(name string) operand.Mem { return couplesBlock.at(regArgs, name) }

// What is in memory as whole vectors, in this order, since AVX2 has few registers. Go code has the same order.
var (
	coupleConstants = []string{"one", "magnitude", "relative", "absolute", "opposite", "same"}
	coupleSums      = []string{"opposite", "same", "products", "magnitude", "denominators", "largest"}
)

// coupleVectorBytes is the size of a vector in constants and sums.
const coupleVectorBytes = 64

// General registers of the kernels of couples; regA, regB and regCol are x, y and the column.
var (
	regColEnergies = reg.RSI
	regColNormsX   = reg.RDI
	regColNormsY   = reg.R8
	regConstants   = reg.R9
	regRowIndex    = reg.R10
	regSide        = reg.R11 // what belongs to the rows, for a moment
)

// couples generates the kernels that add up the terms of a tile of K = (ia|jb), see Couples in core/kernel.
type couples struct {
	vectorSet
	single bool // K is float32
	pair   bool // x and y, not x alone

	sums                             map[string]reg.VecPhysical
	energy, normX, normY             reg.VecPhysical // of the row
	x, y, inverse, gx, gy, term, off reg.VecPhysical
}

func newCouples(s vectorSet, single, pair bool) couples {
	c := couples{vectorSet: s, single: single, pair: pair, sums: map[string]reg.VecPhysical{}}
	vectors := s.registers
	for _, name := range coupleSums {
		c.sums[name], vectors = vectors[0], vectors[1:]
	}
	for _, r := range []*reg.VecPhysical{&c.energy, &c.normX, &c.normY, &c.x, &c.y, &c.inverse, &c.gx, &c.gy, &c.term, &c.off} {
		*r, vectors = vectors[0], vectors[1:]
	}
	return c
}

func (c couples) name() string {
	name := "squares"
	if c.pair {
		name = "couples"
	}
	if c.single {
		return name + "F32" + c.set()
	}
	return name + "F64" + c.set()
}

// constant returns a vector of constants.
func (c couples) constant(name string) operand.Mem {
	for i, s := range coupleConstants {
		if s == name {
			return operand.Mem{Base: regConstants, Disp: i * coupleVectorBytes}
		}
	}
	panic("no constant " + name)
}

func (c couples) function() {
	c.begin(c.name(), "adds up the terms of a tile.")
	c.MOVQ(couplesField("x"), regA)
	c.MOVQ(couplesField("y"), regB)
	c.MOVQ(couplesField("colEnergies"), regColEnergies)
	c.MOVQ(couplesField("colNormsX"), regColNormsX)
	c.MOVQ(couplesField("colNormsY"), regColNormsY)
	c.MOVQ(couplesField("constants"), regConstants)
	c.XORQ(regRowIndex, regRowIndex)
	if c.wide {
		c.KMOVW(couplesField("mask"), restMask)
	}
	for _, sum := range coupleSums {
		c.zero(c.sums[sum])
	}
	c.Label("row")
	c.rowValues()
	c.XORQ(regCol, regCol)
	c.MOVQ(couplesField("steps"), regLeft)
	c.TESTQ(regLeft, regLeft)
	c.JZ(operand.LabelRef("rest"))
	c.Label("vector")
	c.terms(false)
	c.ADDQ(operand.Imm(uint64(c.vectorBytes/float64s.bytes)), regCol)
	c.DECQ(regLeft)
	c.JNZ(operand.LabelRef("vector"))
	c.Label("rest")
	c.CMPQ(couplesField("mask"), operand.Imm(0))
	c.JEQ(operand.LabelRef("next"))
	c.terms(true)
	c.Label("next")
	c.ADDQ(couplesField("strideX"), regA)
	c.ADDQ(couplesField("strideY"), regB)
	c.INCQ(regRowIndex)
	c.DECQ(couplesField("rows"))
	c.JNZ(operand.LabelRef("row"))
	c.MOVQ(couplesField("sums"), regSide)
	for i, sum := range coupleSums {
		c.move(c.Context, c.sums[sum], operand.Mem{Base: regSide, Disp: i * coupleVectorBytes})
	}
	c.VZEROUPPER()
	c.RET()
}

// rowValues loads what belongs to a row.
func (c couples) rowValues() {
	broadcast := func(field string, to reg.VecPhysical) {
		c.MOVQ(couplesField(field), regSide)
		c.broadcast(c.Context, operand.Mem{Base: regSide, Index: regRowIndex, Scale: uint8(float64s.bytes)}, to)
	}
	broadcast("rowEnergies", c.energy)
	broadcast("rowNormsX", c.normX)
	c.multiply(c.Context, c.constant("relative"), c.normX, c.normX)
	if c.pair {
		broadcast("rowNormsY", c.normY)
		c.multiply(c.Context, c.constant("relative"), c.normY, c.normY)
	}
}

// column loads a vector of doubles that belong to the columns.
func (c couples) column(base reg.Register, rest bool, to reg.VecPhysical) {
	c.load(operand.Mem{Base: base, Index: regCol, Scale: uint8(float64s.bytes)}, rest, to)
}

// element loads a vector of K as doubles.
func (c couples) element(base reg.Register, rest bool, to reg.VecPhysical) {
	if !c.single {
		c.column(base, rest, to)
		return
	}
	m := operand.Mem{Base: base, Index: regCol, Scale: uint8(float32s.bytes)}
	switch {
	case !rest:
		c.VCVTPS2PD(m, to)
	case c.wide:
		c.VCVTPS2PD_Z(m, restMask, to)
	default:
		c.MOVQ(couplesField("lanesX"), regSide)
		c.VMOVUPS(operand.Mem{Base: regSide}, to.AsX())
		c.VMASKMOVPS(m, to.AsX(), to.AsX())
		c.VCVTPS2PD(to.AsX(), to)
	}
}

// absolute clears the signs.
func (c couples) absolute(x reg.VecPhysical) {
	if c.wide {
		c.VPANDQ(c.constant("magnitude"), x, x)
	} else {
		c.VANDPD(c.constant("magnitude"), x, x)
	}
}

// reciprocals sets inverse to 1/D, and to 0 behind the last column.
func (c couples) reciprocals(rest bool) {
	c.column(regColEnergies, rest, c.inverse)
	c.add(c.Context, c.inverse, c.energy, c.inverse)
	c.move(c.Context, c.constant("one"), c.term)
	switch {
	case rest && c.wide:
		c.VDIVPD_Z(c.inverse, c.term, restMask, c.inverse)
	case rest:
		c.VDIVPD(c.inverse, c.term, c.inverse)
		c.VANDPD(restLanes, c.inverse, c.inverse)
	default:
		c.VDIVPD(c.inverse, c.term, c.inverse)
	}
}

// deviation sets x, an absolute value, to (2x + g) g, which bounds the error of x^2 if g bounds that of x.
func (c couples) deviation(x, g reg.VecPhysical) {
	c.add(c.Context, x, x, x)
	c.add(c.Context, g, x, x)
	c.multiply(c.Context, g, x, x)
}

// terms adds a vector of terms to the sums.
func (c couples) terms(rest bool) {
	if rest && !c.wide { // restLanes is the register of off, which comes into use later
		c.MOVQ(couplesField("lanes"), regSide)
		c.move(c.Context, operand.Mem{Base: regSide}, restLanes)
	}
	c.element(regA, rest, c.x)
	c.reciprocals(rest)
	c.column(regColNormsX, rest, c.gx)
	c.scaleAdd(c.Context, c.constant("absolute"), c.normX, c.gx)
	if c.pair {
		c.element(regB, rest, c.y)
		c.column(regColNormsY, rest, c.gy)
		c.scaleAdd(c.Context, c.constant("absolute"), c.normY, c.gy)
		c.VSUBPD(c.y, c.x, c.off) // x - y
	}
	c.multiply(c.Context, c.x, c.x, c.term)
	if c.pair {
		c.multiplyAdd(c.Context, c.y, c.y, c.term)
	}
	c.multiply(c.Context, c.constant("opposite"), c.term, c.term)
	c.multiplyAdd(c.Context, c.term, c.inverse, c.sums["opposite"])
	c.absolute(c.x)
	c.deviation(c.x, c.gx)
	if c.pair {
		c.absolute(c.y)
		c.deviation(c.y, c.gy)
		c.add(c.Context, c.y, c.x, c.x)
	}
	c.multiply(c.Context, c.constant("opposite"), c.x, c.x)
	if c.pair {
		c.multiply(c.Context, c.off, c.off, c.y)
		c.multiply(c.Context, c.constant("same"), c.y, c.y)
		c.multiplyAdd(c.Context, c.y, c.inverse, c.sums["same"])
		c.add(c.Context, c.y, c.term, c.term)
		c.absolute(c.off)
		c.add(c.Context, c.gy, c.gx, c.gx)
		c.deviation(c.off, c.gx)
		c.multiplyAdd(c.Context, c.constant("same"), c.off, c.x)
	}
	c.bound()
}

// bound adds what is known about the errors: x bounds that of the numerators, which are term.
func (c couples) bound() {
	c.absolute(c.inverse)
	c.multiplyAdd(c.Context, c.x, c.inverse, c.sums["products"])
	c.multiply(c.Context, c.inverse, c.term, c.term)
	c.add(c.Context, c.term, c.sums["magnitude"], c.sums["magnitude"])
	c.multiplyAdd(c.Context, c.term, c.inverse, c.sums["denominators"])
	c.maximum(c.Context, c.inverse, c.sums["largest"], c.sums["largest"])
}

// writeCouples writes the kernels of couples and their arguments.
func writeCouples(dir string) {
	avx512, avx2 := newFile(), newFile()
	for _, single := range []bool{false, true} {
		for _, pair := range []bool{true, false} {
			newCouples(vectorSet{Context: avx512, element: float64s, vectorBytes: 64, registers: zmm, wide: true}, single, pair).function()
			newCouples(vectorSet{Context: avx2, element: float64s, vectorBytes: 32, registers: ymm}, single, pair).function()
		}
	}
	write(dir, "gen_couples_avx512_amd64", compile(avx512))
	write(dir, "gen_couples_avx2_amd64", compile(avx2))
	writeFile(dir, "gen_couples_args_amd64.go", couplesBlock.source())
}
