package mp2

// Denominators D = x + y with x = e_i - e_a and y = e_j - e_b are computed with three roundings, so that D is off by at most
// u (|x| + |y| + |D|), given the computed x, y and D. Where x and y have one sign that is relative to D, however large the energies are. Where
// they have not, |x| + |y| is |D| and twice the smaller one of them. So orbitals that are far away, such as those that PySCF drops and gives
// an energy of 1e30 hartree, leave the other denominators as certain as they were.
const (
	// |D| is itself rounded, as is the sum of |x| and |y|.
	denominatorRoundings = 3
	// From here on D or 1/D may not have all its digits. A term over such a D is off by less than mostTerms |K|^2 inverseOfHuge: D is
	// not smaller than the inverse of that, even if x overflows and y is the largest number of the other sign.
	hugeDenominator = 0x1p1020
	inverseOfHuge   = 0x1p-960
	// Terms of one couple with their weights, and all of it once for what is computed and once for what is exact.
	mostTerms = 64
)

// span is the largest modulus of negative and that of positive numbers, 0 where there are none.
type span struct{ below, above float64 }

func rangeOf(x []float64) span {
	var s span
	for _, v := range x {
		s.below, s.above = max(s.below, -v), max(s.above, v)
	}
	return s
}

// reach returns the largest modulus.
func (s span) reach() float64 { return max(s.below, s.above) }

// denominatorError bounds the errors of the denominators of a pair: each is off by at most relative |D| + absolute.
type denominatorError struct{ relative, absolute float64 }

// newDenominatorError returns the bounds for all sums of an x and a y.
func newDenominatorError(x, y span) denominatorError {
	smaller := max(min(x.below, y.above), min(x.above, y.below))
	return denominatorError{relative: gamma(denominatorRoundings, unitRoundoff), absolute: 2 * unitRoundoff * boundSlack * smaller}
}
