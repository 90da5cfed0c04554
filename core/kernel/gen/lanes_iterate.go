//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// iterate generates the kernel of LaneProblem.Iterate. A pass of its loop looks for the rows that each lane has to work on, and does one sweep
// from the last row of all lanes to the first one, in which a lane stands still outside of its own rows.
func (k laneSet) iterate() {
	k.begin("iterateLanes"+k.suffix(), "diagonalizes tridiagonal matrices, see LaneProblem.")
	k.MOVQ(laneField("d"), regD)
	k.MOVQ(laneField("e"), regE)
	k.MOVQ(laneField("constants"), regLaneConstants)
	k.MOVQ(laneField("state"), regState)
	zero := k.registers[0]
	k.zero(zero)
	k.move(k.Context, zero, k.variable(laneCount))
	k.move(k.Context, k.constant(laneTiny), zero)
	k.move(k.Context, zero, k.variable(laneFloor))
	k.XORQ(regTop, regTop)
	k.Label("pass")
	k.scan()
	k.TESTQ(regBottom, regBottom)
	k.JS(k.label("done"))
	k.CMPQ(laneField("sweepsLeft"), operand.Imm(0))
	k.JE(k.label("done"))
	k.DECQ(laneField("sweepsLeft"))
	k.sweepRows()
	k.JMP(k.label("pass"))
	k.Label("done")
	k.finish()
}

// scanned are the registers of scan; those of the leading rows are what the shift is made of.
type scanned struct {
	first, last, index               reg.VecPhysical
	diagonal, next, coupling, bottom reg.VecPhysical // d[first], d[first+1], e[first], d[last]
	t                                []reg.VecPhysical
}

func (k laneSet) scanned() scanned {
	r := k.registers
	return scanned{first: r[0], last: r[1], index: r[2], diagonal: r[3], next: r[4], coupling: r[5], bottom: r[6], t: r[7:12]}
}

// scan moves the first row of each lane behind what is diagonal and finds the last row that nothing separates from it. Negligible couplings
// become zero. It leaves the last row but one of all lanes in regBottom, and in regTop the first.
func (k laneSet) scan() {
	s := k.scanned()
	inside, small, at := k.truth(0), k.truth(1), k.truth(2)
	one, e, limit := s.t[0], s.t[1], s.t[2]
	k.move(k.Context, k.constant(laneOne), one)
	k.move(k.Context, k.variable(laneFirst), s.first)
	k.move(k.Context, one, s.coupling)
	k.move(k.Context, one, s.diagonal)
	k.move(k.Context, one, s.next)
	k.MOVQ(laneField("order"), regIndex)
	k.DECQ(regIndex)
	k.number(regIndex, s.last)
	k.MOVQ(regIndex, regCount)
	k.MOVQ(regIndex, regOffset)
	k.scale(regOffset)
	k.move(k.Context, k.row(regD, 0), s.bottom)
	k.number(regTop, s.index)
	k.MOVQ(operand.I32(-1), regBottom)
	k.MOVQ(regTop, regIndex)
	k.MOVQ(regTop, regOffset)
	k.scale(regOffset)
	k.Label("scan")
	k.CMPQ(regIndex, regCount)
	k.JGE(k.label("scanned"))
	k.move(k.Context, k.row(regD, 0), limit)
	k.multiply(k.Context, k.row(regD, 1), limit, limit)
	k.and(k.constant(laneModulus), limit, limit)
	k.move(k.Context, k.row(regE, 0), e)
	k.move(k.Context, k.variable(laneFloor), s.t[3])
	k.multiplyAdd(k.Context, k.constant(laneRelative), limit, s.t[3])
	k.multiply(k.Context, e, e, s.t[4])
	k.compare(compareLessEqual, s.first, s.index, at)
	k.compareWithin(compareGreater, s.last, s.index, at, inside)
	k.compareWithin(compareLessEqual, s.t[4], s.t[3], inside, small)
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
	k.add(k.Context, one, s.index, s.index)
	k.INCQ(regIndex)
	k.ADDQ(operand.Imm(uint64(k.placeBytes())), regOffset)
	k.JMP(k.label("scan"))
	k.Label("scanned")
	k.move(k.Context, s.first, k.variable(laneFirst))
	k.move(k.Context, s.first, k.variable(laneLow))
	k.move(k.Context, s.last, k.variable(laneLast))
}

