package blas

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

// Elements of one call of a vector kernel, after which sums are split.
const vectorCall = 1 << 16

// Dotu returns sum_i x_i y_i.
func Dotu[T dense.Scalar](x, y dense.Vector[T]) T {
	require(x.N == y.N, "Dotu: lengths %d and %d", x.N, y.N)
	return dot(kernel.Best(), x, y, false)
}

// Dotc returns sum_i conj(x_i) y_i.
func Dotc[T dense.Scalar](x, y dense.Vector[T]) T {
	require(x.N == y.N, "Dotc: lengths %d and %d", x.N, y.N)
	return dot(kernel.Best(), x, y, dense.IsComplex[T]())
}

func dot[T dense.Scalar](set kernel.Set, x, y dense.Vector[T], conj bool) T {
	var sum T
	if x.N == 0 {
		return sum
	}
	unit := x.Inc == 1 && y.Inc == 1
	switch {
	case unit && dense.IsSingle[T]():
		return dotUnit[float32](set, x.Data[:x.N], y.Data[:x.N], conj)
	case unit:
		return dotUnit[float64](set, x.Data[:x.N], y.Data[:x.N], conj)
	}
	at, to := x.First(), y.First()
	for range x.N {
		v := x.Data[at]
		if conj {
			v = dense.Conj(v)
		}
		sum += v * y.Data[to]
		at, to = at+x.Inc, to+y.Inc
	}
	return sum
}

func dotUnit[R dense.Float, T dense.Scalar](set kernel.Set, x, y []T, conj bool) T {
	var sum [1]T
	out := dense.Reals[R](sum[:])
	if dense.Parts[T]() == 2 {
		out[0], out[1] = dotPairs(dense.Reals[R](x), dense.Reals[R](y), conj)
		return sum[0]
	}
	p, q := dense.Reals[R](x), dense.Reals[R](y)
	for i := 0; i < len(p); i += vectorCall {
		row := vector.Rows[R]{Count: 1, Cols: min(vectorCall, len(p)-i), A: p[i:]}
		vector.Dots(set, &row, q[i:], out)
	}
	return sum[0]
}

// dotPairs is the sum of complex products. Compiled Go takes two cycles for each; a SIMD kernel would lose that to the
// exchange of real and imaginary parts.
func dotPairs[R dense.Float](x, y []R, conj bool) (re, im R) {
	// Two partial sums each hide the latency of additions.
	var rr, ii, ri, ir [2]R
	y = y[:len(x)]
	j := 0
	for ; j+4 <= len(x); j += 4 {
		p, q := x[j:j+4:j+4], y[j:j+4:j+4]
		rr[0] += p[0] * q[0]
		ii[0] += p[1] * q[1]
		ri[0] += p[0] * q[1]
		ir[0] += p[1] * q[0]
		rr[1] += p[2] * q[2]
		ii[1] += p[3] * q[3]
		ri[1] += p[2] * q[3]
		ir[1] += p[3] * q[2]
	}
	if j+2 <= len(x) {
		rr[0] += x[j] * y[j]
		ii[0] += x[j+1] * y[j+1]
		ri[0] += x[j] * y[j+1]
		ir[0] += x[j+1] * y[j]
	}
	if conj {
		return rr[0] + rr[1] + (ii[0] + ii[1]), ri[0] + ri[1] - (ir[0] + ir[1])
	}
	return rr[0] + rr[1] - (ii[0] + ii[1]), ri[0] + ri[1] + (ir[0] + ir[1])
}

// Axpy adds alpha x to y. x is not read where alpha is 0.
func Axpy[T dense.Scalar](alpha T, x, y dense.Vector[T]) {
	require(x.N == y.N, "Axpy: lengths %d and %d", x.N, y.N)
	axpy(kernel.Best(), alpha, x, y)
}

func axpy[T dense.Scalar](set kernel.Set, alpha T, x, y dense.Vector[T]) {
	if x.N == 0 || alpha == 0 {
		return
	}
	if x.Inc == 1 && y.Inc == 1 {
		switch p := any(x.Data[:x.N]).(type) {
		case []float32:
			axpyUnit(set, any(alpha).(float32), p, any(y.Data).([]float32))
			return
		case []float64:
			axpyUnit(set, any(alpha).(float64), p, any(y.Data).([]float64))
			return
		}
	}
	at, to := x.First(), y.First()
	for range x.N {
		y.Data[to] += alpha * x.Data[at]
		at, to = at+x.Inc, to+y.Inc
	}
}

func axpyUnit[R dense.Float](set kernel.Set, alpha R, x, y []R) {
	factor := [1]R{alpha}
	for i := 0; i < len(x); i += vectorCall {
		row := vector.Rows[R]{Count: 1, Cols: min(vectorCall, len(x)-i), A: x[i:]}
		vector.Axpys(set, &row, factor[:], y[i:])
	}
}

// Scal multiplies x by alpha, also where alpha is 0: infinities and NaNs stay visible.
func Scal[T dense.Scalar](alpha T, x dense.Vector[T]) {
	if x.Inc == 1 && !dense.IsComplex[T]() {
		if p := x.Data[:x.N]; dense.IsSingle[T]() {
			scaleUnit(float32(dense.Real(alpha)), dense.Reals[float32](p))
		} else {
			scaleUnit(dense.Real(alpha), dense.Reals[float64](p))
		}
		return
	}
	at := x.First()
	for range x.N {
		x.Data[at] *= alpha
		at += x.Inc
	}
}

func scaleUnit[R dense.Float](alpha R, x []R) {
	for i := 0; i < len(x); i += vectorCall {
		vector.Scale(kernel.Best(), alpha, x[i:min(len(x), i+vectorCall)])
	}
}

// Ldexp multiplies x by 2^k: real and imaginary parts each, as math.Ldexp does. Results that are normal numbers are
// exact, others are rounded once, also where 2^k itself is beyond the range of T's real type.
func Ldexp[T dense.Scalar](x []T, k int) {
	if k == 0 {
		return
	}
	// A step of half the range: what becomes subnormal in one becomes zero in the next.
	for top := dense.MaxExponent[T](); k >= top || k <= -top; {
		step := min(max(k/2, 1-top), top-1)
		ldexpStep(x, step)
		k -= step
	}
	ldexpStep(x, k)
}

func ldexpStep[T dense.Scalar](x []T, k int) {
	if dense.IsSingle[T]() {
		scaleUnit(float32(math.Ldexp(1, k)), dense.Reals[float32](x))
	} else {
		scaleUnit(math.Ldexp(1, k), dense.Reals[float64](x))
	}
}

// scaleOrClear computes y = beta y without reading y where beta is 0.
func scaleOrClear[T dense.Scalar](beta T, y dense.Vector[T]) {
	switch {
	case beta == 1: // also where y is not finite, as in the reference BLAS
	case beta != 0:
		Scal(beta, y)
	case y.Inc == 1:
		clear(y.Data[:y.N])
	default:
		at := y.First()
		for range y.N {
			y.Data[at] = 0
			at += y.Inc
		}
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
