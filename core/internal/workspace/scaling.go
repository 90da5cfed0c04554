package workspace

import (
	"math"
	"math/bits"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

// HeadroomBits is the binary logarithm of the factor by which the elements of a unitarily similar matrix, and the sums
// on the way to it, may exceed n times those of A. Only matrices above that limit are scaled down.
const HeadroomBits = 8

// WorkExponent returns the exponent to which small matrices are scaled up, so that their largest element is about 2^k.
// The elements and the sums of their squares are then far from overflow, and an element of double precision has to be
// 2^1370 times smaller than the largest before its rounding errors are absolute and not relative, one of single
// precision 2^150 times. Scaling up is exact.
func WorkExponent[T dense.Scalar]() int {
	const single, double = 40, 400
	if dense.IsSingle[T]() {
		return single
	}
	return double
}

// eachRun calls do with slices that hold all elements of a: whole blocks of memory, padding included, if the memory
// between the rows belongs to a, otherwise row by row.
func eachRun[T dense.Scalar](a dense.Matrix[T], do func(run []T)) {
	const longest = 1 << 15 // numbers, which kernels process without a look at cancellation
	if len(a.Data) == a.Rows*a.Stride {
		for x := a.Data; len(x) > 0; x = x[min(len(x), longest):] {
			do(x[:min(len(x), longest)])
		}
		return
	}
	for i := range a.Rows {
		do(a.Row(i))
	}
}

// Exponent returns the e for which the largest part of an element of a is below 2^e and at least half of it, and 0 for
// a zero matrix. The padding counts too if it belongs to a.
func Exponent[T dense.Scalar](a dense.Matrix[T]) int {
	largest, set := 0.0, kernel.Best()
	eachRun(a, func(run []T) {
		if dense.IsSingle[T]() {
			largest = max(largest, float64(vector.MaxAbs(set, dense.Reals[float32](run))))
		} else {
			largest = max(largest, vector.MaxAbs(set, dense.Reals[float64](run)))
		}
	})
	_, exponent := math.Frexp(largest)
	return exponent
}

// ScalingExponent returns the k for which 2^k a is safe to work with: 0 unless a is small or leaves no headroom.
func ScalingExponent[T dense.Scalar](a dense.Matrix[T]) int {
	exponent := Exponent(a)
	limit := dense.MaxExponent[T]() - HeadroomBits - bits.Len(uint(a.Rows))
	return min(max(exponent, WorkExponent[T]()), limit) - exponent
}

// Scale multiplies a by 2^exponent.
func Scale[T dense.Scalar](a dense.Matrix[T], exponent int) {
	if exponent != 0 {
		eachRun(a, func(run []T) { blas.Ldexp(run, exponent) })
	}
}

// Conjugate replaces the elements of m by their complex conjugates.
func Conjugate[T dense.Scalar](m dense.Matrix[T]) {
	if !dense.IsComplex[T]() {
		return
	}
	for i := range m.Rows {
		dense.Conjugate(m.Row(i))
	}
}
