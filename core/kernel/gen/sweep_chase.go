//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chase generates the kernel of the steps of a bulge. An element of the column that is eliminated next is kept in a register from the place where it
// is computed: a reflector waits for the one before it, and everything else can be done meanwhile.
func (s vectorSet) chase() {
	s.begin("chase"+s.name+s.set(), "chases a bulge, see Chase.")
	s.MOVQ(sweepField("a"), regA)
	s.SUBQ(operand.Imm(uint64(s.bytes)), regA)
	s.MOVQ(sweepField("stride"), regRowA)
	s.MOVQ(sweepField("reflectors"), regFactors)
	s.MOVQ(sweepField("cols"), regWidth)
	s.MOVQ(sweepField("above"), regAbove)
	s.MOVQ(sweepField("phase"), regPhase)
	s.LEAQ(operand.Mem{Base: regRowA, Index: regRowA, Scale: 2}, regStride3)
	if s.wide {
		s.stepsInTurn()
	} else {
		s.stepsAhead()
	}
	s.Label("done")
	s.VZEROUPPER()
	s.RET()
}

// firstReflector generates the reflector of the first step, with the function, and goes on at the label if it is not that of a column.
func (s vectorSet) firstReflector(reflector func(given bool), label string) {
	x := s.low()
	s.MOVQ(sweepField("start"), regLeft)
	s.TESTQ(regLeft, regLeft)
	s.JZ(operand.LabelRef("column"))
	for k := range 3 {
		s.loadScalar(s.Context, operand.Mem{Base: regLeft, Disp: k * s.bytes}, x[k])
	}
	reflector(true)
	s.JMP(operand.LabelRef(label))
	s.Label("column")
	for k := range 3 {
		s.loadScalar(s.Context, s.below(regA, k), x[k])
	}
}

// stepsInTurn does all of a step before the next one.
func (s vectorSet) stepsInTurn() {
	s.KMOVW(sweepField("endMask"), endMask)
	c := newCoefficients(s.registers[11:])
	three, two := chaseStep{vectorSet: s, order: 3}, chaseStep{vectorSet: s, order: 2, label: "two_"}
	s.firstReflector(func(given bool) {
		first := three
		first.given = given
		first.makeReflector("done", c)
	}, "made")
	s.Label("step")
	three.makeReflector("done", c)
	s.Label("made")
	three.startBlock()
	three.reflectBlock(c.scalars())
	three.reflectRest(c)
	s.nextElement()
	s.nextColumns()
	s.DECQ(sweepField("steps"))
	s.JNZ(operand.LabelRef("step"))
	s.CMPQ(sweepField("short"), operand.Imm(0))
	s.JEQ(operand.LabelRef("done"))
	s.INCQ(regWidth)
	s.LEAQ(operand.Mem{Base: regPhase, Disp: s.vectorBytes/s.bytes - 1}, regPhase)
	s.ANDQ(operand.Imm(uint64(s.vectorBytes/s.bytes-1)), regPhase)
	two.makeReflector("done", c)
	two.startBlock()
	two.reflectBlock(c.scalars())
	two.reflectRest(c)
	s.DECQ(sweepField("short"))
}

// stepsAhead makes the reflector of a step before the one of the step before is applied to the rest of its rows: that takes the time of the root and the
// divisions. Out of order the processor does not look that far ahead.
func (s vectorSet) stepsAhead() {
	x := s.low()
	made, c := coefficients{v1: x[1], v2: x[2], t0: x[9], t1: x[10], t2: x[0]}, newCoefficients(s.registers[11:])
	three, two := chaseStep{vectorSet: s, order: 3}, chaseStep{vectorSet: s, order: 2, label: "two_"}
	// restOf does what is left of the step before, which has three rows.
	restOf := func(label string) {
		before := three
		before.label = label
		s.MOVQ(regA, regBlock)
		s.SUBQ(regRowA, regBlock)
		before.reflectRest(c)
	}
	block := func(step chaseStep) {
		for i, r := range c.scalars().all() {
			s.VMOVAPS(made.all()[i], r)
		}
		step.startBlock()
		step.reflectBlock(c.scalars())
		for _, r := range c.all() {
			s.broadcast(s.Context, r.AsX(), r)
		}
	}
	s.MOVQ(sweepField("beside"), regBeside)
	s.firstReflector(func(given bool) {
		first := three
		first.given = given
		first.makeReflector("done", made)
	}, "made")
	three.makeReflector("done", made)
	s.JMP(operand.LabelRef("made"))
	s.Label("step")
	three.makeReflector("rest", made)
	restOf("")
	s.nextColumns()
	s.Label("made")
	block(three)
	s.nextElement()
	s.DECQ(sweepField("steps"))
	s.JNZ(operand.LabelRef("step"))
	s.CMPQ(sweepField("short"), operand.Imm(0))
	s.JEQ(operand.LabelRef("rest"))
	two.makeReflector("rest", made)
	restOf("before_")
	s.nextRow()
	block(two)
	two.reflectRest(c)
	s.DECQ(sweepField("short"))
	s.JMP(operand.LabelRef("done"))
	s.Label("rest")
	restOf("last_")
}

