package blas

import "trnsci/core/dense"

// Dotu returns sum_i x_i y_i.
func Dotu[T dense.Scalar](x, y dense.Vector[T]) T {
	require(x.N == y.N, "Dotu: lengths %d and %d", x.N, y.N)
	var sum T
	at, to := x.First(), y.First()
	for range x.N {
		sum += x.Data[at] * y.Data[to]
		at, to = at+x.Inc, to+y.Inc
	}
	return sum
}

// Dotc returns sum_i conj(x_i) y_i.
func Dotc[T dense.Scalar](x, y dense.Vector[T]) T {
	require(x.N == y.N, "Dotc: lengths %d and %d", x.N, y.N)
	var sum T
	at, to := x.First(), y.First()
	for range x.N {
		sum += dense.Conj(x.Data[at]) * y.Data[to]
		at, to = at+x.Inc, to+y.Inc
	}
	return sum
}

// Axpy adds alpha x to y. x is not read where alpha is 0.
func Axpy[T dense.Scalar](alpha T, x, y dense.Vector[T]) {
	require(x.N == y.N, "Axpy: lengths %d and %d", x.N, y.N)
	if alpha == 0 {
		return
	}
	at, to := x.First(), y.First()
	for range x.N {
		y.Data[to] += alpha * x.Data[at]
		at, to = at+x.Inc, to+y.Inc
	}
}

// Scal multiplies x by alpha, also where alpha is 0: infinities and NaNs stay visible.
func Scal[T dense.Scalar](alpha T, x dense.Vector[T]) {
	at := x.First()
	for range x.N {
		x.Data[at] *= alpha
		at += x.Inc
	}
}

// Copy copies x to y.
func Copy[T dense.Scalar](x, y dense.Vector[T]) {
	require(x.N == y.N, "Copy: lengths %d and %d", x.N, y.N)
	if x.Inc == 1 && y.Inc == 1 {
		copy(y.Data[:y.N], x.Data[:x.N])
		return
	}
	at, to := x.First(), y.First()
	for range x.N {
		y.Data[to] = x.Data[at]
		at, to = at+x.Inc, to+y.Inc
	}
}

// Swap exchanges x and y.
func Swap[T dense.Scalar](x, y dense.Vector[T]) {
	require(x.N == y.N, "Swap: lengths %d and %d", x.N, y.N)
	at, to := x.First(), y.First()
	for range x.N {
		x.Data[at], y.Data[to] = y.Data[to], x.Data[at]
		at, to = at+x.Inc, to+y.Inc
	}
}
