//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var sweepBlock = block{"sweepArgs", "is the block of arguments of chase and reflectColumns in assembly.", []argument{
	{"a", "unsafe.Pointer", "chase: the first element that is kept of the column that is eliminated first; reflectColumns: the first element"},
	{"reflectors", "unsafe.Pointer", "the first reflector"},
	{"stride", "int", "bytes from a row to the next"},
	{"steps", "int", "chase: steps; used up by the kernel"},
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

// reflectRows generates the kernel that applies a run of reflectors to rows. Two rows of a strip stay in registers from a reflector to the next, which
// loads one row and stores one. The roles of the three registers of a column go round.
func (s vectorSet) reflectRows() {
	s.open("reflectRows"+s.name+s.set(), "applies reflectors to rows, see ReflectRows.")
	widths := []int{2, 1}
	if s.wide {
		widths = []int{4, 2, 1}
	}
	s.strips("strip", widths, s.reflectStrip)
}

func (s vectorSet) reflectStrip(label string, vectors int, rest bool) {
	const period = 3
	m := arithmetic{vectorSet: s}
	c := newCoefficients(s.registers[4*vectors:])
	row := func(k, v int) reg.VecPhysical { return s.registers[k%period*vectors+v] }
	this := operand.Mem{Base: regRow}
	next := operand.Mem{Base: regRow, Index: regRowA, Scale: 1}
	third := operand.Mem{Base: regRow, Index: regRowA, Scale: 2}
	s.MOVQ(regA, regRow)
	s.MOVQ(panelField("factors"), regFactors)
	s.MOVQ(panelField("count"), regLeft)
	for v := range vectors {
		s.load(s.vector(this, v), rest, row(0, v))
		s.load(s.vector(next, v), rest, row(1, v))
	}
	finish := func(k int) {
		for v := range vectors {
			s.store(row(k, v), rest, s.vector(this, v))
			s.store(row(k+1, v), rest, s.vector(next, v))
		}
	}
	s.Label(label + "_reflector")
	for k := range period {
		for i, x := range c.all() {
			s.broadcast(s.Context, operand.Mem{Base: regFactors, Disp: i * s.bytes}, x)
		}
		for v := range vectors {
			s.load(s.vector(third, v), rest, row(k+2, v))
		}
		for v := range vectors {
			m.reflect(c, row(k, v), row(k+1, v), row(k+2, v), s.registers[period*vectors+v])
			s.store(row(k, v), rest, s.vector(this, v))
		}
		s.ADDQ(operand.Imm(uint64(len(c.all())*s.bytes)), regFactors)
		s.ADDQ(regRowA, regRow)
		s.DECQ(regLeft)
		if k < period-1 {
			s.JZ(operand.LabelRef(label + []string{"_second", "_third"}[k]))
		}
	}
	s.JNZ(operand.LabelRef(label + "_reflector"))
	finish(0)
	s.JMP(operand.LabelRef(label + "_stored"))
	s.Label(label + "_second")
	finish(1)
	s.JMP(operand.LabelRef(label + "_stored"))
	s.Label(label + "_third")
	finish(2)
	s.Label(label + "_stored")
}

// chase generates the kernel of the steps of a bulge. An element of the column that is eliminated next is kept in a register from the place where it
// is computed: a reflector waits for the one before it, and everything else can be done meanwhile.
func (s vectorSet) chase() {
	s.begin("chase"+s.name+s.set(), "chases a bulge, see Chase.")
	s.MOVQ(sweepField("a"), regA)
	s.MOVQ(sweepField("stride"), regRowA)
	s.MOVQ(sweepField("reflectors"), regFactors)
	s.MOVQ(sweepField("cols"), regWidth)
	s.MOVQ(sweepField("above"), regAbove)
	s.MOVQ(sweepField("phase"), regPhase)
	s.LEAQ(operand.Mem{Base: regRowA, Index: regRowA, Scale: 2}, regStride3)
	if s.wide {
		s.KMOVW(sweepField("endMask"), endMask)
	}
	x := s.low()
	for k := range 3 {
		s.loadScalar(s.Context, s.below(regA, k), x[k])
	}
	s.Label("step")
	c := s.makeReflector("done")
	s.LEAQ(operand.Mem{Base: regA, Disp: s.bytes}, regBlock)
	s.reflectBlock(c.scalars())
	s.reflectRight(c)
	s.reflectAbove(c.scalars())
	s.LEAQ(operand.Mem{Base: regA, Index: regRowA, Scale: 1, Disp: s.bytes}, regA)
	s.ADDQ(operand.Imm(uint64(5*s.bytes)), regFactors)
	s.DECQ(regWidth)
	s.INCQ(regAbove)
	s.ANDQ(operand.Imm(uint64(s.groupRows()-1)), regAbove)
	s.INCQ(regPhase)
	s.ANDQ(operand.Imm(uint64(s.vectorBytes/s.bytes-1)), regPhase)
	s.DECQ(sweepField("steps"))
	s.JNZ(operand.LabelRef("step"))
	s.Label("done")
	s.VZEROUPPER()
	s.RET()
}

