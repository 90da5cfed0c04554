package x86

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// Element is a real element type. It chooses between the instructions for packed doubles and those for packed singles.
type Element struct {
	Name   string
	Bytes  int
	Double bool
}

// The real element types.
var (
	Float64 = Element{"F64", 8, true}
	Float32 = Element{"F32", 4, false}
)

// instruction appends an instruction to the function being built.
type instruction func(c *build.Context, ops ...operand.Op)

// opcode is an operation: its instruction for doubles and that for singles.
type opcode struct{ double, single instruction }

// two and three adapt instructions that have only one number of operands.
func two(f func(c *build.Context, x, y operand.Op)) instruction {
	return func(c *build.Context, ops ...operand.Op) { f(c, ops[0], ops[1]) }
}

func three(f func(c *build.Context, x, y, z operand.Op)) instruction {
	return func(c *build.Context, ops ...operand.Op) { f(c, ops[0], ops[1], ops[2]) }
}

type context = *build.Context

// Operations on vectors. With AVX-512, a mask in front of the last operand selects the elements that change.
var (
	move              = opcode{context.VMOVUPD, context.VMOVUPS}
	moveLanes         = opcode{three(context.VMASKMOVPD), three(context.VMASKMOVPS)}
	loadMasked        = opcode{three(context.VMOVUPD_Z), three(context.VMOVUPS_Z)}
	broadcast         = opcode{context.VBROADCASTSD, context.VBROADCASTSS}
	add               = opcode{context.VADDPD, context.VADDPS}
	subtract          = opcode{context.VSUBPD, context.VSUBPS}
	multiply          = opcode{context.VMULPD, context.VMULPS}
	divide            = opcode{context.VDIVPD, context.VDIVPS}
	squareRoot        = opcode{context.VSQRTPD, context.VSQRTPS}
	maximum           = opcode{context.VMAXPD, context.VMAXPS}
	multiplyAdd       = opcode{context.VFMADD231PD, context.VFMADD231PS}
	multiplySubtract  = opcode{context.VFNMADD231PD, context.VFNMADD231PS}
	scaleAdd          = opcode{context.VFMADD213PD, context.VFMADD213PS}
	scaleSubtract     = opcode{context.VFNMADD213PD, context.VFNMADD213PS}
	scaleSubtractAdd  = opcode{context.VFMSUBADD213PD, context.VFMSUBADD213PS}
	subtractBroadcast = opcode{context.VFNMADD231PD_BCST, context.VFNMADD231PS_BCST}
	unpackLow         = opcode{context.VUNPCKLPD, context.VUNPCKLPS}
	unpackHigh        = opcode{context.VUNPCKHPD, context.VUNPCKHPS}
	permute           = opcode{context.VPERMILPD, context.VPERMILPS}
)

// Operations on the first one or two elements of a register.
var (
	moveScalar             = opcode{context.VMOVSD, context.VMOVSS}
	moveTwo                = opcode{context.VMOVUPD, context.VMOVSD}
	addScalar              = opcode{context.VADDSD, context.VADDSS}
	subtractScalar         = opcode{context.VSUBSD, context.VSUBSS}
	multiplyScalar         = opcode{context.VMULSD, context.VMULSS}
	divideScalar           = opcode{context.VDIVSD, context.VDIVSS}
	squareRootScalar       = opcode{context.VSQRTSD, context.VSQRTSS}
	compareScalar          = opcode{two(context.VUCOMISD), two(context.VUCOMISS)}
	multiplyAddScalar      = opcode{context.VFMADD231SD, context.VFMADD231SS}
	multiplySubtractScalar = opcode{context.VFNMADD231SD, context.VFNMADD231SS}
)
