package gemm

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// triangleOrder is gemm.TriangleOrder: the most rows of a system, and the length of a row of its matrix.
const triangleOrder = 8

// system is the code for triangular systems of one order, or for products with the triangle. Strips of all rows are
// held in registers.
type system struct {
	set
	order int
}

func (s set) trsm() {
	s.BeginStrips("trsm", false, "solves triangular systems, see Trsm.")
	s.systems(system.solveStrip)
}

func (s set) trmm() {
	s.BeginStrips("trmm", false, "multiplies by triangles, see Trmm.")
	s.systems(system.multiplyStrip)
}

// systems generates the code for all orders. strip generates the work on a strip, whose rows are in the registers that
// x names; element brings an element of the triangle into a register.
func (s set) systems(strip func(y system, vectors int, rest bool, x func(i, v int) reg.VecPhysical,
	element func(i, j int) reg.VecPhysical)) {
	s.MOVQ(x86.StripBlock.Arg("Factors"), x86.RegFactors)
	x86.StridesA.Multiply(s.Context)
	for order := triangleOrder; order > 1; order-- {
		s.CMPQ(x86.StripBlock.Arg("Count"), operand.Imm(uint64(order)))
		s.JEQ(operand.LabelRef(system{s, order}.label() + fmt.Sprintf("_%d", system{s, order}.widths()[0])))
	}
	for order := 1; order <= triangleOrder; order++ {
		y := system{s, order}
		s.Strips(y.label(), y.widths(), func(_ string, vectors int, rest bool) {
			x := func(i, v int) reg.VecPhysical { return y.Registers[i*vectors+v] }
			spare := y.Registers[y.order*vectors : len(y.Registers)-1]
			broadcasts := 0
			element := func(i, j int) reg.VecPhysical {
				b := spare[broadcasts%len(spare)]
				broadcasts++
				y.Broadcast(operand.Mem{Base: x86.RegFactors, Disp: (i*triangleOrder + j) * y.Bytes}, b)
				return b
			}
			for i := range y.order {
				for v := range vectors {
					y.LoadVector(y.Vector(x86.StridesA.After(x86.RegA, i), v), rest, x(i, v))
				}
			}
			strip(y, vectors, rest, x, element)
		})
	}
}

func (y system) label() string { return fmt.Sprintf("order%d", y.order) }

// widths returns the widths of strips in vectors: the largest one, at most three, that leaves a register for elements
// of the matrix and RestLanes, and 1.
//
//	registers   0 to order*width-1     X, row by row
//	            up to the last but one elements of the triangle in turn
//	            the last one           AVX2: RestLanes
func (y system) widths() []int {
	const most = 3
	if wide := min(most, (len(y.Registers)-2)/y.order); wide > 1 {
		return []int{wide, 1}
	}
	return []int{1}
}

// solveStrip goes through the columns of the matrix: a row is complete when its turn comes, and is subtracted from
// those below.
func (y system) solveStrip(vectors int, rest bool, x func(i, v int) reg.VecPhysical,
	element func(i, j int) reg.VecPhysical) {
	for j := range y.order {
		reciprocal := element(j, j)
		for v := range vectors {
			y.Multiply(reciprocal, x(j, v), x(j, v))
			y.StoreVector(x(j, v), rest, y.Vector(x86.StridesA.After(x86.RegA, j), v))
		}
		for i := j + 1; i < y.order; i++ {
			l := element(i, j)
			for v := range vectors {
				y.MultiplySubtract(l, x(j, v), x(i, v))
			}
		}
	}
}

// multiplyStrip computes the last row first, which no other row needs.
func (y system) multiplyStrip(vectors int, rest bool, x func(i, v int) reg.VecPhysical,
	element func(i, j int) reg.VecPhysical) {
	for i := y.order - 1; i >= 0; i-- {
		for j := i; j >= 0; j-- {
			l := element(i, j)
			for v := range vectors {
				if j == i {
					y.Multiply(l, x(i, v), x(i, v))
				} else {
					y.MultiplyAdd(l, x(j, v), x(i, v))
				}
			}
		}
		for v := range vectors {
			y.StoreVector(x(i, v), rest, y.Vector(x86.StridesA.After(x86.RegA, i), v))
		}
	}
}
