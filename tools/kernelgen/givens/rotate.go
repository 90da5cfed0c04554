package givens

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// rotate generates the kernel of rotations. A strip of the row that the next rotation changes too stays in registers,
// so that a rotation loads one row and stores one. Taken from the last row to the first, a rotation is the same with
// the opposite sign of S:
//
//	up:   x <- C x + S y is finished, y <- C y - S x is kept, x being the row that was kept
//	down: y <- C y - S x is finished, x <- C x + S y is kept, y being the row that was kept
func (s set) rotate() {
	s.BeginStrips("rotate", false, "applies rotations, see Rotate.")
	s.MOVQ(x86.StripBlock.Arg("FactorStep"), regTurn)
	_, _, sign := s.rotationRegisters()
	s.Broadcast(x86.StripBlock.Arg("Sign"), sign)
	// As wide as the registers allow: where rows are a multiple of 4 kB apart, eight vectors are 1.6 times as fast as
	// four.
	widths := []int{4, 2, 1}
	if s.Wide {
		widths = []int{8, 4, 2, 1}
	}
	s.Strips("strip", widths, s.rotateStrip)
}

// rotationRegisters returns those of a rotation: the last ones but one, which may be restLanes. The first ones hold
// rows.
func (s set) rotationRegisters() (cosine, sine, sign reg.VecPhysical) {
	last := s.Registers[len(s.Registers)-4:]
	return last[0], last[1], last[2]
}

func (s set) rotateStrip(label string, vectors int, rest bool) {
	cosine, sine, sign := s.rotationRegisters()
	kept := func(v int) reg.VecPhysical { return s.Registers[3*v] }
	this := operand.Mem{Base: x86.RegRow}
	next := operand.Mem{Base: x86.RegRow, Index: x86.RegRowA, Scale: 1}
	s.MOVQ(x86.RegA, x86.RegRow)
	s.MOVQ(x86.StripBlock.Arg("Factors"), x86.RegFactors)
	s.MOVQ(x86.StripBlock.Arg("Count"), x86.RegLeft)
	for v := range vectors {
		s.LoadVector(s.Vector(this, v), rest, kept(v))
	}
	s.Label(label + "_rotation")
	s.Broadcast(operand.Mem{Base: x86.RegFactors}, cosine)
	s.Broadcast(operand.Mem{Base: x86.RegFactors, Disp: s.Bytes}, sine)
	s.ExclusiveOr(sign, sine)
	for v := range vectors {
		y, finished := s.Registers[3*v+1], s.Registers[3*v+2]
		s.LoadVector(s.Vector(next, v), rest, y)
		s.Multiply(sine, y, finished)
		s.MultiplyAdd(cosine, kept(v), finished)
		s.StoreVector(finished, rest, s.Vector(this, v))
		s.Multiply(cosine, y, y)
		s.ScaleSubtract(y, sine, kept(v))
	}
	s.ADDQ(x86.RegRowA, x86.RegRow)
	s.ADDQ(regTurn, x86.RegFactors)
	s.DECQ(x86.RegLeft)
	s.JNZ(operand.LabelRef(label + "_rotation"))
	for v := range vectors {
		s.StoreVector(kept(v), rest, s.Vector(this, v))
	}
}
