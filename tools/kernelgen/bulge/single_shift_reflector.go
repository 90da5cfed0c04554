package bulge

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// makeReflector generates the reflector of the column. For x and y in it, with the norm r of the column,
//
//	c = -|x| / r,  T1 = y conj(x) / (|x| r),  T0 = 1 - c,  V = T1 / T0,
//
// and x becomes -x r / |x|. It jumps to label if the squares are not safe or y is zero.
func (b *singleShift) makeReflector(label string) {
	x, y := b.column[0], b.column[1]
	squares, others, sum, roots := x86.Low(b.free[0]), x86.Low(b.free[1]), x86.Low(b.free[2]), x86.Low(b.free[3])
	t, product := x86.Low(b.cross), x86.Low(b.v) // which are made last
	b.squaresOf(x, y, squares, others, t)
	b.Exchange(squares, others)
	b.Add(squares, others, sum)
	b.CompareScalar(singleShiftField("least"), squares)
	b.JCS(operand.LabelRef(label)) // below, or not a number
	b.CompareScalar(singleShiftField("most"), sum)
	b.JHI(operand.LabelRef(label))
	b.VXORPS(t, t, t)
	b.CompareScalar(t, others)
	b.JEQ(operand.LabelRef(label)) // or not a number
	b.UnpackLow(sum, squares, roots)
	if b.Double {
		b.VSQRTPD(roots, roots)
	} else {
		b.VSQRTPS(roots, roots)
	}
	b.productWithConjugate(x, y, product, t, others)
	b.Exchange(roots, t)
	b.MultiplyScalar(t, roots, roots)
	b.MoveScalar(singleShiftField("one"), t)
	b.DivideScalar(roots, t, roots) // 1 / (|x| r)
	ratio := others
	b.MultiplyScalar(roots, squares, ratio)
	b.MultiplyScalar(roots, sum, sum)
	b.repeat(roots)
	b.Multiply(roots, product, product) // T1
	b.correct(ratio, product, t, squares, roots)
	b.Broadcast(ratio, b.ratio)
	b.Broadcast(product, b.t1)
	b.Exchange(product, squares)
	b.Broadcast(squares, b.t1i)
	b.CMPQ(singleShiftField("start"), operand.Imm(0))
	b.JNE(operand.LabelRef("started"))
	const before = 2
	b.VXORPS(squares, squares, squares)
	b.storeElement(squares, operand.Mem{Base: regBlock, Index: x86.RegRowA, Scale: 1, Disp: -before * b.Bytes})
	b.repeat(sum)
	b.Multiply(sum, x, sum)
	b.Subtract(sum, squares, sum)
	b.storeElement(sum, operand.Mem{Base: regBlock, Disp: -before * b.Bytes})
	b.Label("started")
	b.XORQ(regTimes, regTimes)
	b.MOVQ(regTimes, singleShiftField("start"))
	t0 := ratio
	b.AddScalar(ratio, t, t0)
	b.MoveScalar(t0, operand.Mem{Base: x86.RegFactors, Disp: placeT0 * b.Bytes})
	b.VXORPS(t, t, t)
	b.MoveScalar(t, operand.Mem{Base: x86.RegFactors, Disp: (placeT0 + 1) * b.Bytes})
	b.storeElement(product, operand.Mem{Base: x86.RegFactors, Disp: placeT1 * b.Bytes})
	b.Broadcast(t0, b.t0)
	b.repeat(t0)
	b.Divide(t0, product, product) // V
	b.storeElement(product, operand.Mem{Base: x86.RegFactors, Disp: placeV * b.Bytes})
	b.Exchange(product, squares)
	b.Broadcast(squares, b.vi)
	b.Broadcast(product, b.v)
	b.signsOfParts()
}

// correct takes from the ratio r and from T1 a common rounding error, so that r^2 + |T1|^2 is 1. Reflectors that are
// repeated often would otherwise add up theirs. one holds 1.
func (b *singleShift) correct(ratio, t1, one, squares, change reg.VecPhysical) {
	m := arithmetic{b.set, true}
	turned := x86.Low(b.t0) // which is made later
	b.Multiply(t1, t1, squares)
	b.Exchange(squares, turned)
	b.VMOVAPS(one, change)
	m.minus(ratio, ratio, change)
	b.SubtractScalar(squares, change, change)
	b.SubtractScalar(turned, change, change)
	b.MultiplyScalar(singleShiftField("half"), change, change)
	b.repeat(change)
	m.plus(change, ratio, ratio)
	b.MultiplyAdd(change, t1, t1)
}

// squaresOf sets the elements of squares to |x|^2 and |y|^2.
func (b *singleShift) squaresOf(x, y, squares, others, t reg.VecPhysical) {
	b.Multiply(x, x, squares)
	b.Multiply(y, y, others)
	b.UnpackLow(others, squares, t)
	if b.Double {
		b.VUNPCKHPD(others, squares, squares)
	} else {
		b.VUNPCKHPD(t, t, squares)
	}
	b.Add(t, squares, squares)
}

// productWithConjugate sets product to y conj(x).
func (b *singleShift) productWithConjugate(x, y, product, re, im reg.VecPhysical) {
	b.Exchange(y, product)
	if b.Double {
		b.VPERMILPD(operand.Imm(0b11), x, im)
		b.VPERMILPD(operand.Imm(0b00), x, re)
		b.VMULPD(im, product, im)
		b.VMOVAPS(y, product)
		b.VFMSUBADD213PD(im, re, product)
		return
	}
	b.VMOVSHDUP(x, im)
	b.VMOVSLDUP(x, re)
	b.VMULPS(im, product, im)
	b.VMOVAPS(y, product)
	b.VFMSUBADD213PS(im, re, product)
}

// repeat fills the 128 bits of x with its first number.
func (b *singleShift) repeat(x reg.VecPhysical) {
	if b.Double {
		b.VMOVDDUP(x, x)
	} else {
		b.VBROADCASTSS(x, x)
	}
}

// signsOfParts gives the numbers that were filled into registers their signs.
func (b *singleShift) signsOfParts() {
	pointed := func(name string) operand.Mem {
		b.MOVQ(singleShiftField(name), x86.RegLeft)
		return operand.Mem{Base: x86.RegLeft}
	}
	crossed := pointed("crossed")
	b.VXORPS(crossed, b.pair(b.t1i), b.pair(b.cross))
	negated := pointed("negated")
	b.VXORPS(negated, b.pair(b.ratio), b.pair(b.outer))
	t := b.free[0]
	b.Move(pointed("signs"), t)
	b.ExclusiveOr(t, b.vi)
	b.ExclusiveOr(t, b.t1i)
}
