//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rotateComplex generates the kernel of complex rotations, whose sine is R + i I, in the way of rotate: with k the row that is kept and
// z the next one,
//
//	k <- C k + R z + I (i z) is finished, z <- C z - R k + I (i k) is kept
//
// and R with the opposite sign when rows are taken from the last one to the first. i z has the parts of z exchanged and the sign of the real
// one changed, which is in a vector of -I and I in turn.
func (s vectorSet) rotateComplex() {
	s.open("rotateComplex"+s.name+s.set(), "applies complex rotations, see RotateComplex.")
	s.MOVQ(panelField("turn"), regTurn)
	s.broadcast(s.Context, panelField("sign"), s.complexRotation().sign)
	widths := []int{2, 1}
	if s.wide {
		widths = []int{4, 2, 1}
	}
	s.strips("strip", widths, s.rotateComplexStrip)
}

// complexRotation are the registers of a complex rotation: the last ones but one, which may be restLanes.
type complexRotation struct{ cosine, real, imaginary, sign reg.VecPhysical }

func (s vectorSet) complexRotation() complexRotation {
	last := s.registers[len(s.registers)-5:]
	return complexRotation{last[0], last[1], last[2], last[3]}
}

// broadcastPair fills dst with a pair of elements in memory.
func (s vectorSet) broadcastPair(m, dst operand.Op) {
	switch {
	case !s.double:
		s.VBROADCASTSD(m, dst)
	case s.wide:
		s.VBROADCASTF32X4(m, dst)
	default:
		s.VBROADCASTF128(m, dst)
	}
}

func (s vectorSet) rotateComplexStrip(label string, vectors int, rest bool) {
	const perVector = 4
	q := s.complexRotation()
	kept := func(v int) reg.VecPhysical { return s.registers[perVector*v] }
	this := operand.Mem{Base: regRow}
	next := operand.Mem{Base: regRow, Index: regRowA, Scale: 1}
	s.MOVQ(regA, regRow)
	s.MOVQ(panelField("factors"), regFactors)
	s.MOVQ(panelField("count"), regLeft)
	for v := range vectors {
		s.load(s.vector(this, v), rest, kept(v))
	}
	s.Label(label + "_rotation")
	s.broadcast(s.Context, operand.Mem{Base: regFactors}, q.cosine)
	s.broadcast(s.Context, operand.Mem{Base: regFactors, Disp: s.bytes}, q.real)
	s.broadcastPair(operand.Mem{Base: regFactors, Disp: 2 * s.bytes}, q.imaginary)
	s.exclusiveOr(q.sign, q.real)
	for v := range vectors {
		z, finished, exchanged := s.registers[perVector*v+1], s.registers[perVector*v+2], s.registers[perVector*v+3]
		s.load(s.vector(next, v), rest, z)
		s.exchange(s.Context, z, exchanged)
		s.multiply(s.Context, q.imaginary, exchanged, finished)
		s.multiplyAdd(s.Context, q.real, z, finished)
		s.multiplyAdd(s.Context, q.cosine, kept(v), finished)
		s.store(finished, rest, s.vector(this, v))
		s.exchange(s.Context, kept(v), exchanged)
		s.multiply(s.Context, q.imaginary, exchanged, exchanged)
		s.multiplyAdd(s.Context, q.cosine, z, exchanged)
		s.scaleSubtract(s.Context, exchanged, q.real, kept(v))
	}
	s.ADDQ(regRowA, regRow)
	s.ADDQ(regTurn, regFactors)
	s.DECQ(regLeft)
	s.JNZ(operand.LabelRef(label + "_rotation"))
	for v := range vectors {
		s.store(kept(v), rest, s.vector(this, v))
	}
}
