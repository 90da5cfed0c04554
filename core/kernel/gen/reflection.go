//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var reflectionBlock = block{"reflectionArgs", "is the block of arguments of the kernels of reflections in assembly.", []argument{
	{"z", "unsafe.Pointer", "the row"},
	{"v", "unsafe.Pointer", "the other vectors"},
	{"w", "unsafe.Pointer", ""},
	{"factors", "unsafe.Pointer", "two complex numbers of the dtype"},
	{"signs", "unsafe.Pointer", "complex: a vector of the sign bits of imaginary parts"},
	{"sum", "unsafe.Pointer", "result, a real number of the dtype"},
	{"lanes", "unsafe.Pointer", "AVX2: selects what the mask selects"},
	{"kernel", "uint64", "0: update, 1: scale, 2: combine and update"},
	{"steps", "int", "vectors of the whole"},
	{"summed", "int", "update: vectors of which the squares are added"},
	{"mask", "uint64", "update: one bit for each real number of the next vector of which they are, too"},
	{"at", "int", "update: bytes to the elements of v and w that belong to the row"},
}}

func reflectionField(name string) operand.Mem { return reflectionBlock.at(regArgs, name) }

// reflection generates the passes over single vectors between two passes of Reduction: UpdateRow, ScaleTo and Advance. All vectors are
// whole. A complex factor c does c z = re(c) z + im(c) i z with i z = (-im, re).
type reflection struct {
	vectorSet
	complex bool

	z, turned, v, w, acc, t, sign reg.VecPhysical
	factors                       []reg.VecPhysical // real and imaginary parts
}

func newReflection(s vectorSet, isComplex bool) *reflection {
	v := s.registers
	return &reflection{
		vectorSet: s, complex: isComplex, z: v[0], turned: v[1], v: v[2], w: v[3], acc: v[4], t: v[5], sign: v[6], factors: v[7:11],
	}
}

func (r *reflection) function() {
	r.begin("reflect"+r.elementName(r.complex)+r.set(), "runs UpdateRow, ScaleTo or Advance.")
	r.MOVQ(reflectionField("factors"), regA)
	r.broadcasts(operand.Mem{Base: regA}, r.factors)
	if r.complex {
		r.MOVQ(reflectionField("signs"), regA)
		r.move(r.Context, operand.Mem{Base: regA}, r.sign)
	}
	r.MOVQ(reflectionField("z"), regA)
	r.MOVQ(reflectionField("v"), regV)
	r.MOVQ(reflectionField("w"), regW)
	r.MOVQ(reflectionField("steps"), regLeft)
	r.zero(r.acc)
	r.XORQ(regCol, regCol)
	r.CMPQ(reflectionField("kernel"), operand.Imm(1))
	r.JLT(operand.LabelRef("update"))
	r.JEQ(operand.LabelRef("scale"))
	r.combine()
	r.Label("update")
	r.update()
	r.Label("scale")
	r.scale()
}

// broadcasts fills each register with one of the real numbers that follow one another from m on.
func (r *reflection) broadcasts(m operand.Mem, registers []reg.VecPhysical) {
	for k, x := range registers {
		r.broadcast(r.Context, m.Offset(k*r.bytes), x)
	}
}

func (r *reflection) finish() {
	r.VZEROUPPER()
	r.RET()
}

// loop generates a loop over as many vectors as regLeft says, from regCol on.
func (r *reflection) loop(label string, body func()) {
	r.TESTQ(regLeft, regLeft)
	r.JZ(operand.LabelRef(label + "_end"))
	r.Label(label)
	body()
	r.ADDQ(operand.U32(r.vectorBytes), regCol)
	r.DECQ(regLeft)
	r.JNZ(operand.LabelRef(label))
	r.Label(label + "_end")
}

// at returns the vector of columns at regCol.
func (r *reflection) at(base reg.Register) operand.Mem {
	return operand.Mem{Base: base, Index: regCol, Scale: 1}
}