// nextElement goes on to the reflector of the next step.
func (s vectorSet) nextElement() {
	s.LEAQ(operand.Mem{Base: regA, Index: regRowA, Scale: 1, Disp: s.bytes}, regA)
	s.ADDQ(operand.Imm(uint64(5*s.bytes)), regFactors)
}

// nextColumns goes on to what it changes.
func (s vectorSet) nextColumns() {
	s.DECQ(regWidth)
	s.nextRow()
	s.INCQ(regPhase)
	s.ANDQ(operand.Imm(uint64(s.vectorBytes/s.bytes-1)), regPhase)
}

func (s vectorSet) nextRow() {
	s.INCQ(regAbove)
	s.ANDQ(operand.Imm(uint64(s.groupRows()-1)), regAbove)
	if !s.wide {
		s.ADDQ(regRowA, regBeside)
	}
}

// chaseStep is a step of a bulge.
type chaseStep struct {
	vectorSet
	order int    // rows of the reflector: 3, or 2 at the end of the block
	given bool   // the vector that is reflected is no column of the matrix
	label string // in front of the names of labels
}

// startBlock goes to the first element that the reflector changes from both sides.
func (s chaseStep) startBlock() { s.LEAQ(operand.Mem{Base: regA, Disp: s.bytes}, regBlock) }

