package batch

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// fixPhases generates the kernel of Problem.FixPhases.
func (k laneSet) fixPhases(parts int) { partSet{k, parts}.fixPhases() }

func (k partSet) fixPhases() {
	k.begin("fixPhases", k.parts, "gives vectors their phases, see Problem.FixPhases.")
	k.MOVQ(field("constants"), regLaneConstants)
	k.MOVQ(field("order"), regSteps)
	k.MOVQ(regSteps, regLength)
	k.IMUL3Q(operand.Imm(uint64(k.elementBytes())), regLength, regLength)
	k.MOVQ(field("vectors"), regThis)
	k.Label("vector")
	largest, x := k.Registers[0], k.Registers[1]
	k.Zero(largest)
	k.elements("largest", regLength, func() {
		k.size(x)
		k.VMAXPD(x, largest, largest)
	})
	slack := laneSlack
	if k.parts == 2 {
		slack = laneSlackSquare
	}
	k.Multiply(k.constant(slack), largest, largest)
	k.deciding(largest, x)
	if k.parts == 1 {
		k.sign()
	} else {
		k.phase()
	}
	k.ADDQ(field("rowVectors"), regThis)
	k.DECQ(regSteps)
	k.JNZ(k.label("vector"))
	k.Finish()
}

// size sets x to the modulus of a real element, or to the square of that of a complex one; register 2 is spoilt.
func (k partSet) size(x reg.VecPhysical) {
	k.Move(k.part(regThis, 0), x)
	if k.parts == 1 {
		k.and(k.constant(laneModulus), x, x)
		return
	}
	k.Multiply(x, x, x)
	y := k.Registers[2]
	k.Move(k.part(regThis, 1), y)
	k.MultiplyAdd(y, y, x)
}

// deciding leaves the first element of the size limit at least in registers 3 and 4, and the bytes to it as a number in
// register 5.
func (k partSet) deciding(limit, x reg.VecPhysical) {
	r := k.Registers
	k.MOVQ(regLength, regElement)
	k.Label("deciding")
	k.SUBQ(operand.Imm(uint64(k.elementBytes())), regElement)
	k.JLT(k.label("decided"))
	k.size(x)
	large := k.truth(0)
	k.compare(x86.CompareGreaterEqual, x, limit, large)
	for part := range k.parts {
		k.choose(large, k.part(regThis, part), r[3+part], r[3+part])
	}
	if k.parts == 2 {
		k.number(regElement, r[6])
		k.choose(large, r[6], r[5], r[5])
	}
	k.JMP(k.label("deciding"))
	k.Label("decided")
}

// sign makes the deciding element positive, and zeros.
func (k partSet) sign() {
	sign, x, zero := k.Registers[3], k.Registers[1], k.Registers[2]
	k.and(k.constant(laneSign), sign, sign)
	k.Zero(zero)
	k.elements("sign", regLength, func() {
		k.Move(k.part(regThis, 0), x)
		k.ExclusiveOr(sign, x)
		k.Add(zero, x, x)
		k.Move(x, k.part(regThis, 0))
	})
}

// phase makes the deciding element real and positive.
func (k partSet) phase() {
	r := k.Registers
	re, im, place, size, zero, x, y, u, v, t := r[3], r[4], r[5], r[0], r[1], r[2], r[6], r[7], r[8], r[9]
	k.Zero(zero)
	k.Multiply(re, re, size)
	k.MultiplyAdd(im, im, size)
	k.VSQRTPD(size, size)
	k.VDIVPD(size, re, re)
	k.VSUBPD(im, zero, im)
	k.VDIVPD(size, im, im)
	k.elements("phase", regLength, func() {
		k.Move(k.part(regThis, 0), x)
		k.Move(k.part(regThis, 1), y)
		k.Multiply(x, re, u)
		k.MultiplySubtract(y, im, u)
		k.Multiply(x, im, v)
		k.MultiplyAdd(y, re, v)
		k.number(regElement, t)
		here := k.truth(0)
		k.compare(0, t, place, here)
		k.choose(here, size, u, u)
		k.choose(here, zero, v, v)
		k.Add(zero, u, u)
		k.Add(zero, v, v)
		k.Move(u, k.part(regThis, 0))
		k.Move(v, k.part(regThis, 1))
	})
}
