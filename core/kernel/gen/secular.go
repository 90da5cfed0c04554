//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var secularBlock = block{"secularArgs", "is the block of arguments of the kernels of secular functions in assembly.", []argument{
	{"at", "unsafe.Pointer", "the poles"},
	{"weights", "unsafe.Pointer", "the weights"},
	{"x", "unsafe.Pointer", "vectors: the first result"},
	{"origins", "unsafe.Pointer", "the first origin"},
	{"shifts", "unsafe.Pointer", "the first shift"},
	{"one", "float64", ""},
	{"steps", "int", "vectors: whole vectors of poles; weights: poles"},
	{"first", "int", "weights: the first pole of the first vector that is computed"},
	{"count", "int", "vectors: roots; weights: vectors that are computed"},
	{"stride", "int", "vectors: bytes from a result to the next"},
}}

func secularField(name string) operand.Mem { return secularBlock.at(regArgs, name) }

// Operands of VCMPPD.
const compareEqual, compareLess, compareLessEqual, compareNotLess = 0, 1, 2, 5

// General registers of the kernels of secular functions.
var (
	regPoles   = reg.RAX
	regWeights = reg.RBX
	regResult  = reg.RSI
	regOrigins = reg.RDI
	regShifts  = reg.R8
	regOwn     = reg.R9
	regCount   = reg.R10
	regStride  = reg.R11
)

// secular generates the kernels of secular functions, which exist for doubles alone but for the results that may be singles.
type secular struct {
	vectorSet
	origin, shift, one, zeros reg.VecPhysical
	size, spare               reg.VecPhysical // one of the two at a time may be in use
	sums                      []reg.VecPhysical
	negative, positive        reg.Register // masks of AVX-512
}

func newSecular(s vectorSet) secular {
	r := s.registers
	return secular{
		vectorSet: s, sums: r[:4], origin: r[8], shift: r[9], one: r[10], zeros: r[11], size: r[15], spare: r[14],
		negative: reg.K2, positive: reg.K3,
	}
}

// open begins a kernel.
func (k secular) open(name, doc string) {
	k.begin(name+k.set(), doc)
	k.MOVQ(secularField("at"), regPoles)
	k.MOVQ(secularField("weights"), regWeights)
	k.MOVQ(secularField("x"), regResult)
	k.MOVQ(secularField("origins"), regOrigins)
	k.MOVQ(secularField("shifts"), regShifts)
	k.broadcast(k.Context, secularField("one"), k.one)
	k.zero(k.zeros)
}

func (k secular) finish() {
	k.VZEROUPPER()
	k.RET()
}

// polesTogether is how many differences are inverted by one division.
const polesTogether = 4

// invertFour computes size / x for four vectors by one division, which takes as long as ten products. It returns where the results are: not in x[3]
// nor in p or q, which are spoilt.
func (k secular) invertFour(size reg.VecPhysical, x [polesTogether]reg.VecPhysical, p, q, t reg.VecPhysical) [polesTogether]reg.VecPhysical {
	k.multiply(k.Context, x[0], x[1], p)
	k.multiply(k.Context, x[2], x[3], q)
	k.multiply(k.Context, p, q, t)
	k.VDIVPD(t, size, t)
	k.multiply(k.Context, t, p, p)       // size / (x2 x3)
	k.multiply(k.Context, t, q, q)       // size / (x0 x1)
	k.multiply(k.Context, q, x[1], t)    // size / x0
	k.multiply(k.Context, q, x[0], x[0]) // size / x1
	k.multiply(k.Context, p, x[3], x[1]) // size / x2
	k.multiply(k.Context, p, x[2], x[2]) // size / x3
	return [polesTogether]reg.VecPhysical{t, x[0], x[1], x[2]}
}

// lanes is how many poles a vector has.
func (k secular) lanes() int { return k.vectorBytes / k.bytes }

// some returns the memory of the vector that many vectors behind the column, of elements of that many bytes.
func (k secular) some(base reg.Register, vector, bytes int) operand.Mem {
	return operand.Mem{Base: base, Index: regCol, Scale: uint8(bytes), Disp: vector * k.lanes() * bytes}
}