// update does z = conj(z) - conj(c) w - conj(d) v for the elements c of v and d of w that belong to the row, which it clears in the end. It adds up the
// squares of the first vectors of the result and of a part of the next one.
func (r *reflection) update() {
	parts := len(r.factors) / 2
	if !r.complex {
		parts = 1
	}
	ofRow := []reg.Register{regV, regW}
	r.MOVQ(reflectionField("at"), regCol)
	for k, base := range ofRow {
		r.broadcasts(r.at(base), r.factors[2*k:2*k+parts])
	}
	r.zero(r.acc)
	r.XORQ(regCol, regCol)
	r.MOVQ(reflectionField("summed"), regLeft)
	r.loop("update_summed", func() {
		r.updateVector()
		r.multiplyAdd(r.Context, r.z, r.z, r.acc)
	})
	r.MOVQ(reflectionField("steps"), regLeft)
	r.SUBQ(reflectionField("summed"), regLeft)
	r.CMPQ(reflectionField("mask"), operand.Imm(0))
	r.JEQ(operand.LabelRef("update_rest"))
	r.updateVector()
	if r.wide {
		r.KMOVW(reflectionField("mask"), restMask)
		r.multiplyAddMasked(r.Context, r.z, r.z, restMask, r.acc)
	} else {
		r.MOVQ(reflectionField("lanes"), regNext)
		r.VANDPS(operand.Mem{Base: regNext}, r.z, r.z)
		r.multiplyAdd(r.Context, r.z, r.z, r.acc)
	}
	r.ADDQ(operand.U32(r.vectorBytes), regCol)
	r.DECQ(regLeft)
	r.Label("update_rest")
	r.loop("update_others", r.updateVector)
	r.fold(r.add, r.acc, r.acc, r.w, r.t)
	r.MOVQ(reflectionField("sum"), regA)
	r.storeScalar(r.Context, r.w.AsX(), operand.Mem{Base: regA})
	r.MOVQ(reflectionField("at"), regCol)
	r.zero(r.z)
	for _, base := range ofRow {
		for part := range parts {
			r.storeScalar(r.Context, r.z.AsX(), r.at(base).Offset(part*r.bytes))
		}
	}
	r.finish()
}

// updateVector does update's work on the vector at regCol, and leaves the result in z.
func (r *reflection) updateVector() {
	minus := func(k int, x reg.VecPhysical) {
		r.multiplySubtract(r.Context, r.factors[k], x, r.z)
		if r.complex { // conj(c) x is re(c) x + im(c) (im, -re)
			r.exchange(r.Context, x, r.turned)
			r.exclusiveOr(r.sign, r.turned)
			r.multiplySubtract(r.Context, r.factors[k+1], r.turned, r.z)
		}
	}
	r.load(r.at(regA), false, r.z)
	if r.complex {
		r.exclusiveOr(r.sign, r.z)
	}
	r.load(r.at(regW), false, r.w)
	r.load(r.at(regV), false, r.v)
	minus(0, r.w)
	minus(2, r.v)
	r.store(r.z, false, r.at(regA))
}

// times replaces x by the product with the first factor.
func (r *reflection) times(x reg.VecPhysical) {
	if !r.complex {
		r.multiply(r.Context, r.factors[0], x, x)
		return
	}
	r.move(r.Context, x, r.turned)
	r.exclusiveOr(r.sign, r.turned)
	r.exchange(r.Context, r.turned, r.turned)
	r.multiply(r.Context, r.factors[1], r.turned, r.turned)
	r.scaleAdd(r.Context, r.turned, r.factors[0], x)
}

// scale does z = v = c z and clears w.
func (r *reflection) scale() {
	r.zero(r.t)
	r.loop("scale_vector", func() {
		r.load(r.at(regA), false, r.z)
		r.times(r.z)
		r.store(r.z, false, r.at(regA))
		r.store(r.z, false, r.at(regV))
		r.store(r.t, false, r.at(regW))
	})
	r.finish()
}

// combine does w = c w + d (w, v) v for the real product of w and v, and a real d.
func (r *reflection) combine() {
	r.loop("combine_sum", func() {
		r.load(r.at(regW), false, r.w)
		r.multiplyAdd(r.Context, r.at(regV), r.w, r.acc)
	})
	product := r.v
	r.fold(r.add, r.acc, r.acc, product, r.t)
	r.multiply(r.Context, r.factors[2].AsX(), product.AsX(), product.AsX())
	r.broadcast(r.Context, product.AsX(), product)
	r.XORQ(regCol, regCol)
	r.MOVQ(reflectionField("steps"), regLeft)
	r.loop("combine_vector", func() {
		r.load(r.at(regW), false, r.w)
		r.times(r.w)
		r.multiplyAdd(r.Context, r.at(regV), product, r.w)
		r.store(r.w, false, r.at(regW))
	})
}