// groupRows returns the rows that reflectColumns takes together.
func (s vectorSet) groupRows() int {
	if s.wide {
		return 8
	}
	return 4
}

// lowOf returns the low 128 bits of a register.
func lowOf(r reg.VecPhysical) reg.VecPhysical { return r.AsX().(reg.VecPhysical) }

// low returns the low parts of the registers.
func (s vectorSet) low() []reg.VecPhysical {
	x := make([]reg.VecPhysical, len(s.registers))
	for i, r := range s.registers {
		x[i] = lowOf(r)
	}
	return x
}

// below returns the element k rows, at most 3, below the one that base points to.
func (s vectorSet) below(base reg.Register, k int) operand.Mem {
	switch k {
	case 0:
		return operand.Mem{Base: base}
	case 3:
		return operand.Mem{Base: base, Index: regStride3, Scale: 1}
	}
	return operand.Mem{Base: base, Index: regRowA, Scale: uint8(k)}
}

// makeReflector generates the reflector of the column in the first three registers, its numbers in all elements of registers, and stores it and the
// column. It jumps to label if the sum of squares is not safe or nothing is to be eliminated.
func (s vectorSet) makeReflector(label string) coefficients {
	x := s.low()
	m := arithmetic{s, true}
	column, sum, all, norm, d, inverse, t := x[:3], x[3], x[4], x[5], x[6], x[7], x[8]
	c := newCoefficients(s.registers[11:])
	low := c.scalars()
	s.multiplyScalar(column[1], column[1], sum)
	m.plus(column[2], column[2], sum)
	m.copy(sum, all)
	m.plus(column[0], column[0], all)
	s.compareScalar(sweepField("least"), all)
	s.JCS(operand.LabelRef(label)) // below, or not a number
	s.compareScalar(sweepField("most"), all)
	s.JHI(operand.LabelRef(label))
	s.VXORPS(t, t, t)
	s.compareScalar(t, sum)
	s.JEQ(operand.LabelRef(label))
	s.rootScalar(all, norm)
	s.loadScalar(s.Context, sweepField("sign"), d)
	s.VANDPS(d, column[0], inverse)
	s.VORPS(inverse, norm, norm) // the norm with the sign of the first element
	s.VXORPS(d, norm, all)
	s.storeScalar(s.Context, all, s.below(regA, 0))
	s.storeScalar(s.Context, t, s.below(regA, 1))
	s.storeScalar(s.Context, t, s.below(regA, 2))
	s.addScalar(column[0], norm, d)
	s.loadScalar(s.Context, sweepField("one"), inverse)
	s.divideScalar(d, inverse, inverse)
	s.divideScalar(norm, d, low.t0)
	s.multiplyScalar(inverse, column[1], low.v1)
	s.multiplyScalar(inverse, column[2], low.v2)
	s.multiplyScalar(low.t0, low.v1, low.t1)
	s.multiplyScalar(low.t0, low.v2, low.t2)
	for i, r := range c.all() {
		s.storeScalar(s.Context, r.AsX(), operand.Mem{Base: regFactors, Disp: i * s.bytes})
		s.broadcast(s.Context, r.AsX(), r)
	}
	return c
}

