//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var bulgeBlock = block{"bulgeArgs", "is the block of arguments of chaseComplex in assembly. Counts of columns are of real numbers, two for an element.", []argument{
	{"a", "unsafe.Pointer", "the first element of the first reflector's diagonal block"},
	{"reflectors", "unsafe.Pointer", "the first reflector"},
	{"column", "unsafe.Pointer", "the two elements that the first reflector is made of"},
	{"signs", "unsafe.Pointer", "a vector of the sign bits of imaginary parts"},
	{"negated", "unsafe.Pointer", "a pair of elements with the sign bits of the first one"},
	{"crossed", "unsafe.Pointer", "a pair of elements with the sign bits of the inner two of its four numbers"},
	{"stride", "int", "bytes from a row to the next"},
	{"start", "int", "not 0: the first column is not stored; used up by the kernel"},
	{"steps", "int", "steps; used up by the kernel"},
	{"below", "int", "steps that have a row below the reflector's; used up by the kernel"},
	{"cols", "int", "columns right of the first reflector's, but for the next one"},
	{"above", "int", "rows above the first reflector's"},
	{"phase", "int", "columns from the last multiple of a vector to the first one that is counted"},
	{"one", "uint64", "the bits of 1 and 1/2"},
	{"half", "uint64", ""},
	{"least", "uint64", "the bits of the smallest and the largest square that are safe"},
	{"most", "uint64", ""},
}}

func bulgeField(name string) operand.Mem { return bulgeBlock.at(regArgs, name) }

// A reflector of two rows in memory is V, T1 and T0, complex numbers; these are the places of their parts.
const (
	placeV, placeVImaginary, placeT1, placeT1Imaginary, placeT0 = 0, 1, 2, 3, 4
	reflectorNumbers                                            = 6
)

// planar holds a reflector of two rows in registers: the parts of its numbers in all elements. The imaginary parts have opposite signs in the real and
// in the imaginary elements, so that a product with i is one with the exchanged parts.
type planar struct{ v, vi, t1, t1i, t0 reg.VecPhysical }

// reflectTwo replaces x by x - T0 s and y by y - T1 s for s = x + conj(V) y, with registers s and t. Whatever does not depend on x comes first: in a chain of
// reflectors it is ready last.
func (s vectorSet) reflectTwo(p planar, x, y, sum, t reg.VecPhysical) {
	s.exchange(s.Context, y, t)
	s.multiply(s.Context, y, p.v, sum)
	s.multiplyAdd(s.Context, t, p.vi, sum)
	s.add(s.Context, x, sum, sum)
	s.multiplySubtract(s.Context, sum, p.t1, y)
	s.exchange(s.Context, sum, t)
	s.multiplySubtract(s.Context, sum, p.t0, x)
	s.multiplyAdd(s.Context, t, p.t1i, y)
}

// reflectTwoRows generates the kernel that applies a run of reflectors to rows. A row of a strip stays in registers from a reflector to the next, which loads
// one row and stores one.
func (s vectorSet) reflectTwoRows() {
	s.open("reflectTwoRows"+s.elementName(true)+s.set(), "applies reflectors to rows, see ReflectTwoRows.")
	s.MOVQ(panelField("signs"), regLeft)
	s.move(s.Context, operand.Mem{Base: regLeft}, s.registers[behindSigns-1])
	strip := s.reflectTwoStripMoving
	if s.wide {
		strip = s.reflectTwoStrip
	}
	s.strips("strip", []int{stripVectors, 2, 1}, strip)
}

// Registers of a strip of rows: those of a reflector, and the first ones behind the signs.
const firstPlanar, behindSigns = 8, 14

// broadcastPlanar loads a reflector and returns its registers.
func (s vectorSet) broadcastPlanar() planar {
	c := s.registers[firstPlanar:]
	p := planar{c[0], c[1], c[2], c[3], c[4]}
	for i, x := range []reg.VecPhysical{p.v, p.vi, p.t1, p.t1i, p.t0} {
		s.broadcast(s.Context, operand.Mem{Base: regFactors, Disp: i * s.bytes}, x)
	}
	s.exclusiveOr(s.registers[behindSigns-1], p.vi)
	s.exclusiveOr(s.registers[behindSigns-1], p.t1i)
	return p
}

