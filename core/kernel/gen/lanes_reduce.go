//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Registers of the kernels that reduce interleaved matrices and form their reflections' product.
var (
	regReflection = reg.RAX // the row that holds the reflection, of the length regLength
	regThis       = reg.RBX // the row that is worked on
	regElement    = reg.RDX // bytes from the first element of a row
	regLength     = reg.RCX
	regWork       = reg.R8
	regNumber     = reg.R9 // bytes from row 0 to the current one in vectors of real numbers
	regPlace      = reg.R10
	regOwn        = reg.R11 // bytes from the first element of a row to the one on the diagonal
	regSteps      = reg.R12
)

// partSet generates for real matrices or for complex ones, whose elements are a vector of real parts and one of imaginary parts.
type partSet struct {
	laneSet
	parts int
}

// element bytes from an element of a row to the next.
func (k partSet) bytes() int { return k.placeBytes() * k.parts }

func (k partSet) name(what string) string {
	return what + map[int]string{1: "Real", 2: "Complex"}[k.parts] + "Lanes" + k.suffix()
}

// part returns a part of the current element of the row that base points to.
func (k partSet) part(base reg.Register, part int) operand.Mem {
	return operand.Mem{Base: base, Index: regElement, Scale: 1, Disp: k.placeBytes() * part}
}

// places returns a part of the element that regPlace counts the bytes to.
func (k partSet) placed(base reg.Register, part int) operand.Mem {
	return operand.Mem{Base: base, Index: regPlace, Scale: 1, Disp: k.placeBytes() * part}
}

// elements generates a loop over the elements of a row in front of the one that end counts the bytes to; there may be none.
func (k partSet) elements(label string, end reg.Register, body func()) {
	k.XORQ(regElement, regElement)
	k.Label(label)
	k.CMPQ(regElement, end)
	k.JGE(k.label(label + "_end"))
	body()
	k.ADDQ(operand.Imm(uint64(k.bytes())), regElement)
	k.JMP(k.label(label))
	k.Label(label + "_end")
}

// reduce generates the kernel of LaneProblem.Reduce.
func (k laneSet) reduce(parts int) { partSet{k, parts}.reduce() }

func (k partSet) reduce() {
	k.begin(k.name("reduce"), "reduces Hermitian matrices to tridiagonal form, see LaneProblem.")
	k.MOVQ(laneField("constants"), regLaneConstants)
	k.MOVQ(laneField("work"), regWork)
	k.MOVQ(laneField("order"), regSteps)
	k.DECQ(regSteps)
	k.MOVQ(regSteps, regNumber)
	k.scale(regNumber)
	k.MOVQ(regSteps, regLength)
	k.IMUL3Q(operand.Imm(uint64(k.bytes())), regLength, regLength)
	k.MOVQ(regSteps, regReflection)
	k.IMULQ(laneField("rowA"), regReflection)
	k.ADDQ(laneField("a"), regReflection)
	if k.parts == 2 { // the phase of the last row
		k.MOVQ(laneField("phases"), regPlace)
		k.move(k.Context, k.constant(laneOne), k.registers[0])
		k.zero(k.registers[1])
		for part := range k.parts {
			k.move(k.Context, k.registers[part], operand.Mem{Base: regPlace, Index: regLength, Scale: 1, Disp: k.placeBytes() * part})
		}
	}
	k.Label("step")
	x := k.registers[0]
	k.move(k.Context, operand.Mem{Base: regReflection, Index: regLength, Scale: 1}, x)
	k.MOVQ(laneField("d"), regPlace)
	k.move(k.Context, x, operand.Mem{Base: regPlace, Index: regNumber, Scale: 1})
	k.TESTQ(regSteps, regSteps)
	k.JZ(k.label("done"))
	k.MOVQ(regLength, regOwn)
	k.SUBQ(operand.Imm(uint64(k.bytes())), regOwn)
	k.SUBQ(operand.Imm(uint64(k.placeBytes())), regNumber)
	k.squares()
	if k.parts == 1 {
		k.reflection()
	} else {
		k.complexReflection()
	}
	k.rows("product", k.productRow)
	k.combination()
	k.rows("update", k.updateRow)
	k.SUBQ(operand.Imm(uint64(k.bytes())), regLength)
	k.SUBQ(laneField("rowA"), regReflection)
	k.DECQ(regSteps)
	k.JMP(k.label("step"))
	k.Label("done")
	k.finish()
}