// vectors generates the kernel of SecularVectors for results of one dtype.
func (k secular) vectors(result element) {
	k.open("secularVectors"+result.name, "computes vectors, see SecularVectors.")
	k.MOVQ(secularField("count"), regCount)
	k.MOVQ(secularField("stride"), regStride)
	k.Label("root")
	k.broadcast(k.Context, operand.Mem{Base: regOrigins}, k.origin)
	k.broadcast(k.Context, operand.Mem{Base: regShifts}, k.shift)
	k.VSUBPD(k.shift, k.zeros, k.size)
	k.maximum(k.Context, k.size, k.shift, k.size)
	k.zero(k.sums[0])
	k.zero(k.sums[1])

	k.XORQ(regCol, regCol)
	k.MOVQ(secularField("steps"), regLeft)
	k.SHRQ(operand.Imm(2), regLeft) // polesTogether vectors each
	k.JZ(operand.LabelRef("singles"))
	k.Label("four")
	k.quotients(result)
	k.DECQ(regLeft)
	k.JNZ(operand.LabelRef("four"))
	k.Label("singles")
	k.MOVQ(secularField("steps"), regLeft)
	k.ANDQ(operand.Imm(polesTogether-1), regLeft)
	k.JZ(operand.LabelRef("scale"))
	k.Label("single")
	k.quotient(result)
	k.DECQ(regLeft)
	k.JNZ(operand.LabelRef("single"))

	k.Label("scale")
	k.scaleRow(result)
	k.ADDQ(operand.Imm(uint64(k.bytes)), regOrigins)
	k.ADDQ(operand.Imm(uint64(k.bytes)), regShifts)
	k.ADDQ(regStride, regResult)
	k.DECQ(regCount)
	k.JNZ(operand.LabelRef("root"))
	k.finish()
}

// difference loads the poles of a vector and computes x = (pole - origin) - shift.
func (k secular) difference(vector int, x reg.VecPhysical) {
	k.move(k.Context, k.some(regPoles, vector, k.bytes), x)
	k.VSUBPD(k.origin, x, x)
	k.VSUBPD(k.shift, x, x)
}

// put keeps a vector of quotients, which is spoilt, as part of the result.
func (k secular) put(result element, vector int, x reg.VecPhysical) {
	if result.double {
		k.move(k.Context, x, k.some(regResult, vector, result.bytes))
		return
	}
	single := k.narrow(x)
	if k.wide {
		k.VCVTPD2PS(x, single)
	} else {
		k.VCVTPD2PSY(x, single)
	}
	k.VMOVUPS(single, k.some(regResult, vector, result.bytes))
}

// narrow returns the half of a register that has as many singles as the register has doubles.
func (k secular) narrow(x reg.VecPhysical) reg.VecPhysical {
	if k.wide {
		return x.AsY().(reg.VecPhysical)
	}
	return x.AsX().(reg.VecPhysical)
}

// quotients computes four vectors of size * weight / difference and adds their squares up.
func (k secular) quotients(result element) {
	r := k.registers
	x := [polesTogether]reg.VecPhysical{r[4], r[5], r[6], r[7]}
	for vector := range x {
		k.difference(vector, x[vector])
	}
	for vector, inverse := range k.invertFour(k.size, x, r[12], r[13], r[14]) {
		k.multiply(k.Context, k.some(regWeights, vector, k.bytes), inverse, inverse)
		k.multiplyAdd(k.Context, inverse, inverse, k.sums[vector%2])
		k.put(result, vector, inverse)
	}
	k.ADDQ(operand.Imm(uint64(polesTogether*k.lanes())), regCol)
}

// quotient does the same for one vector.
func (k secular) quotient(result element) {
	x := k.registers[4]
	k.difference(0, x)
	k.VDIVPD(x, k.size, x)
	k.multiply(k.Context, k.some(regWeights, 0, k.bytes), x, x)
	k.multiplyAdd(k.Context, x, x, k.sums[0])
	k.put(result, 0, x)
	k.ADDQ(operand.Imm(uint64(k.lanes())), regCol)
}

// scaleRow divides the result by the root of the sum of the squares.
func (k secular) scaleRow(result element) {
	squares, factor := k.sums[0], k.registers[4]
	k.add(k.Context, k.sums[1], squares, squares)
	k.fold(k.add, squares, squares, factor, k.registers[5])
	k.VSQRTPD(factor.AsX(), factor.AsX())
	k.VDIVPD(factor.AsX(), k.one.AsX(), factor.AsX())
	row := factor
	if result.double {
		k.VBROADCASTSD(factor.AsX(), factor)
	} else {
		row = k.narrow(factor)
		k.VCVTPD2PSX(factor.AsX(), factor.AsX())
		k.VBROADCASTSS(factor.AsX(), row)
	}
	part := k.registers[5]
	if !result.double {
		part = k.narrow(part)
	}
	k.XORQ(regCol, regCol)
	k.MOVQ(secularField("steps"), regLeft)
	k.Label("scaling")
	result.multiply(k.Context, k.some(regResult, 0, result.bytes), row, part)
	result.move(k.Context, part, k.some(regResult, 0, result.bytes))
	k.ADDQ(operand.Imm(uint64(k.lanes())), regCol)
	k.DECQ(regLeft)
	k.JNZ(operand.LabelRef("scaling"))
}