// reflectTwoStripMoving needs three registers besides those of a row, which get the next row when it is ready.
func (s vectorSet) reflectTwoStripMoving(label string, vectors int, rest bool) {
	x, others := s.registers[:vectors], s.registers[stripVectors:]
	y, sum, t := others[0], others[1], others[2]
	this := operand.Mem{Base: regRow}
	s.MOVQ(regA, regRow)
	s.MOVQ(panelField("factors"), regFactors)
	s.MOVQ(panelField("count"), regLeft)
	for v := range vectors {
		s.load(s.vector(this, v), rest, x[v])
	}
	s.Label(label + "_reflector")
	p := s.broadcastPlanar()
	for v := range vectors {
		s.load(s.vector(operand.Mem{Base: regRow, Index: regRowA, Scale: 1}, v), rest, y)
		s.reflectTwo(p, x[v], y, sum, t)
		s.store(x[v], rest, s.vector(this, v))
		s.VMOVAPS(y, x[v])
	}
	s.ADDQ(operand.Imm(uint64(reflectorNumbers*s.bytes)), regFactors)
	s.ADDQ(regRowA, regRow)
	s.DECQ(regLeft)
	s.JNZ(operand.LabelRef(label + "_reflector"))
	for v := range vectors {
		s.store(x[v], rest, s.vector(this, v))
	}
}

// reflectTwoStrip has registers for two rows and all that is computed of them.
func (s vectorSet) reflectTwoStrip(label string, vectors int, rest bool) {
	const inAll = 4 // registers of a vector
	registers := append([]reg.VecPhysical{}, s.registers[:firstPlanar]...)
	registers = append(registers, s.registers[behindSigns:]...)
	of := func(k, v int) reg.VecPhysical { return registers[inAll*v+k] }
	this := operand.Mem{Base: regRow}
	next := operand.Mem{Base: regRow, Index: regRowA, Scale: 1}
	s.MOVQ(regA, regRow)
	s.MOVQ(panelField("factors"), regFactors)
	s.MOVQ(panelField("count"), regLeft)
	for v := range vectors {
		s.load(s.vector(this, v), rest, of(0, v))
	}
	s.Label(label + "_reflector")
	for k := range 2 { // the roles of two registers alternate
		p := s.broadcastPlanar()
		for v := range vectors {
			x, y := of(k, v), of(1-k, v)
			s.load(s.vector(next, v), rest, y)
			s.reflectTwo(p, x, y, of(2, v), of(3, v))
			s.store(x, rest, s.vector(this, v))
		}
		s.ADDQ(operand.Imm(uint64(reflectorNumbers*s.bytes)), regFactors)
		s.ADDQ(regRowA, regRow)
		s.DECQ(regLeft)
		if k == 0 {
			s.JZ(operand.LabelRef(label + "_odd"))
		}
	}
	s.JNZ(operand.LabelRef(label + "_reflector"))
	for v := range vectors {
		s.store(of(0, v), rest, s.vector(this, v))
	}
	s.JMP(operand.LabelRef(label + "_stored"))
	s.Label(label + "_odd")
	for v := range vectors {
		s.store(of(1, v), rest, s.vector(this, v))
	}
	s.Label(label + "_stored")
}

// bulge generates the kernel of the steps of a bulge that takes two rows. The elements of the column that is eliminated next stay in registers from the place
// where they are computed: a reflector waits for the one before it, and everything else can be done meanwhile.
type bulge struct {
	vectorSet
	column [2]reg.VecPhysical // 128 bits each
	free   []reg.VecPhysical
	// The rows of the next diagonal block, pairs of elements. What a load would need of two stores is not read back: it would wait for both of them.
	block [2]reg.VecPhysical
	planar
	// A reflection is also the matrix [c -T1; -conj(T1) -c]; it takes pairs of elements, of two columns in a row, as
	//
	//	outer (x, y) - t1 (y, x) + cross (i y, i x)
	//
	// with i z the exchanged parts of z. ratio is -c.
	ratio, outer, cross reg.VecPhysical
}

