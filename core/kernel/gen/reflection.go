//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var reflectionBlock = block{"reflectionArgs", "is the block of arguments of the kernels of reflections in assembly.", []argument{
	{"z", "unsafe.Pointer", "the vector that is overwritten"},
	{"v", "unsafe.Pointer", "the other vectors"},
	{"w", "unsafe.Pointer", ""},
	{"factors", "unsafe.Pointer", "two complex numbers of the dtype"},
	{"signs", "unsafe.Pointer", "complex: a vector of the sign bits of imaginary parts"},
	{"sum", "unsafe.Pointer", "result, a real number of the dtype"},
	{"kernel", "uint64", "0: update, 1: scale, 2: combine"},
	{"steps", "int", "vectors of the whole"},
	{"summed", "int", "update: vectors of which the squares are added"},
}}

func reflectionField(name string) operand.Mem { return reflectionBlock.at(regArgs, name) }

// reflection generates the passes over single vectors between two passes of Reduction: UpdateRow, ScaleTo and Combine. All vectors are
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
	r.begin("reflect"+r.elementName(r.complex)+r.set(), "runs UpdateRow, ScaleTo or Combine.")
	r.MOVQ(reflectionField("factors"), regA)
	for k, factor := range r.factors {
		r.broadcast(r.Context, operand.Mem{Base: regA, Disp: k * r.bytes}, factor)
	}
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
	r.JEQ(operand.LabelRef("scale"))
	r.JGT(operand.LabelRef("combine"))
	r.update()
	r.Label("scale")
	r.scale()
	r.Label("combine")
	r.combine()
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

// update does z = conj(z) - conj(c) w - conj(d) v for the factors c and d, and adds up the squares of the first vectors of the result.
func (r *reflection) update() {
	minus := func(k int, x reg.VecPhysical) {
		r.multiplySubtract(r.Context, r.factors[k], x, r.z)
		if r.complex { // conj(c) x is re(c) x + im(c) (im, -re)
			r.exchange(r.Context, x, r.turned)
			r.exclusiveOr(r.sign, r.turned)
			r.multiplySubtract(r.Context, r.factors[k+1], r.turned, r.z)
		}
	}
	pass := func(summed bool) func() {
		return func() {
			r.load(r.at(regA), false, r.z)
			if r.complex {
				r.exclusiveOr(r.sign, r.z)
			}
			r.load(r.at(regW), false, r.w)
			r.load(r.at(regV), false, r.v)
			minus(0, r.w)
			minus(2, r.v)
			r.store(r.z, false, r.at(regA))
			if summed {
				r.multiplyAdd(r.Context, r.z, r.z, r.acc)
			}
		}
	}
	r.MOVQ(reflectionField("summed"), regLeft)
	r.loop("update_summed", pass(true))
	r.MOVQ(reflectionField("steps"), regLeft)
	r.SUBQ(reflectionField("summed"), regLeft)
	r.loop("update_rest", pass(false))
	r.fold(r.add, r.acc, r.acc, r.w, r.t)
	r.MOVQ(reflectionField("sum"), regA)
	r.storeScalar(r.Context, r.w.AsX(), operand.Mem{Base: regA})
	r.finish()
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

// scale does z = v = c z.
func (r *reflection) scale() {
	r.loop("scale_vector", func() {
		r.load(r.at(regA), false, r.z)
		r.times(r.z)
		r.store(r.z, false, r.at(regA))
		r.store(r.z, false, r.at(regV))
	})
	r.finish()
}

// combine does z = c z + d (z, v) v for the real product of z and v, and a real d.
func (r *reflection) combine() {
	r.loop("combine_sum", func() {
		r.load(r.at(regA), false, r.z)
		r.multiplyAdd(r.Context, r.at(regV), r.z, r.acc)
	})
	product := r.w
	r.fold(r.add, r.acc, r.acc, product, r.t)
	r.multiply(r.Context, r.factors[2].AsX(), product.AsX(), product.AsX())
	r.broadcast(r.Context, product.AsX(), product)
	r.XORQ(regCol, regCol)
	r.MOVQ(reflectionField("steps"), regLeft)
	r.loop("combine_vector", func() {
		r.load(r.at(regA), false, r.z)
		r.times(r.z)
		r.multiplyAdd(r.Context, r.at(regV), product, r.z)
		r.store(r.z, false, r.at(regA))
	})
	r.finish()
}
