//go:build ignore

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowsKernel generates the kernels that pass over a run of rows once, see Rows. They take rows in groups; for each vector of columns
// they load width vectors x and y, add the products of x and the rows to sums, multiples of the rows to y, and store y.
type rowsKernel struct {
	dots, axpys bool
	width       int
}

// maxRows is the number of rows of the largest group: that of eight sums, or of eight factors, in registers.
func (k rowsKernel) maxRows(s vectorSet) int {
	const most = 8
	switch both := k.dots && k.axpys; {
	case both && s.wide:
		return most / 2
	case both:
		return most / 2 / k.width // of 16 registers
	}
	return most / k.width
}

// group is the code for a group of rows.
type group struct {
	vectorSet
	rowsKernel
	label        string // that of the kernel
	rows, unroll int
	far          bool // the next group is prefetched

	sums, x, y, alpha []reg.VecPhysical
	a                 reg.VecPhysical
	regX, regY        []reg.GPPhysical
}

func (k rowsKernel) body(s vectorSet, label string) {
	s.MOVQ(vectorField("stride"), regRowA)
	s.LEAQ(operand.Mem{Base: regRowA, Index: regRowA, Scale: 2}, regRowA3)
	most := k.maxRows(s)
	if most > 4 {
		s.LEAQ(operand.Mem{Base: regRowA, Index: regRowA, Scale: 4}, regRowA5)
		s.LEAQ(operand.Mem{Base: regRowA3, Index: regRowA, Scale: 4}, regRowA7)
	}
	groups := []group{newGroup(k, s, label, most)}
	groups[0].far = true
	for rows := most; rows >= 1; rows /= 2 {
		groups = append(groups, newGroup(k, s, label, rows))
	}
	groups[0].loadPointers()
	s.CMPQ(vectorField("far"), operand.Imm(0))
	s.JEQ(operand.LabelRef(groups[1].name()))
	for _, g := range groups {
		g.generate()
	}
}

// newGroup hands out registers. fold wants those of x, y and a among the first 16.
func newGroup(k rowsKernel, s vectorSet, label string, rows int) group {
	g := group{vectorSet: s, rowsKernel: k, label: label, rows: rows, unroll: k.maxRows(s) / rows}
	vectors, general := s.registers, []reg.GPPhysical{reg.RSI, reg.RDI, regRowA5, regRowA7} // the last two if rows are few
	take := func(n int) []reg.VecPhysical {
		taken := vectors[:n]
		vectors = vectors[n:]
		return taken
	}
	g.a = take(1)[0]
	if k.dots {
		g.x, g.regX = take(k.width), general[:k.width]
		general = general[k.width:]
	}
	if k.axpys {
		g.y, g.regY = take(k.width), general[:k.width]
		g.alpha = take(rows * k.width)
	}
	if k.dots {
		g.sums = take(rows * k.width * g.unroll)
	}
	return g
}

func (g group) name() string {
	if g.far {
		return fmt.Sprintf("%sfar%d", g.label, g.rows)
	}
	return fmt.Sprintf("%s%d", g.label, g.rows)
}

func (g group) loadPointers() {
	for v, x := range g.regX {
		g.MOVQ(vectorField(fmt.Sprintf("x%d", v)), x)
	}
	for v, y := range g.regY {
		g.MOVQ(vectorField(fmt.Sprintf("y%d", v)), y)
	}
}

// sum is the register of the sums of row i times vector v that unrolled step u adds to.
func (g group) sum(i, v, u int) reg.VecPhysical { return g.sums[(i*g.width+v)*g.unroll+u] }

