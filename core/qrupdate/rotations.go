package qrupdate

import (
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel"
	"trnsci/core/kernel/givens"
	"trnsci/core/sched"
)

// rotation is a plane rotation of neighbouring rows, in double precision for every element type.
type rotation = householder.Givens[complex128]

// Rotations of rows are done from the last pair of rows to the first one, or from the first to the last one.
type direction bool

const (
	upward   direction = true
	downward direction = false
)

func wide[T dense.Scalar](x T) complex128 { return complex(dense.Real(x), dense.Imag(x)) }

func narrow[T dense.Scalar](x complex128) T { return dense.FromParts[T](real(x), imag(x)) }

// reducing returns the upward rotations that make w a multiple of the first unit vector, and the factor.
func reducing[T dense.Scalar](w []T) (g []rotation, first T) {
	if len(w) == 0 {
		return nil, 0
	}
	last := len(w) - 1
	g = make([]rotation, last)
	corner := wide(w[last])
	for i := last - 1; i >= 0; i-- {
		g[i], corner = householder.ToFirst(wide(w[i]), corner)
	}
	return g, narrow[T](corner)
}

// conjugates returns the rotations of Q^T that belong to those of R.
func conjugates(g []rotation) []rotation {
	to := make([]rotation, len(g))
	for i, x := range g {
		to[i] = x.Conj()
	}
	return to
}

// rotatedColumns is the number of columns that a thread rotates at a time.
const rotatedColumns = 256

// rotate applies rotation i to the rows i and i+1 of a.
func rotate[T dense.Scalar](team *sched.Team, g []rotation, order direction, a dense.Matrix[T]) error {
	if a.Cols == 0 || len(g) == 0 {
		return team.Err()
	}
	apply := kernelOf[T](g, order)
	return team.For((a.Cols+rotatedColumns-1)/rotatedColumns, func(_, part int) error {
		first := part * rotatedColumns
		apply(a.Slice(0, a.Rows, first, min(a.Cols, first+rotatedColumns)))
		return nil
	})
}

// kernelOf returns what applies the rotations to a matrix.
func kernelOf[T dense.Scalar](g []rotation, order direction) func(a dense.Matrix[T]) {
	switch {
	case dense.IsComplex[T]() && dense.IsSingle[T]():
		return complexKernel[float32, T](g, order)
	case dense.IsComplex[T]():
		return complexKernel[float64, T](g, order)
	case dense.IsSingle[T]():
		return realKernel[float32, T](g, order)
	}
	return realKernel[float64, T](g, order)
}

func realKernel[R dense.Float, T dense.Scalar](g []rotation, order direction) func(a dense.Matrix[T]) {
	rotations := make([]givens.Rotation[R], len(g))
	for i, x := range g {
		rotations[i] = givens.Rotation[R]{C: R(real(x.C)), S: R(real(x.S))}
	}
	return func(a dense.Matrix[T]) {
		givens.Rotate(kernel.Best(), rotations, bool(order), dense.Reals[R](a.Data), a.Stride, a.Cols)
	}
}

func complexKernel[R dense.Float, T dense.Scalar](g []rotation, order direction) func(a dense.Matrix[T]) {
	rotations := make([]givens.ComplexRotation[R], len(g))
	for i, x := range g {
		rotations[i] = givens.NewComplexRotation(R(real(x.C)), R(real(x.S)), R(imag(x.S)))
	}
	return func(a dense.Matrix[T]) {
		givens.RotateComplex(kernel.Best(), rotations, bool(order), dense.Reals[R](a.Data), 2*a.Stride, a.Cols)
	}
}