// reflectBlock applies the reflector from both sides to the elements in its own rows and columns and to those of the row below from the right, element by
// element: none of them has been part of a vector that was stored just before. It leaves the next column in the first three registers.
func (s vectorSet) reflectBlock(c coefficients) {
	const order = 3
	x := s.low()
	m := arithmetic{s, true}
	at := func(i, j int) operand.Mem { return s.below(regBlock, i).Offset(j * s.bytes) }
	element := func(i, j int) reg.VecPhysical { return x[order*i+j] }
	t := x[order*order:][:2]
	for j := range order {
		for i := range order {
			s.loadScalar(s.Context, at(i, j), element(i, j))
		}
		m.reflect(c, element(0, j), element(1, j), element(2, j), t[j%2])
	}
	for i := range order {
		m.reflect(c, element(i, 0), element(i, 1), element(i, 2), t[i%2])
		for j := range order {
			s.storeScalar(s.Context, element(i, j), at(i, j))
		}
	}
	next := x[:order]
	m.copy(element(1, 0), next[0])
	m.copy(element(2, 0), next[1])
	s.VXORPS(next[2], next[2], next[2])
	s.DECQ(sweepField("below"))
	s.JLT(operand.LabelRef("no_row"))
	row := []reg.VecPhysical{next[2], x[order], x[order+1]}
	for j, r := range row {
		s.loadScalar(s.Context, at(order, j), r)
	}
	m.reflect(c, row[0], row[1], row[2], t[0])
	for j, r := range row {
		s.storeScalar(s.Context, r, at(order, j))
	}
	s.Label("no_row")
}

// reflectRight applies the reflector to the columns right of its own.
func (s vectorSet) reflectRight(c coefficients) {
	rightSide{s, 1, 3, func(single bool, mask reg.Register) {
		coefs := c
		if single {
			coefs = c.scalars()
		}
		s.columnsAt(coefs, single, mask)
	}}.generate()
}

// rightSide generates the application of a reflector to the regWidth numbers of its rows that begin so many of them behind regBlock. Vectors begin at the
// same columns in every step: one that began a column further would have to wait for two stores of the step before.
type rightSide struct {
	vectorSet
	numbers, before int // real numbers of an element, and in front of the first one
	// columns generates the work on the vector of columns, or with a mask on some of them, or on one element, at regColumn.
	columns func(single bool, mask reg.Register)
}

func (s rightSide) generate() {
	s.TESTQ(regWidth, regWidth)
	s.JLE(operand.LabelRef("right_done"))
	if s.wide && s.numbers == 1 {
		s.masked()
	} else {
		s.byElements()
	}
	s.Label("right_done")
}

// columnsAt applies the reflector to the vector of columns, or with a mask to some of them, or to one column, at regColumn.
func (s vectorSet) columnsAt(c coefficients, single bool, mask reg.Register) {
	m := arithmetic{s, single}
	x := s.registers[3:7]
	if single {
		x = s.low()[3:7]
	}
	for k := range 3 {
		switch at := s.below(regColumn, k); {
		case single:
			s.loadScalar(s.Context, at, x[k])
		case mask != nil:
			s.loadMasked(s.Context, at, mask, x[k])
		default:
			s.move(s.Context, at, x[k])
		}
	}
	m.reflect(c, x[0], x[1], x[2], x[3])
	for k := range 3 {
		switch at := s.below(regColumn, k); {
		case single:
			s.storeScalar(s.Context, x[k], at)
		case mask != nil:
			s.move(s.Context, x[k], mask, at)
		default:
			s.move(s.Context, x[k], at)
		}
	}
}

// masked begins at a multiple of the vector and masks what lies outside.
func (s rightSide) masked() {
	lanes := s.vectorBytes / s.bytes
	shift := operand.Imm(uint64(log2(lanes)))
	s.MOVQ(regPhase, regTimes)
	s.NEGQ(regTimes)
	s.LEAQ(operand.Mem{Base: regBlock, Index: regTimes, Scale: uint8(s.bytes), Disp: s.before * s.bytes}, regColumn)
	s.MOVQ(operand.U32(1<<lanes-1), regLeft)
	s.SHLXQ(regPhase, regLeft, regLeft)
	s.KMOVW(regLeft.As32(), firstMask)
	s.LEAQ(operand.Mem{Base: regWidth, Index: regPhase, Scale: 1, Disp: lanes - 1}, regTimes)
	s.SHRQ(shift, regTimes)
	s.DECQ(regTimes)
	s.JNZ(operand.LabelRef("right_many"))
	s.KANDW(firstMask, endMask, firstMask)
	s.columns(false, firstMask)
	s.JMP(operand.LabelRef("right_done"))
	s.Label("right_many")
	s.columns(false, firstMask)
	s.ADDQ(operand.Imm(uint64(s.vectorBytes)), regColumn)
	s.DECQ(regTimes)
	s.JZ(operand.LabelRef("right_last"))
	s.Label("right_vector")
	s.columns(false, nil)
	s.ADDQ(operand.Imm(uint64(s.vectorBytes)), regColumn)
	s.DECQ(regTimes)
	s.JNZ(operand.LabelRef("right_vector"))
	s.Label("right_last")
	s.columns(false, endMask)
}

