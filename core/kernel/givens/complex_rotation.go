package givens

import (
	"fmt"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// ComplexRotation is a unitary plane rotation with the sine S = Re + i Im: it replaces (x, y) by (C x + S y, C y -
// conj(S) x). NegIm is -Im; NewComplexRotation sets all of them.
type ComplexRotation[T kernel.Float] struct{ C, Re, NegIm, Im T }

// NewComplexRotation returns the rotation of cosine c and sine re + i im.
func NewComplexRotation[T kernel.Float](c, re, im T) ComplexRotation[T] {
	return ComplexRotation[T]{C: c, Re: re, NegIm: -im, Im: im}
}

// RotateComplex is Rotate for rows of complex numbers: row i has cols pairs of real and imaginary parts at a[i*stride].
func RotateComplex[T kernel.Float](s kernel.Set, rotations []ComplexRotation[T], down bool, a []T, stride, cols int) {
	if n := len(rotations); n > 0 && (cols < 1 || stride < 0 || n*stride+2*cols > len(a)) {
		panic(fmt.Sprintf("givens: %d complex rotations of %d columns, stride %d, length %d", n, cols, stride, len(a)))
	}
	if s == kernel.Go || len(rotations) == 0 {
		rotateComplexGo(rotations, down, a, stride, cols)
		return
	}
	rotateComplexAssembly(s, rotations, down, a, stride, cols)
}

func rotateComplexAssembly[T kernel.Float](s kernel.Set, rotations []ComplexRotation[T], down bool, a []T, stride,
	cols int) {
	args := newRotateArgs(s, rotations, down, a, stride, 2*cols)
	rotateComplexKernel(s, vec.FloatType[T](), &args)
}

func rotateComplexGo[T kernel.Float](rotations []ComplexRotation[T], down bool, a []T, stride, cols int) {
	for k := range rotations {
		i := k
		if down {
			i = len(rotations) - 1 - k
		}
		q := rotations[i]
		x, y := a[i*stride:][:2*cols], a[(i+1)*stride:][:2*cols]
		for j := 0; j < len(x); j += 2 {
			a, b, c, d := x[j], x[j+1], y[j], y[j+1]
			x[j], x[j+1] = q.C*a+(q.Re*c-q.Im*d), q.C*b+(q.Re*d+q.Im*c)
			y[j], y[j+1] = q.C*c-(q.Re*a+q.Im*b), q.C*d-(q.Re*b-q.Im*a)
		}
	}
}
