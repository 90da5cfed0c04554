package x86

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// General registers that have the same meaning in most kernels.
var (
	RegArgs  = reg.R13 // the block of arguments
	RegA     = reg.RAX // the current element of a matrix or vector
	RegRowA  = reg.R8  // bytes from a row to the next, and multiples
	RegRowA3 = reg.R9
	RegRowA5 = reg.R10
	RegRowA7 = reg.R11
	RegLeft  = reg.RCX // passes through a loop that are left
	RegCol   = reg.RDX // bytes from the first column to the current one
	RegGroup = reg.RBX // first element of a group of rows
)

// Registers that select the elements behind the last whole vector.
var (
	RestMask  = reg.K1
	RestLanes = reg.Y15
)

// Comparisons of VCMPPD. Where an operand is NaN only NotLess holds.
const (
	CompareEqual        = 0
	CompareLess         = 1
	CompareLessEqual    = 2
	CompareNotLess      = 5
	CompareGreaterEqual = 29
	CompareGreater      = 30
)

// Multiples are registers that hold a stride, and three, five and seven times the stride.
type Multiples [4]reg.Register

// StridesA are the multiples of RegRowA.
var StridesA = Multiples{RegRowA, RegRowA3, RegRowA5, RegRowA7}

// After is the memory i strides after base, for i < 8.
func (m Multiples) After(base reg.Register, i int) operand.Mem {
	if i == 0 {
		return operand.Mem{Base: base}
	}
	power := 1
	for i%2 == 0 {
		i, power = i/2, 2*power
	}
	return operand.Mem{Base: base, Index: m[i/2], Scale: uint8(power)}
}

// Multiply sets the others to multiples of the first.
func (m Multiples) Multiply(ctx *build.Context) {
	ctx.LEAQ(operand.Mem{Base: m[0], Index: m[0], Scale: 2}, m[1])
	ctx.LEAQ(operand.Mem{Base: m[0], Index: m[0], Scale: 4}, m[2])
	ctx.LEAQ(operand.Mem{Base: m[1], Index: m[0], Scale: 4}, m[3])
}

// ElementA is the element i rows below the one that RegA points to.
func ElementA(i int) operand.Mem { return StridesA.After(RegA, i) }

// Low returns the low 128 bits of a register.
func Low(r reg.VecPhysical) reg.VecPhysical { return r.AsX().(reg.VecPhysical) }

var zmm = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13,
	reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27,
	reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

var ymm = []reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13,
	reg.Y14, reg.Y15,
}

var xmm = []reg.VecPhysical{
	reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7, reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13,
	reg.X14, reg.X15,
}
