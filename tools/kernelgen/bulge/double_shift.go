package bulge

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// doubleShift generates the kernel of DoubleShiftChase. Each reflector depends on the one before it through the column
// that it eliminates. The elements of that column therefore stay in registers from where they are computed, and all
// other work is done while the next reflector waits for its square root and divisions.
//
// Step k has these elements in registers, as scalars (3x3 block, row below) or as vectors of columns:
//
//	column    k     k+1 k+2 k+3   k+4 ... End-1
//	row k+1   x0    x0  x1  x2    3           reflectBlock: from the left, then from the right
//	row k+2   x1    x3  x4  x5    4           reflectRight: columns from k+4 on, from the left
//	row k+3   x2    x6  x7  x8    5
//	row k+4         x2  x0* x1*               from the right only; *: the registers x3 and x4
//
// RegA points to element (k+1, k), regBlock to (k+1, k+1). The registers hold in turn
//
//	register   makeReflector            reflectBlock           reflectRight, reflectAbove, reflectOther
//	0-2        column k                 block; at its end      column k+1, for the next step
//	                                    column k+1
//	3-5        sums of squares, norm    block                  three rows or columns
//	6          x_0 + norm               block                  v^T times these
//	7, 8       1/(x_0 + norm), scratch  block
//	9, 10                               scratch
//	11-15      V1 V2 T0 T1 T2 of the reflector, each in all elements of its register
//
// stepsAhead (AVX2) makes the reflector of step k+1 in the scalars 1, 2, 9, 10 and 0 while 11-15 still hold that of
// step k, and copies it to 11-15 when step k is complete.
func (s set) doubleShift() {
	s.Begin("doubleShift", false, chaseBlock, "chases a bulge, see DoubleShiftChase.")
	s.MOVQ(chaseField("a"), x86.RegA)
	s.SUBQ(operand.Imm(uint64(s.Bytes)), x86.RegA)
	s.MOVQ(chaseField("stride"), x86.RegRowA)
	s.MOVQ(chaseField("reflectors"), x86.RegFactors)
	s.MOVQ(chaseField("cols"), regWidth)
	s.MOVQ(chaseField("above"), regAbove)
	s.MOVQ(chaseField("phase"), regPhase)
	s.LEAQ(operand.Mem{Base: x86.RegRowA, Index: x86.RegRowA, Scale: 2}, regStride3)
	if s.Wide {
		s.stepsInTurn()
	} else {
		s.stepsAhead()
	}
	s.Label("done")
	s.Finish()
}

// firstReflector generates the reflector of the first step, with the function, and goes on at the label if it is not
// that of a column.
func (s set) firstReflector(reflector func(given bool), label string) {
	x := s.low()
	s.MOVQ(chaseField("start"), x86.RegLeft)
	s.TESTQ(x86.RegLeft, x86.RegLeft)
	s.JZ(operand.LabelRef("column"))
	for k := range 3 {
		s.MoveScalar(operand.Mem{Base: x86.RegLeft, Disp: k * s.Bytes}, x[k])
	}
	reflector(true)
	s.JMP(operand.LabelRef(label))
	s.Label("column")
	for k := range 3 {
		s.MoveScalar(s.below(x86.RegA, k), x[k])
	}
}

// stepsInTurn completes each step before it begins the next one.
func (s set) stepsInTurn() {
	s.KMOVW(chaseField("endMask"), endMask)
	c := newCoefficients(s.Registers[11:])
	three, two := doubleShiftStep{set: s, order: 3}, doubleShiftStep{set: s, order: 2, label: "two_"}
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
	s.DECQ(chaseField("steps"))
	s.JNZ(operand.LabelRef("step"))
	s.CMPQ(chaseField("short"), operand.Imm(0))
	s.JEQ(operand.LabelRef("done"))
	s.INCQ(regWidth)
	s.LEAQ(operand.Mem{Base: regPhase, Disp: s.VectorBytes/s.Bytes - 1}, regPhase)
	s.ANDQ(operand.Imm(uint64(s.VectorBytes/s.Bytes-1)), regPhase)
	two.makeReflector("done", c)
	two.startBlock()
	two.reflectBlock(c.scalars())
	two.reflectRest(c)
	s.DECQ(chaseField("short"))
}

