package blas

import "trnsci/core/dense"

// Dotc returns sum_i conj(x_i) y_i.
func Dotc[T dense.Scalar](x, y dense.Vector[T]) T {
	require(x.N == y.N, "Dotc: lengths %d and %d", x.N, y.N)
	if x.N == 0 {
		return 0
	}
	switch x := any(x).(type) {
	case dense.Vector[float32]:
		y := any(y).(dense.Vector[float32])
		return any(impl.Sdot(x.N, x.Data, x.Inc, y.Data, y.Inc)).(T)
	case dense.Vector[float64]:
		y := any(y).(dense.Vector[float64])
		return any(impl.Ddot(x.N, x.Data, x.Inc, y.Data, y.Inc)).(T)
	case dense.Vector[complex64]:
		y := any(y).(dense.Vector[complex64])
		return any(impl.Cdotc(x.N, x.Data, x.Inc, y.Data, y.Inc)).(T)
	case dense.Vector[complex128]:
		y := any(y).(dense.Vector[complex128])
		return any(impl.Zdotc(x.N, x.Data, x.Inc, y.Data, y.Inc)).(T)
	}
	panic("blas: unreachable dtype")
}

// Axpy adds alpha x to y.
func Axpy[T dense.Scalar](alpha T, x, y dense.Vector[T]) {
	require(x.N == y.N, "Axpy: lengths %d and %d", x.N, y.N)
	if x.N == 0 {
		return
	}
	switch x := any(x).(type) {
	case dense.Vector[float32]:
		y := any(y).(dense.Vector[float32])
		impl.Saxpy(x.N, any(alpha).(float32), x.Data, x.Inc, y.Data, y.Inc)
	case dense.Vector[float64]:
		y := any(y).(dense.Vector[float64])
		impl.Daxpy(x.N, any(alpha).(float64), x.Data, x.Inc, y.Data, y.Inc)
	case dense.Vector[complex64]:
		y := any(y).(dense.Vector[complex64])
		impl.Caxpy(x.N, any(alpha).(complex64), x.Data, x.Inc, y.Data, y.Inc)
	case dense.Vector[complex128]:
		y := any(y).(dense.Vector[complex128])
		impl.Zaxpy(x.N, any(alpha).(complex128), x.Data, x.Inc, y.Data, y.Inc)
	}
}

// Scal multiplies x by alpha.
func Scal[T dense.Scalar](alpha T, x dense.Vector[T]) {
	if x.N == 0 {
		return
	}
	switch x := any(x).(type) {
	case dense.Vector[float32]:
		impl.Sscal(x.N, any(alpha).(float32), x.Data, x.Inc)
	case dense.Vector[float64]:
		impl.Dscal(x.N, any(alpha).(float64), x.Data, x.Inc)
	case dense.Vector[complex64]:
		impl.Cscal(x.N, any(alpha).(complex64), x.Data, x.Inc)
	case dense.Vector[complex128]:
		impl.Zscal(x.N, any(alpha).(complex128), x.Data, x.Inc)
	}
}

// Nrm2 returns the Euclidean norm of x, free of overflow and of harmful underflow.
func Nrm2[T dense.Scalar](x dense.Vector[T]) float64 {
	if x.N == 0 {
		return 0
	}
	switch x := any(x).(type) {
	case dense.Vector[float32]:
		return float64(impl.Snrm2(x.N, x.Data, x.Inc))
	case dense.Vector[float64]:
		return impl.Dnrm2(x.N, x.Data, x.Inc)
	case dense.Vector[complex64]:
		return float64(impl.Scnrm2(x.N, x.Data, x.Inc))
	case dense.Vector[complex128]:
		return impl.Dznrm2(x.N, x.Data, x.Inc)
	}
	panic("blas: unreachable dtype")
}
