package batch

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// General registers of reduce and formQ. The rows of a matrix in step k of reduce, with the reflector in row k:
//
//	          column 0 ...              k-1      k
//	regThis   row i: product, update
//	regReflection, row k: v ............ last    diagonal
//	bytes     0     regElement          regOwn   regLength
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

// reduce generates the kernel of Problem.Reduce.
func (k laneSet) reduce(parts int) { partSet{k, parts}.reduce() }

func (k partSet) reduce() {
	k.begin("reduce", k.parts, "reduces Hermitian matrices to tridiagonal form, see Problem.Reduce.")
	k.MOVQ(field("constants"), regLaneConstants)
	k.MOVQ(field("work"), regWork)
	k.MOVQ(field("order"), regSteps)
	k.DECQ(regSteps)
	k.MOVQ(regSteps, regNumber)
	k.scale(regNumber)
	k.MOVQ(regSteps, regLength)
	k.IMUL3Q(operand.Imm(uint64(k.elementBytes())), regLength, regLength)
	k.MOVQ(regSteps, regReflection)
	k.IMULQ(field("rowA"), regReflection)
	k.ADDQ(field("a"), regReflection)
	if k.parts == 2 { // the phase of the last row
		k.MOVQ(field("phases"), regPlace)
		k.Move(k.constant(laneOne), k.Registers[0])
		k.Zero(k.Registers[1])
		for part := range k.parts {
			k.Move(k.Registers[part],
				operand.Mem{Base: regPlace, Index: regLength, Scale: 1, Disp: k.placeBytes() * part})
		}
	}
	k.Label("step")
	x := k.Registers[0]
	k.Move(operand.Mem{Base: regReflection, Index: regLength, Scale: 1}, x)
	k.MOVQ(field("d"), regPlace)
	k.Move(x, operand.Mem{Base: regPlace, Index: regNumber, Scale: 1})
	k.TESTQ(regSteps, regSteps)
	k.JZ(k.label("done"))
	k.MOVQ(regLength, regOwn)
	k.SUBQ(operand.Imm(uint64(k.elementBytes())), regOwn)
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
	k.SUBQ(operand.Imm(uint64(k.elementBytes())), regLength)
	k.SUBQ(field("rowA"), regReflection)
	k.DECQ(regSteps)
	k.JMP(k.label("step"))
	k.Label("done")
	k.Finish()
}

