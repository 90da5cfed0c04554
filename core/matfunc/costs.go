package matfunc

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/schur"
)

// What phases cost is counted in multiply-adds of products of real matrices in double precision. The rates are
// multiples of n^3 complex multiply-adds, those of products of matrices; they were measured with one thread at order
// 500 by benchmarks/progress.py, and decide about nothing but the progress that is reported. How many roots a logarithm
// or a power takes is not known before the Schur form is, and so these are typical numbers.
const (
	rootRate    = 4.0  // a triangular square root
	logRate     = 32.0 // eight of them, the systems of equations of an approximant, and the exponential that checks it
	powerRate   = 18.0 // with squarings
	parlettRate = 4.0
	signRate    = 5.0
	backRate    = 2.0 // two products
)

// deflationRate is the cost of splitting off the null space of a matrix, in n^3 real multiply-adds, for complex
// numbers, too: loops over scalars.
const deflationRate = 110

// checkRoots is how many square roots take as long as the exponential that checks a logarithm.
const checkRoots = 5

// rate returns what a triangular part is expected to cost, in n^3 complex multiply-adds.
func (f function) rate() float64 {
	switch f.kind {
	case rootKind:
		return rootRate
	case logKind:
		return logRate
	case signKind:
		return signRate
	}
	return powerRate
}

// complexProduct is how many real multiply-adds a complex one has.
const complexProduct = 4

// costs is what the phases of a function are expected to cost.
type costs struct{ form, function, back int }

func (c costs) total() int { return c.form + c.function + c.back }

// costsOf returns the costs of a function of a matrix of type T and order n whose triangular part takes so many times
// n^3 complex multiply-adds.
func costsOf[T dense.Scalar](n int, rate float64) costs {
	whole := complexProduct * float64(n) * float64(n) * float64(n)
	c := costs{form: schur.Cost[float64](n, true), function: int(rate * whole), back: int(backRate * whole)}
	if dense.IsComplex[T]() {
		c.form = schur.Cost[complex128](n, true)
	}
	return c
}

// costsFor returns the costs of f of m, which is not Hermitian.
func costsFor[W dense.Wide](m dense.Matrix[W], f function) costs {
	c := costsOf[W](m.Rows, f.rate())
	if f.kind == rootKind && !dense.IsComplex[W]() && hasPositiveDiagonal(m) {
		c.function, c.back = c.function/complexProduct, c.back/complexProduct
	}
	if shapeOf(m) == upper {
		c.form, c.back = 0, 0
	}
	return c
}

// productCost returns the cost of a product of matrices of order n.
func productCost[W dense.Wide](n int) int {
	if dense.IsComplex[W]() {
		return complexProduct * n * n * n
	}
	return n * n * n
}

// hasPositiveDiagonal reports whether the diagonal elements of a real matrix are above zero: then most matrices have no
// eigenvalues below zero.
func hasPositiveDiagonal[W dense.Wide](a dense.Matrix[W]) bool {
	for i := range a.Rows {
		if !(dense.Real(a.At(i, i)) > 0) {
			return false
		}
	}
	return true
}

// usualSquarings returns how many squarings the exponential of a matrix is expected to take: the root of the mean
// square of its singular values stands for its size.
func usualSquarings[T dense.Scalar](a dense.Matrix[T], theta float64) int {
	sum := 0.0
	for i := range a.Rows {
		for _, x := range a.Row(i) {
			size := dense.Abs(x)
			sum += size * size
		}
	}
	size := math.Sqrt(sum / float64(a.Rows))
	if !(size > theta) || math.IsInf(size, 0) {
		return 0
	}
	return int(math.Ceil(math.Log2(size / theta)))
}