// squares leaves the sum of the squares of the row in front of its last element in register 0. Complex elements are conjugated: the row becomes
// a column.
func (k partSet) squares() {
	sum, x, zero := k.registers[0], k.registers[1], k.registers[2]
	k.zero(sum)
	k.zero(zero)
	k.elements("squares", regOwn, func() {
		for part := range k.parts {
			k.move(k.Context, k.part(regReflection, part), x)
			k.multiplyAdd(k.Context, x, x, sum)
			if part == 1 {
				k.VSUBPD(x, zero, x)
				k.move(k.Context, x, k.part(regReflection, part))
			}
		}
	})
}

// last returns a part of the last element of the reflection.
func (k partSet) last(part int) operand.Mem {
	return operand.Mem{Base: regReflection, Index: regOwn, Scale: 1, Disp: k.placeBytes() * part}
}

// keepFactors stores tau, in lanes with a reflection, and the coupling.
func (k partSet) keepFactors(tau, coupling, plain, zero reg.VecPhysical) {
	small := k.truth(0)
	k.choose(small, zero, tau, tau)
	k.choose(small, plain, coupling, coupling)
	at := operand.Mem{Base: regPlace, Index: regNumber, Scale: 1}
	k.MOVQ(laneField("tau"), regPlace)
	k.move(k.Context, tau, at)
	k.MOVQ(laneField("e"), regPlace)
	k.move(k.Context, coupling, at)
}

// reflection makes the reflection I - tau v v^T that leaves nothing of the row but its last element, in its place.
func (k partSet) reflection() {
	r := k.registers
	sum, alpha, length, tau, signed, zero := r[0], r[1], r[2], r[3], r[4], r[5]
	k.move(k.Context, k.last(0), alpha)
	k.compare(compareLess, sum, k.constant(laneTiny), k.truth(0))
	k.multiplyAdd(k.Context, alpha, alpha, sum)
	k.VSQRTPD(sum, length)
	k.and(k.constant(laneModulus), alpha, tau)
	k.add(k.Context, length, tau, tau)
	k.multiply(k.Context, length, tau, tau)
	k.move(k.Context, k.constant(laneOne), signed)
	k.VDIVPD(tau, signed, tau)
	k.and(k.constant(laneSign), alpha, signed)
	k.or(length, signed, signed)
	k.add(k.Context, alpha, signed, length)
	k.move(k.Context, length, k.last(0))
	k.zero(zero)
	k.VSUBPD(signed, zero, signed)
	k.keepFactors(tau, signed, alpha, zero)
}

// complexReflection is reflection for complex rows: it leaves an element of the phase that makes the next row's.
func (k partSet) complexReflection() {
	r := k.registers
	sum, re, im, modulus, inverse, length, zero, one, tau := r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]
	k.zero(zero)
	k.move(k.Context, k.constant(laneOne), one)
	k.move(k.Context, k.last(0), re)
	k.VSUBPD(k.last(1), zero, im)
	k.multiply(k.Context, re, re, modulus)
	k.multiplyAdd(k.Context, im, im, modulus)
	k.add(k.Context, modulus, sum, length)
	k.VSQRTPD(length, length)
	small := k.truth(1)
	k.compare(compareLess, modulus, k.constant(laneTiny), small)
	k.VSQRTPD(modulus, modulus)
	k.VDIVPD(modulus, one, inverse)
	k.multiply(k.Context, inverse, re, re)
	k.multiply(k.Context, inverse, im, im)
	k.choose(small, one, re, re)
	k.choose(small, zero, im, im)
	k.choose(small, zero, modulus, modulus)
	k.compare(compareLess, sum, k.constant(laneTiny), k.truth(0))
	k.add(k.Context, length, modulus, inverse)
	k.multiply(k.Context, inverse, length, tau)
	k.VDIVPD(tau, one, tau)
	k.multiply(k.Context, re, inverse, sum)
	k.move(k.Context, sum, k.last(0))
	k.multiply(k.Context, im, inverse, sum)
	k.move(k.Context, sum, k.last(1))
	k.keepFactors(tau, length, modulus, zero)
	k.nextPhase(re, im, zero)
}