func newBulge(s vectorSet) *bulge {
	r := s.registers
	b := &bulge{
		vectorSet: s, column: [2]reg.VecPhysical{lowOf(r[0]), lowOf(r[1])}, free: r[2:6], planar: planar{r[8], r[9], r[10], r[11], r[12]},
		ratio: r[13], outer: r[14], cross: r[15],
	}
	b.block = [2]reg.VecPhysical{b.pair(r[6]), b.pair(r[7])}
	return b
}

// pair returns the part of a register that two elements fill.
func (b *bulge) pair(r reg.VecPhysical) reg.VecPhysical {
	if b.double {
		return r.AsY().(reg.VecPhysical)
	}
	return lowOf(r)
}

// exchangePair sets y to the pair x with its elements exchanged, or with its four numbers in the opposite order.
func (b *bulge) exchangePair(reversed bool, x, y operand.Op) {
	order := operand.Imm(0b01_00_11_10)
	if reversed {
		order = operand.Imm(0b00_01_10_11)
	}
	if b.double {
		b.VPERMPD(order, x, y)
	} else {
		b.VPERMILPS(order, x, y)
	}
}

// loadElement and storeElement move a complex number.
func (b *bulge) loadElement(m operand.Mem, x reg.VecPhysical) { b.loadTwo(b.Context, m, x) }

func (b *bulge) storeElement(x reg.VecPhysical, m operand.Mem) { b.storeTwo(b.Context, x, m) }

func (b *bulge) function() {
	b.begin("chase"+b.elementName(true)+b.set(), "chases a bulge of two rows, see Bulge.")
	b.MOVQ(bulgeField("a"), regBlock)
	b.MOVQ(bulgeField("stride"), regRowA)
	b.MOVQ(bulgeField("reflectors"), regFactors)
	b.MOVQ(bulgeField("cols"), regWidth)
	b.MOVQ(bulgeField("above"), regAbove)
	b.MOVQ(bulgeField("phase"), regPhase)
	b.MOVQ(bulgeField("column"), regColumn)
	b.loadElement(operand.Mem{Base: regColumn}, b.column[0])
	b.loadElement(operand.Mem{Base: regColumn, Disp: 2 * b.bytes}, b.column[1])
	for k, r := range b.block {
		b.move(b.Context, b.at(k, 0), r)
	}
	b.Label("step")
	b.makeReflector("done")
	b.MOVQ(regBlock, regA)
	b.reflectBlock()
	b.right()
	b.above()
	b.LEAQ(operand.Mem{Base: regA, Index: regRowA, Scale: 1, Disp: 2 * b.bytes}, regBlock)
	b.ADDQ(operand.Imm(uint64(reflectorNumbers*b.bytes)), regFactors)
	b.SUBQ(operand.Imm(2), regWidth)
	b.INCQ(regAbove)
	b.ADDQ(operand.Imm(2), regPhase)
	b.ANDQ(operand.Imm(uint64(b.vectorBytes/b.bytes-1)), regPhase)
	b.DECQ(bulgeField("steps"))
	b.JNZ(operand.LabelRef("step"))
	b.Label("done")
	b.VZEROUPPER()
	b.RET()
}