// byElements takes what lies before the first multiple of the vector and behind the last one element by element: masked stores are slow with AVX2, and
// complex numbers of 128 bits are few enough that it is worth not to wait for masked stores of the step before.
func (s rightSide) byElements() {
	lanes := s.vectorBytes / s.bytes
	elements := func() { // numbers to elements
		if s.numbers > 1 {
			s.SHRQ(operand.Imm(uint64(log2(s.numbers))), regTimes)
		}
	}
	step := func(label string, single bool) {
		bytes := s.vectorBytes
		if single {
			bytes = s.numbers * s.bytes
		}
		s.Label(label)
		s.columns(single, nil)
		s.ADDQ(operand.Imm(uint64(bytes)), regColumn)
		s.DECQ(regTimes)
		s.JNZ(operand.LabelRef(label))
	}
	s.LEAQ(operand.Mem{Base: regBlock, Disp: s.before * s.bytes}, regColumn)
	s.MOVQ(regWidth, regLeft) // columns that are left
	s.MOVQ(operand.U32(lanes), regTimes)
	s.SUBQ(regPhase, regTimes)
	s.ANDQ(operand.Imm(uint64(lanes-1)), regTimes)
	s.CMPQ(regTimes, regLeft)
	s.CMOVQGT(regLeft, regTimes)
	s.SUBQ(regTimes, regLeft)
	elements()
	s.TESTQ(regTimes, regTimes)
	s.JZ(operand.LabelRef("right_begun"))
	step("right_first", true)
	s.Label("right_begun")
	s.MOVQ(regLeft, regTimes)
	s.SHRQ(operand.Imm(uint64(log2(lanes))), regTimes)
	s.JZ(operand.LabelRef("right_rest"))
	step("right_vector", false)
	s.Label("right_rest")
	s.MOVQ(regLeft, regTimes)
	s.ANDQ(operand.Imm(uint64(lanes-1)), regTimes)
	s.JZ(operand.LabelRef("right_done"))
	elements()
	step("right_last", true)
}

// reflectAbove applies the reflector from the right to the rows of the group above its own.
func (s vectorSet) reflectAbove(c coefficients) {
	x := s.low()[3:7]
	s.MOVQ(regAbove, regTimes)
	s.TESTQ(regTimes, regTimes)
	s.JZ(operand.LabelRef("above_done"))
	s.Label("above")
	s.SUBQ(regRowA, regBlock)
	for j := range 3 {
		s.loadScalar(s.Context, operand.Mem{Base: regBlock, Disp: j * s.bytes}, x[j])
	}
	arithmetic{s, true}.reflect(c, x[0], x[1], x[2], x[3])
	for j := range 3 {
		s.storeScalar(s.Context, x[j], operand.Mem{Base: regBlock, Disp: j * s.bytes})
	}
	s.DECQ(regTimes)
	s.JNZ(operand.LabelRef("above"))
	s.Label("above_done")
}

func log2(n int) int {
	k := 0
	for 1<<k < n {
		k++
	}
	return k
}

// squares generates what works on squares of as many rows and columns as a group of reflectColumns has.
type squares struct {
	vectorSet
	side int
	// A square by rows, another one, the two columns that wait for the next square, the rest.
	rows, free, pending, others []reg.VecPhysical
}

