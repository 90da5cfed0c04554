package condense

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var vectorsBlock = x86.NewBlock("vectorsArgs", "is the block of arguments of UpdateRow, ScaleTo and Advance.",
	[]x86.Field{
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
	})

func vectorsField(name string) operand.Mem { return vectorsBlock.Arg(name) }

// tridiagVectors generates the passes over single vectors between two passes of TridiagStep: UpdateRow, ScaleTo and
// Advance. All vectors are whole. A complex factor c does c z = re(c) z + im(c) i z with i z = (-im, re).
type tridiagVectors struct {
	set
	complex bool

	z, turned, v, w, acc, t, sign reg.VecPhysical
	factors                       []reg.VecPhysical // real and imaginary parts
}

func newTridiagVectors(s set, isComplex bool) *tridiagVectors {
	v := s.Registers
	return &tridiagVectors{
		set: s, complex: isComplex, z: v[0], turned: v[1], v: v[2], w: v[3], acc: v[4], t: v[5], sign: v[6],
		factors: v[7:11],
	}
}

func (r *tridiagVectors) function() {
	r.Begin("tridiagVectors", r.complex, vectorsBlock, "runs UpdateRow, ScaleTo or Advance.")
	r.MOVQ(vectorsField("factors"), x86.RegA)
	r.broadcasts(operand.Mem{Base: x86.RegA}, r.factors)
	if r.complex {
		r.MOVQ(vectorsField("signs"), x86.RegA)
		r.Move(operand.Mem{Base: x86.RegA}, r.sign)
	}
	r.MOVQ(vectorsField("z"), x86.RegA)
	r.MOVQ(vectorsField("v"), regV)
	r.MOVQ(vectorsField("w"), regW)
	r.MOVQ(vectorsField("steps"), x86.RegLeft)
	r.Zero(r.acc)
	r.XORQ(x86.RegCol, x86.RegCol)
	r.CMPQ(vectorsField("kernel"), operand.Imm(1))
	r.JLT(operand.LabelRef("update"))
	r.JEQ(operand.LabelRef("scale"))
	r.combine()
	r.Label("update")
	r.update()
	r.Label("scale")
	r.scale()
}

// broadcasts fills each register with one of the real numbers that follow one another from m on.
func (r *tridiagVectors) broadcasts(m operand.Mem, registers []reg.VecPhysical) {
	for k, x := range registers {
		r.Broadcast(m.Offset(k*r.Bytes), x)
	}
}

// loop generates a loop over regLeft vectors, from RegCol on.
func (r *tridiagVectors) loop(label string, body func()) {
	r.TESTQ(x86.RegLeft, x86.RegLeft)
	r.JZ(operand.LabelRef(label + "_end"))
	r.Label(label)
	body()
	r.ADDQ(operand.U32(r.VectorBytes), x86.RegCol)
	r.DECQ(x86.RegLeft)
	r.JNZ(operand.LabelRef(label))
	r.Label(label + "_end")
}

// at returns the vector of columns at regCol.
func (r *tridiagVectors) at(base reg.Register) operand.Mem {
	return operand.Mem{Base: base, Index: x86.RegCol, Scale: 1}
}

