package batch

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// diagonalize generates the kernel of Problem.Diagonalize. A pass of its loop finds the unreduced block of rows that
// each lane works on, and does one sweep from the last row of all lanes to the first one, in which a lane stands still
// outside of its own block:
//
//	row        regTop ............ regBottom
//	lane 0          first ===== last
//	lane 1     first ============== last
//	lane 2                 first == last
//
//	register   scan                                sweep
//	0-2        first, last, current row            c, s, square = gamma^2/c^2 (pi^2)
//	3-6        d[first], d[first+1], e[first],     gamma, new d and e of the row below,
//	           d[last]                             current row
//	7          scratch                             sign of the last cosine
//	8-13       scratch to 11                       scratch; two columns of the rows that are rotated
//	14, 15     truth values (AVX2: 12-15)          truth values; then cosine and sine
func (k laneSet) diagonalize() {
	k.begin("diagonalize", 0, "diagonalizes tridiagonal matrices, see Problem.Diagonalize.")
	k.MOVQ(field("d"), regD)
	k.MOVQ(field("e"), regE)
	k.MOVQ(field("constants"), regLaneConstants)
	k.MOVQ(field("state"), regState)
	zero := k.Registers[0]
	k.Zero(zero)
	k.Move(zero, k.variable(laneCount))
	k.Move(k.constant(laneTiny), zero)
	k.Move(zero, k.variable(laneFloor))
	k.XORQ(regTop, regTop)
	k.Label("pass")
	k.scan()
	k.TESTQ(regBottom, regBottom)
	k.JS(k.label("done"))
	k.CMPQ(field("sweepsLeft"), operand.Imm(0))
	k.JE(k.label("done"))
	k.DECQ(field("sweepsLeft"))
	k.sweepRows()
	k.JMP(k.label("pass"))
	k.Label("done")
	k.Finish()
}

// scanned are the registers of scan. The shift is made of those of the first rows.
type scanned struct {
	first, last, index               reg.VecPhysical
	diagonal, next, coupling, bottom reg.VecPhysical // d[first], d[first+1], e[first], d[last]
	t                                []reg.VecPhysical
}

func (k laneSet) scanned() scanned {
	r := k.Registers
	return scanned{first: r[0], last: r[1], index: r[2], diagonal: r[3], next: r[4], coupling: r[5], bottom: r[6],
		t: r[7:12]}
}

// scan moves the first row of each lane past the eigenvalues that are found, and finds the last row of the unreduced
// block that begins there. Negligible couplings become zero. It leaves the last row but one of all lanes in regBottom,
// and in regTop the first.
func (k laneSet) scan() {
	s := k.scanned()
	inside, small, at := k.truth(0), k.truth(1), k.truth(2)
	one, e, limit := s.t[0], s.t[1], s.t[2]
	k.Move(k.constant(laneOne), one)
	k.Move(k.variable(laneFirst), s.first)
	k.Move(one, s.coupling)
	k.Move(one, s.diagonal)
	k.Move(one, s.next)
	k.MOVQ(field("order"), regIndex)
	k.DECQ(regIndex)
	k.number(regIndex, s.last)
	k.MOVQ(regIndex, regCount)
	k.MOVQ(regIndex, regOffset)
	k.scale(regOffset)
	k.Move(k.row(regD, 0), s.bottom)
	k.number(regTop, s.index)
	k.MOVQ(operand.I32(-1), regBottom)
	k.MOVQ(regTop, regIndex)
	k.MOVQ(regTop, regOffset)
	k.scale(regOffset)
	k.Label("scan")
	k.CMPQ(regIndex, regCount)
	k.JGE(k.label("scanned"))
	k.Move(k.row(regD, 0), limit)
	k.Multiply(k.row(regD, 1), limit, limit)
	k.and(k.constant(laneModulus), limit, limit)
	k.Move(k.row(regE, 0), e)
	k.Move(k.variable(laneFloor), s.t[3])
	k.MultiplyAdd(k.constant(laneRelative), limit, s.t[3])
	k.compare(x86.CompareLessEqual, s.first, s.index, at)
	k.compareWithin(x86.CompareGreater, s.last, s.index, at, inside)
	k.compareWithin(x86.CompareLessEqual, e, s.t[3], inside, small)
	k.compareWithin(0, s.first, s.index, inside, at)
	k.captured(s, inside, small, at, one, e)
	k.without(inside, small, inside)
	k.any(inside)
	k.JZ(k.label("idle"))
	k.MOVQ(regIndex, regBottom)
	k.JMP(k.label("scan_next"))
	k.Label("idle")
	k.CMPQ(regIndex, regTop)
	k.JNE(k.label("scan_next"))
	k.INCQ(regTop)
	k.Label("scan_next")
	k.Add(one, s.index, s.index)
	k.INCQ(regIndex)
	k.ADDQ(operand.Imm(uint64(k.placeBytes())), regOffset)
	k.JMP(k.label("scan"))
	k.Label("scanned")
	k.Move(s.first, k.variable(laneFirst))
	k.Move(s.last, k.variable(laneLast))
}