// products generates the kernel of SecularWeights: one group of poles after another, for all roots.
func (k secular) products() {
	k.open("secularWeights"+k.name, "computes weights, see SecularWeights.")
	k.MOVQ(secularField("first"), regOwn)
	k.MOVQ(secularField("count"), regCount)
	own, product := k.size, k.sums[0]
	k.Label("group")
	k.move(k.Context, operand.Mem{Base: regPoles, Index: regOwn, Scale: 8}, own)
	k.move(k.Context, k.one, product)
	k.XORQ(regCol, regCol)
	for _, part := range []string{"before", "at", "behind"} {
		switch part {
		case "before":
			k.MOVQ(regOwn, regLeft)
		case "at":
			k.MOVQ(operand.U32(k.lanes()), regLeft)
		case "behind":
			k.MOVQ(secularField("steps"), regLeft)
			k.SUBQ(regCol, regLeft)
		}
		k.TESTQ(regLeft, regLeft)
		k.JZ(operand.LabelRef(part + "_end"))
		k.Label(part)
		k.factors(own, product, part == "at")
		k.SUBQ(operand.Imm(polesTogether), regLeft)
		k.JNZ(operand.LabelRef(part))
		k.Label(part + "_end")
	}
	k.VSUBPD(product, k.zeros, k.sums[1])
	k.maximum(k.Context, k.sums[1], product, product)
	k.VSQRTPD(product, product)
	k.move(k.Context, product, operand.Mem{Base: regWeights, Index: regOwn, Scale: 8})
	k.ADDQ(operand.Imm(uint64(k.lanes())), regOwn)
	k.DECQ(regCount)
	k.JNZ(operand.LabelRef("group"))
	k.finish()
}

// factors multiplies product by the factors of four roots, with one division.
func (k secular) factors(own, product reg.VecPhysical, zeros bool) {
	numerator, denominator, x, y := k.registers[4], k.registers[5], k.registers[6], k.registers[7]
	for root := range polesTogether {
		at := func(base reg.Register) operand.Mem {
			return operand.Mem{Base: base, Index: regCol, Scale: 8, Disp: root * k.bytes}
		}
		up, down := x, y
		if root == 0 {
			up, down = numerator, denominator
		}
		k.subtractFrom(own, at(regOrigins), up)
		k.subtractFrom(up, at(regShifts), up)
		k.subtractFrom(own, at(regPoles), down)
		if zeros {
			k.nonzero(down)
		}
		if root > 0 {
			k.multiply(k.Context, up, numerator, numerator)
			k.multiply(k.Context, down, denominator, denominator)
		}
	}
	k.VDIVPD(denominator, numerator, numerator)
	k.multiply(k.Context, numerator, product, product)
	k.ADDQ(operand.Imm(polesTogether), regCol)
}

// subtractFrom computes y = x - m for one number in memory.
func (k secular) subtractFrom(x reg.VecPhysical, m operand.Mem, y reg.VecPhysical) {
	if k.wide {
		k.VSUBPD_BCST(m, x, y)
		return
	}
	k.broadcast(k.Context, m, k.spare)
	k.VSUBPD(k.spare, x, y)
}

// nonzero replaces zeros by 1.
func (k secular) nonzero(x reg.VecPhysical) {
	if k.wide {
		k.VCMPPD(operand.Imm(compareEqual), k.zeros, x, k.negative)
		k.move(k.Context, k.one, k.negative, x)
		return
	}
	k.VCMPPD(operand.Imm(compareEqual), k.zeros, x, k.spare)
	k.VBLENDVPD(k.spare, k.one, x, x)
}

// writeSecular writes the kernels of secular functions and their arguments.
func writeSecular(dir string) {
	avx512, avx2 := newFile(), newFile()
	for _, s := range []vectorSet{
		{Context: avx512, element: float64s, vectorBytes: 64, registers: zmm, wide: true},
		{Context: avx2, element: float64s, vectorBytes: 32, registers: ymm},
	} {
		k := newSecular(s)
		k.vectors(float64s)
		k.vectors(float32s)
		k.products()
		newSecularRoots(s).function()
	}
	write(dir, "gen_secular_avx512_amd64", compile(avx512))
	write(dir, "gen_secular_avx2_amd64", compile(avx2))
	writeFile(dir, "gen_secular_args_amd64.go", secularBlock.source())
	writeFile(dir, "gen_secular_roots_args_amd64.go", rootsBlock.source())
}
