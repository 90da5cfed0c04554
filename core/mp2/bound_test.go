package mp2

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"trnsci/core/dense"
)

// boundRatios returns, sorted, bound over error for random molecules whose integrals span many orders of magnitude.
func boundRatios(t *testing.T, opt EnergyOptions, source func(molecule) Source) []float64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(21, 22))
	var ratios []float64
	for n := range 200 {
		m := randomMolecule(rng, 1+rng.IntN(3), 1+rng.IntN(6), 1+rng.IntN(24))
		for k := range m.b {
			m.b[k] = float64(float32(m.b[k] * math.Exp(2*rng.NormFloat64())))
			if opt.Precision == PrecisionMixed {
				m.b[k] += m.b[k] * 0x1p-25 * rng.Float64() // digits that float32 does not hold
			}
		}
		if n%4 == 0 {
			m.occ[0] = m.vir[0] - 1e-5*rng.Float64() // a denominator of few correct digits
		}
		r, err := Restricted(source(m), m.occ, m.vir, opt)
		if err != nil {
			t.Fatal(err)
		}
		off := difference(r.OppositeSpin, referenceOpposite(m, m)) + difference(r.SameSpin, referenceSame(m))
		if !(off <= r.ErrorBound) {
			t.Errorf("case %d: off by %.3e, bound %.3e", n, off, r.ErrorBound)
		}
		if off > 0 {
			ratios = append(ratios, r.ErrorBound/off)
		}
	}
	slices.Sort(ratios)
	return ratios
}

// A rigorous bound adds up moduli where errors cancel like the square root of their number, so for sums this short it
// is about ten to a thousand times the error. A much larger ratio would be a mistake.
func TestErrorBound(t *testing.T) {
	for name, c := range map[string]struct {
		opt    EnergyOptions
		source func(molecule) Source
	}{
		"float32": {EnergyOptions{}, func(m molecule) Source { return plain[float32](m) }},
		"float64": {EnergyOptions{}, func(m molecule) Source { return plain[float64](m) }},
		"mixed":   {EnergyOptions{Precision: PrecisionMixed}, func(m molecule) Source { return plain[float64](m) }},
		"fp64":    {EnergyOptions{Precision: PrecisionFP64}, func(m molecule) Source { return plain[float32](m) }},
	} {
		ratios := boundRatios(t, c.opt, c.source)
		median := ratios[len(ratios)/2]
		t.Logf("%s: bound over error %.1f at least, %.0f in the median", name, ratios[0], median)
		if median > 1000 {
			t.Errorf("%s: the bound is %.0f times the error in the median", name, median)
		}
	}
}

func TestErrorBoundCoversUnderflow(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(23, 24)), 2, 3, 5)
	for n := range m.b {
		m.b[n] = float64(float32(m.b[n] * 0x1p-74)) // products are subnormal in float32
	}
	r, err := Restricted(plain[float32](m), m.occ, m.vir, EnergyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	off := difference(r.OppositeSpin, referenceOpposite(m, m)) + difference(r.SameSpin, referenceSame(m))
	if off == 0 || off > r.ErrorBound {
		t.Errorf("off by %g, bound %g", off, r.ErrorBound)
	}
	for n := range m.b {
		m.b[n] *= 0x1p-70 // vanishes in float32
	}
	r, err = Restricted(plain[float64](m), m.occ, m.vir, EnergyOptions{Precision: PrecisionMixed})
	if err != nil {
		t.Fatal(err)
	}
	off = difference(r.OppositeSpin, referenceOpposite(m, m)) + difference(r.SameSpin, referenceSame(m))
	if off == 0 || off > r.ErrorBound {
		t.Errorf("rounded to zero: off by %g, bound %g", off, r.ErrorBound)
	}
}

// Orbitals that are dropped by giving them a huge energy, and rows of zeros, leave the bound about as it is without
// them, in every precision, with a gap and without one.
func TestErrorBoundOfDroppedOrbitals(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for name, opt := range map[string]EnergyOptions{"float64": {},
		"mixed": {Precision: PrecisionMixed, Tolerance: 1e-2}} {
		for n := range 20 {
			m := randomMolecule(rng, 3, 4, 8)
			if n%2 == 1 {
				m.occ[1] = m.vir[0] + .3*rng.Float64() // no gap
			}
			two := m.firstOccupied(2)
			want, err := Restricted(plain[float64](two), two.occ, two.vir, opt)
			if err != nil {
				t.Fatal(err)
			}
			for _, energy := range []float64{1e6, 1e15, 1e30, 1e300, math.MaxFloat64} {
				d := m.dropped(energy)
				d.occ = append(slices.Clone(d.occ[:2]), -energy)
				for k := 2 * d.nvir * d.naux; k < len(d.b); k++ {
					d.b[k] = 0
				}
				r, err := Restricted(plain[float64](d), d.occ, d.vir, opt)
				if err != nil {
					t.Fatalf("%s, %g: %v", name, energy, err)
				}
				off := difference(r.OppositeSpin, referenceOpposite(d, d)) + difference(r.SameSpin, referenceSame(d))
				if !(off <= r.ErrorBound) || !(r.ErrorBound <= 3*want.ErrorBound) || r.Recomputed > want.Recomputed {
					t.Errorf("%s, %g: off by %g, %+v, without them %+v", name, energy, off, r, want)
				}
			}
		}
	}
}

