package blas

import "trnsci/core/dense"

// Gemv computes y = alpha op(A) x + beta y.
func Gemv[T dense.Scalar](trans Transpose, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	rows, cols := opShape(trans, a.Rows, a.Cols)
	require(x.N == cols && y.N == rows, "Gemv: op(A) is %dx%d, x has %d, y has %d elements", rows, cols, x.N, y.N)
	if y.N == 0 {
		return
	}
	if x.N == 0 {
		scaleOrClear(beta, y)
		return
	}
	switch a := any(a).(type) {
	case dense.Matrix[float32]:
		x, y := any(x).(dense.Vector[float32]), any(y).(dense.Vector[float32])
		impl.Sgemv(trans, a.Rows, a.Cols, any(alpha).(float32), a.Data, a.Stride, x.Data, x.Inc, any(beta).(float32), y.Data, y.Inc)
	case dense.Matrix[float64]:
		x, y := any(x).(dense.Vector[float64]), any(y).(dense.Vector[float64])
		impl.Dgemv(trans, a.Rows, a.Cols, any(alpha).(float64), a.Data, a.Stride, x.Data, x.Inc, any(beta).(float64), y.Data, y.Inc)
	case dense.Matrix[complex64]:
		x, y := any(x).(dense.Vector[complex64]), any(y).(dense.Vector[complex64])
		impl.Cgemv(trans, a.Rows, a.Cols, any(alpha).(complex64), a.Data, a.Stride, x.Data, x.Inc, any(beta).(complex64), y.Data, y.Inc)
	case dense.Matrix[complex128]:
		x, y := any(x).(dense.Vector[complex128]), any(y).(dense.Vector[complex128])
		impl.Zgemv(trans, a.Rows, a.Cols, any(alpha).(complex128), a.Data, a.Stride, x.Data, x.Inc, any(beta).(complex128), y.Data, y.Inc)
	}
}

func scaleOrClear[T dense.Scalar](beta T, y dense.Vector[T]) {
	if beta == 1 {
		return // also where y is not finite, as in the reference BLAS
	}
	if beta != 0 {
		Scal(beta, y)
		return
	}
	for i := range y.N {
		y.Data[i*y.Inc] = 0
	}
}

// Hemv computes y = alpha A x + beta y for a Hermitian (real: symmetric) A of which only the triangle uplo is read.
// The imaginary part of A's diagonal is taken to be zero.
func Hemv[T dense.Scalar](uplo Uplo, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	require(a.Rows == a.Cols && x.N == a.Rows && y.N == a.Rows, "Hemv: A is %dx%d, x has %d, y has %d elements", a.Rows, a.Cols, x.N, y.N)
	if a.Rows == 0 {
		return
	}
	switch a := any(a).(type) {
	case dense.Matrix[float32]:
		x, y := any(x).(dense.Vector[float32]), any(y).(dense.Vector[float32])
		impl.Ssymv(uplo, a.Rows, any(alpha).(float32), a.Data, a.Stride, x.Data, x.Inc, any(beta).(float32), y.Data, y.Inc)
	case dense.Matrix[float64]:
		x, y := any(x).(dense.Vector[float64]), any(y).(dense.Vector[float64])
		impl.Dsymv(uplo, a.Rows, any(alpha).(float64), a.Data, a.Stride, x.Data, x.Inc, any(beta).(float64), y.Data, y.Inc)
	case dense.Matrix[complex64]:
		x, y := any(x).(dense.Vector[complex64]), any(y).(dense.Vector[complex64])
		impl.Chemv(uplo, a.Rows, any(alpha).(complex64), a.Data, a.Stride, x.Data, x.Inc, any(beta).(complex64), y.Data, y.Inc)
	case dense.Matrix[complex128]:
		x, y := any(x).(dense.Vector[complex128]), any(y).(dense.Vector[complex128])
		impl.Zhemv(uplo, a.Rows, any(alpha).(complex128), a.Data, a.Stride, x.Data, x.Inc, any(beta).(complex128), y.Data, y.Inc)
	}
}

// Her2 computes A = A + alpha x y^H + conj(alpha) y x^H on the triangle uplo of a Hermitian (real: symmetric) A.
func Her2[T dense.Scalar](uplo Uplo, alpha T, x, y dense.Vector[T], a dense.Matrix[T]) {
	require(a.Rows == a.Cols && x.N == a.Rows && y.N == a.Rows, "Her2: A is %dx%d, x has %d, y has %d elements", a.Rows, a.Cols, x.N, y.N)
	if a.Rows == 0 {
		return
	}
	switch a := any(a).(type) {
	case dense.Matrix[float32]:
		x, y := any(x).(dense.Vector[float32]), any(y).(dense.Vector[float32])
		impl.Ssyr2(uplo, a.Rows, any(alpha).(float32), x.Data, x.Inc, y.Data, y.Inc, a.Data, a.Stride)
	case dense.Matrix[float64]:
		x, y := any(x).(dense.Vector[float64]), any(y).(dense.Vector[float64])
		impl.Dsyr2(uplo, a.Rows, any(alpha).(float64), x.Data, x.Inc, y.Data, y.Inc, a.Data, a.Stride)
	case dense.Matrix[complex64]:
		x, y := any(x).(dense.Vector[complex64]), any(y).(dense.Vector[complex64])
		impl.Cher2(uplo, a.Rows, any(alpha).(complex64), x.Data, x.Inc, y.Data, y.Inc, a.Data, a.Stride)
	case dense.Matrix[complex128]:
		x, y := any(x).(dense.Vector[complex128]), any(y).(dense.Vector[complex128])
		impl.Zher2(uplo, a.Rows, any(alpha).(complex128), x.Data, x.Inc, y.Data, y.Inc, a.Data, a.Stride)
	}
}

// Gerc computes A = A + alpha x y^H.
func Gerc[T dense.Scalar](alpha T, x, y dense.Vector[T], a dense.Matrix[T]) {
	require(x.N == a.Rows && y.N == a.Cols, "Gerc: A is %dx%d, x has %d, y has %d elements", a.Rows, a.Cols, x.N, y.N)
	if a.Rows == 0 || a.Cols == 0 {
		return
	}
	switch a := any(a).(type) {
	case dense.Matrix[float32]:
		x, y := any(x).(dense.Vector[float32]), any(y).(dense.Vector[float32])
		impl.Sger(a.Rows, a.Cols, any(alpha).(float32), x.Data, x.Inc, y.Data, y.Inc, a.Data, a.Stride)
	case dense.Matrix[float64]:
		x, y := any(x).(dense.Vector[float64]), any(y).(dense.Vector[float64])
		impl.Dger(a.Rows, a.Cols, any(alpha).(float64), x.Data, x.Inc, y.Data, y.Inc, a.Data, a.Stride)
	case dense.Matrix[complex64]:
		x, y := any(x).(dense.Vector[complex64]), any(y).(dense.Vector[complex64])
		impl.Cgerc(a.Rows, a.Cols, any(alpha).(complex64), x.Data, x.Inc, y.Data, y.Inc, a.Data, a.Stride)
	case dense.Matrix[complex128]:
		x, y := any(x).(dense.Vector[complex128]), any(y).(dense.Vector[complex128])
		impl.Zgerc(a.Rows, a.Cols, any(alpha).(complex128), x.Data, x.Inc, y.Data, y.Inc, a.Data, a.Stride)
	}
}

func opShape(trans Transpose, rows, cols int) (int, int) {
	if trans == NoTrans {
		return rows, cols
	}
	return cols, rows
}