// nextPhase multiplies the phase by (re, im), or by the opposite where there is a reflection, and makes its modulus one.
func (k partSet) nextPhase(re, im, zero reg.VecPhysical) {
	small, t, x, y, u, v := k.truth(0), k.registers[0], k.registers[3], k.registers[4], k.registers[5], k.registers[8]
	for _, part := range []reg.VecPhysical{re, im} {
		k.VSUBPD(part, zero, t)
		k.choose(small, part, t, part)
	}
	k.MOVQ(laneField("phases"), regPlace)
	at := func(base reg.Register, part int) operand.Mem {
		return operand.Mem{Base: regPlace, Index: base, Scale: 1, Disp: k.placeBytes() * part}
	}
	k.move(k.Context, at(regLength, 0), x)
	k.move(k.Context, at(regLength, 1), y)
	k.multiply(k.Context, x, re, u)
	k.multiplySubtract(k.Context, y, im, u)
	k.multiply(k.Context, x, im, v)
	k.multiplyAdd(k.Context, y, re, v)
	k.move(k.Context, k.constant(laneOne), t)
	k.multiplySubtract(k.Context, u, u, t)
	k.multiplySubtract(k.Context, v, v, t)
	k.multiply(k.Context, k.constant(laneHalf), t, t)
	k.multiplyAdd(k.Context, t, u, u)
	k.multiplyAdd(k.Context, t, v, v)
	k.move(k.Context, u, at(regOwn, 0))
	k.move(k.Context, v, at(regOwn, 1))
}

// rows generates a loop over the rows in front of the reflection; regPlace counts the bytes from the first element of a row to the diagonal.
func (k partSet) rows(label string, body func()) {
	k.MOVQ(laneField("a"), regThis)
	k.XORQ(regPlace, regPlace)
	k.Label(label + "_row")
	body()
	k.ADDQ(laneField("rowA"), regThis)
	k.ADDQ(operand.Imm(uint64(k.bytes())), regPlace)
	k.CMPQ(regPlace, regLength)
	k.JLT(k.label(label + "_row"))
}

// productRow adds a row's share of the product A v to regWork: of its elements in the lower triangle and their mirror images.
func (k partSet) productRow() {
	r := k.registers
	sums, own, a, y := r[0:2], r[2:4], r[4:6], r[6:8]
	for part := range k.parts {
		k.zero(sums[part])
		k.move(k.Context, k.placed(regReflection, part), own[part])
	}
	k.elements("product", regPlace, func() {
		for part := range k.parts {
			k.move(k.Context, k.part(regThis, part), a[part])
			k.move(k.Context, k.part(regWork, part), y[part])
		}
		k.multiplyAdd(k.Context, k.part(regReflection, 0), a[0], sums[0])
		k.multiplyAdd(k.Context, own[0], a[0], y[0])
		if k.parts == 2 {
			k.multiplySubtract(k.Context, k.part(regReflection, 1), a[1], sums[0])
			k.multiplyAdd(k.Context, k.part(regReflection, 1), a[0], sums[1])
			k.multiplyAdd(k.Context, k.part(regReflection, 0), a[1], sums[1])
			k.multiplyAdd(k.Context, own[1], a[1], y[0])
			k.multiplyAdd(k.Context, own[1], a[0], y[1])
			k.multiplySubtract(k.Context, own[0], a[1], y[1])
		}
		for part := range k.parts {
			k.move(k.Context, y[part], k.part(regWork, part))
		}
	})
	k.move(k.Context, k.placed(regThis, 0), a[0])
	for part := range k.parts {
		k.multiplyAdd(k.Context, own[part], a[0], sums[part])
		k.move(k.Context, sums[part], k.placed(regWork, part))
	}
}

