package schur

import (
	"math"
	"math/bits"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

// eachRun calls do with runs of numbers that hold all elements of a: some rows at a time and what is between them where that is a's own, otherwise row by row.
func eachRun[W dense.Scalar](a dense.Matrix[W], do func(run []W)) {
	const most = 1 << 15 // numbers of a run, which kernels do without a pause
	if len(a.Data) == a.Rows*a.Stride {
		for x := a.Data; len(x) > 0; x = x[min(len(x), most):] {
			do(x[:min(len(x), most)])
		}
		return
	}
	for i := range a.Rows {
		do(a.Row(i))
	}
}

// exponentOf returns the e for which the largest part of an element of a is below 2^e and at least half of it, and 0 for a zero matrix. What is between the
// rows counts too, unless it belongs to another matrix.
func exponentOf[W dense.Scalar](a dense.Matrix[W]) int {
	largest, set := 0.0, kernel.Best()
	eachRun(a, func(run []W) {
		if dense.IsSingle[W]() {
			largest = max(largest, float64(vector.MaxAbs(set, dense.Reals[float32](run))))
		} else {
			largest = max(largest, vector.MaxAbs(set, dense.Reals[float64](run)))
		}
	})
	_, exponent := math.Frexp(largest)
	return exponent
}

// scalingShift returns the k for which 2^k a is safe to work with.
func scalingShift[W dense.Scalar](a dense.Matrix[W]) int {
	exponent, of := exponentOf(a), exponentsOf[W]()
	limit := of.largest - headroomBits - bits.Len(uint(a.Rows))
	return min(max(exponent, of.work), limit) - exponent
}

// scale multiplies a by 2^shift, in two steps if 2^shift itself is not a normal number.
func scale[W dense.Scalar](a dense.Matrix[W], shift int) {
	if shift == 0 {
		return
	}
	if largest := exponentsOf[W]().largest; shift >= largest || shift <= -largest {
		scale(a, shift/2)
		shift -= shift / 2
	}
	factor, set := math.Ldexp(1, shift), kernel.Best()
	eachRun(a, func(run []W) {
		if dense.IsSingle[W]() {
			vector.Scale(set, float32(factor), dense.Reals[float32](run))
		} else {
			vector.Scale(set, factor, dense.Reals[float64](run))
		}
	})
}

// conjugate replaces the elements of m by their complex conjugates.
func conjugate[W dense.Scalar](m dense.Matrix[W]) {
	if !dense.IsComplex[W]() {
		return
	}
	for i := range m.Rows {
		if dense.IsSingle[W]() {
			negateOdd(dense.Reals[float32](m.Row(i)))
		} else {
			negateOdd(dense.Reals[float64](m.Row(i)))
		}
	}
}

// negateOdd changes the signs of the imaginary parts among the parts x of complex numbers.
func negateOdd[R dense.Float](x []R) {
	for i := 1; i < len(x); i += 2 {
		x[i] = -x[i]
	}
}
