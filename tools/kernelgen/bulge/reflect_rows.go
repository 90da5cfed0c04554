package bulge

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// stripVectors is the number of vectors in a row of a strip. Each reflector waits for the one before it, for about as
// long as the arithmetic of four vectors takes. With the few registers of AVX2, movingVectors hide more of that wait;
// they are not used where they would leave a rest that is no multiple of stripVectors, which takes longer.
const stripVectors, movingVectors = 4, 5

// reflectRows generates the kernel that applies a run of reflectors to rows. Two rows of a strip stay in registers from
// a reflector to the next, which loads one row and stores one:
//
//	                 reflector k   reflector k+1
//	row k            x stored
//	row k+1          y             x stored
//	row k+2          z loaded      y
//	row k+3                        z loaded
//
//	registers, n vectors in a row   AVX2 (moving)   AVX-512
//	x, y                            0 to 2n-1       three rows in 0 to 3n-1, whose roles rotate
//	z                               in memory
//	x + V1 y + V2 z                 2n              3n to 4n-1
//	V1 V2 T0 T1 T2                  2n+1 to 2n+5    4n to 4n+4
func (s set) reflectRows() {
	s.BeginStrips("reflectRows", false, "applies reflectors to rows, see ReflectRows.")
	strip := s.reflectStrip
	if !s.Wide {
		strip = s.reflectStripMoving
		label, narrower := "wide", fmt.Sprintf("strip_%d", stripVectors)
		s.Label(label)
		s.TESTQ(operand.U32(stripVectors-1), x86.StripBlock.Arg("Steps"))
		s.JZ(operand.LabelRef(narrower))
		s.Strip(label, narrower, movingVectors, strip)
	}
	s.Strips("strip", []int{stripVectors, 2, 1}, strip)
}

// broadcastReflector loads a reflector.
func (s set) broadcastReflector(c coefficients) {
	for i, x := range c.all() {
		s.Broadcast(operand.Mem{Base: x86.RegFactors, Disp: i * s.Bytes}, x)
	}
}

// endStrip applies the last reflector, if it has two rows, and stores these. Their vectors are in x and y; t is
// overwritten.
func (s set) endStrip(label string, c coefficients, x, y, t []reg.VecPhysical, rest bool) {
	m := arithmetic{set: s}
	s.CMPQ(x86.StripBlock.Arg("Short"), operand.Imm(0))
	s.JEQ(operand.LabelRef(label))
	s.broadcastReflector(c)
	for v := range x {
		m.reflectTwo(c, x[v], y[v], t[v])
	}
	s.Label(label)
	for v := range x {
		s.StoreVector(x[v], rest, s.Vector(operand.Mem{Base: x86.RegRow}, v))
		s.StoreVector(y[v], rest, s.Vector(operand.Mem{Base: x86.RegRow, Index: x86.RegRowA, Scale: 1}, v))
	}
}