// combination replaces the product y in regWork by w = tau y - tau^2/2 (v^H y) v, so that A - v w^H - w v^H is the transformed matrix.
func (k partSet) combination() {
	r := k.registers
	dot, tau, factor, y, v := r[0], r[1], r[2], r[3], r[4]
	k.zero(dot)
	k.elements("dot", regLength, func() {
		for part := range k.parts {
			k.move(k.Context, k.part(regReflection, part), v)
			k.multiplyAdd(k.Context, k.part(regWork, part), v, dot)
		}
	})
	k.MOVQ(laneField("tau"), regPlace)
	k.move(k.Context, operand.Mem{Base: regPlace, Index: regNumber, Scale: 1}, tau)
	k.multiply(k.Context, tau, dot, dot)
	k.multiply(k.Context, k.constant(laneHalf), tau, factor)
	k.multiply(k.Context, dot, factor, factor)
	k.elements("combination", regLength, func() {
		for part := range k.parts {
			k.multiply(k.Context, k.part(regWork, part), tau, y)
			k.move(k.Context, k.part(regReflection, part), v)
			k.multiplySubtract(k.Context, factor, v, y)
			k.move(k.Context, y, k.part(regWork, part))
		}
	})
}

// updateRow subtracts v w^H + w v^H from a row up to its diagonal.
func (k partSet) updateRow() {
	r := k.registers
	v, w, a := r[0:2], r[2:4], r[4:6]
	for part := range k.parts {
		k.move(k.Context, k.placed(regReflection, part), v[part])
		k.move(k.Context, k.placed(regWork, part), w[part])
	}
	k.LEAQ(operand.Mem{Base: regPlace, Disp: k.bytes()}, regOwn)
	k.elements("update", regOwn, func() {
		for part := range k.parts {
			k.move(k.Context, k.part(regThis, part), a[part])
		}
		x, y := regWork, regReflection
		k.multiplySubtract(k.Context, k.part(x, 0), v[0], a[0])
		k.multiplySubtract(k.Context, k.part(y, 0), w[0], a[0])
		if k.parts == 2 {
			k.multiplySubtract(k.Context, k.part(x, 1), v[1], a[0])
			k.multiplySubtract(k.Context, k.part(y, 1), w[1], a[0])
			k.multiplySubtract(k.Context, k.part(x, 0), v[1], a[1])
			k.multiplyAdd(k.Context, k.part(x, 1), v[0], a[1])
			k.multiplySubtract(k.Context, k.part(y, 0), w[1], a[1])
			k.multiplyAdd(k.Context, k.part(y, 1), w[0], a[1])
		}
		for part := range k.parts {
			k.move(k.Context, a[part], k.part(regThis, part))
		}
	})
}

// form generates the kernel of LaneProblem.Form.
func (k laneSet) form(parts int) { partSet{k, parts}.form() }

