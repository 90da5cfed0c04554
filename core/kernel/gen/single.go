//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Vectors of one pass through a kernel of a single vector. Additions of as many sums need not wait for one another on any processor.
const singleUnroll = 8

// single generates a kernel that passes over one vector; step(x, u, rest) works on vector u of a pass, which is at x.
func (s vectorSet) single(label string, step func(x operand.Mem, u int, rest bool)) {
	s.sweep(label, singleUnroll, func(u int, rest bool) {
		step(operand.Mem{Base: regGroup, Disp: u * s.vectorBytes}, u, rest)
	}, func(vectors int) {
		s.ADDQ(operand.U32(vectors*s.vectorBytes), regGroup)
	})
}

func scale(s vectorSet, label string) {
	x, alpha := s.registers[0], s.registers[1]
	s.broadcast(s.Context, operand.Mem{Base: regAlpha}, alpha)
	s.single(label, func(m operand.Mem, _ int, rest bool) {
		s.load(m, rest, x)
		s.multiply(s.Context, x, alpha, x)
		s.store(x, rest, m)
	})
	s.JMP(operand.LabelRef("done"))
}

// reduce generates a kernel that makes one number of a vector: include takes the vector in x into a sum, op combines two sums. It
// stores the result.
func (s vectorSet) reduce(label string, op combine, include func(x, sum reg.VecPhysical)) {
	sums, x := s.registers[:singleUnroll], s.registers[singleUnroll]
	for _, sum := range sums {
		s.zero(sum)
	}
	s.single(label, func(m operand.Mem, u int, rest bool) {
		s.load(m, rest, x)
		include(x, sums[u])
	})
	s.halve(op, sums, singleUnroll)
	s.fold(op, sums[0], sums[0], sums[0], x)
	s.storeScalar(s.Context, sums[0].AsX(), operand.Mem{Base: regSums})
	s.JMP(operand.LabelRef("done"))
}

func sumSquares(s vectorSet, label string) {
	s.reduce(label, s.add, func(x, sum reg.VecPhysical) { s.multiplyAdd(s.Context, x, x, sum) })
}

func sumAbs(s vectorSet, label string) { s.reduceAbs(label, s.add) }

// maxAbs leaves NaNs out: maximum returns the first of its operands then, which is the one that has none.
func maxAbs(s vectorSet, label string) { s.reduceAbs(label, s.maximum) }

// reduceAbs combines absolute values: the elements without the sign, their highest bit.
func (s vectorSet) reduceAbs(label string, op combine) {
	magnitude := s.registers[singleUnroll+1]
	s.ones(magnitude)
	if s.double {
		s.VPSRLQ(operand.Imm(1), magnitude, magnitude)
	} else {
		s.VPSRLD(operand.Imm(1), magnitude, magnitude)
	}
	s.reduce(label, op, func(x, sum reg.VecPhysical) {
		if s.wide {
			s.VPANDQ(magnitude, x, x)
		} else {
			s.VPAND(magnitude, x, x)
		}
		op(s.Context, sum, x, sum)
	})
}

// ones sets all bits of a register.
func (s vectorSet) ones(x operand.Op) {
	if s.wide {
		const always = 0xff // the truth table of a function of three bits
		s.VPTERNLOGQ(operand.Imm(always), x, x, x)
	} else {
		s.VPCMPEQD(x, x, x)
	}
}
