package bulge

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// General registers of pencil that doubleShift uses otherwise: the first element of P that both reflectors of a step
// change, and the right reflector.
var regBlockP, regRight = reg.R10, reg.R11

// pencil generates the kernel of PencilChase. The left reflector of a step depends on column k of S, the right one on
// the block of P that the left one has changed, and the next left one on the block of S that both have changed. All
// other work is independent of the reflector that is being made, and comes behind it:
//
//	made                       meanwhile
//	right reflector of step k  left one of step k applied to S and P
//	left one of step k+1       right one of step k applied to P and to the rows above
//
// RegA points to element (k+1, k) of S, regBlock and regBlockP to (k+1, k+1). The registers hold
//
//	register   contents
//	0-2        column k of S; the vector that the right reflector is made of
//	3-8        rows and columns, scratch; with 0-2 the block of P
//	1 2 9 10 0 V1 V2 T0 T1 T2 of the reflector being made, scalars
//	11-15      the same of the reflector being applied, each in all elements of its register
func (s set) pencil() {
	s.Begin("pencil", false, chaseBlock, "chases a bulge down a pair of matrices, see PencilChase.")
	s.MOVQ(chaseField("a"), x86.RegA)
	s.SUBQ(operand.Imm(uint64(s.Bytes)), x86.RegA)
	s.MOVQ(chaseField("p"), regBlockP)
	s.MOVQ(regBlockP, regTimes)
	s.SUBQ(chaseField("a"), regTimes)
	s.MOVQ(regTimes, chaseField("toP"))
	s.MOVQ(chaseField("stride"), x86.RegRowA)
	s.MOVQ(chaseField("reflectors"), x86.RegFactors)
	s.MOVQ(chaseField("right"), regRight)
	s.MOVQ(chaseField("cols"), regWidth)
	s.MOVQ(chaseField("above"), regAbove)
	s.MOVQ(chaseField("phase"), regPhase)
	s.LEAQ(operand.Mem{Base: x86.RegRowA, Index: x86.RegRowA, Scale: 2}, regStride3)
	if s.Wide {
		s.KMOVW(chaseField("endMask"), endMask)
	}
	x := s.low()
	p := pencilStep{
		doubleShiftStep{set: s, order: 3, refined: true},
		coefficients{v1: x[1], v2: x[2], t0: x[9], t1: x[10], t2: x[0]}, newCoefficients(s.Registers[11:]),
	}
	two := p
	two.order, two.label = 2, "two_"
	s.firstReflector(func(given bool) {
		first := p
		first.given = given
		first.makeReflector("done", p.made)
	}, "made")
	p.makeReflector("done", p.made)
	s.JMP(operand.LabelRef("made"))
	s.Label("step")
	p.makeReflector("rest", p.made)
	p.rest("")
	s.nextColumns()
	s.Label("made")
	p.reflectFromBothSides()
	s.nextElement()
	s.DECQ(chaseField("steps"))
	s.JNZ(operand.LabelRef("step"))
	s.CMPQ(chaseField("short"), operand.Imm(0))
	s.JEQ(operand.LabelRef("rest"))
	two.makeReflector("rest", p.made)
	p.rest("before_")
	s.nextRow()
	two.reflectFromBothSides()
	two.rest("end_")
	s.DECQ(chaseField("short"))
	s.JMP(operand.LabelRef("done"))
	s.Label("left_only")
	s.INCQ(chaseField("leftMade"))
	s.JMP(operand.LabelRef("done"))
	s.Label("rest")
	p.rest("last_")
	s.Label("done")
	s.Finish()
}

// pencilStep is a step of a bulge of a pair.
type pencilStep struct {
	doubleShiftStep
	made, applied coefficients
}

// apply makes the reflector that has been made the one that is applied.
func (s pencilStep) apply() {
	for i, r := range s.made.all() {
		s.Broadcast(r, s.applied.all()[i])
	}
}

// reflectFromBothSides applies the left reflector, makes the right one, and applies it to the rows of S from which the
// next left one is made. It leaves these elements in registers 0 to 2.
func (s pencilStep) reflectFromBothSides() {
	s.apply()
	s.startBlock()
	s.makeRight()
	s.leftToBlock()
	s.leftToColumns()
	s.apply()
	s.rightToBlock()
}

// makeRight applies the left reflector to its block of P and makes the right one, which maps the vector that is
// orthogonal to all rows of the block but the first to a multiple of e_1.
func (s pencilStep) makeRight() {
	x, m := s.low(), arithmetic{s.set, true}
	block := func(i, j int) reg.VecPhysical { return x[s.order*i+j] }
	for j := range s.order {
		column := make([]reg.VecPhysical, s.order)
		for i := range column {
			column[i] = block(i, j)
			s.MoveScalar(s.below(regBlockP, i).Offset(j*s.Bytes), column[i])
		}
		s.reflect(m, s.applied.scalars(), column, x[9+j%2])
	}
	for i := range s.order {
		for j := range s.order {
			s.MoveScalar(block(i, j), s.below(regBlockP, i).Offset(j*s.Bytes))
		}
	}
	if s.order == 2 {
		m.copy(block(1, 1), x[0])
		s.MoveScalar(chaseField("sign"), x[1])
		s.VXORPS(block(1, 0), x[1], x[1])
	} else {
		s.crossProduct(x[3:6], x[6:9], x[:3], x[9], x[10])
	}
	right := s.doubleShiftStep
	right.given, right.factors = true, regRight
	right.makeReflector("left_only", s.made)
}