// makeReflector generates the reflector of the column. For x and y in it, with the norm r of the column,
//
//	c = -|x| / r,  T1 = y conj(x) / (|x| r),  T0 = 1 - c,  V = T1 / T0,
//
// and x becomes -x r / |x|. It jumps to label if the squares are not safe or y is zero.
func (b *bulge) makeReflector(label string) {
	x, y := b.column[0], b.column[1]
	squares, others, sum, roots := lowOf(b.free[0]), lowOf(b.free[1]), lowOf(b.free[2]), lowOf(b.free[3])
	t, product := lowOf(b.cross), lowOf(b.v) // which are made last
	b.squaresOf(x, y, squares, others, t)
	b.exchange(b.Context, squares, others)
	b.add(b.Context, squares, others, sum)
	b.compareScalar(bulgeField("least"), squares)
	b.JCS(operand.LabelRef(label)) // below, or not a number
	b.compareScalar(bulgeField("most"), sum)
	b.JHI(operand.LabelRef(label))
	b.VXORPS(t, t, t)
	b.compareScalar(t, others)
	b.JEQ(operand.LabelRef(label)) // or not a number
	b.unpackLow(b.Context, sum, squares, roots)
	if b.double {
		b.VSQRTPD(roots, roots)
	} else {
		b.VSQRTPS(roots, roots)
	}
	b.productWithConjugate(x, y, product, t, others)
	b.exchange(b.Context, roots, t)
	b.multiplyScalar(t, roots, roots)
	b.loadScalar(b.Context, bulgeField("one"), t)
	b.divideScalar(roots, t, roots) // 1 / (|x| r)
	ratio := others
	b.multiplyScalar(roots, squares, ratio)
	b.multiplyScalar(roots, sum, sum)
	b.repeat(roots)
	b.multiply(b.Context, roots, product, product) // T1
	b.correct(ratio, product, t, squares, roots)
	b.broadcast(b.Context, ratio, b.ratio)
	b.broadcast(b.Context, product, b.t1)
	b.exchange(b.Context, product, squares)
	b.broadcast(b.Context, squares, b.t1i)
	b.CMPQ(bulgeField("start"), operand.Imm(0))
	b.JNE(operand.LabelRef("started"))
	const before = 2
	b.VXORPS(squares, squares, squares)
	b.storeElement(squares, operand.Mem{Base: regBlock, Index: regRowA, Scale: 1, Disp: -before * b.bytes})
	b.repeat(sum)
	b.multiply(b.Context, sum, x, sum)
	b.subtract(sum, squares, sum)
	b.storeElement(sum, operand.Mem{Base: regBlock, Disp: -before * b.bytes})
	b.Label("started")
	b.XORQ(regTimes, regTimes)
	b.MOVQ(regTimes, bulgeField("start"))
	t0 := ratio
	b.addScalar(ratio, t, t0)
	b.storeScalar(b.Context, t0, operand.Mem{Base: regFactors, Disp: placeT0 * b.bytes})
	b.VXORPS(t, t, t)
	b.storeScalar(b.Context, t, operand.Mem{Base: regFactors, Disp: (placeT0 + 1) * b.bytes})
	b.storeElement(product, operand.Mem{Base: regFactors, Disp: placeT1 * b.bytes})
	b.broadcast(b.Context, t0, b.t0)
	b.repeat(t0)
	b.divide(t0, product, product) // V
	b.storeElement(product, operand.Mem{Base: regFactors, Disp: placeV * b.bytes})
	b.exchange(b.Context, product, squares)
	b.broadcast(b.Context, squares, b.vi)
	b.broadcast(b.Context, product, b.v)
	b.signsOfParts()
}

// correct takes from the ratio r and from T1 a common rounding error, so that r^2 + |T1|^2 is 1. Reflectors that are repeated often would otherwise add up
// theirs. one holds 1.
func (b *bulge) correct(ratio, t1, one, squares, change reg.VecPhysical) {
	m := arithmetic{b.vectorSet, true}
	turned := lowOf(b.t0) // which is made later
	b.multiply(b.Context, t1, t1, squares)
	b.exchange(b.Context, squares, turned)
	b.VMOVAPS(one, change)
	m.minus(ratio, ratio, change)
	b.subtractScalar(squares, change, change)
	b.subtractScalar(turned, change, change)
	b.multiplyScalar(bulgeField("half"), change, change)
	b.repeat(change)
	m.plus(change, ratio, ratio)
	b.multiplyAdd(b.Context, change, t1, t1)
}

// divide computes z = y / x.
func (b *bulge) divide(x, y, z operand.Op) {
	if b.double {
		b.VDIVPD(x, y, z)
	} else {
		b.VDIVPS(x, y, z)
	}
}

// subtractScalar computes z = y - x.
func (b *bulge) subtractScalar(x, y, z operand.Op) {
	if b.double {
		b.VSUBSD(x, y, z)
	} else {
		b.VSUBSS(x, y, z)
	}
}

