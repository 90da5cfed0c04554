package givens

import (
	"math"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// newRotateArgs returns the arguments of a kernel for rotations of any kind R and rows of cols real numbers.
func newRotateArgs[T kernel.Float, R any](s kernel.Set, rotations []R, down bool, a []T, stride,
	cols int) vec.StripArgs {
	row, rotation, turn, sign := 0, 0, int(unsafe.Sizeof(rotations[0])), 0.0
	if down {
		row, rotation = len(rotations)*stride, len(rotations)-1
		stride, turn, sign = -stride, -turn, math.Copysign(0, -1)
	}
	args := vec.NewStripArgs(s, a[row:], stride, cols, len(rotations))
	args.Factors, args.FactorStep = unsafe.Pointer(&rotations[rotation]), turn
	*(*T)(unsafe.Pointer(&args.Sign)) = T(sign)
	return args
}

func rotateAssembly[T kernel.Float](s kernel.Set, rotations []Rotation[T], down bool, a []T, stride, cols int) {
	args := newRotateArgs(s, rotations, down, a, stride, cols)
	rotateKernel(s, vec.FloatType[T](), &args)
}

func rotateComplexAssembly[T kernel.Float](s kernel.Set, rotations []ComplexRotation[T], down bool, a []T, stride,
	cols int) {
	args := newRotateArgs(s, rotations, down, a, stride, 2*cols)
	rotateComplexKernel(s, vec.FloatType[T](), &args)
}
