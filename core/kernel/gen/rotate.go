//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rotate generates the kernel of rotations. A strip of the row that the next rotation changes too stays in registers, so that a rotation
// loads one row and stores one. Taken from the last row to the first, a rotation is the same with the opposite sign of S:
//
//	up:   x <- C x + S y is finished, y <- C y - S x is kept, x being the row that was kept
//	down: y <- C y - S x is finished, x <- C x + S y is kept, y being the row that was kept
func (s vectorSet) rotate() {
	s.open("rotate"+s.name+s.set(), "applies rotations, see Rotate.")
	s.MOVQ(panelField("turn"), regTurn)
	_, _, sign := s.rotationRegisters()
	s.broadcast(s.Context, panelField("sign"), sign)
	// As wide as the registers allow: where rows are a multiple of 4 kB apart, eight vectors are 1.6 times as fast as four.
	widths := []int{4, 2, 1}
	if s.wide {
		widths = []int{8, 4, 2, 1}
	}
	s.strips("strip", widths, s.rotateStrip)
}

// rotationRegisters returns those of a rotation: the last ones but one, which may be restLanes. The first ones hold rows.
func (s vectorSet) rotationRegisters() (cosine, sine, sign reg.VecPhysical) {
	last := s.registers[len(s.registers)-4:]
	return last[0], last[1], last[2]
}

func (s vectorSet) rotateStrip(label string, vectors int, rest bool) {
	cosine, sine, sign := s.rotationRegisters()
	kept := func(v int) reg.VecPhysical { return s.registers[3*v] }
	this := operand.Mem{Base: regRow}
	next := operand.Mem{Base: regRow, Index: regRowA, Scale: 1}
	s.MOVQ(regA, regRow)
	s.MOVQ(panelField("factors"), regFactors)
	s.MOVQ(panelField("count"), regLeft)
	for v := range vectors {
		s.load(s.vector(this, v), rest, kept(v))
	}
	s.Label(label + "_rotation")
	s.broadcast(s.Context, operand.Mem{Base: regFactors}, cosine)
	s.broadcast(s.Context, operand.Mem{Base: regFactors, Disp: s.bytes}, sine)
	s.exclusiveOr(sign, sine)
	for v := range vectors {
		y, finished := s.registers[3*v+1], s.registers[3*v+2]
		s.load(s.vector(next, v), rest, y)
		s.multiply(s.Context, sine, y, finished)
		s.multiplyAdd(s.Context, cosine, kept(v), finished)
		s.store(finished, rest, s.vector(this, v))
		s.multiply(s.Context, cosine, y, y)
		s.scaleSubtract(s.Context, y, sine, kept(v))
	}
	s.ADDQ(regRowA, regRow)
	s.ADDQ(regTurn, regFactors)
	s.DECQ(regLeft)
	s.JNZ(operand.LabelRef(label + "_rotation"))
	for v := range vectors {
		s.store(kept(v), rest, s.vector(this, v))
	}
}