// stepsAhead makes the reflector of step k+1 before it applies that of step k to the rest of its rows and columns. This
// work fills the time of the square root and the divisions, which is too long for out-of-order execution to fill.
func (s set) stepsAhead() {
	x := s.low()
	made, c := coefficients{v1: x[1], v2: x[2], t0: x[9], t1: x[10], t2: x[0]}, newCoefficients(s.Registers[11:])
	three, two := doubleShiftStep{set: s, order: 3}, doubleShiftStep{set: s, order: 2, label: "two_"}
	// restOf completes the previous step, which has three rows.
	restOf := func(label string) {
		before := three
		before.label = label
		s.MOVQ(x86.RegA, regBlock)
		s.SUBQ(x86.RegRowA, regBlock)
		before.reflectRest(c)
		s.ADDQ(x86.RegRowA, regOther)
	}
	block := func(step doubleShiftStep) {
		for i, r := range c.scalars().all() {
			s.VMOVAPS(made.all()[i], r)
		}
		step.startBlock()
		step.reflectBlock(c.scalars())
		for _, r := range c.all() {
			s.Broadcast(r.AsX(), r)
		}
	}
	s.MOVQ(chaseField("other"), regOther)
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
	s.DECQ(chaseField("steps"))
	s.JNZ(operand.LabelRef("step"))
	s.CMPQ(chaseField("short"), operand.Imm(0))
	s.JEQ(operand.LabelRef("rest"))
	two.makeReflector("rest", made)
	restOf("before_")
	s.nextRow()
	block(two)
	two.reflectRest(c)
	s.DECQ(chaseField("short"))
	s.JMP(operand.LabelRef("done"))
	s.Label("rest")
	restOf("last_")
}

// nextElement moves RegA and RegFactors to the next step.
func (s set) nextElement() {
	s.LEAQ(operand.Mem{Base: x86.RegA, Index: x86.RegRowA, Scale: 1, Disp: s.Bytes}, x86.RegA)
	s.ADDQ(operand.Imm(uint64(5*s.Bytes)), x86.RegFactors)
}

// nextColumns moves the counts of columns, and the row of the other matrix, to the next step.
func (s set) nextColumns() {
	s.DECQ(regWidth)
	s.nextRow()
	s.INCQ(regPhase)
	s.ANDQ(operand.Imm(uint64(s.VectorBytes/s.Bytes-1)), regPhase)
}

func (s set) nextRow() {
	s.INCQ(regAbove)
	s.ANDQ(operand.Imm(uint64(s.groupRows()-1)), regAbove)
}

// doubleShiftStep is a step of a bulge.
type doubleShiftStep struct {
	set
	order int    // rows of the reflector: 3, or 2 at the end of the block
	given bool   // the vector that is reflected is no column of the matrix
	label string // in front of the names of labels
	// Where the reflector is stored; RegFactors if nil.
	factors reg.Register
	refined bool // T0 is corrected, see Householder3.refine
}

// startBlock goes to the first element that the reflector changes from both sides.
func (s doubleShiftStep) startBlock() { s.LEAQ(operand.Mem{Base: x86.RegA, Disp: s.Bytes}, regBlock) }

// reflectRest applies the reflector to all elements but those of its 3x3 block and of the row below the block.
func (s doubleShiftStep) reflectRest(c coefficients) {
	s.reflectRight(c)
	s.reflectAbove(c.scalars())
	if !s.Wide {
		s.reflectOther(c)
	}
}

// below returns the element k rows, at most 3, below the one that base points to.
func (s set) below(base reg.Register, k int) operand.Mem {
	switch k {
	case 0:
		return operand.Mem{Base: base}
	case 3:
		return operand.Mem{Base: base, Index: regStride3, Scale: 1}
	}
	return operand.Mem{Base: base, Index: x86.RegRowA, Scale: uint8(k)}
}

