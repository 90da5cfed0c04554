//go:build ignore

package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var sweepBlock = block{"sweepArgs", "is the block of arguments of chase and reflectColumns in assembly.", []argument{
	{"a", "unsafe.Pointer", "chase: the first diagonal element that the first reflector changes; reflectColumns: the first element"},
	{"reflectors", "unsafe.Pointer", "the first reflector"},
	{"stride", "int", "bytes from a row to the next"},
	{"start", "unsafe.Pointer", "chase: the vector that the first reflector is made of, nil for the column"},
	{"steps", "int", "chase: steps of three rows; used up by the kernel"},
	{"short", "int", "chase: 1 if a step of two rows follows; used up by the kernel"},
	{"below", "int", "chase: steps that have a row below the reflector's; used up by the kernel"},
	{"cols", "int", "chase: columns right of the first reflector's; used up by the kernel"},
	{"above", "int", "chase: rows above the first reflector that it applies to from the right, less than the rows of a group"},
	{"phase", "int", "chase: columns from the last multiple of a vector's elements to the first column right of the reflector's"},
	{"endMask", "uint64", "chase with AVX-512: one bit for each element of the last vector of a row"},
	{"one", "uint64", "chase: the bits of 1"},
	{"sign", "uint64", "chase: the bits of -0"},
	{"least", "uint64", "chase: the bits of the smallest and the largest sum of squares that are safe"},
	{"most", "uint64", ""},
	{"chunks", "int", "reflectColumns: groups of reflectors, as many as a group has rows; used up by the kernel"},
	{"rest", "int", "reflectColumns: reflectors that are left"},
	{"restMask", "uint64", "reflectColumns with AVX-512: one bit for each reflector that is left"},
	{"lastMask", "uint64", "reflectColumns with AVX-512: one bit for each column that they change, at most as many as a group has rows"},
	{"finalMask", "uint64", "reflectColumns with AVX-512: one bit for each column that is still to be stored"},
	{"restLanes", "unsafe.Pointer", "reflectColumns with AVX2: the same as vectors with all bits set in the elements"},
	{"lastLanes", "unsafe.Pointer", ""},
	{"finalLanes", "unsafe.Pointer", ""},
	{"groups", "int", "reflectColumns with AVX2: groups of rows, one below the other"},
	{"atFirst", "int", "reflectColumns with AVX2: groups that begin with the first reflector; each other one begins a square after the one above"},
	{"pending", "unsafe.Pointer", "memory for two vectors of each group"},
	{"beside", "unsafe.Pointer", "chase with AVX2: the first row of the other matrix that the first reflector changes"},
	{"vectorsBeside", "int", "chase with AVX2: vectors of a row of it"},
}}

func sweepField(name string) operand.Mem { return sweepBlock.at(regArgs, name) }

// General registers of the kernels of sweeps; regA points to the element (k+1,k), regRowA holds the stride.
var (
	regStride3 = regRowA3 // three rows further
	regBlock   = reg.RDI  // first element that the reflector changes from both sides
	regColumn  = reg.RSI
	regTimes   = reg.RDX
	regAbove   = reg.R12
	regWidth   = reg.R14 // columns right of the reflector's
	regPhase   = reg.R15
	regBeside  = reg.R10

	// reflectColumns with AVX2:
	regPending = reg.RDI // where the columns of the group wait
	regGroups  = reg.RSI // that are left
	regTopRow  = reg.R12 // what regA is for the first group
	regBegun   = reg.R14 // groups that have begun
)

// Masks of the first vector of a row and of its last one.
var firstMask, endMask = reg.K1, reg.K2

// coefficients are the registers that hold a reflector, its numbers in all elements.
type coefficients struct{ v1, v2, t0, t1, t2 reg.VecPhysical }

func newCoefficients(r []reg.VecPhysical) coefficients {
	return coefficients{r[0], r[1], r[2], r[3], r[4]}
}

func (c coefficients) all() []reg.VecPhysical {
	return []reg.VecPhysical{c.v1, c.v2, c.t0, c.t1, c.t2}
}

// scalars returns the low parts of the registers.
func (c coefficients) scalars() coefficients {
	return coefficients{lowOf(c.v1), lowOf(c.v2), lowOf(c.t0), lowOf(c.t1), lowOf(c.t2)}
}

// arithmetic multiplies and adds vectors, or single elements.
type arithmetic struct {
	vectorSet
	single bool
}

func (m arithmetic) copy(x, y operand.Op) { m.VMOVAPS(x, y) }

// plus computes z = x y + z.
func (m arithmetic) plus(x, y, z operand.Op) {
	switch {
	case m.single && m.double:
		m.VFMADD231SD(x, y, z)
	case m.single:
		m.VFMADD231SS(x, y, z)
	default:
		m.multiplyAdd(m.Context, x, y, z)
	}
}