// captured keeps what a row means for each lane: its first row is diagonal, it is the last row, or it begins the rows
// of the sweep.
func (k laneSet) captured(s scanned, inside, small, at reg.Register, one, e reg.VecPhysical) {
	t, u, skip := s.t[3], s.t[4], k.truth(3)
	k.Zero(t)
	k.choose(small, t, e, u)
	k.Move(u, k.row(regE, 0))
	if k.Wide {
		k.KANDW(small, at, skip)
	} else {
		k.VANDPD(small, at, skip)
	}
	for _, kept := range []int{laneCount, laneTurns} {
		k.Move(k.variable(kept), u)
		k.choose(skip, t, u, u)
		k.Move(u, k.variable(kept))
	}
	k.Add(one, s.index, t)
	k.without(small, at, skip)
	k.choose(skip, s.index, s.last, s.last)
	k.choose(skip, k.row(regD, 0), s.bottom, s.bottom)
	k.without(at, small, skip)
	k.choose(skip, k.row(regD, 0), s.diagonal, s.diagonal)
	k.choose(skip, k.row(regD, 1), s.next, s.next)
	k.choose(skip, e, s.coupling, s.coupling)
	k.without(at, skip, skip)
	k.choose(skip, t, s.first, s.first)
}

// row returns the element of the vector of base at the current row, or some rows behind it.
func (k laneSet) row(base reg.Register, behind int) operand.Mem {
	return operand.Mem{Base: base, Index: regOffset, Scale: 1, Disp: k.placeBytes() * behind}
}

// swept are the registers of a sweep, in the notation of RationalSweep: d and e are what the row behind the current one
// will get in lanes that stand still, and turns has the sign of the last cosine.
type swept struct {
	c, s, square, gamma, d, e, index, turns reg.VecPhysical
	t                                       []reg.VecPhysical
}

func (k laneSet) swept() swept {
	r := k.Registers
	return swept{c: r[0], s: r[1], square: r[2], gamma: r[3], d: r[4], e: r[5], index: r[6], turns: r[7], t: r[8:14]}
}

// sweepRows does a sweep from row regBottom to row regTop, the first one of a lane in a sweep being the last one less
// one.
func (k laneSet) sweepRows() {
	k.shift()
	w := k.swept()
	k.Move(k.constant(laneOne), w.c)
	k.Zero(w.s)
	k.Zero(w.turns)
	k.number(regBottom, w.index)
	k.MOVQ(regBottom, regOffset)
	k.scale(regOffset)
	k.Move(k.row(regD, 1), w.d)
	k.Move(k.row(regE, 1), w.e)
	k.MOVQ(regBottom, regUpper)
	k.IMULQ(field("rowVectors"), regUpper)
	k.ADDQ(field("vectors"), regUpper)
	// A rotation is applied while the next one is computed: those are long waits.
	k.XORQ(regTurned, regTurned)
	k.ADDQ(field("rowVectors"), regUpper)
	k.Label("row")
	k.eliminate()
	k.rotateRows("rotate")
	for _, part := range []int{laneCosine, laneSine} {
		k.Move(k.variable(part+laneNext), w.t[0])
		k.Move(w.t[0], k.variable(part))
	}
	k.MOVQ(regFlag, regTurned)
	k.SUBQ(field("rowVectors"), regUpper)
	k.VSUBPD(k.constant(laneOne), w.index, w.index)
	k.SUBQ(operand.Imm(uint64(k.placeBytes())), regOffset)
	k.DECQ(regBottom)
	k.CMPQ(regBottom, regTop)
	k.JGE(k.label("row"))
	k.rotateRows("rotate_last")
	k.Move(w.d, k.row(regD, 1))
	k.Move(w.e, k.row(regE, 1))
}

