package mp2

import (
	"math"

	"trnsci/core/dense"
)

// complexError bounds the errors of K_ab of complex integrals: its parts are sums of 2 naux products whose moduli sum to at most |B_ia| |B_jb|.
func complexError[T dense.Complex](naux int) productError {
	return productError{
		relative: math.Sqrt2 * gamma(2*naux, dense.Eps[T]()/2),
		absolute: 4 * float64(naux) * smallestSubnormal[T](),
	}
}

// of returns the bound for two rows of B of the given lengths.
func (e productError) of(rowA, rowB float64) float64 { return e.relative*rowA*rowB + e.absolute }

// quotientRounding bounds the rounding of a term |z|^2 / D, relative to it: two subtractions for z, two squares, their sum, and a quotient.
var quotientRounding = gamma(termRoundings+3+2*compensatedRoundings, unitRoundoff)

// quotient is what the terms over one D need.
type quotient struct {
	d        float64
	inverse  float64 // an upper bound on 1/|D|, infinite where the sign of D is not known
	relative float64 // a bound on the error of a term, relative to it
	lost     float64 // 1/|D| is at most this where D overflows, so that terms come out as 0
}

// overDenominator returns the quotient of D = first + second, differences of energies.
func overDenominator(first, second float64) quotient {
	d := denominator(first, second)
	if math.IsInf(d, 0) {
		return quotient{d: d, inverse: inverseOfHuge, lost: inverseOfHuge}
	}
	spread := gamma(denominatorRoundings, unitRoundoff) * (math.Abs(first) + math.Abs(second))
	least, inverse := math.Abs(d)-spread, math.Inf(1)
	if least > 0 {
		inverse = max(1/least, inverseOfHuge)
	}
	return quotient{d: d, inverse: inverse, relative: quotientRounding + spread*inverse}
}

// Squares of smaller moduli may underflow.
const smallModulus = 0x1p-500

// term returns |z|^2 / D and a bound on its error, where z is off by at most off.
func (q quotient) term(z complex128, off float64) (value, bound float64) {
	square := real(z)*real(z) + imag(z)*imag(z)
	value = square / q.d
	modulus := math.Sqrt(square) + smallModulus
	return value, (2*modulus+off)*off*q.inverse + math.Abs(value)*q.relative + square*q.lost + underflow*(1+q.inverse)
}
