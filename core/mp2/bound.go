package mp2

import (
	"math"

	"trnsci/core/dense"
)

// The error bound follows N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapters 3 and 4: a
// sum of n products in any order of addition is off by at most gamma(n) times the sum of the moduli, and a sum in which
// no term passes through more than n additions is off by at most gamma(n) times the sum of the terms' moduli.
const (
	unitRoundoff = 0x1p-53 // of float64, in which everything but the products is computed
	// D = (e_i - e_a) + (e_j - e_b) is off by gamma of this, times the sum of the moduli of the energies.
	denominatorRoundings = 3
	// The same-spin term (x - y)(x - y) (1/D) makes the most: two for the subtraction, two products, the reciprocal.
	termRoundings = 5
	// A term that underflows is off by less than this, and so are its intermediate results.
	underflow = 0x1p-1070
	// Covers the rounding of the bound itself, whose terms are all positive.
	boundSlack = 1 + 0x1p-20
)

// gamma returns n u / (1 - n u), infinite where that says nothing.
func gamma(n int, u float64) float64 {
	nu := float64(n) * u
	if nu >= 1 {
		return math.Inf(1)
	}
	return nu / (1 - nu)
}

// productError bounds the error of a computed K_ab: |dK_ab| <= relative |B_ia| |B_jb| + absolute.
type productError struct{ relative, absolute float64 }

func newProductError[T dense.Float](naux int, rounded bool) productError {
	u := dense.Eps[T]() / 2
	e := productError{relative: gamma(naux, u), absolute: float64(naux) * smallestSubnormal[T]()}
	if rounded {
		// Each factor was off by at most u/(1-u) times what it was rounded to.
		v := u / (1 - u)
		e.relative += 2*v + v*v
	}
	return e
}

func smallestSubnormal[T dense.Scalar]() float64 {
	if dense.IsSingle[T]() {
		return math.SmallestNonzeroFloat32
	}
	return math.SmallestNonzeroFloat64
}

// smallestNorm returns what a row's norm is raised by for each element, so that the relative bounds above hold where
// elements are subnormal, or where their squares underflow in the computation of the norm.
func smallestNorm[T dense.Scalar]() float64 {
	if dense.IsSingle[T]() {
		return 0x1p-126
	}
	return 0x1p-500
}

// certain turns a sum of bounds into the reported one: what is not a number bounds nothing.
func certain(bound float64) float64 {
	if math.IsNaN(bound) {
		return math.Inf(1)
	}
	return bound * boundSlack
}

// compensated is a sum whose rounding errors are added up beside it (A. Neumaier, ZAMM 54, 39, 1974).
type compensated struct{ sum, errors float64 }

func (c *compensated) add(x float64) {
	t := c.sum + x
	if math.Abs(c.sum) >= math.Abs(x) {
		c.errors += (c.sum - t) + x
	} else {
		c.errors += (x - t) + c.sum
	}
	c.sum = t
}

// value returns the sum. Where it is infinite or NaN the errors mean nothing.
func (c *compensated) value() float64 {
	if math.IsInf(c.sum, 0) || math.IsNaN(c.sum) {
		return c.sum
	}
	return c.sum + c.errors
}

// A compensated sum is off by less than gamma of this times the sum of the moduli of its terms, up to 2^26 of them.
const compensatedRoundings = 3