// squaresOf sets squares to |x|^2 and |y|^2, beside one another.
func (b *bulge) squaresOf(x, y, squares, others, t reg.VecPhysical) {
	b.multiply(b.Context, x, x, squares)
	b.multiply(b.Context, y, y, others)
	b.unpackLow(b.Context, others, squares, t)
	if b.double {
		b.VUNPCKHPD(others, squares, squares)
	} else {
		b.VUNPCKHPD(t, t, squares)
	}
	b.add(b.Context, t, squares, squares)
}

// productWithConjugate sets product to y conj(x).
func (b *bulge) productWithConjugate(x, y, product, re, im reg.VecPhysical) {
	b.exchange(b.Context, y, product)
	if b.double {
		b.VPERMILPD(operand.Imm(0b11), x, im)
		b.VPERMILPD(operand.Imm(0b00), x, re)
		b.VMULPD(im, product, im)
		b.VMOVAPS(y, product)
		b.VFMSUBADD213PD(im, re, product)
		return
	}
	b.VMOVSHDUP(x, im)
	b.VMOVSLDUP(x, re)
	b.VMULPS(im, product, im)
	b.VMOVAPS(y, product)
	b.VFMSUBADD213PS(im, re, product)
}

// repeat fills the 128 bits of x with its first number.
func (b *bulge) repeat(x reg.VecPhysical) {
	if b.double {
		b.VMOVDDUP(x, x)
	} else {
		b.VBROADCASTSS(x, x)
	}
}

// subtract computes z = y - x.
func (b *bulge) subtract(x, y, z operand.Op) {
	if b.double {
		b.VSUBPD(x, y, z)
	} else {
		b.VSUBPS(x, y, z)
	}
}

// signsOfParts gives the numbers that were filled into registers their signs.
func (b *bulge) signsOfParts() {
	pointed := func(name string) operand.Mem {
		b.MOVQ(bulgeField(name), regLeft)
		return operand.Mem{Base: regLeft}
	}
	crossed := pointed("crossed")
	b.VXORPS(crossed, b.pair(b.t1i), b.pair(b.cross))
	negated := pointed("negated")
	b.VXORPS(negated, b.pair(b.ratio), b.pair(b.outer))
	t := b.free[0]
	b.move(b.Context, pointed("signs"), t)
	b.exclusiveOr(t, b.vi)
	b.exclusiveOr(t, b.t1i)
}

// twoColumns applies the reflector from the right to a pair of elements.
func (b *bulge) twoColumns(x, swapped, reversed reg.VecPhysical) {
	b.exchangePair(false, x, swapped)
	b.exchangePair(true, x, reversed)
	b.multiply(b.Context, x, b.pair(b.outer), x)
	b.multiplySubtract(b.Context, swapped, b.pair(b.t1), x)
	b.multiplyAdd(b.Context, reversed, b.pair(b.cross), x)
}

// at is the element of the diagonal block that is so many rows and columns from the first one.
func (b *bulge) at(row, col int) operand.Mem {
	m := operand.Mem{Base: regBlock, Disp: 2 * col * b.bytes}
	if row > 0 {
		m.Index, m.Scale = regRowA, uint8(row)
	}
	return m
}

// twoRows applies the reflector from the left, as -(r x + conj(T1) y) and r y - T1 x with r = -c, to the elements of two registers. It leaves the first
// result in the last one.
func (b *bulge) twoRows(part func(reg.VecPhysical) reg.VecPhysical, x, y, turned, negative reg.VecPhysical) {
	ratio, t1, t1i := part(b.ratio), part(b.t1), part(b.t1i)
	b.exchange(b.Context, x, turned)
	b.exchange(b.Context, y, negative)
	b.multiply(b.Context, negative, t1i, negative)
	b.multiplyAdd(b.Context, y, t1, negative)
	b.multiplyAdd(b.Context, x, ratio, negative)
	b.multiply(b.Context, y, ratio, y)
	b.multiplySubtract(b.Context, x, t1, y)
	b.multiplyAdd(b.Context, turned, t1i, y)
	b.VXORPS(turned, turned, turned)
	b.subtract(negative, turned, negative)
}