// makeReflector generates the reflector of the column in registers 0 to 2. It broadcasts its numbers to the registers
// of c, or keeps scalars if these are scalars, which may be registers 0 to 2, 9 and above. It stores the reflector and
// the column after elimination. It jumps to label if the sum of squares is not safe or nothing is to be eliminated.
func (s doubleShiftStep) makeReflector(label string, c coefficients) {
	x := s.low()
	m := arithmetic{s.set, true}
	column, sum, all, norm, d, inverse, t := x[:s.order], x[3], x[4], x[5], x[6], x[7], x[8]
	low := c.scalars()
	s.MultiplyScalar(column[1], column[1], sum)
	if s.order == 3 {
		m.plus(column[2], column[2], sum)
	}
	m.copy(sum, all)
	m.plus(column[0], column[0], all)
	s.CompareScalar(chaseField("least"), all)
	s.JCS(operand.LabelRef(label)) // below, or not a number
	s.CompareScalar(chaseField("most"), all)
	s.JHI(operand.LabelRef(label))
	s.VXORPS(t, t, t)
	s.CompareScalar(t, sum)
	s.JEQ(operand.LabelRef(label))
	s.SquareRootScalar(all, norm)
	s.MoveScalar(chaseField("sign"), d)
	s.VANDPS(d, column[0], inverse)
	s.VORPS(inverse, norm, norm) // the norm with the sign of the first element
	s.VXORPS(d, norm, all)
	if !s.given {
		s.MoveScalar(all, s.below(x86.RegA, 0))
		for k := 1; k < s.order; k++ {
			s.MoveScalar(t, s.below(x86.RegA, k))
		}
	}
	s.AddScalar(column[0], norm, d)
	s.MoveScalar(chaseField("one"), inverse)
	s.DivideScalar(d, inverse, inverse)
	s.DivideScalar(norm, d, low.t0)
	s.MultiplyScalar(inverse, column[1], low.v1)
	if s.order == 3 {
		s.MultiplyScalar(inverse, column[2], low.v2)
	}
	if s.refined {
		s.refine(low, sum, all)
	}
	s.MultiplyScalar(low.t0, low.v1, low.t1)
	if s.order == 3 {
		s.MultiplyScalar(low.t0, low.v2, low.t2)
	} else {
		m.copy(t, low.v2)
		m.copy(t, low.t2)
	}
	var factors reg.Register = x86.RegFactors
	if s.factors != nil {
		factors = s.factors
	}
	for i, r := range c.all() {
		s.MoveScalar(r.AsX(), operand.Mem{Base: factors, Disp: i * s.Bytes})
		if r != r.AsX() {
			s.Broadcast(r.AsX(), r)
		}
	}
}

// refine corrects T0, see Householder3.refine. x and y are overwritten.
func (s doubleShiftStep) refine(c coefficients, x, y reg.VecPhysical) {
	m := arithmetic{s.set, true}
	if s.order == 3 {
		s.MultiplyScalar(c.v2, c.v2, x)
		m.plus(c.v1, c.v1, x)
	} else {
		s.MultiplyScalar(c.v1, c.v1, x)
	}
	s.MoveScalar(chaseField("one"), y)
	s.SubtractScalar(y, c.t0, y)
	s.SubtractScalar(chaseField("one"), y, y)
	m.plus(c.t0, x, y) // the excess of T0 |v|^2 over 2
	s.MultiplyScalar(chaseField("half"), y, y)
	m.minus(y, c.t0, c.t0)
}

// reflect applies the reflector to x[0], x[1] and, if it has three rows, x[2]. t is overwritten.
func (s doubleShiftStep) reflect(m arithmetic, c coefficients, x []reg.VecPhysical, t reg.VecPhysical) {
	if s.order == 3 {
		m.reflect(c, x[0], x[1], x[2], t)
	} else {
		m.reflectTwo(c, x[0], x[1], t)
	}
}

