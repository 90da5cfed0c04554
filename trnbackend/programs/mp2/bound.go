package mp2

import (
	"math"
	"slices"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	"trnsci/core/precision"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/product"
)

// energyDifference returns x - y as the nearest number of a type, and the number nearest to the remainder. The
// difference in float64 and its rounding error are x - y exactly (D. E. Knuth, The Art of Computer Programming, volume
// 2, section 4.2.2).
func energyDifference(d graph.DType, x, y float64) (high, low float64) {
	z := x - y
	minusY := z - x
	rest := (x - (z - minusY)) - (y + minusY)
	high = d.Round(z)
	return high, d.Round((z - high) + rest)
}

// boundData is what the error bounds need to know of one spin.
type boundData struct {
	occ, vir, ascending []float64 // orbital energies; ascending are the sorted virtual ones
	// For each occupied orbital: sum_a n_a^2 and sum_a n_a^2 / sqrt(e_a - e_i), where n_a bounds the Euclidean length
	// of row a of B_i. The second sum is a number where all e_a are above e_i.
	squares, scaled []float64
}

func newBoundData(s mp2.Spin) boundData {
	m := boundData{
		occ: s.Occ, vir: s.Vir, ascending: slices.Clone(s.Vir),
		squares: make([]float64, len(s.Occ)), scaled: make([]float64, len(s.Occ)),
	}
	slices.Sort(m.ascending)
	return m
}

// set enters orbital i, given bounds on the lengths of its rows. They are raised so that relative bounds on products
// cover underflow too.
func (m *boundData) set(d graph.DType, i int, norms []float64) {
	raise := math.Sqrt(d.SmallestNormal() / d.Eps())
	m.squares[i], m.scaled[i] = 0, 0
	for a, n := range norms {
		square := (n + raise) * (n + raise)
		m.squares[i] += square
		m.scaled[i] += square / math.Sqrt(m.vir[a]-m.occ[i])
	}
}

// hasGap reports whether all virtual orbitals are above orbital i.
func (m *boundData) hasGap(i int) bool { return m.occ[i] < m.ascending[0] }

// differences returns how far below and how far above zero e_i - e_a can be for any a.
func (m *boundData) differences(i int) (below, above float64) {
	return max(0, m.ascending[len(m.ascending)-1]-m.occ[i]), max(0, m.occ[i]-m.ascending[0])
}

// smallerDifference bounds the smaller modulus of e_i - e_a and e_j - e_b where they have different signs.
func smallerDifference(left, right *boundData, i, j int) float64 {
	leftBelow, leftAbove := left.differences(i)
	rightBelow, rightAbove := right.differences(j)
	return max(min(leftBelow, rightAbove), min(leftAbove, rightBelow))
}

// smallestDenominator returns the smallest modulus of e_i + e_j - e_a - e_b over all a and b. Cost: the numbers of
// virtual orbitals; with a gap none.
func smallestDenominator(left, right *boundData, i, j int) float64 {
	occupied := left.occ[i] + right.occ[j]
	if left.hasGap(i) && right.hasGap(j) {
		return left.ascending[0] + right.ascending[0] - occupied
	}
	smallest := math.Inf(1)
	for a, b := 0, len(right.ascending)-1; a < len(left.ascending) && b >= 0; {
		d := left.ascending[a] + right.ascending[b] - occupied
		smallest = math.Min(smallest, math.Abs(d))
		if d > 0 {
			b--
		} else {
			a++
		}
	}
	return smallest
}

// pairBound returns a bound on the error of one energy of the pair i, j as the device computed it, against the exact
// sum for the given integrals and orbital energies.
//
// The numerators z_ab are K_ab, or K_ab - K_ba. By the inequality of Cauchy and Schwarz an error of K_ab is at most g
// n_a n_b, with the relative error g of products and the lengths n of rows. With M = sum z^2 / |D| and G = sum dz^2 /
// |D| for the errors dz of z, the same inequality gives an error of 2 sqrt(M G) + G. Where no denominator changes its
// sign, M is the energy but for rounding, and since |D| is at least twice the geometric mean of e_a - e_i and e_b -
// e_j, G is at most g^2 / 2 times the product of two sums that each belong to one orbital. Otherwise both are bounded
// by the smallest |D|. For K_ab - K_ba, G and M are up to four times those of K_ab.
//
// The roundings of D, of the terms and of the sums, and underflow are added. The bound is infinite where a denominator
// has no correct digit.
func (p *Plan) pairBound(bounds []boundData, pass spinPass, c component, i, j int, energy float64) float64 {
	const termRoundings = 4  // of K_ab - K_ba, which counts twice, its square, and the division
	const boundSlack = 1.001 // for rounding in the bound itself
	factor := pass.kind.weight(c, i, j)
	if factor == 0 {
		return 0
	}
	left, right := &bounds[pass.left], &bounds[pass.right]
	d, smallest := product.DType(p.Precision), smallestDenominator(left, right, i, j)
	u := d.Eps() / 2
	// With d_ia = h + l and its remainder, h and l are off by u |l| and u^2 |h|, and each of the last additions by u
	// |D|. The sum of both |h| is |D|, plus twice the smaller one where d_ia and d_jb have different signs: distant
	// orbitals do not make other denominators less certain.
	offD := 2*u + 4*u*u*(2+2*smallerDifference(left, right, i, j)/smallest)
	if !(offD < 0.5) || smallest*u < d.SmallestNormal() {
		return math.Inf(1)
	}
	nvir := [2]int{p.Nvir[pass.left], p.Nvir[pass.right]}
	rounding := offD/(1-offD) + 2*u*float64(termRoundings+halvingAdditions(nvir[0])+halvingAdditions(nvir[1]))
	underflow := factor * float64(len(left.vir)) * float64(len(right.vir)) * d.SmallestNormal() * (1 + 1/smallest)
	if c == sameSpinEnergy {
		factor *= 4
	}
	g := p.Precision.ProductError(p.Naux)
	most := factor * left.squares[i] * right.squares[j] / smallest
	m, off := (1+g)*(1+g)*most, g*g*most
	if left.hasGap(i) && right.hasGap(j) {
		m = (math.Abs(energy) + underflow) / (1 - rounding)
		off = g * g * factor * left.scaled[i] * right.scaled[j] / 2
	}
	return boundSlack * (2*math.Sqrt(m*off) + off + rounding*m + underflow)
}

// errorBound returns the bound for the sum of all pair energies from the sum of their bounds; its rounding in float64
// is included. It is infinite where it would be NaN.
func errorBound(pairs *mp2.PairEnergies, pairBounds float64) float64 {
	roundoff := precision.FP64.Roundoff()
	moduli, terms := 0.0, 0
	for _, m := range []dense.Matrix[float64]{pairs.OppositeSpin, pairs.AlphaAlpha, pairs.BetaBeta} {
		for _, e := range m.Data {
			moduli += math.Abs(e)
		}
		terms += len(m.Data)
	}
	bound := pairBounds + float64(terms)*roundoff*moduli
	if math.IsNaN(bound) || math.IsInf(moduli, 0) {
		return math.Inf(1)
	}
	return bound
}