// update does z = conj(z) - conj(c) w - conj(d) v for the elements c of v and d of w that belong to the row, which it
// clears in the end. It adds up the squares of the first vectors of the result and of a part of the next one.
func (r *tridiagVectors) update() {
	parts := len(r.factors) / 2
	if !r.complex {
		parts = 1
	}
	ofRow := []reg.Register{regV, regW}
	r.MOVQ(vectorsField("at"), x86.RegCol)
	for k, base := range ofRow {
		r.broadcasts(r.at(base), r.factors[2*k:2*k+parts])
	}
	r.Zero(r.acc)
	r.XORQ(x86.RegCol, x86.RegCol)
	r.MOVQ(vectorsField("summed"), x86.RegLeft)
	r.loop("update_summed", func() {
		r.updateVector()
		r.MultiplyAdd(r.z, r.z, r.acc)
	})
	r.MOVQ(vectorsField("steps"), x86.RegLeft)
	r.SUBQ(vectorsField("summed"), x86.RegLeft)
	r.CMPQ(vectorsField("mask"), operand.Imm(0))
	r.JEQ(operand.LabelRef("update_rest"))
	r.updateVector()
	if r.Wide {
		r.KMOVW(vectorsField("mask"), x86.RestMask)
		r.MultiplyAdd(r.z, r.z, x86.RestMask, r.acc)
	} else {
		r.MOVQ(vectorsField("lanes"), regLanes)
		r.VANDPS(operand.Mem{Base: regLanes}, r.z, r.z)
		r.MultiplyAdd(r.z, r.z, r.acc)
	}
	r.ADDQ(operand.U32(r.VectorBytes), x86.RegCol)
	r.DECQ(x86.RegLeft)
	r.Label("update_rest")
	r.loop("update_others", r.updateVector)
	r.Fold(r.Add, r.acc, r.acc, r.w, r.t)
	r.MOVQ(vectorsField("sum"), x86.RegA)
	r.MoveScalar(r.w.AsX(), operand.Mem{Base: x86.RegA})
	r.MOVQ(vectorsField("at"), x86.RegCol)
	r.Zero(r.z)
	for _, base := range ofRow {
		for part := range parts {
			r.MoveScalar(r.z.AsX(), r.at(base).Offset(part*r.Bytes))
		}
	}
	r.Finish()
}

// updateVector does update's work on the vector at regCol, and leaves the result in z.
func (r *tridiagVectors) updateVector() {
	minus := func(k int, x reg.VecPhysical) {
		r.MultiplySubtract(r.factors[k], x, r.z)
		if r.complex { // conj(c) x is re(c) x + im(c) (im, -re)
			r.Exchange(x, r.turned)
			r.ExclusiveOr(r.sign, r.turned)
			r.MultiplySubtract(r.factors[k+1], r.turned, r.z)
		}
	}
	r.LoadVector(r.at(x86.RegA), false, r.z)
	if r.complex {
		r.ExclusiveOr(r.sign, r.z)
	}
	r.LoadVector(r.at(regW), false, r.w)
	r.LoadVector(r.at(regV), false, r.v)
	minus(0, r.w)
	minus(2, r.v)
	r.StoreVector(r.z, false, r.at(x86.RegA))
}

// times replaces x by the product with the first factor.
func (r *tridiagVectors) times(x reg.VecPhysical) {
	if !r.complex {
		r.Multiply(r.factors[0], x, x)
		return
	}
	r.Move(x, r.turned)
	r.ExclusiveOr(r.sign, r.turned)
	r.Exchange(r.turned, r.turned)
	r.Multiply(r.factors[1], r.turned, r.turned)
	r.ScaleAdd(r.turned, r.factors[0], x)
}

// scale does z = v = c z and clears w.
func (r *tridiagVectors) scale() {
	r.Zero(r.t)
	r.loop("scale_vector", func() {
		r.LoadVector(r.at(x86.RegA), false, r.z)
		r.times(r.z)
		r.StoreVector(r.z, false, r.at(x86.RegA))
		r.StoreVector(r.z, false, r.at(regV))
		r.StoreVector(r.t, false, r.at(regW))
	})
	r.Finish()
}

// combine does w = c w + d (w, v) v for the real product of w and v, and a real d.
func (r *tridiagVectors) combine() {
	r.loop("combine_sum", func() {
		r.LoadVector(r.at(regW), false, r.w)
		r.MultiplyAdd(r.at(regV), r.w, r.acc)
	})
	product := r.v
	r.Fold(r.Add, r.acc, r.acc, product, r.t)
	r.Multiply(r.factors[2].AsX(), product.AsX(), product.AsX())
	r.Broadcast(product.AsX(), product)
	r.XORQ(x86.RegCol, x86.RegCol)
	r.MOVQ(vectorsField("steps"), x86.RegLeft)
	r.loop("combine_vector", func() {
		r.LoadVector(r.at(regW), false, r.w)
		r.times(r.w)
		r.MultiplyAdd(r.at(regV), product, r.w)
		r.StoreVector(r.w, false, r.at(regW))
	})
}
