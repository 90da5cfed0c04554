package givens

import (
	"fmt"
	"math"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// Rotation is a plane rotation: it replaces (x, y) by (C x + S y, C y - S x).
type Rotation[T kernel.Float] struct{ C, S T }

// Rotate applies plane rotations to neighbouring rows of a matrix of len(rotations)+1 rows: rotation i to rows i and
// i+1, in increasing order of i, or in decreasing order if down is set. Row i has cols elements at a[i*stride].
func Rotate[T kernel.Float](s kernel.Set, rotations []Rotation[T], down bool, a []T, stride, cols int) {
	if n := len(rotations); n > 0 && (cols < 1 || stride < 0 || n*stride+cols > len(a)) {
		panic(fmt.Sprintf("givens: %d rotations of %d columns, stride %d, length %d", n, cols, stride, len(a)))
	}
	if s == kernel.Go || len(rotations) == 0 {
		rotateGo(rotations, down, a, stride, cols)
		return
	}
	rotateAssembly(s, rotations, down, a, stride, cols)
}

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

func rotateGo[T kernel.Float](rotations []Rotation[T], down bool, a []T, stride, cols int) {
	for k := range rotations {
		i := k
		if down {
			i = len(rotations) - 1 - k
		}
		q := rotations[i]
		x, y := a[i*stride:][:cols], a[(i+1)*stride:][:cols]
		for j, p := range x {
			x[j] = q.C*p + q.S*y[j]
			y[j] = q.C*y[j] - q.S*p
		}
	}
}
