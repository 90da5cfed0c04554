package bulge

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// A reflector of two rows in memory is V, T1 and T0, complex numbers; these are the places of their parts.
const (
	placeV, placeVImaginary, placeT1, placeT1Imaginary, placeT0 = 0, 1, 2, 3, 4
	reflectorNumbers                                            = 6
)

// planar holds a reflector of two rows in registers: the parts of its numbers in all elements. The imaginary parts have
// opposite signs in the real and in the imaginary elements, so that a product with i is one with the exchanged parts.
type planar struct{ v, vi, t1, t1i, t0 reg.VecPhysical }

// reflectTwo replaces x by x - T0 s and y by y - T1 s for s = x + conj(V) y, with scratch registers sum and t. In a
// chain of reflectors x is ready last: operations that do not depend on it come first.
func (s set) reflectTwo(p planar, x, y, sum, t reg.VecPhysical) {
	s.Exchange(y, t)
	s.Multiply(y, p.v, sum)
	s.MultiplyAdd(t, p.vi, sum)
	s.Add(x, sum, sum)
	s.MultiplySubtract(sum, p.t1, y)
	s.Exchange(sum, t)
	s.MultiplySubtract(sum, p.t0, x)
	s.MultiplyAdd(t, p.t1i, y)
}

// reflectRowPairs generates the kernel that applies a run of reflectors to rows. A row of a strip stays in registers
// from a reflector to the next, which loads one row and stores one:
//
//	registers           AVX2     AVX-512
//	x, a row            0-3      of vector v: numbers 4v to 4v+3 of the registers 0-7, 14-31
//	y, s, scratch       4-6      are x, y, s and scratch; x and y change roles
//	V, i V, T1, i T1, T0   8-12  8-12
//	signs               13       13
func (s set) reflectRowPairs() {
	s.BeginStrips("reflectRowPairs", true, "applies reflectors to pairs of rows, see ReflectRowPairs.")
	s.MOVQ(x86.StripBlock.Arg("Signs"), x86.RegLeft)
	s.Move(operand.Mem{Base: x86.RegLeft}, s.Registers[behindSigns-1])
	strip := s.pairStripMoving
	if s.Wide {
		strip = s.pairStrip
	}
	s.Strips("strip", []int{stripVectors, 2, 1}, strip)
}

// The first register of a reflector, and the first one behind the signs.
const firstPlanar, behindSigns = 8, 14

// broadcastPlanar loads a reflector and returns its registers.
func (s set) broadcastPlanar() planar {
	c := s.Registers[firstPlanar:]
	p := planar{c[0], c[1], c[2], c[3], c[4]}
	for i, x := range []reg.VecPhysical{p.v, p.vi, p.t1, p.t1i, p.t0} {
		s.Broadcast(operand.Mem{Base: x86.RegFactors, Disp: i * s.Bytes}, x)
	}
	s.ExclusiveOr(s.Registers[behindSigns-1], p.vi)
	s.ExclusiveOr(s.Registers[behindSigns-1], p.t1i)
	return p
}

// pairStripMoving needs three registers in addition to those of x, to which y moves when it is complete.
func (s set) pairStripMoving(label string, vectors int, rest bool) {
	x, others := s.Registers[:vectors], s.Registers[stripVectors:]
	y, sum, t := others[0], others[1], others[2]
	this := operand.Mem{Base: x86.RegRow}
	s.MOVQ(x86.RegA, x86.RegRow)
	s.MOVQ(x86.StripBlock.Arg("Factors"), x86.RegFactors)
	s.MOVQ(x86.StripBlock.Arg("Count"), x86.RegLeft)
	for v := range vectors {
		s.LoadVector(s.Vector(this, v), rest, x[v])
	}
	s.Label(label + "_reflector")
	p := s.broadcastPlanar()
	for v := range vectors {
		s.LoadVector(s.Vector(operand.Mem{Base: x86.RegRow, Index: x86.RegRowA, Scale: 1}, v), rest, y)
		s.reflectTwo(p, x[v], y, sum, t)
		s.StoreVector(x[v], rest, s.Vector(this, v))
		s.VMOVAPS(y, x[v])
	}
	s.ADDQ(operand.Imm(uint64(reflectorNumbers*s.Bytes)), x86.RegFactors)
	s.ADDQ(x86.RegRowA, x86.RegRow)
	s.DECQ(x86.RegLeft)
	s.JNZ(operand.LabelRef(label + "_reflector"))
	for v := range vectors {
		s.StoreVector(x[v], rest, s.Vector(this, v))
	}
}

// pairStrip has four registers for each vector: x, y and two for intermediate results.
func (s set) pairStrip(label string, vectors int, rest bool) {
	const inAll = 4 // registers of a vector
	registers := append([]reg.VecPhysical{}, s.Registers[:firstPlanar]...)
	registers = append(registers, s.Registers[behindSigns:]...)
	of := func(k, v int) reg.VecPhysical { return registers[inAll*v+k] }
	this := operand.Mem{Base: x86.RegRow}
	next := operand.Mem{Base: x86.RegRow, Index: x86.RegRowA, Scale: 1}
	s.MOVQ(x86.RegA, x86.RegRow)
	s.MOVQ(x86.StripBlock.Arg("Factors"), x86.RegFactors)
	s.MOVQ(x86.StripBlock.Arg("Count"), x86.RegLeft)
	for v := range vectors {
		s.LoadVector(s.Vector(this, v), rest, of(0, v))
	}
	s.Label(label + "_reflector")
	for k := range 2 { // the roles of two registers alternate
		p := s.broadcastPlanar()
		for v := range vectors {
			x, y := of(k, v), of(1-k, v)
			s.LoadVector(s.Vector(next, v), rest, y)
			s.reflectTwo(p, x, y, of(2, v), of(3, v))
			s.StoreVector(x, rest, s.Vector(this, v))
		}
		s.ADDQ(operand.Imm(uint64(reflectorNumbers*s.Bytes)), x86.RegFactors)
		s.ADDQ(x86.RegRowA, x86.RegRow)
		s.DECQ(x86.RegLeft)
		if k == 0 {
			s.JZ(operand.LabelRef(label + "_odd"))
		}
	}
	s.JNZ(operand.LabelRef(label + "_reflector"))
	for v := range vectors {
		s.StoreVector(of(0, v), rest, s.Vector(this, v))
	}
	s.JMP(operand.LabelRef(label + "_stored"))
	s.Label(label + "_odd")
	for v := range vectors {
		s.StoreVector(of(1, v), rest, s.Vector(this, v))
	}
	s.Label(label + "_stored")
}
