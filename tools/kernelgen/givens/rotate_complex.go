package givens

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// rotateComplex generates the kernel of complex rotations, whose sine is R + i I, in the way of rotate: with k the row
// that is kept and z the next one,
//
//	k <- C k + R z + I (i z) is finished, z <- C z - R k + I (i k) is kept
//
// and R with the opposite sign when rows are taken from the last one to the first. i z has the parts of z exchanged and
// the sign of the real one changed, which is in a vector of -I and I in turn.
func (s set) rotateComplex() {
	s.BeginStrips("rotateComplex", false, "applies complex rotations, see RotateComplex.")
	s.MOVQ(x86.StripBlock.Arg("FactorStep"), regTurn)
	s.Broadcast(x86.StripBlock.Arg("Sign"), s.complexRotation().sign)
	widths := []int{2, 1}
	if s.Wide {
		widths = []int{4, 2, 1}
	}
	s.Strips("strip", widths, s.rotateComplexStrip)
}

// complexRotation are the registers of a complex rotation: the last ones but one, which may be restLanes.
type complexRotation struct{ cosine, real, imaginary, sign reg.VecPhysical }

func (s set) complexRotation() complexRotation {
	last := s.Registers[len(s.Registers)-5:]
	return complexRotation{last[0], last[1], last[2], last[3]}
}

func (s set) rotateComplexStrip(label string, vectors int, rest bool) {
	const perVector = 4
	q := s.complexRotation()
	kept := func(v int) reg.VecPhysical { return s.Registers[perVector*v] }
	this := operand.Mem{Base: x86.RegRow}
	next := operand.Mem{Base: x86.RegRow, Index: x86.RegRowA, Scale: 1}
	s.MOVQ(x86.RegA, x86.RegRow)
	s.MOVQ(x86.StripBlock.Arg("Factors"), x86.RegFactors)
	s.MOVQ(x86.StripBlock.Arg("Count"), x86.RegLeft)
	for v := range vectors {
		s.LoadVector(s.Vector(this, v), rest, kept(v))
	}
	s.Label(label + "_rotation")
	s.Broadcast(operand.Mem{Base: x86.RegFactors}, q.cosine)
	s.Broadcast(operand.Mem{Base: x86.RegFactors, Disp: s.Bytes}, q.real)
	s.BroadcastPair(operand.Mem{Base: x86.RegFactors, Disp: 2 * s.Bytes}, q.imaginary)
	s.ExclusiveOr(q.sign, q.real)
	for v := range vectors {
		z, finished, exchanged := s.Registers[perVector*v+1], s.Registers[perVector*v+2], s.Registers[perVector*v+3]
		s.LoadVector(s.Vector(next, v), rest, z)
		s.Exchange(z, exchanged)
		s.Multiply(q.imaginary, exchanged, finished)
		s.MultiplyAdd(q.real, z, finished)
		s.MultiplyAdd(q.cosine, kept(v), finished)
		s.StoreVector(finished, rest, s.Vector(this, v))
		s.Exchange(kept(v), exchanged)
		s.Multiply(q.imaginary, exchanged, exchanged)
		s.MultiplyAdd(q.cosine, z, exchanged)
		s.ScaleSubtract(exchanged, q.real, kept(v))
	}
	s.ADDQ(x86.RegRowA, x86.RegRow)
	s.ADDQ(regTurn, x86.RegFactors)
	s.DECQ(x86.RegLeft)
	s.JNZ(operand.LabelRef(label + "_rotation"))
	for v := range vectors {
		s.StoreVector(kept(v), rest, s.Vector(this, v))
	}
}