// reflectRest applies the reflector to what is neither in its own rows and columns nor in the row below.
func (s chaseStep) reflectRest(c coefficients) {
	s.reflectRight(c)
	s.reflectAbove(c.scalars())
	if !s.wide {
		s.reflectBeside(c)
	}
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

// makeReflector generates the reflector of the column in the first registers, its numbers in all elements of the registers of c, which may be scalars in
// the first three and behind the ninth, and stores it and what is left of the column. It jumps to label if the sum of squares is not safe or nothing is to
// be eliminated.
func (s chaseStep) makeReflector(label string, c coefficients) {
	x := s.low()
	m := arithmetic{s.vectorSet, true}
	column, sum, all, norm, d, inverse, t := x[:s.order], x[3], x[4], x[5], x[6], x[7], x[8]
	low := c.scalars()
	s.multiplyScalar(column[1], column[1], sum)
	if s.order == 3 {
		m.plus(column[2], column[2], sum)
	}
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
	if !s.given {
		s.storeScalar(s.Context, all, s.below(regA, 0))
		for k := 1; k < s.order; k++ {
			s.storeScalar(s.Context, t, s.below(regA, k))
		}
	}
	s.addScalar(column[0], norm, d)
	s.loadScalar(s.Context, sweepField("one"), inverse)
	s.divideScalar(d, inverse, inverse)
	s.divideScalar(norm, d, low.t0)
	s.multiplyScalar(inverse, column[1], low.v1)
	s.multiplyScalar(low.t0, low.v1, low.t1)
	if s.order == 3 {
		s.multiplyScalar(inverse, column[2], low.v2)
		s.multiplyScalar(low.t0, low.v2, low.t2)
	} else {
		m.copy(t, low.v2)
		m.copy(t, low.t2)
	}
	for i, r := range c.all() {
		s.storeScalar(s.Context, r.AsX(), operand.Mem{Base: regFactors, Disp: i * s.bytes})
		if r != r.AsX() {
			s.broadcast(s.Context, r.AsX(), r)
		}
	}
}

// reflect applies the reflector to the first numbers of x, as many as it has rows. t is used.
func (s chaseStep) reflect(m arithmetic, c coefficients, x []reg.VecPhysical, t reg.VecPhysical) {
	if s.order == 3 {
		m.reflect(c, x[0], x[1], x[2], t)
	} else {
		m.reflectTwo(c, x[0], x[1], t)
	}
}

// reflectBlock applies the reflector from both sides to the elements in its own rows and columns and to those of the row below from the right, element by
// element. It leaves the next column in the first registers.
func (s chaseStep) reflectBlock(c coefficients) {
	order := s.order
	x := s.low()
	m := arithmetic{s.vectorSet, true}
	at := func(i, j int) operand.Mem { return s.below(regBlock, i).Offset(j * s.bytes) }
	element := func(i, j int) reg.VecPhysical { return x[order*i+j] }
	t := x[order*order:][:2]
	for j := range order {
		column := make([]reg.VecPhysical, order)
		for i := range column {
			column[i] = element(i, j)
			s.loadScalar(s.Context, at(i, j), column[i])
		}
		s.reflect(m, c, column, t[j%2])
	}
	for i := range order {
		row := x[order*i:][:order]
		s.reflect(m, c, row, t[i%2])
		for j, r := range row {
			s.storeScalar(s.Context, r, at(i, j))
		}
	}
	if order < 3 {
		return
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
	s.reflect(m, c, row, t[0])
	for j, r := range row {
		s.storeScalar(s.Context, r, at(order, j))
	}
	s.Label("no_row")
}

// reflectRight applies the reflector to the columns right of its own.
func (s chaseStep) reflectRight(c coefficients) {
	rightSide{s.vectorSet, s.label, 1, s.order, func(single bool, mask reg.Register) {
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
	label           string // in front of the names of labels
	numbers, before int    // real numbers of an element, and in front of the first one
	// columns generates the work on the vector of columns, or with a mask on some of them, or on one element, at regColumn.
	columns func(single bool, mask reg.Register)
}

// to returns the label of that name.
func (s rightSide) to(name string) operand.Op { return operand.LabelRef(s.label + name) }

func (s rightSide) generate() {
	s.TESTQ(regWidth, regWidth)
	s.JLE(s.to("right_done"))
	if s.wide && s.numbers == 1 {
		s.masked()
	} else {
		s.byElements()
	}
	s.Label(s.label + "right_done")
}

// columnsAt applies the reflector to the vector of columns, or with a mask to some of them, or to one column, at regColumn.
func (s chaseStep) columnsAt(c coefficients, single bool, mask reg.Register) {
	m := arithmetic{s.vectorSet, single}
	x := s.registers[3:7]
	if single {
		x = s.low()[3:7]
	}
	for k := range s.order {
		switch at := s.below(regColumn, k); {
		case single:
			s.loadScalar(s.Context, at, x[k])
		case mask != nil:
			s.loadMasked(s.Context, at, mask, x[k])
		default:
			s.move(s.Context, at, x[k])
		}
	}
	s.reflect(m, c, x, x[3])
	for k := range s.order {
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
	s.JNZ(s.to("right_many"))
	s.KANDW(firstMask, endMask, firstMask)
	s.columns(false, firstMask)
	s.JMP(s.to("right_done"))
	s.Label(s.label + "right_many")
	s.columns(false, firstMask)
	s.ADDQ(operand.Imm(uint64(s.vectorBytes)), regColumn)
	s.DECQ(regTimes)
	s.JZ(s.to("right_last"))
	s.Label(s.label + "right_vector")
	s.columns(false, nil)
	s.ADDQ(operand.Imm(uint64(s.vectorBytes)), regColumn)
	s.DECQ(regTimes)
	s.JNZ(s.to("right_vector"))
	s.Label(s.label + "right_last")
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
		s.Label(s.label + label)
		s.columns(single, nil)
		s.ADDQ(operand.Imm(uint64(bytes)), regColumn)
		s.DECQ(regTimes)
		s.JNZ(s.to(label))
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
	s.JZ(s.to("right_begun"))
	step("right_first", true)
	s.Label(s.label + "right_begun")
	s.MOVQ(regLeft, regTimes)
	s.SHRQ(operand.Imm(uint64(log2(lanes))), regTimes)
	s.JZ(s.to("right_rest"))
	step("right_vector", false)
	s.Label(s.label + "right_rest")
	s.MOVQ(regLeft, regTimes)
	s.ANDQ(operand.Imm(uint64(lanes-1)), regTimes)
	s.JZ(s.to("right_done"))
	elements()
	step("right_last", true)
}

// reflectAbove applies the reflector from the right to the rows of the group above its own.
func (s chaseStep) reflectAbove(c coefficients) {
	x := s.low()[3:7]
	s.MOVQ(regAbove, regTimes)
	s.TESTQ(regTimes, regTimes)
	s.JZ(operand.LabelRef(s.label + "above_done"))
	s.Label(s.label + "above")
	s.SUBQ(regRowA, regBlock)
	for j := range s.order {
		s.loadScalar(s.Context, operand.Mem{Base: regBlock, Disp: j * s.bytes}, x[j])
	}
	s.reflect(arithmetic{s.vectorSet, true}, c, x, x[3])
	for j := range s.order {
		s.storeScalar(s.Context, x[j], operand.Mem{Base: regBlock, Disp: j * s.bytes})
	}
	s.DECQ(regTimes)
	s.JNZ(operand.LabelRef(s.label + "above"))
	s.Label(s.label + "above_done")
}

// reflectBeside applies the reflector to rows of the other matrix.
func (s chaseStep) reflectBeside(c coefficients) {
	s.MOVQ(sweepField("vectorsBeside"), regTimes)
	s.TESTQ(regTimes, regTimes)
	s.JZ(operand.LabelRef(s.label + "beside_done"))
	s.MOVQ(regBeside, regColumn)
	s.Label(s.label + "beside")
	s.columnsAt(c, false, nil)
	s.ADDQ(operand.Imm(uint64(s.vectorBytes)), regColumn)
	s.DECQ(regTimes)
	s.JNZ(operand.LabelRef(s.label + "beside"))
	s.Label(s.label + "beside_done")
}

func log2(n int) int {
	k := 0
	for 1<<k < n {
		k++
	}
	return k
}
