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
	s.broadcast(s.Context, panelField("sign"), s.registers[signRegister])
	s.strips("strip", []int{4, 2, 1}, s.rotateStrip)
}

// What the registers of a rotation hold; vectors of the rows come before. The last register may be restLanes.
const (
	cosineRegister = 12 + iota
	sineRegister
	signRegister
)

func (s vectorSet) rotateStrip(label string, vectors int, rest bool) {
	cosine, sine := s.registers[cosineRegister], s.registers[sineRegister]
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
	s.exclusiveOr(s.registers[signRegister], sine)
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
