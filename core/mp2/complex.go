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

// quotients bounds the errors of terms |z|^2 / D, which take two subtractions for z, two squares, their sum, and a quotient.
type quotients struct {
	spread   float64 // of any D
	rounding float64 // of a term, relative to it
}

// newQuotients returns the bounds for orbital energies of at most the given modulus.
func newQuotients(largest float64) quotients {
	return quotients{
		spread:   gamma(denominatorRoundings, unitRoundoff) * 4 * largest,
		rounding: gamma(termRoundings+3+2*compensatedRoundings, unitRoundoff),
	}
}

// quotient is what the terms over one D need.
type quotient struct {
	d        float64
	inverse  float64 // an upper bound on 1/|D|, infinite where the sign of D is not known
	relative float64 // a bound on the error of a term, relative to it
}

func (q quotients) over(d float64) quotient {
	least, inverse := math.Abs(d)-q.spread, math.Inf(1)
	if least > 0 {
		inverse = 1 / least
	}
	return quotient{d: d, inverse: inverse, relative: q.rounding + q.spread*inverse}
}

// Squares of smaller moduli may underflow.
const smallModulus = 0x1p-500

// term returns |z|^2 / D and a bound on its error, where z is off by at most off.
func (q quotient) term(z complex128, off float64) (value, bound float64) {
	square := real(z)*real(z) + imag(z)*imag(z)
	value = square / q.d
	modulus := math.Sqrt(square) + smallModulus
	return value, (2*modulus+off)*off*q.inverse + math.Abs(value)*q.relative + underflow*(1+q.inverse)
}
