package matfunc

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/schur"
)

// The cost of a phase is the equivalent number of multiply-adds in products of real matrices in double precision. The
// rates are multiples of n^3 complex multiply-adds, those of products of matrices; they were measured with one thread
// at order 500 by benchmarks/progress.py, and affect only the progress that is reported. The number of square roots of
// a logarithm or a power is not known before the Schur form is, hence these are typical numbers.
const (
	rootRate    = 4.0  // a triangular square root
	logRate     = 32.0 // eight of them, the systems of equations of an approximant, and the exponential that checks it
	powerRate   = 18.0 // with squarings
	parlettRate = 4.0
	signRate    = 5.0
	backRate    = 2.0 // two products
)

// deflationRate is the cost of splitting off the null space of a matrix, in n^3 real multiply-adds. It holds for
// complex matrices, too, since the work is in loops over scalars.
const deflationRate = 110

// checkRoots is the cost of the exponential that checks a logarithm, in square roots.
const checkRoots = 5

// rate returns the expected cost of the function of a triangular factor, in n^3 complex multiply-adds.
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

// complexProduct is the number of real multiply-adds in a complex one.
const complexProduct = 4

// costs are the expected costs of the phases of a function.
type costs struct{ form, function, back int }

func (c costs) total() int { return c.form + c.function + c.back }

// costsOf returns the costs of a function of a matrix of type T and order n whose triangular factor takes rate n^3
// complex multiply-adds.
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

// hasPositiveDiagonal reports whether all diagonal elements of a real matrix are positive: most such matrices have no
// negative eigenvalues.
func hasPositiveDiagonal[W dense.Wide](a dense.Matrix[W]) bool {
	for i := range a.Rows {
		if !(dense.Real(a.At(i, i)) > 0) {
			return false
		}
	}
	return true
}

// expectedSquarings returns the expected number of squarings in the exponential of a matrix: the root of the mean
// square of its singular values stands for its size.
func expectedSquarings[T dense.Scalar](a dense.Matrix[T], theta float64) int {
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

// boundedBytes returns a number of bytes as an integer, at most math.MaxInt64.
func boundedBytes(bytes float64) int64 {
	if bytes >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(bytes)
}

// Costs of a fractional power and of each product of matrices, relative to each other.
const powerSteps, productSteps = 20 << 20, 1 << 20

// Costs of an inverse in terms of a product of matrices: factorization, the check in double precision whether the
// inverse exists, and the solution with the factors.
const factoring, checking, solving = 2 * productSteps / 3, productSteps, 4 * productSteps / 3

// expectedProducts returns the number of products in an integer power, if half of the bits of the exponent are ones.
func expectedProducts(exponent float64) int {
	return int(math.Ceil(1.5 * math.Log2(exponent)))
}
