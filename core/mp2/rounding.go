package mp2

import (
	"math"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// The error bounds follow N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapters 3 and 4: a
// sum of n products in any order of addition is off by at most gamma(n) times the sum of the moduli, and a sum in which
// no term passes through more than n additions is off by at most gamma(n) times the sum of the terms' moduli. If it is
// known how many roundings r_p the term x_p y_p of a product passes through, gamma(r_p) <= r_p u / (1 - r u) with the
// largest r, and by Cauchy and Schwarz the sum of r_p |x_p y_p| is at most the product of the lengths of x and y
// weighted by r, (sum_p r_p x_p^2)^(1/2): half of the bound with the largest r for all terms, and less if long sums are
// cut. Everything but the products is computed in float64.
const (
	// The same-spin term (x - y)(x - y) (1/D) has the most roundings: two for the subtraction, two products, the
	// reciprocal.
	termRoundings = 5
	// A term that underflows is off by less than this, and so are its intermediate results.
	underflow = 0x1p-1070
	// Covers the rounding of the bound itself, whose terms are all positive.
	boundSlack = 1 + 0x1p-20
)

// gamma returns n u / (1 - n u), infinite if n u >= 1.
func gamma(n int, u float64) float64 {
	nu := float64(n) * u
	if nu >= 1 {
		return math.Inf(1)
	}
	return nu / (1 - nu)
}

// productError bounds the error of a computed K_ab: |dK_ab| <= relative |B_ia| |B_jb| + absolute, with lengths that are
// weighted by roundings.
type productError struct{ relative, absolute float64 }

// of returns the bound for two rows of B of the given lengths.
func (e productError) of(rowA, rowB float64) float64 { return e.relative*rowA*rowB + e.absolute }

// roundings returns how many roundings each term of a K_ab passes through, including those of its factors if they are
// rounded to T.
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
	return productError{
		relative: gamma(int(most), dense.Eps[T]()/2) / most,
		absolute: underflowBound(float64(len(roundings)) * dense.SmallestSubnormal[T]()),
	}
}

// underflowBound returns a bound on underflows that is not less than x and not subnormal: Intel's processors take 150
// cycles for a vector operation on subnormal numbers, and this one is an operand of every term of the energy.
func underflowBound(x float64) float64 { return max(x, dense.SmallestNormalDouble) }

// complexError bounds the errors of K_ab of complex integrals: its parts are sums of 2 naux products whose moduli sum
// to at most |B_ia| |B_jb|.
func complexError[T dense.Complex](naux int) productError {
	return productError{
		relative: math.Sqrt2 * gamma(2*naux, dense.Eps[T]()/2),
		absolute: underflowBound(4 * float64(naux) * dense.SmallestSubnormal[T]()),
	}
}

// smallestNorm returns what is added to the norm of a row for each element, so that the relative bounds above hold if
// elements are subnormal, or if their squares underflow in the computation of the norm.
func smallestNorm[T dense.Scalar]() float64 {
	if dense.IsSingle[T]() {
		return 0x1p-126
	}
	return 0x1p-500
}

// Denominators D = x + y with x = e_i - e_a and y = e_j - e_b are computed with three roundings, so D is off by at most
// u (|x| + |y| + |D|), given the computed x, y and D. If x and y have the same sign that is relative to D, however
// large the energies are. If not, |x| + |y| is |D| and twice the smaller one of them. So remote orbitals, such as those
// that PySCF drops by giving them an energy of 1e30 hartree, leave the other denominators as certain as they were.
const (
	// |D| is itself rounded, as is the sum of |x| and |y|.
	denominatorRoundings = 3
	// From here on D or 1/D may lose digits. A term over such a D is off by less than mostTerms |K|^2 inverseOfHuge: D
	// is not smaller than the inverse of that, even if x overflows and y is the largest number of the other sign.
	hugeDenominator = 0x1p1020
	inverseOfHuge   = 0x1p-960
	// The terms of one K_ab, K_ba with their weights, counted twice: for the computed and for the exact term.
	mostTerms = 64
)

// extent is the largest modulus of the negative and of the positive ones of some numbers, 0 if there are none.
type extent struct{ below, above float64 }

func extentOf(x []float64) extent {
	var e extent
	for _, v := range x {
		e.below, e.above = max(e.below, -v), max(e.above, v)
	}
	return e
}

// modulus returns the largest modulus.
func (e extent) modulus() float64 { return max(e.below, e.above) }

// denominatorError bounds the errors of the denominators of a pair: each is off by at most relative |D| + absolute.
type denominatorError struct{ relative, absolute float64 }

// newDenominatorError returns the bounds for all sums of an x and a y.
func newDenominatorError(x, y extent) denominatorError {
	smaller := max(min(x.below, y.above), min(x.above, y.below))
	return denominatorError{
		relative: gamma(denominatorRoundings,
			dense.RoundoffDouble), absolute: 2 * dense.RoundoffDouble * boundSlack * smaller,
	}
}

// certain turns a sum of bounds into the reported bound. A NaN bounds nothing and becomes infinite.
func certain(bound float64) float64 {
	if math.IsNaN(bound) {
		return math.Inf(1)
	}
	return bound * boundSlack
}

// compensated is a sum whose rounding errors are accumulated separately (A. Neumaier, ZAMM 54, 39, 1974).
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

// value returns the sum. If it is infinite or NaN the errors mean nothing.
func (c *compensated) value() float64 {
	if math.IsInf(c.sum, 0) || math.IsNaN(c.sum) {
		return c.sum
	}
	return c.sum + c.errors
}

// A compensated sum is off by less than gamma of this times the sum of the moduli of its terms, up to 2^26 of them.
const compensatedRoundings = 3