func (k partSet) form() {
	k.begin(k.name("form"), "multiplies the reflections of Hermitian matrices, see LaneProblem.")
	k.MOVQ(laneField("constants"), regLaneConstants)
	k.identity()
	k.MOVQ(laneField("a"), regReflection)
	k.MOVQ(laneField("order"), regSteps)
	k.XORQ(regLength, regLength)
	k.MOVQ(laneField("tau"), regNumber)
	k.Label("step")
	k.DECQ(regSteps)
	k.JZ(k.label("done"))
	k.ADDQ(laneField("rowA"), regReflection)
	k.ADDQ(operand.Imm(uint64(k.bytes())), regLength)
	k.MOVQ(laneField("vectors"), regThis)
	k.XORQ(regPlace, regPlace)
	k.Label("reflect_row")
	k.reflectRow()
	k.ADDQ(laneField("rowVectors"), regThis)
	k.ADDQ(operand.Imm(uint64(k.bytes())), regPlace)
	k.CMPQ(regPlace, regLength)
	k.JLT(k.label("reflect_row"))
	k.ADDQ(operand.Imm(uint64(k.placeBytes())), regNumber)
	k.JMP(k.label("step"))
	k.Label("done")
	k.finish()
}

// identity sets the vectors to a diagonal matrix: to the phases, or to the signs that make couplings positive.
func (k partSet) identity() {
	zero, one, sign := k.registers[0], k.registers[1], k.registers[2]
	k.zero(zero)
	k.move(k.Context, k.constant(laneOne), one)
	k.MOVQ(laneField("order"), regLength)
	k.IMUL3Q(operand.Imm(uint64(k.bytes())), regLength, regLength)
	k.MOVQ(laneField("vectors"), regThis)
	k.MOVQ(laneField("phases"), regWork)
	k.MOVQ(laneField("e"), regNumber)
	k.XORQ(regPlace, regPlace)
	k.Label("identity_row")
	k.elements("identity", regLength, func() {
		for part := range k.parts {
			k.move(k.Context, zero, k.part(regThis, part))
		}
	})
	for part := range k.parts {
		if k.parts == 2 {
			k.move(k.Context, k.placed(regWork, part), one)
		}
		k.move(k.Context, one, k.placed(regThis, part))
	}
	if k.parts == 1 {
		k.move(k.Context, operand.Mem{Base: regNumber}, sign)
		k.and(k.constant(laneSign), sign, sign)
		k.exclusiveOr(sign, one)
		k.ADDQ(operand.Imm(uint64(k.placeBytes())), regNumber)
	}
	k.ADDQ(laneField("rowVectors"), regThis)
	k.ADDQ(operand.Imm(uint64(k.bytes())), regPlace)
	k.CMPQ(regPlace, regLength)
	k.JLT(k.label("identity_row"))
}

// reflectRow applies the reflection to a row as a column vector x: x - tau (v^H x) v.
func (k partSet) reflectRow() {
	r := k.registers
	sums, v, x := r[0:2], r[2:4], r[4:6]
	for part := range k.parts {
		k.zero(sums[part])
	}
	k.elements("sum", regLength, func() {
		for part := range k.parts {
			k.move(k.Context, k.part(regReflection, part), v[part])
		}
		k.multiplyAdd(k.Context, k.part(regThis, 0), v[0], sums[0])
		if k.parts == 2 {
			k.multiplyAdd(k.Context, k.part(regThis, 1), v[1], sums[0])
			k.multiplyAdd(k.Context, k.part(regThis, 1), v[0], sums[1])
			k.multiplySubtract(k.Context, k.part(regThis, 0), v[1], sums[1])
		}
	})
	for part := range k.parts {
		k.multiply(k.Context, operand.Mem{Base: regNumber}, sums[part], sums[part])
	}
	k.elements("reflect", regLength, func() {
		for part := range k.parts {
			k.move(k.Context, k.part(regThis, part), x[part])
			k.move(k.Context, k.part(regReflection, part), v[part])
		}
		k.multiplySubtract(k.Context, sums[0], v[0], x[0])
		if k.parts == 2 {
			k.multiplyAdd(k.Context, sums[1], v[1], x[0])
			k.multiplySubtract(k.Context, sums[0], v[1], x[1])
			k.multiplySubtract(k.Context, sums[1], v[0], x[1])
		}
		for part := range k.parts {
			k.move(k.Context, x[part], k.part(regThis, part))
		}
	})
}

// direct generates the kernel of LaneProblem.Direct.
func (k laneSet) direct(parts int) { partSet{k, parts}.direct() }

