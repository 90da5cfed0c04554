//go:build ignore

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// solveOrder is kernel.SolveOrder: the most rows of a system, and the length of a row of its matrix.
const solveOrder = 8

// system is the code for triangular systems of one order, or for products with the triangle. Strips of all rows are held in registers.
type system struct {
	vectorSet
	order int
}

func (s vectorSet) solve() {
	s.open("solve"+s.name+s.set(), "solves triangular systems, see Solve.")
	s.systems(system.solveStrip)
}

func (s vectorSet) multiplyTriangular() {
	s.open("multiplyTriangular"+s.name+s.set(), "multiplies by triangles, see MultiplyTriangular.")
	s.systems(system.multiplyStrip)
}

// systems generates the code for all orders. strip generates the work on a strip, whose rows are in the registers that x names;
// element brings an element of the triangle into a register.
func (s vectorSet) systems(strip func(y system, vectors int, rest bool, x func(i, v int) reg.VecPhysical, element func(i, j int) reg.VecPhysical)) {
	s.MOVQ(panelField("factors"), regFactors)
	stridesA.multiply(s.Context)
	for order := solveOrder; order > 1; order-- {
		s.CMPQ(panelField("count"), operand.Imm(uint64(order)))
		s.JEQ(operand.LabelRef(system{s, order}.label() + fmt.Sprintf("_%d", system{s, order}.widths()[0])))
	}
	for order := 1; order <= solveOrder; order++ {
		y := system{s, order}
		s.strips(y.label(), y.widths(), func(_ string, vectors int, rest bool) {
			x := func(i, v int) reg.VecPhysical { return y.registers[i*vectors+v] }
			spare := y.registers[y.order*vectors : len(y.registers)-1]
			broadcasts := 0
			element := func(i, j int) reg.VecPhysical {
				b := spare[broadcasts%len(spare)]
				broadcasts++
				y.broadcast(y.Context, operand.Mem{Base: regFactors, Disp: (i*solveOrder + j) * y.bytes}, b)
				return b
			}
			for i := range y.order {
				for v := range vectors {
					y.load(y.vector(stridesA.after(regA, i), v), rest, x(i, v))
				}
			}
			strip(y, vectors, rest, x, element)
		})
	}
}

func (y system) label() string { return fmt.Sprintf("order%d", y.order) }

// widths are those of strips: as many vectors as leave a register for elements of the matrix and restLanes, three at most, which is
// what the smallest of caches would not miss, and single ones.
func (y system) widths() []int {
	const most = 3
	if wide := min(most, (len(y.registers)-2)/y.order); wide > 1 {
		return []int{wide, 1}
	}
	return []int{1}
}

// solveStrip goes through the columns of the matrix: a row is complete when its turn comes, and is subtracted from those below.
func (y system) solveStrip(vectors int, rest bool, x func(i, v int) reg.VecPhysical, element func(i, j int) reg.VecPhysical) {
	for j := range y.order {
		reciprocal := element(j, j)
		for v := range vectors {
			y.multiply(y.Context, reciprocal, x(j, v), x(j, v))
			y.store(x(j, v), rest, y.vector(stridesA.after(regA, j), v))
		}
		for i := j + 1; i < y.order; i++ {
			l := element(i, j)
			for v := range vectors {
				y.multiplySubtract(y.Context, l, x(j, v), x(i, v))
			}
		}
	}
}

// multiplyStrip computes the last row first, which no other row needs.
func (y system) multiplyStrip(vectors int, rest bool, x func(i, v int) reg.VecPhysical, element func(i, j int) reg.VecPhysical) {
	for i := y.order - 1; i >= 0; i-- {
		for j := i; j >= 0; j-- {
			l := element(i, j)
			for v := range vectors {
				if j == i {
					y.multiply(y.Context, l, x(i, v), x(i, v))
				} else {
					y.multiplyAdd(y.Context, l, x(j, v), x(i, v))
				}
			}
		}
		for v := range vectors {
			y.store(x(i, v), rest, y.vector(stridesA.after(regA, i), v))
		}
	}
}