func (g group) generate() {
	label, next := g.name(), fmt.Sprintf("%s%d", g.label, g.rows/2)
	if g.rows == 1 {
		next = "done"
	}
	g.Label(label)
	g.CMPQ(vectorField("count"), operand.Imm(uint64(g.rows)))
	g.JLT(operand.LabelRef(next))
	g.MOVQ(regGroup, regA)
	g.XORQ(regCol, regCol)
	if g.far {
		g.LEAQ(operand.Mem{Base: regGroup, Index: regRowA, Scale: uint8(g.rows)}, regNext)
	}
	for _, sum := range g.sums {
		g.zero(sum)
	}
	for i, alpha := range g.alpha {
		g.broadcast(g.Context, operand.Mem{Base: regAlpha, Disp: i * g.bytes}, alpha)
	}
	g.sweep(label+"_", g.unroll, g.step, func(vectors int) {
		g.ADDQ(operand.U32(vectors*g.vectorBytes), regA)
		g.ADDQ(operand.U32(vectors*g.vectorBytes), regCol)
		if g.far {
			g.ADDQ(operand.U32(vectors*g.vectorBytes), regNext)
		}
	})
	if g.dots {
		g.addSums()
	}
	g.LEAQ(operand.Mem{Base: regGroup, Index: regRowA, Scale: uint8(g.rows)}, regGroup)
	g.ADDQ(operand.Imm(uint64(len(g.alpha)*g.bytes)), regAlpha)
	g.SUBQ(operand.Imm(uint64(g.rows)), vectorField("count"))
	g.JMP(operand.LabelRef(label))
}

// step works on one vector of columns of all rows.
func (g group) step(u int, rest bool) {
	at := func(base reg.Register) operand.Mem {
		return operand.Mem{Base: base, Index: regCol, Scale: 1, Disp: u * g.vectorBytes}
	}
	for v, x := range g.x {
		g.load(at(g.regX[v]), rest, x)
	}
	for v, y := range g.y {
		g.load(at(g.regY[v]), rest, y)
	}
	for i := range g.rows {
		row := elementA(i)
		row.Disp = u * g.vectorBytes
		a := operand.Op(row)
		if g.far && !rest {
			next := row
			next.Base = regNext
			g.PREFETCHT1(next) // only an address is formed
		}
		if rest || len(g.x)+len(g.y) > 1 {
			g.load(row, rest, g.a)
			a = g.a
		}
		for v, x := range g.x {
			g.multiplyAdd(g.Context, a, x, g.sum(i, v, u))
		}
		for v, y := range g.y {
			g.multiplyAdd(g.Context, a, g.alpha[i*g.width+v], y)
		}
	}
	for v, y := range g.y {
		g.store(y, rest, at(g.regY[v]))
	}
}

// addSums adds the sums to those in memory and moves on to those of the next group.
func (g group) addSums() {
	g.halve(g.add, g.sums, g.unroll)
	count, sum, t := g.rows*g.width, g.x[0], g.a
	at := func(i int) (reg.VecPhysical, operand.Mem) {
		return g.sums[i*g.unroll], operand.Mem{Base: regSums, Disp: i * g.bytes}
	}
	if count == 1 {
		x, m := at(0)
		g.fold(g.add, x, x, sum, t)
		g.loadScalar(g.Context, m, t.AsX())
		g.add(g.Context, t.AsX(), sum.AsX(), sum.AsX())
		g.storeScalar(g.Context, sum.AsX(), m)
	}
	for i := 0; i+2 <= count; i += 2 {
		x, m := at(i)
		y, _ := at(i + 1)
		g.fold(g.add, x, y, sum, t)
		g.loadTwo(g.Context, m, t.AsX())
		g.add(g.Context, t.AsX(), sum.AsX(), sum.AsX())
		g.storeTwo(g.Context, sum.AsX(), m)
	}
	g.ADDQ(operand.Imm(uint64(count*g.bytes)), regSums)
}

// halve combines the registers of each run of n, a power of two, into the first of them.
func (s vectorSet) halve(op combine, registers []reg.VecPhysical, n int) {
	for half := n >> 1; half > 0; half >>= 1 {
		for first := 0; first < len(registers); first += n {
			for u := range half {
				x, y := registers[first+u], registers[first+u+half]
				op(s.Context, y, x, x)
			}
		}
	}
}