// reflectBlock applies the reflector from both sides to the elements in its own rows and columns and to those of the
// row below from the right, element by element. It leaves the next column in the first registers.
func (s doubleShiftStep) reflectBlock(c coefficients) {
	order := s.order
	x := s.low()
	m := arithmetic{s.set, true}
	at := func(i, j int) operand.Mem { return s.below(regBlock, i).Offset(j * s.Bytes) }
	element := func(i, j int) reg.VecPhysical { return x[order*i+j] }
	t := x[order*order:][:2]
	for j := range order {
		column := make([]reg.VecPhysical, order)
		for i := range column {
			column[i] = element(i, j)
			s.MoveScalar(at(i, j), column[i])
		}
		s.reflect(m, c, column, t[j%2])
	}
	for i := range order {
		row := x[order*i:][:order]
		s.reflect(m, c, row, t[i%2])
		for j, r := range row {
			s.MoveScalar(r, at(i, j))
		}
	}
	if order < 3 {
		return
	}
	next := x[:order]
	m.copy(element(1, 0), next[0])
	m.copy(element(2, 0), next[1])
	s.VXORPS(next[2], next[2], next[2])
	s.DECQ(chaseField("below"))
	s.JLT(operand.LabelRef("no_row"))
	row := []reg.VecPhysical{next[2], x[order], x[order+1]}
	for j, r := range row {
		s.MoveScalar(at(order, j), r)
	}
	s.reflect(m, c, row, t[0])
	for j, r := range row {
		s.MoveScalar(r, at(order, j))
	}
	s.Label("no_row")
}

// reflectRight applies the reflector to the columns right of its own.
func (s doubleShiftStep) reflectRight(c coefficients) {
	rightSide{s.set, s.label, 1, s.order, func(single bool, mask reg.Register) {
		coefs := c
		if single {
			coefs = c.scalars()
		}
		s.columnsAt(coefs, single, mask)
	}}.generate()
}

// columnsAt applies the reflector to the vector of columns, or with a mask to some of them, or to one column, at
// regColumn.
func (s doubleShiftStep) columnsAt(c coefficients, single bool, mask reg.Register) {
	m := arithmetic{s.set, single}
	x := s.Registers[3:7]
	if single {
		x = s.low()[3:7]
	}
	for k := range s.order {
		switch at := s.below(regColumn, k); {
		case single:
			s.MoveScalar(at, x[k])
		case mask != nil:
			s.LoadMasked(at, mask, x[k])
		default:
			s.Move(at, x[k])
		}
	}
	s.reflect(m, c, x, x[3])
	for k := range s.order {
		switch at := s.below(regColumn, k); {
		case single:
			s.MoveScalar(x[k], at)
		case mask != nil:
			s.Move(x[k], mask, at)
		default:
			s.Move(x[k], at)
		}
	}
}

// reflectAbove applies the reflector from the right to the rows of the group above its own.
func (s doubleShiftStep) reflectAbove(c coefficients) {
	x := s.low()[3:7]
	s.MOVQ(regAbove, regTimes)
	s.TESTQ(regTimes, regTimes)
	s.JZ(operand.LabelRef(s.label + "above_done"))
	s.Label(s.label + "above")
	s.SUBQ(x86.RegRowA, regBlock)
	for j := range s.order {
		s.MoveScalar(operand.Mem{Base: regBlock, Disp: j * s.Bytes}, x[j])
	}
	s.reflect(arithmetic{s.set, true}, c, x, x[3])
	for j := range s.order {
		s.MoveScalar(x[j], operand.Mem{Base: regBlock, Disp: j * s.Bytes})
	}
	s.DECQ(regTimes)
	s.JNZ(operand.LabelRef(s.label + "above"))
	s.Label(s.label + "above_done")
}

// reflectOther applies the reflector to the rows of the other matrix.
func (s doubleShiftStep) reflectOther(c coefficients) {
	s.MOVQ(chaseField("otherVectors"), regTimes)
	s.TESTQ(regTimes, regTimes)
	s.JZ(operand.LabelRef(s.label + "beside_done"))
	s.MOVQ(regOther, regColumn)
	s.Label(s.label + "beside")
	s.columnsAt(c, false, nil)
	s.ADDQ(operand.Imm(uint64(s.VectorBytes)), regColumn)
	s.DECQ(regTimes)
	s.JNZ(operand.LabelRef(s.label + "beside"))
	s.Label(s.label + "beside_done")
}