// minus computes z = z - x y.
func (m arithmetic) minus(x, y, z operand.Op) {
	switch {
	case m.single && m.double:
		m.VFNMADD231SD(x, y, z)
	case m.single:
		m.VFNMADD231SS(x, y, z)
	default:
		m.multiplySubtract(m.Context, x, y, z)
	}
}

// reflect applies the reflector to (x, y, z). Of the two products with elements that come last, the one with y is added in the end: in a chain of
// reflectors it is the one that is ready last.
func (m arithmetic) reflect(c coefficients, x, y, z, t operand.Op) {
	m.copy(x, t)
	m.plus(z, c.v2, t)
	m.plus(y, c.v1, t)
	m.minus(t, c.t1, y)
	m.minus(t, c.t2, z)
	m.minus(t, c.t0, x)
}

// reflectTwo applies the reflector to (x, y), which are all it has.
func (m arithmetic) reflectTwo(c coefficients, x, y, t operand.Op) {
	m.copy(x, t)
	m.plus(y, c.v1, t)
	m.minus(t, c.t1, y)
	m.minus(t, c.t0, x)
}

func (s vectorSet) multiplyScalar(x, y, z operand.Op) {
	if s.double {
		s.VMULSD(x, y, z)
	} else {
		s.VMULSS(x, y, z)
	}
}

func (s vectorSet) addScalar(x, y, z operand.Op) {
	if s.double {
		s.VADDSD(x, y, z)
	} else {
		s.VADDSS(x, y, z)
	}
}

// divideScalar computes z = y / x.
func (s vectorSet) divideScalar(x, y, z operand.Op) {
	if s.double {
		s.VDIVSD(x, y, z)
	} else {
		s.VDIVSS(x, y, z)
	}
}

func (s vectorSet) rootScalar(x, y operand.Op) {
	if s.double {
		s.VSQRTSD(x, x, y)
	} else {
		s.VSQRTSS(x, x, y)
	}
}

// compareScalar compares y with x.
func (s vectorSet) compareScalar(x, y operand.Op) {
	if s.double {
		s.VUCOMISD(x, y)
	} else {
		s.VUCOMISS(x, y)
	}
}

// stripVectors is how many vectors of a row reflectors are applied to together. Each of them waits for the one before it, for about as long as four take.
// Where the registers are few, movingVectors of them leave less of that wait; what they leave over of a row is no multiple of stripVectors, and takes longer.
const stripVectors, movingVectors = 4, 5

// reflectRows generates the kernel that applies a run of reflectors to rows. Two rows of a strip stay in registers from a reflector to the next, which
// loads one row and stores one.
func (s vectorSet) reflectRows() {
	s.open("reflectRows"+s.name+s.set(), "applies reflectors to rows, see ReflectRows.")
	strip := s.reflectStrip
	if !s.wide {
		strip = s.reflectStripMoving
		label, narrower := "wide", fmt.Sprintf("strip_%d", stripVectors)
		s.Label(label)
		s.TESTQ(operand.U32(stripVectors-1), panelField("steps"))
		s.JZ(operand.LabelRef(narrower))
		s.strip(label, narrower, movingVectors, strip)
	}
	s.strips("strip", []int{stripVectors, 2, 1}, strip)
}

// broadcastReflector loads a reflector.
func (s vectorSet) broadcastReflector(c coefficients) {
	for i, x := range c.all() {
		s.broadcast(s.Context, operand.Mem{Base: regFactors, Disp: i * s.bytes}, x)
	}
}

// endStrip applies the last reflector, if it has two rows, and stores these. Their vectors are in x and y; t is spoilt.
func (s vectorSet) endStrip(label string, c coefficients, x, y, t []reg.VecPhysical, rest bool) {
	m := arithmetic{vectorSet: s}
	s.CMPQ(panelField("short"), operand.Imm(0))
	s.JEQ(operand.LabelRef(label))
	s.broadcastReflector(c)
	for v := range x {
		m.reflectTwo(c, x[v], y[v], t[v])
	}
	s.Label(label)
	for v := range x {
		s.store(x[v], rest, s.vector(operand.Mem{Base: regRow}, v))
		s.store(y[v], rest, s.vector(operand.Mem{Base: regRow, Index: regRowA, Scale: 1}, v))
	}
}