// newSquares takes the registers that hold a row of a square: half of those of AVX-512 for single precision, half of those of AVX2 for that, too.
func newSquares(s vectorSet) squares {
	side := s.groupRows()
	registers := make([]reg.VecPhysical, len(s.registers))
	for i, r := range s.registers {
		switch side * s.bytes {
		case 64:
			registers[i] = r
		case 32:
			registers[i] = r.AsY().(reg.VecPhysical)
		default:
			registers[i] = lowOf(r)
		}
	}
	return squares{s, side, registers[:side], registers[side : 2*side], registers[2*side : 2*side+2], registers[2*side+2:]}
}

// reflectColumns generates the kernel that applies a run of reflectors to the columns of a group of rows. Squares of the group are transposed in
// registers, so that the elements of a column are in one of them; the last two columns of a square wait for the next one.
func (s vectorSet) reflectColumns() {
	q := newSquares(s)
	q.begin("reflectColumns"+s.name+s.set(), "applies reflectors to columns, see ReflectColumns.")
	q.MOVQ(sweepField("a"), regA)
	q.MOVQ(sweepField("stride"), regRowA)
	q.MOVQ(sweepField("reflectors"), regFactors)
	stridesA.multiply(q.Context)
	saved := q.others[:2] // of the registers that reflectors take
	keep := func(columns []reg.VecPhysical) {
		for k, to := range saved {
			q.VMOVAPS(columns[q.side-2+k], to)
		}
	}
	wait := func() {
		for k, from := range saved {
			q.VMOVAPS(from, q.pending[k])
		}
	}
	for i, r := range q.rows {
		q.loadTwo(q.Context, elementA(i), r.AsX())
	}
	columns, _ := q.transposed(q.rows, q.free)
	for k, to := range q.pending {
		q.VMOVAPS(columns[k], to)
	}
	q.CMPQ(sweepField("chunks"), operand.Imm(0))
	q.JEQ(operand.LabelRef("rest"))
	q.Label("chunk")
	columns = q.loadColumns("")
	q.reflectSquare(columns, "")
	keep(columns)
	q.storeColumns(columns, "")
	wait()
	q.ADDQ(operand.Imm(uint64(q.side*q.bytes)), regA)
	q.ADDQ(operand.U32(5*q.side*q.bytes), regFactors)
	q.DECQ(sweepField("chunks"))
	q.JNZ(operand.LabelRef("chunk"))
	q.Label("rest")
	q.MOVQ(sweepField("rest"), regTimes)
	q.TESTQ(regTimes, regTimes)
	q.JZ(operand.LabelRef("final"))
	columns = q.loadColumns("rest")
	q.reflectSquare(columns, "reflected")
	q.Label("reflected")
	keep(columns)
	q.storeColumns(columns, "last")
	wait()
	q.ADDQ(operand.Imm(uint64(q.side*q.bytes)), regA)
	q.Label("final")
	q.storeColumns(columns, "final")
	q.VZEROUPPER()
	q.RET()
}

// selected prepares loads or stores of the elements that the fields of that name select; all are for no name.
func (q squares) selected(name string) (rest bool) {
	if name == "" {
		return false
	}
	if q.wide {
		q.KMOVW(sweepField(name+"Mask"), restMask)
		return true
	}
	q.MOVQ(sweepField(name+"Lanes"), regLeft)
	q.move(q.Context, operand.Mem{Base: regLeft}, q.laneRegister(restLanes))
	return true
}

// laneRegister returns the part of the register that masks a row of a square.
func (q squares) laneRegister(r reg.VecPhysical) reg.VecPhysical {
	if q.side*q.bytes == 16 {
		return lowOf(r)
	}
	return r
}

// loadColumns returns registers with the columns of the square that begins two columns after regA.
func (q squares) loadColumns(name string) []reg.VecPhysical {
	rest := q.selected(name)
	for i, r := range q.rows {
		from := elementA(i).Offset(2 * q.bytes)
		switch {
		case !rest:
			q.move(q.Context, from, r)
		case q.wide:
			q.loadMasked(q.Context, from, restMask, r)
		default:
			q.moveLanes(q.Context, from, q.laneRegister(restLanes), r)
		}
	}
	columns, _ := q.transposed(q.rows, q.free)
	return columns
}