// squares leaves the sum of the squares of the row in front of its last element in register 0. Complex elements are
// conjugated: the row becomes a column.
func (k partSet) squares() {
	sum, x, zero := k.Registers[0], k.Registers[1], k.Registers[2]
	k.Zero(sum)
	k.Zero(zero)
	k.elements("squares", regOwn, func() {
		for part := range k.parts {
			k.Move(k.part(regReflection, part), x)
			k.MultiplyAdd(x, x, sum)
			if part == 1 {
				k.VSUBPD(x, zero, x)
				k.Move(x, k.part(regReflection, part))
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
	k.MOVQ(field("tau"), regPlace)
	k.Move(tau, at)
	k.MOVQ(field("e"), regPlace)
	k.Move(coupling, at)
}

// reflection makes the reflection I - tau v v^T that leaves nothing of the row but its last element, in its place.
func (k partSet) reflection() {
	r := k.Registers
	sum, alpha, length, tau, signed, zero := r[0], r[1], r[2], r[3], r[4], r[5]
	k.Move(k.last(0), alpha)
	k.compare(x86.CompareLess, sum, k.constant(laneTiny), k.truth(0))
	k.MultiplyAdd(alpha, alpha, sum)
	k.VSQRTPD(sum, length)
	k.and(k.constant(laneModulus), alpha, tau)
	k.Add(length, tau, tau)
	k.Multiply(length, tau, tau)
	k.Move(k.constant(laneOne), signed)
	k.VDIVPD(tau, signed, tau)
	k.and(k.constant(laneSign), alpha, signed)
	k.or(length, signed, signed)
	k.Add(alpha, signed, length)
	k.Move(length, k.last(0))
	k.Zero(zero)
	k.VSUBPD(signed, zero, signed)
	k.keepFactors(tau, signed, alpha, zero)
}

// complexReflection is reflection for complex rows: it leaves an element of the phase that makes the next row's.
func (k partSet) complexReflection() {
	r := k.Registers
	sum, re, im, modulus, inverse, length, zero, one, tau := r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]
	k.Zero(zero)
	k.Move(k.constant(laneOne), one)
	k.Move(k.last(0), re)
	k.VSUBPD(k.last(1), zero, im)
	k.Multiply(re, re, modulus)
	k.MultiplyAdd(im, im, modulus)
	k.Add(modulus, sum, length)
	k.VSQRTPD(length, length)
	small := k.truth(1)
	k.compare(x86.CompareLess, modulus, k.constant(laneTiny), small)
	k.VSQRTPD(modulus, modulus)
	k.VDIVPD(modulus, one, inverse)
	k.Multiply(inverse, re, re)
	k.Multiply(inverse, im, im)
	k.choose(small, one, re, re)
	k.choose(small, zero, im, im)
	k.choose(small, zero, modulus, modulus)
	k.compare(x86.CompareLess, sum, k.constant(laneTiny), k.truth(0))
	k.Add(length, modulus, inverse)
	k.Multiply(inverse, length, tau)
	k.VDIVPD(tau, one, tau)
	k.Multiply(re, inverse, sum)
	k.Move(sum, k.last(0))
	k.Multiply(im, inverse, sum)
	k.Move(sum, k.last(1))
	k.keepFactors(tau, length, modulus, zero)
	k.nextPhase(re, im, zero)
}

// nextPhase multiplies the phase by (re, im), or by the opposite where there is a reflection, and makes its modulus
// one.
func (k partSet) nextPhase(re, im, zero reg.VecPhysical) {
	small, t, x, y, u, v := k.truth(0), k.Registers[0], k.Registers[3], k.Registers[4], k.Registers[5], k.Registers[8]
	for _, part := range []reg.VecPhysical{re, im} {
		k.VSUBPD(part, zero, t)
		k.choose(small, part, t, part)
	}
	k.MOVQ(field("phases"), regPlace)
	at := func(base reg.Register, part int) operand.Mem {
		return operand.Mem{Base: regPlace, Index: base, Scale: 1, Disp: k.placeBytes() * part}
	}
	k.Move(at(regLength, 0), x)
	k.Move(at(regLength, 1), y)
	k.Multiply(x, re, u)
	k.MultiplySubtract(y, im, u)
	k.Multiply(x, im, v)
	k.MultiplyAdd(y, re, v)
	k.Move(k.constant(laneOne), t)
	k.MultiplySubtract(u, u, t)
	k.MultiplySubtract(v, v, t)
	k.Multiply(k.constant(laneHalf), t, t)
	k.MultiplyAdd(t, u, u)
	k.MultiplyAdd(t, v, v)
	k.Move(u, at(regOwn, 0))
	k.Move(v, at(regOwn, 1))
}

// rows generates a loop over the rows in front of the reflection; regPlace counts the bytes from the first element of a
// row to the diagonal.
func (k partSet) rows(label string, body func()) {
	k.MOVQ(field("a"), regThis)
	k.XORQ(regPlace, regPlace)
	k.Label(label + "_row")
	body()
	k.ADDQ(field("rowA"), regThis)
	k.ADDQ(operand.Imm(uint64(k.elementBytes())), regPlace)
	k.CMPQ(regPlace, regLength)
	k.JLT(k.label(label + "_row"))
}

// productRow adds a row's share of the product A v to regWork: of its elements in the lower triangle and their mirror
// images.
func (k partSet) productRow() {
	r := k.Registers
	sums, own, a, y := r[0:2], r[2:4], r[4:6], r[6:8]
	for part := range k.parts {
		k.Zero(sums[part])
		k.Move(k.placed(regReflection, part), own[part])
	}
	k.elements("product", regPlace, func() {
		for part := range k.parts {
			k.Move(k.part(regThis, part), a[part])
			k.Move(k.part(regWork, part), y[part])
		}
		k.MultiplyAdd(k.part(regReflection, 0), a[0], sums[0])
		k.MultiplyAdd(own[0], a[0], y[0])
		if k.parts == 2 {
			k.MultiplySubtract(k.part(regReflection, 1), a[1], sums[0])
			k.MultiplyAdd(k.part(regReflection, 1), a[0], sums[1])
			k.MultiplyAdd(k.part(regReflection, 0), a[1], sums[1])
			k.MultiplyAdd(own[1], a[1], y[0])
			k.MultiplyAdd(own[1], a[0], y[1])
			k.MultiplySubtract(own[0], a[1], y[1])
		}
		for part := range k.parts {
			k.Move(y[part], k.part(regWork, part))
		}
	})
	k.Move(k.placed(regThis, 0), a[0])
	for part := range k.parts {
		k.MultiplyAdd(own[part], a[0], sums[part])
		k.Move(sums[part], k.placed(regWork, part))
	}
}

// combination replaces the product y in regWork by w = tau y - tau^2/2 (v^H y) v, so that A - v w^H - w v^H is the
// transformed matrix.
func (k partSet) combination() {
	r := k.Registers
	dot, tau, factor, y, v := r[0], r[1], r[2], r[3], r[4]
	k.Zero(dot)
	k.elements("dot", regLength, func() {
		for part := range k.parts {
			k.Move(k.part(regReflection, part), v)
			k.MultiplyAdd(k.part(regWork, part), v, dot)
		}
	})
	k.MOVQ(field("tau"), regPlace)
	k.Move(operand.Mem{Base: regPlace, Index: regNumber, Scale: 1}, tau)
	k.Multiply(tau, dot, dot)
	k.Multiply(k.constant(laneHalf), tau, factor)
	k.Multiply(dot, factor, factor)
	k.elements("combination", regLength, func() {
		for part := range k.parts {
			k.Multiply(k.part(regWork, part), tau, y)
			k.Move(k.part(regReflection, part), v)
			k.MultiplySubtract(factor, v, y)
			k.Move(y, k.part(regWork, part))
		}
	})
}

// updateRow subtracts v w^H + w v^H from a row up to its diagonal.
func (k partSet) updateRow() {
	r := k.Registers
	v, w, a := r[0:2], r[2:4], r[4:6]
	for part := range k.parts {
		k.Move(k.placed(regReflection, part), v[part])
		k.Move(k.placed(regWork, part), w[part])
	}
	k.LEAQ(operand.Mem{Base: regPlace, Disp: k.elementBytes()}, regOwn)
	k.elements("update", regOwn, func() {
		for part := range k.parts {
			k.Move(k.part(regThis, part), a[part])
		}
		x, y := regWork, regReflection
		k.MultiplySubtract(k.part(x, 0), v[0], a[0])
		k.MultiplySubtract(k.part(y, 0), w[0], a[0])
		if k.parts == 2 {
			k.MultiplySubtract(k.part(x, 1), v[1], a[0])
			k.MultiplySubtract(k.part(y, 1), w[1], a[0])
			k.MultiplySubtract(k.part(x, 0), v[1], a[1])
			k.MultiplyAdd(k.part(x, 1), v[0], a[1])
			k.MultiplySubtract(k.part(y, 0), w[1], a[1])
			k.MultiplyAdd(k.part(y, 1), w[0], a[1])
		}
		for part := range k.parts {
			k.Move(a[part], k.part(regThis, part))
		}
	})
}