// shift keeps the shift, leaves d[last] less it and the square of that in the registers of the sweep, and counts the
// sweep.
func (k laneSet) shift() {
	s, w := k.scanned(), k.swept()
	g, r, t, root := s.t[0], s.t[1], s.t[2], s.t[3]
	k.VSQRTPD(s.coupling, root)
	k.Add(root, root, t)
	k.VSUBPD(s.diagonal, s.next, g)
	k.VDIVPD(t, g, g)
	k.Move(k.constant(laneOne), r)
	k.MultiplyAdd(g, g, r)
	k.VSQRTPD(r, r)
	k.and(k.constant(laneSign), g, t)
	k.or(r, t, r)
	k.Add(r, g, g)
	k.VDIVPD(g, root, r)
	k.VSUBPD(r, s.diagonal, r)
	k.Move(r, k.variable(laneShift))
	k.VSUBPD(r, s.bottom, w.gamma)
	k.Multiply(w.gamma, w.gamma, w.square)
	k.Move(k.variable(laneCount), t)
	k.Add(k.constant(laneOne), t, t)
	k.Move(t, k.variable(laneCount))
	k.Move(k.constant(laneTiny), r)
	late := k.truth(0)
	k.compare(x86.CompareGreaterEqual, t, k.constant(lanePatience), late)
	k.choose(late, k.variable(laneLateFloor), r, r)
	k.Move(r, k.variable(laneFloor))
}

// eliminate computes the rotation of the current row and the next one, and applies it to the tridiagonal matrix.
// regFlag is zero if all lanes stand still.
func (k laneSet) eliminate() {
	w := k.swept()
	inside, dead := k.truth(0), k.truth(1)
	coupling, inverse, x, t, c, s := w.t[0], w.t[1], w.t[2], w.t[3], w.t[4], w.t[5]
	k.compare(x86.CompareGreaterEqual, w.index, k.variable(laneFirst), dead)
	k.compareWithin(x86.CompareLess, w.index, k.variable(laneLast), dead, inside)
	k.Move(k.row(regE, 0), coupling)
	k.Add(w.square, coupling, inverse)
	k.Multiply(w.s, inverse, x)
	k.choose(inside, x, w.e, w.e)
	k.Move(w.e, k.row(regE, 1))
	k.Move(k.constant(laneOne), x)
	k.VDIVPD(inverse, x, inverse)
	k.VDIVPD(w.square, coupling, x)
	k.Move(k.row(regD, 0), t)
	k.VSUBPD(k.variable(laneShift), t, t)
	k.Multiply(w.gamma, x, x)
	k.VSUBPD(x, t, t)
	k.Multiply(w.square, inverse, c)
	k.Multiply(coupling, inverse, s)
	turned, square := inverse, t
	k.Multiply(c, t, turned)
	k.Multiply(turned, t, square)
	k.compare(x86.CompareLess, c, k.constant(laneTiny), dead)
	k.Move(k.constant(laneSign), x)
	k.ExclusiveOr(w.gamma, x)
	k.choose(dead, x, turned, turned)
	k.Multiply(w.c, coupling, x)
	k.choose(dead, x, square, square)
	k.choose(inside, square, w.square, w.square)
	k.and(k.constant(laneSign), w.gamma, x)
	k.ExclusiveOr(x, w.turns)
	k.Move(k.row(regD, 0), x)
	k.VSUBPD(turned, x, x)
	k.Add(x, w.gamma, x)
	k.choose(inside, x, w.d, w.d)
	k.Move(w.d, k.row(regD, 1))
	k.choose(inside, turned, w.gamma, w.gamma)
	k.Move(k.constant(laneOne), x)
	k.choose(inside, c, x, w.c)
	k.Zero(x)
	k.choose(inside, s, x, w.s)
	k.choose(inside, w.turns, x, w.turns)
	end := dead // no longer needed
	k.compareWithin(0, w.index, k.variable(laneFirst), inside, end)
	k.Move(k.row(regD, 0), w.d)
	k.Add(k.variable(laneShift), w.gamma, x)
	k.choose(end, x, w.d, w.d)
	k.Multiply(w.s, w.square, x)
	k.choose(end, x, coupling, w.e)
	k.any(inside)
	k.CMPQ(field("cols"), operand.Imm(0))
	k.JE(k.label("turned"))
	k.rotation()
	k.Label("turned")
}

