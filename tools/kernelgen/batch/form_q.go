package batch

import "github.com/mmcloughlin/avo/operand"

// formQ generates the kernel of Problem.FormQ.
func (k laneSet) formQ(parts int) { partSet{k, parts}.formQ() }

func (k partSet) formQ() {
	k.begin("formQ", k.parts, "multiplies the reflectors of Hermitian matrices, see Problem.FormQ.")
	k.MOVQ(field("constants"), regLaneConstants)
	k.identity()
	k.MOVQ(field("a"), regReflection)
	k.MOVQ(field("order"), regSteps)
	k.XORQ(regLength, regLength)
	k.MOVQ(field("tau"), regNumber)
	k.Label("step")
	k.DECQ(regSteps)
	k.JZ(k.label("done"))
	k.ADDQ(field("rowA"), regReflection)
	k.ADDQ(operand.Imm(uint64(k.elementBytes())), regLength)
	k.MOVQ(field("vectors"), regThis)
	k.XORQ(regPlace, regPlace)
	k.Label("reflect_row")
	k.reflectRow()
	k.ADDQ(field("rowVectors"), regThis)
	k.ADDQ(operand.Imm(uint64(k.elementBytes())), regPlace)
	k.CMPQ(regPlace, regLength)
	k.JLT(k.label("reflect_row"))
	k.ADDQ(operand.Imm(uint64(k.placeBytes())), regNumber)
	k.JMP(k.label("step"))
	k.Label("done")
	k.Finish()
}

// identity sets the vectors to a diagonal matrix: to the phases, or to the signs that make couplings positive.
func (k partSet) identity() {
	zero, one, sign := k.Registers[0], k.Registers[1], k.Registers[2]
	k.Zero(zero)
	k.Move(k.constant(laneOne), one)
	k.MOVQ(field("order"), regLength)
	k.IMUL3Q(operand.Imm(uint64(k.elementBytes())), regLength, regLength)
	k.MOVQ(field("vectors"), regThis)
	k.MOVQ(field("phases"), regWork)
	k.MOVQ(field("e"), regNumber)
	k.XORQ(regPlace, regPlace)
	k.Label("identity_row")
	k.elements("identity", regLength, func() {
		for part := range k.parts {
			k.Move(zero, k.part(regThis, part))
		}
	})
	for part := range k.parts {
		if k.parts == 2 {
			k.Move(k.placed(regWork, part), one)
		}
		k.Move(one, k.placed(regThis, part))
	}
	if k.parts == 1 {
		k.Move(operand.Mem{Base: regNumber}, sign)
		k.and(k.constant(laneSign), sign, sign)
		k.ExclusiveOr(sign, one)
		k.ADDQ(operand.Imm(uint64(k.placeBytes())), regNumber)
	}
	k.ADDQ(field("rowVectors"), regThis)
	k.ADDQ(operand.Imm(uint64(k.elementBytes())), regPlace)
	k.CMPQ(regPlace, regLength)
	k.JLT(k.label("identity_row"))
}

// reflectRow applies the reflection to a row as a column vector x: x - tau (v^H x) v.
func (k partSet) reflectRow() {
	r := k.Registers
	sums, v, x := r[0:2], r[2:4], r[4:6]
	for part := range k.parts {
		k.Zero(sums[part])
	}
	k.elements("sum", regLength, func() {
		for part := range k.parts {
			k.Move(k.part(regReflection, part), v[part])
		}
		k.MultiplyAdd(k.part(regThis, 0), v[0], sums[0])
		if k.parts == 2 {
			k.MultiplyAdd(k.part(regThis, 1), v[1], sums[0])
			k.MultiplyAdd(k.part(regThis, 1), v[0], sums[1])
			k.MultiplySubtract(k.part(regThis, 0), v[1], sums[1])
		}
	})
	for part := range k.parts {
		k.Multiply(operand.Mem{Base: regNumber}, sums[part], sums[part])
	}
	k.elements("reflect", regLength, func() {
		for part := range k.parts {
			k.Move(k.part(regThis, part), x[part])
			k.Move(k.part(regReflection, part), v[part])
		}
		k.MultiplySubtract(sums[0], v[0], x[0])
		if k.parts == 2 {
			k.MultiplyAdd(sums[1], v[1], x[0])
			k.MultiplySubtract(sums[0], v[1], x[1])
			k.MultiplySubtract(sums[1], v[0], x[1])
		}
		for part := range k.parts {
			k.Move(x[part], k.part(regThis, part))
		}
	})
}
