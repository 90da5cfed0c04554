package mp2

import (
	"math"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// The error bound follows N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapters 3 and 4: a
// sum of n products in any order of addition is off by at most gamma(n) times the sum of the moduli, and a sum in which
// no term passes through more than n additions is off by at most gamma(n) times the sum of the terms' moduli. Where it is known how many
// roundings r_p the term x_p y_p of a product passes through, gamma(r_p) <= r_p u / (1 - r u) with the largest r, and by Cauchy and Schwarz
// the sum of r_p |x_p y_p| is at most the product of the lengths of x and y weighted by r, (sum_p r_p x_p^2)^(1/2): half as much as
// the longest sum for all terms would say, and less where long sums are cut.
const (
	unitRoundoff = 0x1p-53 // of float64, in which everything but the products is computed
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

// productError bounds the error of a computed K_ab: |dK_ab| <= relative |B_ia| |B_jb| + absolute, with lengths that are weighted by roundings.
type productError struct{ relative, absolute float64 }

// roundings returns how many roundings each term of a K_ab passes through, those of its factors included if they had to be rounded to T.
func roundings[T dense.Float](naux int, rounded bool) []float64 {
	counts := blas.GemmRoundings[T](naux)
	if rounded {
		for p := range counts {
			counts[p] += 2
		}
	}
	return counts
}

// newProductError returns the error of K_ab, given the roundings of its terms.
func newProductError[T dense.Float](roundings []float64) productError {
	most := max(1, slices.Max(roundings))
	return productError{relative: gamma(int(most), dense.Eps[T]()/2) / most, absolute: float64(len(roundings)) * smallestSubnormal[T]()}
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