// reflectSquare applies as many reflectors as a square has columns to the pending columns and those of the square. With a label it goes there as soon as
// regTimes of them are done.
func (q squares) reflectSquare(columns []reg.VecPhysical, label string) {
	m := arithmetic{vectorSet: q.vectorSet}
	run := append(append([]reg.VecPhysical{}, q.pending...), columns...)
	t := q.others[0]
	c := newCoefficients(q.others[1:])
	for k := range q.side {
		for i, x := range c.all() {
			q.broadcast(q.Context, operand.Mem{Base: regFactors, Disp: (5*k + i) * q.bytes}, x)
		}
		m.reflect(c, run[k], run[k+1], run[k+2], t)
		if label != "" && k+1 < q.side {
			q.DECQ(regTimes)
			q.JZ(operand.LabelRef(label))
		}
	}
}

// storeColumns stores the pending columns and those of the square, all but the last two, as rows from regA on.
func (q squares) storeColumns(columns []reg.VecPhysical, name string) {
	square := append(append([]reg.VecPhysical{}, q.pending...), columns[:q.side-2]...)
	var free []reg.VecPhysical
	for _, r := range append(append([]reg.VecPhysical{}, q.rows...), q.free...) {
		used := false
		for _, x := range square {
			used = used || x == r
		}
		if !used {
			free = append(free, r)
		}
	}
	rows, _ := q.transposed(square, free[:q.side])
	rest := q.selected(name)
	for i, r := range rows {
		to := elementA(i)
		switch {
		case !rest:
			q.move(q.Context, r, to)
		case q.wide:
			q.move(q.Context, r, restMask, to)
		default:
			q.moveLanes(q.Context, r, q.laneRegister(restLanes), to)
		}
	}
}

// transposed returns registers with the transpose of the square in x, and as many others. It uses x and t.
func (q squares) transposed(x, t []reg.VecPhysical) (result, others []reg.VecPhysical) {
	for i := 0; i < q.side; i += 2 { // elements of two rows beside one another
		q.unpackLow(q.Context, x[i+1], x[i], t[i])
		q.unpackHigh(q.Context, x[i+1], x[i], t[i+1])
	}
	if !q.double { // of four rows
		for i := 0; i < q.side; i += 4 {
			for k := range 2 {
				q.VUNPCKLPD(t[i+k+2], t[i+k], x[i+2*k])
				q.VUNPCKHPD(t[i+k+2], t[i+k], x[i+2*k+1])
			}
		}
		x, t = t, x
	}
	const lowHalves, highHalves = 0x20, 0x31
	const even, odd = 0x88, 0xdd
	switch {
	case q.side == 4 && !q.double:
		return t, x
	case q.side == 4:
		for k := range 2 {
			q.VPERM2F128(operand.Imm(lowHalves), t[2+k], t[k], x[k])
			q.VPERM2F128(operand.Imm(highHalves), t[2+k], t[k], x[2+k])
		}
		return x, t
	case !q.double:
		for k := range 4 {
			q.VSHUFF64X2(operand.Imm(0), t[4+k], t[k], x[k])
			q.VSHUFF64X2(operand.Imm(3), t[4+k], t[k], x[4+k])
		}
		return x, t
	}
	for k := range 2 {
		q.VSHUFF64X2(operand.Imm(even), t[2+k], t[k], x[k])
		q.VSHUFF64X2(operand.Imm(odd), t[2+k], t[k], x[2+k])
		q.VSHUFF64X2(operand.Imm(even), t[6+k], t[4+k], x[4+k])
		q.VSHUFF64X2(operand.Imm(odd), t[6+k], t[4+k], x[6+k])
	}
	for k := range 4 { // column k and column k+4, the even and the odd quarters of the pairs
		q.VSHUFF64X2(operand.Imm(even), x[4+k], x[k], t[k])
		q.VSHUFF64X2(operand.Imm(odd), x[4+k], x[k], t[4+k])
	}
	return t, x
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
			s.reflectColumns()
			s.reflectTwoRows()
			newBulge(s).function()
		}
	}
	write(dir, "gen_sweep_avx512_amd64", compile(avx512))
	write(dir, "gen_sweep_avx2_amd64", compile(avx2))
	writeFile(dir, "gen_sweep_args_amd64.go", sweepBlock.source())
	writeFile(dir, "gen_bulge_args_amd64.go", bulgeBlock.source())
}