// crossProduct sets z to the cross product of x and y, unless these are nearly parallel: then cancellation would make
// it inaccurate, and the chase ends. x[0], t and u are overwritten.
func (s pencilStep) crossProduct(x, y, z []reg.VecPhysical, t, u reg.VecPhysical) {
	m := arithmetic{s.set, true}
	square := func(v []reg.VecPhysical, to reg.VecPhysical) {
		s.MultiplyScalar(v[0], v[0], to)
		m.plus(v[1], v[1], to)
		m.plus(v[2], v[2], to)
	}
	for i := range z {
		j, k := (i+1)%len(z), (i+2)%len(z)
		s.MultiplyScalar(x[j], y[k], z[i])
		m.minus(x[k], y[j], z[i])
	}
	square(x, t)
	square(y, u)
	s.MultiplyScalar(u, t, t)
	s.MultiplyScalar(chaseField("parallel"), t, t)
	square(z, x[0])
	s.CompareScalar(t, x[0])
	s.JCS(operand.LabelRef("left_only")) // less, or not a number
}

// leftToBlock applies the left reflector to its block of S.
func (s pencilStep) leftToBlock() {
	x := s.low()[3:]
	for j := range s.order {
		at := func(i int) operand.Mem { return s.below(regBlock, i).Offset(j * s.Bytes) }
		for i := range s.order {
			s.MoveScalar(at(i), x[i])
		}
		s.reflect(arithmetic{s.set, true}, s.applied.scalars(), x, x[3])
		for i := range s.order {
			s.MoveScalar(x[i], at(i))
		}
	}
}

// leftToColumns applies the left reflector to the columns of S and P right of the blocks.
func (s pencilStep) leftToColumns() {
	rightSide{s.set, s.label, 1, s.order, func(single bool, mask reg.Register) {
		c := s.applied
		if single {
			c = c.scalars()
		}
		s.columnsAt(c, single, mask)
		s.ADDQ(chaseField("toP"), regColumn)
		s.columnsAt(c, single, mask)
		s.SUBQ(chaseField("toP"), regColumn)
	}}.generate()
}

// rightToBlock applies the right reflector to its block of S and to the row below.
func (s pencilStep) rightToBlock() {
	x := s.low()
	s.rightToRow(s.below(regBlock, 0), x[3], x[4], x[5], x[6])
	if s.order < 3 {
		s.rightToRow(s.below(regBlock, 1), x[3], x[4], x[5], x[6])
		return
	}
	s.rightToRow(s.below(regBlock, 1), x[0], x[4], x[5], x[6])
	s.rightToRow(s.below(regBlock, 2), x[1], x[4], x[5], x[6])
	s.VXORPS(x[2], x[2], x[2])
	s.DECQ(chaseField("below"))
	s.JLT(operand.LabelRef("no_row"))
	s.rightToRow(s.below(regBlock, 3), x[2], x[4], x[5], x[6])
	s.Label("no_row")
}

// rightToRow applies the right reflector to the elements of a row, in the registers x, y and z.
func (s pencilStep) rightToRow(at operand.Mem, x, y, z, t reg.VecPhysical) {
	row := []reg.VecPhysical{x, y, z}
	for j, r := range row[:s.order] {
		s.MoveScalar(at.Offset(j*s.Bytes), r)
	}
	s.reflect(arithmetic{s.set, true}, s.applied.scalars(), row, t)
	for j, r := range row[:s.order] {
		s.MoveScalar(r, at.Offset(j*s.Bytes))
	}
}

// rest applies the right reflector to its block of P, where it leaves zeros in the first column, and to the rows of S
// and P above, and goes to the next block of P.
func (s pencilStep) rest(label string) {
	x := s.low()[3:]
	zero := x[4]
	s.VXORPS(zero, zero, zero)
	for i := range s.order {
		s.rightToRow(s.below(regBlockP, i), x[0], x[1], x[2], x[3])
		if i > 0 {
			s.MoveScalar(zero, s.below(regBlockP, i))
		}
	}
	s.MOVQ(regBlockP, regColumn)
	s.MOVQ(regAbove, regTimes)
	s.TESTQ(regTimes, regTimes)
	s.JZ(operand.LabelRef(label + "above_done"))
	s.Label(label + "above")
	for _, block := range []reg.Register{regBlock, regColumn} {
		s.SUBQ(x86.RegRowA, block)
		s.rightToRow(operand.Mem{Base: block}, x[0], x[1], x[2], x[3])
	}
	s.DECQ(regTimes)
	s.JNZ(operand.LabelRef(label + "above"))
	s.Label(label + "above_done")
	s.LEAQ(operand.Mem{Base: regBlockP, Index: x86.RegRowA, Scale: 1, Disp: s.Bytes}, regBlockP)
	s.ADDQ(operand.Imm(uint64(5*s.Bytes)), regRight)
}