// behind sets z to the second element of the pair x and, behind it, the element y.
func (b *bulge) behind(x, y, z reg.VecPhysical) {
	if b.double {
		const secondAndFirst = 0x21
		b.VPERM2F128(operand.Imm(secondAndFirst), b.pair(y), x, z)
	} else {
		b.VSHUFPD(operand.Imm(1), y, x, z)
	}
}

// reflectBlock applies the reflector from both sides to the elements in its own rows and columns, from the right to those of the row below, and from the left
// to the column behind. It leaves the next column and the next block in registers.
func (b *bulge) reflectBlock() {
	f := make([]reg.VecPhysical, len(b.free))
	for i, r := range b.free {
		f[i] = b.pair(r)
	}
	second, first := b.block[1], f[2]
	b.twoRows(b.pair, b.block[0], second, f[0], first)
	b.twoColumns(second, f[0], f[1])
	b.VMOVAPS(lowOf(second), b.column[0])
	b.move(b.Context, second, b.at(1, 0))
	row := f[3]
	b.DECQ(bulgeField("below"))
	b.JLT(operand.LabelRef("no_row"))
	b.move(b.Context, b.at(2, 0), row)
	b.twoColumns(row, f[0], f[1])
	b.VMOVAPS(lowOf(row), b.column[1])
	b.move(b.Context, row, b.at(2, 0))
	b.Label("no_row")
	b.twoColumns(first, f[0], f[1])
	b.move(b.Context, first, b.at(0, 0))
	b.TESTQ(regWidth, regWidth)
	b.JLT(operand.LabelRef("no_column"))
	x, y, turned, negative := lowOf(f[0]), lowOf(f[1]), lowOf(b.block[0]), lowOf(f[2])
	b.loadElement(b.at(0, 2), x)
	b.loadElement(b.at(1, 2), y)
	b.twoRows(lowOf, x, y, turned, negative)
	b.storeElement(negative, b.at(0, 2))
	b.storeElement(y, b.at(1, 2))
	b.behind(second, y, b.block[0])
	b.CMPQ(bulgeField("below"), operand.Imm(0))
	b.JLT(operand.LabelRef("no_column"))
	b.loadElement(b.at(2, 2), x)
	b.behind(row, x, b.block[1])
	b.Label("no_column")
}

// right applies the reflector to the columns behind the one right of its own.
func (b *bulge) right() {
	s := rightSide{vectorSet: b.vectorSet, numbers: 2, before: 6}
	s.columns = func(single bool, _ reg.Register) {
		f, p := b.free, b.planar
		if single {
			f = nil
			for _, r := range b.free {
				f = append(f, lowOf(r))
			}
			p = planar{lowOf(p.v), lowOf(p.vi), lowOf(p.t1), lowOf(p.t1i), lowOf(p.t0)}
		}
		x, y := f[0], f[1]
		at := []operand.Mem{{Base: regColumn}, {Base: regColumn, Index: regRowA, Scale: 1}}
		for k, r := range f[:2] {
			if single {
				b.loadElement(at[k], r)
			} else {
				b.move(b.Context, at[k], r)
			}
		}
		b.reflectTwo(p, x, y, f[2], f[3])
		for k, r := range f[:2] {
			if single {
				b.storeElement(r, at[k])
			} else {
				b.move(b.Context, r, at[k])
			}
		}
	}
	s.generate()
}

// above applies the reflector from the right to the rows above its own.
func (b *bulge) above() {
	x, swapped, reversed := b.pair(b.free[0]), b.pair(b.free[1]), b.pair(b.free[2])
	b.MOVQ(regAbove, regTimes)
	b.TESTQ(regTimes, regTimes)
	b.JZ(operand.LabelRef("above_done"))
	b.Label("above")
	b.SUBQ(regRowA, regBlock)
	b.loadElement(b.at(0, 0), lowOf(x))
	if b.double {
		b.VINSERTF128(operand.Imm(1), b.at(0, 1), x, x)
	} else {
		b.VMOVHPD(b.at(0, 1), x, x)
	}
	b.twoColumns(x, swapped, reversed)
	b.move(b.Context, x, b.at(0, 0))
	b.DECQ(regTimes)
	b.JNZ(operand.LabelRef("above"))
	b.Label("above_done")
}
