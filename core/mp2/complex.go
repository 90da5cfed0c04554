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

// term returns |z|^2 / d and a bound on its error, where z is off by at most off. It is infinite where the sign of D is not known.
func (q quotients) term(z complex128, off, d float64) (value, bound float64) {
	re, im := real(z), imag(z)
	value = (re*re + im*im) / d
	least := math.Abs(d) - q.spread // of |D|
	if !(least > 0) {
		return value, math.Inf(1)
	}
	return value, (2*math.Hypot(re, im)*off+off*off)/least + math.Abs(value)*(q.rounding+q.spread/least) + underflow*(1+1/least)
}
