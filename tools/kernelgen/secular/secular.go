// Package secular generates the kernels of core/kernel/secular.
package secular

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var secularBlock = x86.NewBlock("secularArgs", "is the block of arguments of the kernels of vectors and weights.",
	[]x86.Field{
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
	})

func secularField(name string) operand.Mem { return secularBlock.Arg(name) }

// General registers of the kernels of secular functions.
var (
	regPoles        = reg.RAX
	regWeights      = reg.RBX
	regResult       = reg.RSI
	regOrigins      = reg.RDI
	regShifts       = reg.R8
	regSecularFirst = reg.R9
	regSecularCount = reg.R10
	regStride       = reg.R11
)

// secular generates the kernels of secular functions, which exist for doubles alone but for the results that may be
// singles.
type secular struct {
	set
	origin, shift, one, zeros reg.VecPhysical
	size, spare               reg.VecPhysical // one of the two at a time may be in use
	sums                      []reg.VecPhysical
	negative, positive        reg.Register // masks of AVX-512
}

func newSecular(s set) secular {
	r := s.Registers
	return secular{
		set: s, sums: r[:4], origin: r[8], shift: r[9], one: r[10], zeros: r[11], size: r[15], spare: r[14],
		negative: reg.K2, positive: reg.K3,
	}
}

// open loads what the kernels of vectors and weights share.
func (k secular) open() {
	k.MOVQ(secularField("at"), regPoles)
	k.MOVQ(secularField("weights"), regWeights)
	k.MOVQ(secularField("x"), regResult)
	k.MOVQ(secularField("origins"), regOrigins)
	k.MOVQ(secularField("shifts"), regShifts)
	k.Broadcast(secularField("one"), k.one)
	k.Zero(k.zeros)
}

// poleGroup is PoleGroup. Poles that fill up a group may be equal to one another.
const poleGroup = 8

// polesTogether is how many differences are inverted by one division.
const polesTogether = 4

// invertFour computes size / x for four vectors by one division, which takes as long as ten products. It returns where
// the results are: not in x[3] nor in p or q, which are overwritten.
func (k secular) invertFour(size reg.VecPhysical, x [polesTogether]reg.VecPhysical, p, q,
	t reg.VecPhysical) [polesTogether]reg.VecPhysical {
	k.Multiply(x[0], x[1], p)
	k.Multiply(x[2], x[3], q)
	k.Multiply(p, q, t)
	k.VDIVPD(t, size, t)
	k.Multiply(t, p, p)       // size / (x2 x3)
	k.Multiply(t, q, q)       // size / (x0 x1)
	k.Multiply(q, x[1], t)    // size / x0
	k.Multiply(q, x[0], x[0]) // size / x1
	k.Multiply(p, x[3], x[1]) // size / x2
	k.Multiply(p, x[2], x[2]) // size / x3
	return [polesTogether]reg.VecPhysical{t, x[0], x[1], x[2]}
}

// lanes is how many poles a vector has.
func (k secular) lanes() int { return k.VectorBytes / k.Bytes }

// some returns the memory of the vector that many vectors behind the column, of elements of that many bytes.
func (k secular) some(base reg.Register, vector, bytes int) operand.Mem {
	return operand.Mem{Base: base, Index: x86.RegCol, Scale: uint8(bytes), Disp: vector * k.lanes() * bytes}
}

