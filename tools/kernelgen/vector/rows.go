package vector

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// rowsKernel generates the kernels that pass over a run of rows once, see Rows. They take rows in groups; for each
// vector of columns they load width vectors x and y, add the products of x and the rows to sums, multiples of the rows
// to y, and store y.
type rowsKernel struct {
	dots, axpys bool
	width       int
}

// maxRows is the number of rows of the largest group: that of eight sums, or of eight factors, in registers.
func (k rowsKernel) maxRows(s set) int {
	const most = 8
	switch both := k.dots && k.axpys; {
	case both && s.Wide:
		return most / 2
	case both:
		return most / 2 / k.width // of 16 registers
	}
	return most / k.width
}

// group is the code for a group of rows.
type group struct {
	set
	rowsKernel
	label        string // that of the kernel
	rows, unroll int
	far          bool // the next group is prefetched

	sums, x, y, alpha []reg.VecPhysical
	a                 reg.VecPhysical
	regX, regY        []reg.GPPhysical
}

func (k rowsKernel) body(s set, label string) {
	s.MOVQ(vectorField("stride"), x86.RegRowA)
	s.LEAQ(operand.Mem{Base: x86.RegRowA, Index: x86.RegRowA, Scale: 2}, x86.RegRowA3)
	most := k.maxRows(s)
	if most > 4 {
		s.LEAQ(operand.Mem{Base: x86.RegRowA, Index: x86.RegRowA, Scale: 4}, x86.RegRowA5)
		s.LEAQ(operand.Mem{Base: x86.RegRowA3, Index: x86.RegRowA, Scale: 4}, x86.RegRowA7)
	}
	groups := []group{newGroup(k, s, label, most)}
	groups[0].far = true
	for rows := most; rows >= 1; rows /= 2 {
		groups = append(groups, newGroup(k, s, label, rows))
	}
	groups[0].loadPointers()
	s.CMPQ(vectorField("prefetch"), operand.Imm(0))
	s.JEQ(operand.LabelRef(groups[1].name()))
	for _, g := range groups {
		g.generate()
	}
}

// newGroup hands out registers. fold wants those of x, y and a among the first 16.
func newGroup(k rowsKernel, s set, label string, rows int) group {
	g := group{set: s, rowsKernel: k, label: label, rows: rows, unroll: k.maxRows(s) / rows}
	vectors, general := s.Registers,
		[]reg.GPPhysical{reg.RSI, reg.RDI, x86.RegRowA5, x86.RegRowA7} // the last two if rows are few
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
	g.MOVQ(x86.RegGroup, x86.RegA)
	g.XORQ(x86.RegCol, x86.RegCol)
	if g.far {
		g.LEAQ(operand.Mem{Base: x86.RegGroup, Index: x86.RegRowA, Scale: uint8(g.rows)}, regNext)
	}
	for _, sum := range g.sums {
		g.Zero(sum)
	}
	for i, alpha := range g.alpha {
		g.Broadcast(operand.Mem{Base: regAlpha, Disp: i * g.Bytes}, alpha)
	}
	g.sweep(label+"_", g.unroll, g.step, func(vectors int) {
		g.ADDQ(operand.U32(vectors*g.VectorBytes), x86.RegA)
		g.ADDQ(operand.U32(vectors*g.VectorBytes), x86.RegCol)
		if g.far {
			g.ADDQ(operand.U32(vectors*g.VectorBytes), regNext)
		}
	})
	if g.dots {
		g.addSums()
	}
	g.LEAQ(operand.Mem{Base: x86.RegGroup, Index: x86.RegRowA, Scale: uint8(g.rows)}, x86.RegGroup)
	g.ADDQ(operand.Imm(uint64(len(g.alpha)*g.Bytes)), regAlpha)
	g.SUBQ(operand.Imm(uint64(g.rows)), vectorField("count"))
	g.JMP(operand.LabelRef(label))
}

// step works on one vector of columns of all rows.
func (g group) step(u int, rest bool) {
	at := func(base reg.Register) operand.Mem {
		return operand.Mem{Base: base, Index: x86.RegCol, Scale: 1, Disp: u * g.VectorBytes}
	}
	for v, x := range g.x {
		g.LoadVector(at(g.regX[v]), rest, x)
	}
	for v, y := range g.y {
		g.LoadVector(at(g.regY[v]), rest, y)
	}
	for i := range g.rows {
		row := x86.ElementA(i)
		row.Disp = u * g.VectorBytes
		a := operand.Op(row)
		if g.far && !rest {
			next := row
			next.Base = regNext
			g.PREFETCHT1(next) // only an address is formed
		}
		if rest || len(g.x)+len(g.y) > 1 {
			g.LoadVector(row, rest, g.a)
			a = g.a
		}
		for v, x := range g.x {
			g.MultiplyAdd(a, x, g.sum(i, v, u))
		}
		for v, y := range g.y {
			g.MultiplyAdd(a, g.alpha[i*g.width+v], y)
		}
	}
	for v, y := range g.y {
		g.StoreVector(y, rest, at(g.regY[v]))
	}
}

// addSums adds the sums to those in memory and moves on to those of the next group.
func (g group) addSums() {
	g.halve(g.Add, g.sums, g.unroll)
	count, sum, t := g.rows*g.width, g.x[0], g.a
	at := func(i int) (reg.VecPhysical, operand.Mem) {
		return g.sums[i*g.unroll], operand.Mem{Base: regSums, Disp: i * g.Bytes}
	}
	if count == 1 {
		x, m := at(0)
		g.Fold(g.Add, x, x, sum, t)
		g.MoveScalar(m, t.AsX())
		g.Add(t.AsX(), sum.AsX(), sum.AsX())
		g.MoveScalar(sum.AsX(), m)
	}
	for i := 0; i+2 <= count; i += 2 {
		x, m := at(i)
		y, _ := at(i + 1)
		g.Fold(g.Add, x, y, sum, t)
		g.MoveTwo(m, t.AsX())
		g.Add(t.AsX(), sum.AsX(), sum.AsX())
		g.MoveTwo(sum.AsX(), m)
	}
	g.ADDQ(operand.Imm(uint64(count*g.Bytes)), regSums)
}

// halve combines the registers of each run of n, a power of two, into the first of them.
func (s set) halve(op x86.Combine, registers []reg.VecPhysical, n int) {
	for half := n >> 1; half > 0; half >>= 1 {
		for first := 0; first < len(registers); first += n {
			for u := range half {
				x, y := registers[first+u], registers[first+u+half]
				op(y, x, x)
			}
		}
	}
}
