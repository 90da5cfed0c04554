package vector

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// singleUnroll is the number of vectors in one pass of a kernel of a single vector. With that many sums, additions wait
// for one another on no processor.
const singleUnroll = 8

// single generates a kernel that passes over one vector; step(x, u, rest) works on vector u of a pass, which is at x.
func (s set) single(label string, step func(x operand.Mem, u int, rest bool)) {
	s.sweep(label, singleUnroll, func(u int, rest bool) {
		step(operand.Mem{Base: x86.RegGroup, Disp: u * s.VectorBytes}, u, rest)
	}, func(vectors int) {
		s.ADDQ(operand.U32(vectors*s.VectorBytes), x86.RegGroup)
	})
}

func scale(s set, label string) {
	x, alpha := s.Registers[0], s.Registers[1]
	s.Broadcast(operand.Mem{Base: regAlpha}, alpha)
	s.single(label, func(m operand.Mem, _ int, rest bool) {
		s.LoadVector(m, rest, x)
		s.Multiply(x, alpha, x)
		s.StoreVector(x, rest, m)
	})
	s.JMP(operand.LabelRef("done"))
}

// reduce generates a kernel that makes one number of a vector: include takes the vector in x into a sum, op combines
// two sums. It stores the result.
func (s set) reduce(label string, op x86.Combine, include func(x, sum reg.VecPhysical)) {
	sums, x := s.Registers[:singleUnroll], s.Registers[singleUnroll]
	for _, sum := range sums {
		s.Zero(sum)
	}
	s.single(label, func(m operand.Mem, u int, rest bool) {
		s.LoadVector(m, rest, x)
		include(x, sums[u])
	})
	s.halve(op, sums, singleUnroll)
	s.Fold(op, sums[0], sums[0], sums[0], x)
	s.MoveScalar(sums[0].AsX(), operand.Mem{Base: regSums})
	s.JMP(operand.LabelRef("done"))
}

func sumSquares(s set, label string) {
	s.reduce(label, s.Add, func(x, sum reg.VecPhysical) { s.MultiplyAdd(x, x, sum) })
}

func sumAbs(s set, label string) { s.reduceAbs(label, s.Add) }

// maxAbs leaves NaNs out: maximum returns the first of its operands then, which is the one that has none.
func maxAbs(s set, label string) { s.reduceAbs(label, s.Maximum) }

// reduceAbs combines absolute values: the elements without the sign, their highest bit.
func (s set) reduceAbs(label string, op x86.Combine) {
	magnitude := s.Registers[singleUnroll+1]
	s.ones(magnitude)
	if s.Double {
		s.VPSRLQ(operand.Imm(1), magnitude, magnitude)
	} else {
		s.VPSRLD(operand.Imm(1), magnitude, magnitude)
	}
	s.reduce(label, op, func(x, sum reg.VecPhysical) {
		if s.Wide {
			s.VPANDQ(magnitude, x, x)
		} else {
			s.VPAND(magnitude, x, x)
		}
		op(sum, x, sum)
	})
}

// ones sets all bits of a register.
func (s set) ones(x operand.Op) {
	if s.Wide {
		const always = 0xff // the truth table of a function of three bits
		s.VPTERNLOGQ(operand.Imm(always), x, x, x)
	} else {
		s.VPCMPEQD(x, x, x)
	}
}
