package blas

import (
	"math"

	"trnsci/core/dense"
)

// Nrm2 returns the Euclidean norm of x, free of overflow and of harmful underflow.
func Nrm2[T dense.Scalar](x dense.Vector[T]) float64 {
	norm := 0.0
	at := x.First()
	for range x.N {
		norm = math.Hypot(norm, dense.Abs(x.Data[at]))
		at += x.Inc
	}
	return norm
}

// Asum returns sum_i |re x_i| + |im x_i|.
func Asum[T dense.Scalar](x dense.Vector[T]) float64 {
	sum := 0.0
	at := x.First()
	for range x.N {
		sum += abs1(x.Data[at])
		at += x.Inc
	}
	return sum
}

// Iamax returns the first i with the largest |re x_i| + |im x_i|, -1 for an empty x. As in the reference BLAS, the result is 0
// if x_0 is NaN, and other NaNs are passed over.
func Iamax[T dense.Scalar](x dense.Vector[T]) int {
	if x.N == 0 {
		return -1
	}
	at := x.First()
	largest, where := abs1(x.Data[at]), 0
	for i := range x.N {
		if size := abs1(x.Data[at]); size > largest {
			largest, where = size, i
		}
		at += x.Inc
	}
	return where
}

// abs1 returns |re x| + |im x|.
func abs1[T dense.Scalar](x T) float64 { return math.Abs(dense.Real(x)) + math.Abs(dense.Imag(x)) }
