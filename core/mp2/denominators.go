package mp2

import (
	"fmt"
	"math"
	"slices"

	"trnsci/core/sched"
)

// DenominatorError reports that e_i + e_j - e_a - e_b is zero to working precision, so that second-order perturbation theory gives no energy. I and A count the orbitals of SpinI, J and B those of SpinJ; the
// spins are "alpha" or "beta" in an unrestricted call, in one for k-points "k-points ki, ka" and "k-points kj, kb", else empty.
type DenominatorError struct {
	I, J, A, B   int
	SpinI, SpinJ string
}

func (e *DenominatorError) Error() string {
	return fmt.Sprintf("eps_occ: the denominator e_i + e_j - e_a - e_b vanishes for the occupied orbitals i = %d%s, j = %d%s and the virtual orbitals a = %d%s, b = %d%s",
		e.I, ofSpin(e.SpinI), e.J, ofSpin(e.SpinJ), e.A, ofSpin(e.SpinI), e.B, ofSpin(e.SpinJ))
}

// checkSameSpin looks for a vanishing denominator among the pairs i >= j and a <= b that the engine divides by: without
// the equal ones unless diagonal is set.
func checkSameSpin(team *sched.Team, s Spin, diagonal bool) error {
	if s.empty() || hasGap(s, s) {
		return nil
	}
	skip := 1
	if diagonal {
		skip = 0
	}
	return findVanishing(team, s, s, func(i int) int { return i + 1 - skip }, func(a int) int { return a + skip })
}

// checkOppositeSpin looks for a vanishing denominator among all pairs.
func checkOppositeSpin(team *sched.Team, alpha, beta Spin) error {
	if alpha.empty() || beta.empty() || hasGap(alpha, beta) {
		return nil
	}
	return findVanishing(team, alpha, beta, func(int) int { return len(beta.Occ) }, func(int) int { return 0 })
}

// hasGap reports whether the highest occupied orbitals are so far below the lowest virtual ones that no denominator
// can vanish: rounding is monotone, so none is closer to zero than that of these orbitals. With the lowest virtual energy m of a spin,
// |e_i| + |e_a| <= (e_a - e_i) + 2 |m|, so that no other denominator is less certain either, however large its energies are.
func hasGap(left, right Spin) bool {
	leftLowest, rightLowest := slices.Min(left.Vir), slices.Min(right.Vir)
	first, second := slices.Max(left.Occ)-leftLowest, slices.Max(right.Occ)-rightLowest
	const twiceBoth = 4 // 2 |m|, and twice that for the |D| in the sum of the moduli
	return first < 0 && second < 0 && !vanishes(denominator(first, second), twiceBoth*(math.Abs(leftLowest)+math.Abs(rightLowest)))
}

// roundingOfD bounds the error of a denominator relative to the sum of the moduli of its four energies: each of them is
// rounded once, and D is the result of three more rounded operations.
const roundingOfD = 4 * 0x1p-53

// vanishes reports whether a denominator is zero to working precision: d is no larger than its own rounding error, given
// the sum of the moduli of its energies, or its reciprocal overflows. A d that overflows does not vanish.
func vanishes(d, moduli float64) bool {
	return math.Abs(d) <= roundingOfD*math.Min(moduli, math.MaxFloat64) || math.IsInf(1/d, 0)
}

// findVanishing looks at the pairs j < ends(i), b >= begins(a) and reports the first one in the order of i, j, a, b,
// whatever the number of threads. Cost: nocc^2 nvir^2 additions.
func findVanishing(team *sched.Team, left, right Spin, ends, begins func(int) int) error {
	found := make([]*DenominatorError, len(left.Occ))
	err := team.For(len(left.Occ), func(_, i int) error {
		for j := range ends(i) {
			for a, ea := range left.Vir {
				if err := team.Err(); err != nil {
					return err
				}
				ei, ej := left.Occ[i], right.Occ[j]
				for b := begins(a); b < len(right.Vir); b++ {
					eb := right.Vir[b]
					if vanishes(denominator(ei-ea, ej-eb), math.Abs(ei)+math.Abs(ej)+math.Abs(ea)+math.Abs(eb)) {
						found[i] = &DenominatorError{I: i, J: j, A: a, B: b, SpinI: left.Name, SpinJ: right.Name}
						return nil
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, e := range found {
		if e != nil {
			return e
		}
	}
	return nil
}
