// Package numtest is for tests and holds the code that those of several packages share: matrices with known properties
// and residuals in units of the machine epsilon. Only tests import it.
package numtest

import (
	"math"
	"math/rand/v2"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Sizes are the orders that every dense solver is tested at: the empty and tiny ones, and both sides of block sizes.
var Sizes = []int{0, 1, 2, 3, 5, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200}

// Random returns a matrix of independent standard normal entries (both parts, for a complex T).
func Random[T dense.Scalar](rng *rand.Rand, rows, cols int) dense.Matrix[T] {
	m := dense.New[T](rows, cols)
	for i := range m.Data {
		im := 0.0
		if dense.IsComplex[T]() {
			im = rng.NormFloat64()
		}
		m.Data[i] = dense.FromParts[T](rng.NormFloat64(), im)
	}
	return m
}

// RandomSPD returns a Hermitian positive definite matrix G G^H / n + I, with G random.
func RandomSPD[T dense.Scalar](rng *rand.Rand, n int) dense.Matrix[T] {
	g, a := Random[T](rng, n, n), dense.New[T](n, n)
	a.SetIdentity()
	scale := dense.FromReal[T](1 / float64(max(1, n)))
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, scale, g, g, 1, a)
	for i := range n {
		a.Set(i, i, dense.FromReal[T](dense.Real(a.At(i, i))))
	}
	return a
}

// FrobeniusNorm returns the square root of the sum of squared moduli, scaled so that it cannot overflow.
func FrobeniusNorm[T dense.Scalar](a dense.Matrix[T]) float64 {
	largest := 0.0
	for i := range a.Rows {
		for _, x := range a.Row(i) {
			largest = math.Max(largest, dense.Abs(x))
		}
	}
	if largest == 0 || math.IsInf(largest, 0) || math.IsNaN(largest) {
		return largest
	}
	sum := 0.0
	for i := range a.Rows {
		for _, x := range a.Row(i) {
			r := dense.Abs(x) / largest
			sum += r * r
		}
	}
	return largest * math.Sqrt(sum)
}
