package bulge

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var chaseBlock = x86.NewBlock("chaseArgs", "is the block of arguments of doubleShift, pencil and reflectColumns. "+
	"What is said of doubleShift holds for pencil, too.", []x86.Field{
	{"a", "unsafe.Pointer", "doubleShift: the first diagonal element that the first reflector changes; " +
		"reflectColumns: the first element"},
	{"reflectors", "unsafe.Pointer", "the first reflector"},
	{"stride", "int", "bytes from a row to the next"},
	{"start", "unsafe.Pointer", "doubleShift: the vector that the first reflector is made of, nil for the column"},
	{"steps", "int", "doubleShift: steps of three rows; used up by the kernel"},
	{"short", "int", "doubleShift: 1 if a step of two rows follows; used up by the kernel"},
	{"below", "int", "doubleShift: steps that have a row below the reflector's; used up by the kernel"},
	{"cols", "int", "doubleShift: columns right of the first reflector's; used up by the kernel"},
	{"above", "int", "doubleShift: rows above the first reflector that it applies to from the right, less than the " +
		"rows of a group"},
	{"phase", "int", "doubleShift: columns from the last multiple of a vector's elements to the first column right " +
		"of the reflector's"},
	{"endMask", "uint64", "doubleShift with AVX-512: one bit for each element of the last vector of a row"},
	{"one", "uint64", "doubleShift: the bits of 1"},
	{"sign", "uint64", "doubleShift: the bits of -0"},
	{"least", "uint64", "doubleShift: the bits of the smallest and the largest sum of squares that are safe"},
	{"most", "uint64", ""},
	{"chunks", "int", "reflectColumns: groups of reflectors, as many as a group has rows; used up by the kernel"},
	{"rest", "int", "reflectColumns: reflectors that are left"},
	{"restMask", "uint64", "reflectColumns with AVX-512: one bit for each reflector that is left"},
	{"lastMask", "uint64", "reflectColumns with AVX-512: one bit for each column that they change, at most as many " +
		"as a group has rows"},
	{"finalMask", "uint64", "reflectColumns with AVX-512: one bit for each column that is still to be stored"},
	{"restLanes", "unsafe.Pointer", "reflectColumns with AVX2: the same as vectors with all bits set in the elements"},
	{"lastLanes", "unsafe.Pointer", ""},
	{"finalLanes", "unsafe.Pointer", ""},
	{"groups", "int", "reflectColumns with AVX2: groups of rows, one below the other"},
	{"atFirst", "int", "reflectColumns with AVX2: groups that begin with the first reflector; each other one " +
		"begins a square after the one above"},
	{"pending", "unsafe.Pointer", "memory for two vectors of each group"},
	{"other", "unsafe.Pointer", "doubleShift with AVX2: the first row of the other matrix that the first reflector " +
		"changes"},
	{"otherVectors", "int", "doubleShift with AVX2: vectors of a row of it"},
	{"p", "unsafe.Pointer", "pencil: the element of P at the place of a"},
	{"right", "unsafe.Pointer", "pencil: the first right reflector"},
	{"toP", "int", "pencil: bytes from an element of S to that of P; set by the kernel"},
	{"half", "uint64", "pencil: the bits of 1/2"},
	{"parallel", "uint64", "pencil: the bits of the square of the least sine"},
	{"leftMade", "int", "pencil: 1 if the next left reflector has been made; set by the kernel"},
})

func chaseField(name string) operand.Mem { return chaseBlock.Arg(name) }

// General registers of the kernels of sweeps; regA points to the element (k+1,k), regRowA holds the stride.
var (
	regStride3 = x86.RegRowA3 // three rows further
	regBlock   = reg.RDI      // first element that the reflector changes from both sides
	regColumn  = reg.RSI
	regTimes   = reg.RDX
	regAbove   = reg.R12
	regWidth   = reg.R14 // columns right of the reflector's
	regPhase   = reg.R15
	regOther   = reg.R10

	// reflectColumns with AVX2:
	regPending = reg.RDI // where the columns of the group wait
	regGroups  = reg.RSI // that are left
	regTopRow  = reg.R12 // what regA is for the first group
	regBegun   = reg.R14 // groups that have begun
)

// Masks of the first vector of a row and of its last one.
var firstMask, endMask = reg.K1, reg.K2

// coefficients are the registers that hold a reflector, its numbers in all elements.
type coefficients struct{ v1, v2, t0, t1, t2 reg.VecPhysical }

func newCoefficients(r []reg.VecPhysical) coefficients {
	return coefficients{r[0], r[1], r[2], r[3], r[4]}
}

func (c coefficients) all() []reg.VecPhysical {
	return []reg.VecPhysical{c.v1, c.v2, c.t0, c.t1, c.t2}
}

// scalars returns the low parts of the registers.
func (c coefficients) scalars() coefficients {
	return coefficients{x86.Low(c.v1), x86.Low(c.v2), x86.Low(c.t0), x86.Low(c.t1), x86.Low(c.t2)}
}

// arithmetic multiplies and adds vectors, or single elements.
type arithmetic struct {
	set
	single bool
}

func (m arithmetic) copy(x, y operand.Op) { m.VMOVAPS(x, y) }

// plus computes z = x y + z.
func (m arithmetic) plus(x, y, z operand.Op) {
	if m.single {
		m.MultiplyAddScalar(x, y, z)
	} else {
		m.MultiplyAdd(x, y, z)
	}
}

// minus computes z = z - x y.
func (m arithmetic) minus(x, y, z operand.Op) {
	if m.single {
		m.MultiplySubtractScalar(x, y, z)
	} else {
		m.MultiplySubtract(x, y, z)
	}
}

// reflect applies the reflector to (x, y, z). The product with y is added last: in a chain of reflectors y is ready
// last.
func (m arithmetic) reflect(c coefficients, x, y, z, t operand.Op) {
	m.copy(x, t)
	m.plus(z, c.v2, t)
	m.plus(y, c.v1, t)
	m.minus(t, c.t1, y)
	m.minus(t, c.t2, z)
	m.minus(t, c.t0, x)
}

// reflectTwo applies a reflector of two rows to (x, y).
func (m arithmetic) reflectTwo(c coefficients, x, y, t operand.Op) {
	m.copy(x, t)
	m.plus(y, c.v1, t)
	m.minus(t, c.t1, y)
	m.minus(t, c.t0, x)
}