// rotation keeps the cosine and the sine, of a length that is corrected to 1, of the squares that eliminate has left.
// Where a lane ends, the coupling's sign comes in.
func (k laneSet) rotation() {
	w := k.swept()
	end := k.truth(1)
	cosine, sine, lack, sign, x := w.t[1], w.t[2], w.t[3], w.t[4], w.t[5]
	k.VSQRTPD(w.c, cosine)
	k.or(w.turns, cosine, cosine)
	k.VSQRTPD(w.s, sine)
	k.Move(k.constant(laneOne), lack)
	k.MultiplySubtract(cosine, cosine, lack)
	k.MultiplySubtract(sine, sine, lack)
	k.Multiply(k.constant(laneHalf), lack, lack)
	k.MultiplyAdd(lack, cosine, cosine)
	k.MultiplyAdd(lack, sine, sine)
	k.Move(cosine, k.variable(laneCosine+laneNext))
	k.Move(k.variable(laneTurns), sign)
	k.Zero(x)
	k.choose(end, sign, x, x)
	k.ExclusiveOr(x, sine)
	k.Move(sine, k.variable(laneSine+laneNext))
	k.and(k.constant(laneSign), w.gamma, x)
	k.ExclusiveOr(w.turns, x)
	k.ExclusiveOr(sign, x)
	k.choose(end, x, sign, sign)
	k.Move(sign, k.variable(laneTurns))
}

// rotated returns the registers of a rotation.
func (k laneSet) rotated() (cosine, sine reg.VecPhysical) { return k.Registers[14], k.Registers[15] }

// rotateRows applies the rotation that was computed last but one.
func (k laneSet) rotateRows(label string) {
	cosine, sine := k.rotated()
	k.TESTQ(regTurned, regTurned)
	k.JZ(k.label(label + "_end"))
	k.Move(k.variable(laneCosine), cosine)
	k.Move(k.variable(laneSine), sine)
	k.MOVQ(regUpper, regLower)
	k.ADDQ(field("rowVectors"), regLower)
	k.XORQ(regIndex, regIndex)
	k.MOVQ(field("cols"), regCount)
	const unrolled = 2
	k.SUBQ(operand.Imm(unrolled), regCount)
	k.JLT(k.label(label + "_rest"))
	k.Label(label)
	k.rotateColumns(unrolled)
	k.SUBQ(operand.Imm(unrolled), regCount)
	k.JGE(k.label(label))
	k.Label(label + "_rest")
	k.ADDQ(operand.Imm(unrolled), regCount)
	k.JZ(k.label(label + "_end"))
	k.rotateColumns(1)
	k.Label(label + "_end")
}

// rotateColumns applies the rotation to the next count vectors of the two rows.
func (k laneSet) rotateColumns(count int) {
	cosine, sine := k.rotated()
	free, bytes := k.Registers[8:], k.placeBytes()
	for c := range count {
		upper := operand.Mem{Base: regUpper, Index: regIndex, Scale: 1, Disp: bytes * c}
		lower := operand.Mem{Base: regLower, Index: regIndex, Scale: 1, Disp: bytes * c}
		x, y, t := free[3*c], free[3*c+1], free[3*c+2]
		k.Move(upper, x)
		k.Move(lower, y)
		k.Multiply(cosine, x, t)
		k.MultiplySubtract(sine, y, t)
		k.Move(t, upper)
		k.Multiply(sine, x, x)
		k.MultiplyAdd(y, cosine, x)
		k.Move(x, lower)
	}
	k.ADDQ(operand.Imm(uint64(bytes*count)), regIndex)
}
