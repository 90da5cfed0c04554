package factor

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
)

// Blocks on the diagonal are factored in the order U^T U with real numbers: then a strip of rows of U is a product with the rows above
// it, and a triangular system whose right-hand sides lie side by side, as the kernels want them. A complex matrix is the real
// one of twice the order in which x is the block (re, -im; im, re). Its factor is that of the complex matrix in the same form,
// since the diagonal is real.

// partsOf returns the reals of a T.
func partsOf[T dense.Scalar]() int {
	if dense.IsComplex[T]() {
		return 2
	}
	return 1
}

// choleskyBlock overwrites a by its lower factor, zeros above the diagonal included. It returns the order of the first leading minor that
// is not positive, or 0.
func choleskyBlock[T dense.Scalar](a dense.Matrix[T]) (order int) {
	switch a := any(a).(type) {
	case dense.Matrix[float32]:
		order = choleskyReal(a)
	case dense.Matrix[float64]:
		order = choleskyReal(a)
	case dense.Matrix[complex64]:
		order = choleskyComplex[float32](a)
	case dense.Matrix[complex128]:
		order = choleskyComplex[float64](a)
	}
	for i := range a.Rows {
		clear(a.Row(i)[i+1:])
	}
	return order
}

func choleskyReal[R dense.Float](a dense.Matrix[R]) int {
	n, set := a.Rows, kernel.Best()
	var memory [choleskyBase * choleskyBase]R
	kernel.Transpose(set, n, n, a.Data, a.Stride, memory[:], n)
	order := choleskyUpper(dense.Matrix[R]{Rows: n, Cols: n, Stride: n, Data: memory[:]})
	kernel.Transpose(set, n, n, memory[:], n, a.Data, a.Stride)
	return order
}

func choleskyComplex[R dense.Float, T dense.Complex](a dense.Matrix[T]) int {
	n := 2 * a.Rows
	var memory [choleskyBase * choleskyBase]R
	u := dense.Matrix[R]{Rows: n, Cols: n, Stride: n, Data: memory[:]}
	for i := range a.Rows {
		row := dense.Reals[R](a.Row(i))
		for j := 0; j <= 2*i; j += 2 {
			re, im := row[j], row[j+1]
			u.Set(j, 2*i, re)
			u.Set(j+1, 2*i+1, re)
			u.Set(j, 2*i+1, im)
			u.Set(j+1, 2*i, -im)
		}
	}
	order := choleskyUpper(u)
	for i := range a.Rows {
		row := dense.Reals[R](a.Row(i))
		for j := 0; j < 2*i; j += 2 {
			row[j], row[j+1] = u.At(j, 2*i), u.At(j, 2*i+1)
		}
		row[2*i], row[2*i+1] = u.At(2*i, 2*i), 0
	}
	return (order + 1) / 2
}

// choleskyUpper overwrites the upper triangle of u by the factor U of U^T U. It returns the order of the first leading minor that is not
// positive, or 0. Nothing below the diagonal blocks of kernel.SolveOrder is read or written.
func choleskyUpper[R dense.Float](u dense.Matrix[R]) int {
	n := u.Rows
	var l [kernel.SolveOrder * kernel.SolveOrder]R
	for i0 := 0; i0 < n; i0 += kernel.SolveOrder {
		i1 := min(n, i0+kernel.SolveOrder)
		strip := u.Slice(i0, i1, i0, n)
		blas.Gemm(nil, blas.Trans, blas.NoTrans, -1, u.Slice(0, i0, i0, i1), u.Slice(0, i0, i0, n), 1, strip)
		if order := choleskyStrip(strip, &l); order > 0 {
			return i0 + order
		}
		if i1 < n {
			kernel.Solve(kernel.Best(), i1-i0, l[:], strip.Data, i1-i0, strip.Stride, n-i1)
		}
	}
	return 0
}

// choleskyStrip factors the square at the left of a strip of at most kernel.SolveOrder rows and sets l to the transpose of the factor with
// reciprocals on the diagonal. It returns the order of the first leading minor that is not positive, or 0.
func choleskyStrip[R dense.Float](u dense.Matrix[R], l *[kernel.SolveOrder * kernel.SolveOrder]R) int {
	n := u.Rows
	for i := range n {
		row := u.Row(i)[:n]
		pivot := row[i]
		if !(pivot > 0) || math.IsInf(float64(pivot), 0) {
			return i + 1
		}
		root := R(math.Sqrt(float64(pivot)))
		reciprocal := 1 / root
		row[i] = root
		l[i*kernel.SolveOrder+i] = reciprocal
		for j := i + 1; j < n; j++ {
			row[j] *= reciprocal
			l[j*kernel.SolveOrder+i] = row[j]
		}
		for k := i + 1; k < n; k++ {
			x, below := row[k], u.Row(k)[:n]
			for j := k; j < n; j++ {
				below[j] -= x * row[j]
			}
		}
	}
	return 0
}