// The differences of one sign each, and of both, against exact arithmetic.
func TestDenominatorErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for range 20000 {
		var e [4]float64
		for n := range e {
			e[n] = math.Ldexp(rng.NormFloat64(), rng.IntN(60)-30)
		}
		if rng.IntN(2) == 0 {
			e[3] = e[0] + e[1] - e[2] + 1e-9*e[3] // nearly cancels
		}
		x, y := e[0]-e[2], e[1]-e[3]
		d := denominator(x, y)
		exact := new(big.Float).SetPrec(400)
		for n, sign := range []float64{1, 1, -1, -1} {
			exact.Add(exact, new(big.Float).SetPrec(400).SetFloat64(sign*e[n]))
		}
		off := difference(d, exact)
		bounds := newDenominatorError(extentOf([]float64{x}), extentOf([]float64{y}))
		if !(off <= bounds.relative*math.Abs(d)+bounds.absolute) {
			t.Fatalf("D of %v is off by %g, bounds %+v", e, off, bounds)
		}
		if value, uncertain := overDenominator(x, y).term(1, 0); !math.IsInf(certain(uncertain), 1) {
			one := new(big.Float).SetPrec(400).SetInt64(1)
			if off := difference(value, one.Quo(one, exact)); !(off <= uncertain) {
				t.Fatalf("1/D of %v is off by %g, bound %g", e, off, uncertain)
			}
		}
	}
}

func TestErrorBoundIsInfiniteWhereNothingIsKnown(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(25, 26)), 2, 3, 5)
	m.b[3] = 1e200 // its square overflows
	r, err := Restricted(plain[float64](m), m.occ, m.vir, EnergyOptions{})
	if err != nil || !math.IsInf(r.ErrorBound, 1) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCompensatedSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for n := range 300 {
		var sum compensated
		exact, moduli := new(big.Float).SetPrec(2000), 0.0
		for range n {
			x := math.Ldexp(rng.NormFloat64(), rng.IntN(100))
			sum.add(x)
			exact.Add(exact, big.NewFloat(x))
			moduli += math.Abs(x)
		}
		off, _ := exact.Sub(exact, big.NewFloat(sum.value())).Float64()
		if !(math.Abs(off) <= gamma(compensatedRoundings, dense.RoundoffDouble)*moduli) {
			t.Errorf("%d terms: off by %g, moduli %g", n, off, moduli)
		}
	}
	for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		sum := compensated{}
		sum.add(1)
		sum.add(x)
		sum.add(1)
		if got := sum.value(); got != x && !(x != x && got != got) {
			t.Errorf("with %v the sum is %v", x, got)
		}
	}
}

// Pairs are computed again if the bound of float32 products is too large: as few as suffice, and all of them to the
// bits of float64.
func TestTolerance(t *testing.T) {
	rng := rand.New(rand.NewPCG(57, 58))
	for n := range 60 {
		m := randomMolecule(rng, 2+rng.IntN(6), 1+rng.IntN(9), 1+rng.IntN(20))
		other := randomMolecule(rng, 1+rng.IntN(4), 1+rng.IntN(9), m.naux)
		run := func(opt EnergyOptions) Result {
			t.Helper()
			var r Result
			var err error
			if n%2 == 0 {
				r, err = Restricted(plain[float64](m), m.occ, m.vir, opt)
			} else {
				r, err = Unrestricted(plain[float64](m), plain[float64](other), m.occ, other.occ, m.vir, other.vir, opt)
			}
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		exact, loose := run(EnergyOptions{}), run(EnergyOptions{Precision: PrecisionMixed})
		pairs := triangular(m.nocc, 0)
		if n%2 == 1 {
			pairs = triangular(m.nocc, 0) + triangular(other.nocc, 0) + m.nocc*other.nocc
		}
		before := 0
		for _, share := range []float64{2, 0.9, 0.5, 0.1, 1e-3, 1e-6} {
			opt := EnergyOptions{Precision: PrecisionMixed, Tolerance: share * loose.ErrorBound}
			r := run(opt)
			if r.ErrorBound > opt.Tolerance+exact.ErrorBound || r.Recomputed < before || r.Recomputed > pairs ||
				(share > 1) != (r.Recomputed == 0) {
				t.Errorf("case %d, %g of the bound: %d of %d pairs again (%d before), bound %g of %g", n, share,
					r.Recomputed, pairs, before, r.ErrorBound, opt.Tolerance)
			}
			if off := difference(r.Total(), number(exact.Total())); off > r.ErrorBound+exact.ErrorBound {
				t.Errorf("case %d, %g of the bound: off by %g, bound %g", n, share, off, r.ErrorBound)
			}
			opt.Team = team(3)
			if again := run(opt); again != r {
				t.Errorf("case %d: %+v with three threads, %+v with one", n, again, r)
			}
			before = r.Recomputed
		}
		all := run(EnergyOptions{Precision: PrecisionMixed, Tolerance: 1e-300})
		all.Recomputed = 0
		if all != exact {
			t.Errorf("case %d: all pairs again give %+v, float64 gives %+v", n, all, exact)
		}
	}
	m := randomMolecule(rng, 2, 3, 4)
	for _, bad := range []float64{-1, math.NaN()} {
		_, err := Restricted(plain[float64](m), m.occ, m.vir, EnergyOptions{Tolerance: bad})
		argument(t, "tolerance", err, "etol", "hartree")
	}
}

// A bound that every term is computed with may not be subnormal, see underflowBound.
func TestBoundsOnUnderflowsAreNormal(t *testing.T) {
	const naux = 100
	for _, e := range []productError{
		newProductError[float32](roundings[float32](naux, true)), newProductError[float64](roundings[float64](naux, false)),
		complexError[complex64](naux), complexError[complex128](naux),
	} {
		if e.absolute < dense.SmallestNormalDouble {
			t.Errorf("the bound %g is subnormal", e.absolute)
		}
	}
}