// captured keeps what a row means for each lane: its first row is diagonal, it is the last row, or it begins the rows of the sweep.
func (k laneSet) captured(s scanned, inside, small, at reg.Register, one, e reg.VecPhysical) {
	t, u, skip := s.t[3], s.t[4], k.truth(3)
	k.zero(t)
	k.choose(small, t, e, u)
	k.move(k.Context, u, k.row(regE, 0))
	if k.wide {
		k.KANDW(small, at, skip)
	} else {
		k.VANDPD(small, at, skip)
	}
	k.move(k.Context, k.variable(laneCount), u)
	k.choose(skip, t, u, u)
	k.move(k.Context, u, k.variable(laneCount))
	k.add(k.Context, one, s.index, t)
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

// swept are the registers of a sweep, in the notation of tridiagonal.sweep: d and e are what the row behind the current one will get in lanes
// that stand still.
type swept struct {
	s, c, p, g, d, e, index, sine reg.VecPhysical
	t                             []reg.VecPhysical
}

func (k laneSet) swept() swept {
	r := k.registers
	return swept{s: r[0], c: r[1], p: r[2], g: r[3], d: r[4], e: r[5], index: r[6], sine: r[7], t: r[8:14]}
}

// sweepRows does a sweep from row regBottom to row regTop, the first one of a lane in a sweep being the last one less one.
func (k laneSet) sweepRows() {
	k.shift()
	w := k.swept()
	k.move(k.Context, k.constant(laneOne), w.s)
	k.move(k.Context, w.s, w.c)
	k.zero(w.p)
	k.number(regBottom, w.index)
	k.MOVQ(regBottom, regOffset)
	k.scale(regOffset)
	k.move(k.Context, k.row(regD, 1), w.d)
	k.move(k.Context, k.row(regE, 1), w.e)
	k.MOVQ(regBottom, regUpper)
	k.IMULQ(laneField("rowVectors"), regUpper)
	k.ADDQ(laneField("vectors"), regUpper)
	// A rotation is applied while the next one is computed: those are long waits.
	k.XORQ(regTurned, regTurned)
	k.ADDQ(laneField("rowVectors"), regUpper)
	k.Label("row")
	k.rotation()
	k.any(k.truth(0))
	k.rotateRows("rotate")
	k.move(k.Context, w.c, k.variable(laneCosine))
	k.move(k.Context, w.sine, k.variable(laneSine))
	k.MOVQ(regFlag, regTurned)
	k.SUBQ(laneField("rowVectors"), regUpper)
	k.VSUBPD(k.constant(laneOne), w.index, w.index)
	k.SUBQ(operand.Imm(uint64(k.placeBytes())), regOffset)
	k.DECQ(regBottom)
	k.CMPQ(regBottom, regTop)
	k.JGE(k.label("row"))
	k.rotateRows("rotate_last")
	k.move(k.Context, w.d, k.row(regD, 1))
	k.move(k.Context, w.e, k.row(regE, 1))
}

// shift leaves d[last] less the shift in the register g of the sweep, and counts the sweep.
func (k laneSet) shift() {
	s, w := k.scanned(), k.swept()
	g, r, t := s.t[0], s.t[1], s.t[2]
	k.add(k.Context, s.coupling, s.coupling, t)
	k.VSUBPD(s.diagonal, s.next, g)
	k.VDIVPD(t, g, g)
	k.move(k.Context, k.constant(laneOne), r)
	k.multiplyAdd(k.Context, g, g, r)
	k.VSQRTPD(r, r)
	k.and(k.constant(laneSign), g, t)
	k.or(r, t, r)
	k.add(k.Context, r, g, g)
	k.VDIVPD(g, s.coupling, r)
	k.VSUBPD(s.diagonal, s.bottom, g)
	k.add(k.Context, r, g, w.g)
	k.move(k.Context, k.variable(laneCount), t)
	k.add(k.Context, k.constant(laneOne), t, t)
	k.move(k.Context, t, k.variable(laneCount))
	k.move(k.Context, k.constant(laneTiny), r)
	late := k.truth(0)
	k.compare(compareGreaterEqual, t, k.constant(lanePatience), late)
	k.choose(late, k.variable(laneLateFloor), r, r)
	k.move(k.Context, r, k.variable(laneFloor))
}

// rotation computes the rotation of the current row and the next one, and what it makes of the tridiagonal matrix.
func (k laneSet) rotation() {
	w := k.swept()
	inside, dead := k.truth(0), k.truth(1)
	e, b, f, r, x, y := w.t[0], w.t[1], w.t[2], w.t[3], w.t[4], w.t[5]
	k.move(k.Context, k.row(regE, 0), e)
	k.multiply(k.Context, w.s, e, f)
	k.multiply(k.Context, w.c, e, b)
	k.multiply(k.Context, f, f, x)
	k.multiplyAdd(k.Context, w.g, w.g, x)
	k.VSQRTPD(x, r)
	k.move(k.Context, k.constant(laneOne), y)
	k.VDIVPD(r, y, y)
	k.compare(compareGreaterEqual, w.index, k.variable(laneLow), dead)
	k.active(w, dead, inside)
	k.compareWithin(compareLess, x, k.constant(laneTiny), inside, dead)
	k.without(inside, dead, inside)
	cosine, sine, lack := y, f, x
	k.multiply(k.Context, y, f, sine)
	k.multiply(k.Context, w.g, y, cosine)
	k.move(k.Context, k.constant(laneOne), lack)
	k.multiplySubtract(k.Context, cosine, cosine, lack)
	k.multiplySubtract(k.Context, sine, sine, lack)
	k.multiply(k.Context, k.constant(laneHalf), lack, lack)
	k.multiplyAdd(k.Context, lack, cosine, cosine)
	k.multiplyAdd(k.Context, lack, sine, sine)
	// The length r is the new coupling, except in the last row, behind which there is none.
	k.add(k.Context, k.constant(laneOne), w.index, w.sine)
	if k.wide {
		k.compareWithin(compareLess, w.sine, k.variable(laneLast), inside, reg.K3)
		k.choose(reg.K3, r, w.e, w.e)
	} else {
		k.compareWithin(compareLess, w.sine, k.variable(laneLast), inside, x)
		k.choose(x, r, w.e, w.e)
	}
	k.zero(x)
	k.choose(inside, sine, x, w.sine)
	k.choose(dead, x, w.e, w.e)
	k.move(k.Context, w.e, k.row(regE, 1))
	k.VSUBPD(w.p, w.d, r)       // d[i+1] - p
	k.choose(dead, r, w.d, w.d) // what is left where the matrix falls apart
	k.move(k.Context, e, w.e)   // the next row's
	k.choose(dead, b, w.e, w.e)
	k.move(k.Context, k.row(regD, 0), e)
	k.VSUBPD(r, e, e)
	k.multiply(k.Context, sine, e, e)
	k.add(k.Context, b, b, x)
	k.multiplyAdd(k.Context, x, cosine, e) // (d[i] - g) s + 2 c b
	k.multiply(k.Context, sine, e, x)      // p
	k.VFMSUB231PD(e, cosine, b)            // c r - b
	k.add(k.Context, x, r, r)
	k.choose(inside, r, w.d, w.d)
	k.move(k.Context, w.d, k.row(regD, 1))
	k.keep(w, x, cosine, b, e, r)
}

// active sets inside to the lanes in whose rows the current one is, its last row apart; low tells which ones have begun.
func (k laneSet) active(w swept, low, inside reg.Register) {
	k.compareWithin(compareLess, w.index, k.variable(laneLast), low, inside)
}

// keep makes the values of the current row those of the next one.
func (k laneSet) keep(w swept, p, cosine, g, one, t reg.VecPhysical) {
	inside, dead := k.truth(0), k.truth(1)
	k.move(k.Context, k.constant(laneOne), one)
	k.choose(inside, cosine, one, w.c)
	k.choose(inside, w.sine, one, w.s)
	k.zero(t)
	k.choose(inside, p, t, w.p)
	k.choose(inside, g, w.g, w.g)
	k.move(k.Context, k.row(regD, 0), w.d)
	k.any(dead)
	k.JZ(k.label("whole"))
	k.add(k.Context, w.index, one, t)
	k.move(k.Context, k.variable(laneLow), g)
	k.choose(dead, t, g, g)
	k.move(k.Context, g, k.variable(laneLow))
	k.Label("whole")
	end := dead // no longer needed
	k.compareWithin(0, w.index, k.variable(laneFirst), inside, end)
	k.VSUBPD(w.p, w.d, t)
	k.choose(end, t, w.d, w.d)
	k.choose(end, w.g, w.e, w.e)
}

// rotated returns the registers of a rotation, and the bytes of a vector that it turns. For a matrix alone that is four columns of a row.
func (k laneSet) rotated() (registers []reg.VecPhysical, bytes int) {
	if k.alone {
		return ymm[8:], 32
	}
	return k.registers[8:16], k.placeBytes()
}

// rotateRows applies the rotation that was computed last but one.
func (k laneSet) rotateRows(label string) {
	registers, _ := k.rotated()
	cosine, sine := registers[6], registers[7]
	k.TESTQ(regTurned, regTurned)
	k.JZ(k.label(label + "_end"))
	if k.alone {
		k.VBROADCASTSD(k.variable(laneCosine), cosine)
		k.VBROADCASTSD(k.variable(laneSine), sine)
	} else {
		k.move(k.Context, k.variable(laneCosine), cosine)
		k.move(k.Context, k.variable(laneSine), sine)
	}
	k.MOVQ(regUpper, regLower)
	k.ADDQ(laneField("rowVectors"), regLower)
	k.XORQ(regIndex, regIndex)
	k.MOVQ(laneField("cols"), regCount)
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
	free, bytes := k.rotated()
	cosine, sine := free[6], free[7]
	for c := range count {
		upper := operand.Mem{Base: regUpper, Index: regIndex, Scale: 1, Disp: bytes * c}
		lower := operand.Mem{Base: regLower, Index: regIndex, Scale: 1, Disp: bytes * c}
		x, y, t := free[3*c], free[3*c+1], free[3*c+2]
		k.move(k.Context, upper, x)
		k.move(k.Context, lower, y)
		k.multiply(k.Context, sine, y, t)
		k.VFMSUB231PD(x, cosine, t)
		k.move(k.Context, t, upper)
		k.multiply(k.Context, sine, x, x)
		k.multiplyAdd(k.Context, y, cosine, x)
		k.move(k.Context, x, lower)
	}
	k.ADDQ(operand.Imm(uint64(bytes*count)), regIndex)
}