// reflectStripMoving needs few registers: two rows move from register to register, which takes no time, the third one is read
// from memory both times that it is needed.
func (s vectorSet) reflectStripMoving(label string, vectors int, rest bool) {
	m := arithmetic{vectorSet: s}
	x, y, others := s.registers[:vectors], s.registers[vectors:][:vectors], s.registers[2*vectors:]
	t, c := others[0], newCoefficients(others[1:])
	s.MOVQ(regA, regRow)
	s.MOVQ(panelField("factors"), regFactors)
	s.MOVQ(panelField("count"), regLeft)
	for v := range vectors {
		s.load(s.vector(operand.Mem{Base: regRow}, v), rest, x[v])
		s.load(s.vector(operand.Mem{Base: regRow, Index: regRowA, Scale: 1}, v), rest, y[v])
	}
	s.TESTQ(regLeft, regLeft)
	s.JZ(operand.LabelRef(label + "_end"))
	s.Label(label + "_reflector")
	s.broadcastReflector(c)
	for v := range vectors {
		third := s.vector(operand.Mem{Base: regRow, Index: regRowA, Scale: 2}, v)
		if rest {
			s.load(third, rest, t)
			s.multiply(s.Context, c.v2, t, t)
		} else {
			s.multiply(s.Context, third, c.v2, t)
		}
		s.add(s.Context, x[v], t, t)
		m.plus(y[v], c.v1, t)
		m.minus(t, c.t1, y[v])
		m.minus(t, c.t0, x[v])
		s.store(x[v], rest, s.vector(operand.Mem{Base: regRow}, v))
		m.copy(y[v], x[v])
		s.load(third, rest, y[v])
		m.minus(t, c.t2, y[v])
	}
	s.ADDQ(operand.Imm(uint64(len(c.all())*s.bytes)), regFactors)
	s.ADDQ(regRowA, regRow)
	s.DECQ(regLeft)
	s.JNZ(operand.LabelRef(label + "_reflector"))
	s.Label(label + "_end")
	s.endStrip(label+"_plain", c, x, y, slices.Repeat([]reg.VecPhysical{t}, vectors), rest)
}

// reflectStrip has registers for all rows; the roles of the three of a column go round.
func (s vectorSet) reflectStrip(label string, vectors int, rest bool) {
	const period = 3
	m := arithmetic{vectorSet: s}
	c := newCoefficients(s.registers[4*vectors:])
	rows := func(k int) []reg.VecPhysical { return s.registers[k%period*vectors:][:vectors] }
	products := s.registers[period*vectors:][:vectors]
	this := operand.Mem{Base: regRow}
	next := operand.Mem{Base: regRow, Index: regRowA, Scale: 1}
	third := operand.Mem{Base: regRow, Index: regRowA, Scale: 2}
	s.MOVQ(regA, regRow)
	s.MOVQ(panelField("factors"), regFactors)
	s.MOVQ(panelField("count"), regLeft)
	for v := range vectors {
		s.load(s.vector(this, v), rest, rows(0)[v])
		s.load(s.vector(next, v), rest, rows(1)[v])
	}
	finish := func(k int) {
		s.endStrip(fmt.Sprintf("%s_plain_%d", label, k), c, rows(k), rows(k+1), products, rest)
	}
	s.TESTQ(regLeft, regLeft)
	s.JZ(operand.LabelRef(label + "_first"))
	s.Label(label + "_reflector")
	for k := range period {
		s.broadcastReflector(c)
		x, y, z := rows(k), rows(k+1), rows(k+2)
		for v := range vectors {
			s.load(s.vector(third, v), rest, z[v])
		}
		for v := range vectors {
			m.reflect(c, x[v], y[v], z[v], products[v])
			s.store(x[v], rest, s.vector(this, v))
		}
		s.ADDQ(operand.Imm(uint64(len(c.all())*s.bytes)), regFactors)
		s.ADDQ(regRowA, regRow)
		s.DECQ(regLeft)
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

// writeSweeps writes the kernels of sweeps and their arguments.
func writeSweeps(dir string) {
	avx512, avx2 := newFile(), newFile()
	for _, e := range []element{float64s, float32s} {
		for _, s := range []vectorSet{
			{Context: avx512, element: e, vectorBytes: 64, registers: zmm, wide: true},
			{Context: avx2, element: e, vectorBytes: 32, registers: ymm},
		} {
			s.reflectRows()
			s.chase()
			if s.wide {
				s.reflectColumns()
			} else {
				s.reflectColumnsOfGroups()
			}
			s.reflectTwoRows()
			newBulge(s).function()
		}
	}
	write(dir, "gen_sweep_avx512_amd64", compile(avx512))
	write(dir, "gen_sweep_avx2_amd64", compile(avx2))
	writeFile(dir, "gen_sweep_args_amd64.go", sweepBlock.source())
	writeFile(dir, "gen_bulge_args_amd64.go", bulgeBlock.source())
}