func (k partSet) direct() {
	k.begin(k.name("direct"), "gives vectors their phases, see LaneProblem.")
	k.MOVQ(laneField("constants"), regLaneConstants)
	k.MOVQ(laneField("order"), regSteps)
	k.MOVQ(regSteps, regLength)
	k.IMUL3Q(operand.Imm(uint64(k.bytes())), regLength, regLength)
	k.MOVQ(laneField("vectors"), regThis)
	k.Label("vector")
	largest, x := k.registers[0], k.registers[1]
	k.zero(largest)
	k.elements("largest", regLength, func() {
		k.size(x)
		k.VMAXPD(x, largest, largest)
	})
	slack := laneSlack
	if k.parts == 2 {
		slack = laneSlackSquare
	}
	k.multiply(k.Context, k.constant(slack), largest, largest)
	k.deciding(largest, x)
	if k.parts == 1 {
		k.sign()
	} else {
		k.phase()
	}
	k.ADDQ(laneField("rowVectors"), regThis)
	k.DECQ(regSteps)
	k.JNZ(k.label("vector"))
	k.finish()
}

// size sets x to the modulus of a real element, or to the square of that of a complex one; register 2 is spoilt.
func (k partSet) size(x reg.VecPhysical) {
	k.move(k.Context, k.part(regThis, 0), x)
	if k.parts == 1 {
		k.and(k.constant(laneModulus), x, x)
		return
	}
	k.multiply(k.Context, x, x, x)
	y := k.registers[2]
	k.move(k.Context, k.part(regThis, 1), y)
	k.multiplyAdd(k.Context, y, y, x)
}

// deciding leaves the first element of the size limit at least in registers 3 and 4, and the bytes to it as a number in register 5.
func (k partSet) deciding(limit, x reg.VecPhysical) {
	r := k.registers
	k.MOVQ(regLength, regElement)
	k.Label("deciding")
	k.SUBQ(operand.Imm(uint64(k.bytes())), regElement)
	k.JLT(k.label("decided"))
	k.size(x)
	large := k.truth(0)
	k.compare(compareGreaterEqual, x, limit, large)
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
	sign, x, zero := k.registers[3], k.registers[1], k.registers[2]
	k.and(k.constant(laneSign), sign, sign)
	k.zero(zero)
	k.elements("sign", regLength, func() {
		k.move(k.Context, k.part(regThis, 0), x)
		k.exclusiveOr(sign, x)
		k.add(k.Context, zero, x, x)
		k.move(k.Context, x, k.part(regThis, 0))
	})
}

// phase makes the deciding element real and positive.
func (k partSet) phase() {
	r := k.registers
	re, im, place, size, zero, x, y, u, v, t := r[3], r[4], r[5], r[0], r[1], r[2], r[6], r[7], r[8], r[9]
	k.zero(zero)
	k.multiply(k.Context, re, re, size)
	k.multiplyAdd(k.Context, im, im, size)
	k.VSQRTPD(size, size)
	k.VDIVPD(size, re, re)
	k.VSUBPD(im, zero, im)
	k.VDIVPD(size, im, im)
	k.elements("phase", regLength, func() {
		k.move(k.Context, k.part(regThis, 0), x)
		k.move(k.Context, k.part(regThis, 1), y)
		k.multiply(k.Context, x, re, u)
		k.multiplySubtract(k.Context, y, im, u)
		k.multiply(k.Context, x, im, v)
		k.multiplyAdd(k.Context, y, re, v)
		k.number(regElement, t)
		here := k.truth(0)
		k.compare(0, t, place, here)
		k.choose(here, size, u, u)
		k.choose(here, zero, v, v)
		k.add(k.Context, zero, u, u)
		k.add(k.Context, zero, v, v)
		k.move(k.Context, u, k.part(regThis, 0))
		k.move(k.Context, v, k.part(regThis, 1))
	})
}