// reflectStripMoving needs few registers: y moves to the registers of x, which takes no time, and z is read from memory
// both times that it is needed.
func (s set) reflectStripMoving(label string, vectors int, rest bool) {
	m := arithmetic{set: s}
	x, y, others := s.Registers[:vectors], s.Registers[vectors:][:vectors], s.Registers[2*vectors:]
	t, c := others[0], newCoefficients(others[1:])
	s.MOVQ(x86.RegA, x86.RegRow)
	s.MOVQ(x86.StripBlock.Arg("Factors"), x86.RegFactors)
	s.MOVQ(x86.StripBlock.Arg("Count"), x86.RegLeft)
	for v := range vectors {
		s.LoadVector(s.Vector(operand.Mem{Base: x86.RegRow}, v), rest, x[v])
		s.LoadVector(s.Vector(operand.Mem{Base: x86.RegRow, Index: x86.RegRowA, Scale: 1}, v), rest, y[v])
	}
	s.TESTQ(x86.RegLeft, x86.RegLeft)
	s.JZ(operand.LabelRef(label + "_end"))
	s.Label(label + "_reflector")
	s.broadcastReflector(c)
	for v := range vectors {
		third := s.Vector(operand.Mem{Base: x86.RegRow, Index: x86.RegRowA, Scale: 2}, v)
		if rest {
			s.LoadVector(third, rest, t)
			s.Multiply(c.v2, t, t)
		} else {
			s.Multiply(third, c.v2, t)
		}
		s.Add(x[v], t, t)
		m.plus(y[v], c.v1, t)
		m.minus(t, c.t1, y[v])
		m.minus(t, c.t0, x[v])
		s.StoreVector(x[v], rest, s.Vector(operand.Mem{Base: x86.RegRow}, v))
		m.copy(y[v], x[v])
		s.LoadVector(third, rest, y[v])
		m.minus(t, c.t2, y[v])
	}
	s.ADDQ(operand.Imm(uint64(len(c.all())*s.Bytes)), x86.RegFactors)
	s.ADDQ(x86.RegRowA, x86.RegRow)
	s.DECQ(x86.RegLeft)
	s.JNZ(operand.LabelRef(label + "_reflector"))
	s.Label(label + "_end")
	s.endStrip(label+"_plain", c, x, y, slices.Repeat([]reg.VecPhysical{t}, vectors), rest)
}

// reflectStrip has registers for all three rows. Their roles rotate, with one copy of the code for each turn.
func (s set) reflectStrip(label string, vectors int, rest bool) {
	const period = 3
	m := arithmetic{set: s}
	c := newCoefficients(s.Registers[4*vectors:])
	rows := func(k int) []reg.VecPhysical { return s.Registers[k%period*vectors:][:vectors] }
	products := s.Registers[period*vectors:][:vectors]
	this := operand.Mem{Base: x86.RegRow}
	next := operand.Mem{Base: x86.RegRow, Index: x86.RegRowA, Scale: 1}
	third := operand.Mem{Base: x86.RegRow, Index: x86.RegRowA, Scale: 2}
	s.MOVQ(x86.RegA, x86.RegRow)
	s.MOVQ(x86.StripBlock.Arg("Factors"), x86.RegFactors)
	s.MOVQ(x86.StripBlock.Arg("Count"), x86.RegLeft)
	for v := range vectors {
		s.LoadVector(s.Vector(this, v), rest, rows(0)[v])
		s.LoadVector(s.Vector(next, v), rest, rows(1)[v])
	}
	finish := func(k int) {
		s.endStrip(fmt.Sprintf("%s_plain_%d", label, k), c, rows(k), rows(k+1), products, rest)
	}
	s.TESTQ(x86.RegLeft, x86.RegLeft)
	s.JZ(operand.LabelRef(label + "_first"))
	s.Label(label + "_reflector")
	for k := range period {
		s.broadcastReflector(c)
		x, y, z := rows(k), rows(k+1), rows(k+2)
		for v := range vectors {
			s.LoadVector(s.Vector(third, v), rest, z[v])
		}
		for v := range vectors {
			m.reflect(c, x[v], y[v], z[v], products[v])
			s.StoreVector(x[v], rest, s.Vector(this, v))
		}
		s.ADDQ(operand.Imm(uint64(len(c.all())*s.Bytes)), x86.RegFactors)
		s.ADDQ(x86.RegRowA, x86.RegRow)
		s.DECQ(x86.RegLeft)
		if k < period-1 {
			s.JZ(operand.LabelRef(label + []string{"_second", "_third"}[k]))
		}
	}
	s.JNZ(operand.LabelRef(label + "_reflector"))
	s.Label(label + "_first")
	finish(0)
	s.JMP(operand.LabelRef(label + "_stored"))
	s.Label(label + "_second")
	finish(1)
	s.JMP(operand.LabelRef(label + "_stored"))
	s.Label(label + "_third")
	finish(2)
	s.Label(label + "_stored")
}