// vectors generates the kernel of SecularVectors for results of one dtype.
func (k secular) vectors(result x86.Element) {
	k.With(result).Begin("vectors", false, secularBlock, "computes vectors, see Vectors.")
	k.open()
	k.MOVQ(secularField("count"), regSecularCount)
	k.MOVQ(secularField("stride"), regStride)
	k.Label("root")
	k.Broadcast(operand.Mem{Base: regOrigins}, k.origin)
	k.Broadcast(operand.Mem{Base: regShifts}, k.shift)
	k.VSUBPD(k.shift, k.zeros, k.size)
	k.Maximum(k.size, k.shift, k.size)
	k.Zero(k.sums[0])
	k.Zero(k.sums[1])

	k.XORQ(x86.RegCol, x86.RegCol)
	k.MOVQ(secularField("steps"), x86.RegLeft)
	k.SHRQ(operand.Imm(2), x86.RegLeft) // polesTogether vectors each
	k.JZ(operand.LabelRef("singles"))
	k.Label("four")
	k.quotients(result)
	k.DECQ(x86.RegLeft)
	k.JNZ(operand.LabelRef("four"))
	k.Label("singles")
	k.MOVQ(secularField("steps"), x86.RegLeft)
	k.ANDQ(operand.Imm(polesTogether-1), x86.RegLeft)
	k.JZ(operand.LabelRef("scale"))
	k.Label("single")
	k.quotient(result)
	k.DECQ(x86.RegLeft)
	k.JNZ(operand.LabelRef("single"))

	k.Label("scale")
	k.scaleRow(result)
	k.ADDQ(operand.Imm(uint64(k.Bytes)), regOrigins)
	k.ADDQ(operand.Imm(uint64(k.Bytes)), regShifts)
	k.ADDQ(regStride, regResult)
	k.DECQ(regSecularCount)
	k.JNZ(operand.LabelRef("root"))
	k.Finish()
}

// difference loads the poles of a vector and computes x = (pole - origin) - shift.
func (k secular) difference(vector int, x reg.VecPhysical) {
	k.Move(k.some(regPoles, vector, k.Bytes), x)
	k.VSUBPD(k.origin, x, x)
	k.VSUBPD(k.shift, x, x)
}

// put keeps a vector of quotients, which is spoilt, as part of the result.
func (k secular) put(result x86.Element, vector int, x reg.VecPhysical) {
	if result.Double {
		k.Move(x, k.some(regResult, vector, result.Bytes))
		return
	}
	single := k.narrow(x)
	if k.Wide {
		k.VCVTPD2PS(x, single)
	} else {
		k.VCVTPD2PSY(x, single)
	}
	k.VMOVUPS(single, k.some(regResult, vector, result.Bytes))
}

// narrow returns the lower half of a register, which holds one single for each double of the whole.
func (k secular) narrow(x reg.VecPhysical) reg.VecPhysical {
	if k.Wide {
		return x.AsY().(reg.VecPhysical)
	}
	return x.AsX().(reg.VecPhysical)
}

// quotients computes four vectors of size * weight / difference and adds their squares up.
func (k secular) quotients(result x86.Element) {
	r := k.Registers
	x := [polesTogether]reg.VecPhysical{r[4], r[5], r[6], r[7]}
	for vector := range x {
		k.difference(vector, x[vector])
	}
	for vector, inverse := range k.invertFour(k.size, x, r[12], r[13], r[14]) {
		k.Multiply(k.some(regWeights, vector, k.Bytes), inverse, inverse)
		k.MultiplyAdd(inverse, inverse, k.sums[vector%2])
		k.put(result, vector, inverse)
	}
	k.ADDQ(operand.Imm(uint64(polesTogether*k.lanes())), x86.RegCol)
}

// quotient does the same for one vector.
func (k secular) quotient(result x86.Element) {
	x := k.Registers[4]
	k.difference(0, x)
	k.VDIVPD(x, k.size, x)
	k.Multiply(k.some(regWeights, 0, k.Bytes), x, x)
	k.MultiplyAdd(x, x, k.sums[0])
	k.put(result, 0, x)
	k.ADDQ(operand.Imm(uint64(k.lanes())), x86.RegCol)
}

// scaleRow divides the result by the root of the sum of the squares.
func (k secular) scaleRow(result x86.Element) {
	squares, factor := k.sums[0], k.Registers[4]
	k.Add(k.sums[1], squares, squares)
	k.Fold(k.Add, squares, squares, factor, k.Registers[5])
	k.VSQRTPD(factor.AsX(), factor.AsX())
	k.VDIVPD(factor.AsX(), k.one.AsX(), factor.AsX())
	row := factor
	if result.Double {
		k.VBROADCASTSD(factor.AsX(), factor)
	} else {
		row = k.narrow(factor)
		k.VCVTPD2PSX(factor.AsX(), factor.AsX())
		k.VBROADCASTSS(factor.AsX(), row)
	}
	part := k.Registers[5]
	if !result.Double {
		part = k.narrow(part)
	}
	k.XORQ(x86.RegCol, x86.RegCol)
	k.MOVQ(secularField("steps"), x86.RegLeft)
	k.Label("scaling")
	k.With(result).Multiply(k.some(regResult, 0, result.Bytes), row, part)
	k.With(result).Move(part, k.some(regResult, 0, result.Bytes))
	k.ADDQ(operand.Imm(uint64(k.lanes())), x86.RegCol)
	k.DECQ(x86.RegLeft)
	k.JNZ(operand.LabelRef("scaling"))
}

// products generates the kernel of SecularWeights: one group of poles after another, for all roots.
func (k secular) products() {
	k.BeginForSet("weights", secularBlock, "computes weights, see Weights.")
	k.open()
	k.MOVQ(secularField("first"), regSecularFirst)
	k.MOVQ(secularField("count"), regSecularCount)
	own, product := k.size, k.sums[0]
	k.Label("group")
	k.Move(operand.Mem{Base: regPoles, Index: regSecularFirst, Scale: 8}, own)
	k.Move(k.one, product)
	k.XORQ(x86.RegCol, x86.RegCol)
	for _, part := range []string{"before", "at", "behind"} {
		switch part {
		case "before":
			k.MOVQ(regSecularFirst, x86.RegLeft)
			k.ANDQ(operand.I8(-poleGroup), x86.RegLeft)
		case "at":
			k.MOVQ(operand.U32(poleGroup), x86.RegLeft)
		case "behind":
			k.MOVQ(secularField("steps"), x86.RegLeft)
			k.SUBQ(x86.RegCol, x86.RegLeft)
		}
		k.TESTQ(x86.RegLeft, x86.RegLeft)
		k.JZ(operand.LabelRef(part + "_end"))
		k.Label(part)
		k.factors(own, product, part == "at")
		k.SUBQ(operand.Imm(polesTogether), x86.RegLeft)
		k.JNZ(operand.LabelRef(part))
		k.Label(part + "_end")
	}
	k.VSUBPD(product, k.zeros, k.sums[1])
	k.Maximum(k.sums[1], product, product)
	k.VSQRTPD(product, product)
	k.Move(product, operand.Mem{Base: regWeights, Index: regSecularFirst, Scale: 8})
	k.ADDQ(operand.Imm(uint64(k.lanes())), regSecularFirst)
	k.DECQ(regSecularCount)
	k.JNZ(operand.LabelRef("group"))
	k.Finish()
}

// factors multiplies product by the factors of four roots, with one division.
func (k secular) factors(own, product reg.VecPhysical, zeros bool) {
	numerator, denominator, x, y := k.Registers[4], k.Registers[5], k.Registers[6], k.Registers[7]
	for root := range polesTogether {
		at := func(base reg.Register) operand.Mem {
			return operand.Mem{Base: base, Index: x86.RegCol, Scale: 8, Disp: root * k.Bytes}
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
			k.Multiply(up, numerator, numerator)
			k.Multiply(down, denominator, denominator)
		}
	}
	k.VDIVPD(denominator, numerator, numerator)
	k.Multiply(numerator, product, product)
	k.ADDQ(operand.Imm(polesTogether), x86.RegCol)
}

// subtractFrom computes y = x - m for one number in memory.
func (k secular) subtractFrom(x reg.VecPhysical, m operand.Mem, y reg.VecPhysical) {
	if k.Wide {
		k.VSUBPD_BCST(m, x, y)
		return
	}
	k.Broadcast(m, k.spare)
	k.VSUBPD(k.spare, x, y)
}

// nonzero replaces zeros by 1.
func (k secular) nonzero(x reg.VecPhysical) {
	if k.Wide {
		k.VCMPPD(operand.Imm(x86.CompareEqual), k.zeros, x, k.negative)
		k.Move(k.one, k.negative, x)
		return
	}
	k.VCMPPD(operand.Imm(x86.CompareEqual), k.zeros, x, k.spare)
	k.VBLENDVPD(k.spare, k.one, x, x)
}

// set generates for one instruction set and element type.
type set struct{ x86.Set }

// Generate adds the kernels to the package.
func Generate(p *x86.Package) {
	for _, s := range []set{{p.AVX512(x86.Float64)}, {p.AVX2(x86.Float64)}} {
		k := newSecular(s)
		k.vectors(x86.Float64)
		k.vectors(x86.Float32)
		k.products()
		newSecularRoots(s).function()
	}
}
