package mp2

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
)

func near(t *testing.T, name string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: %.17g, want %.17g (relative difference %.1e)", name, got, want, math.Abs(got-want)/math.Abs(want))
	}
}

// The expected numbers come from independent sums over all indices in double precision.
func TestSyntheticEnergies(t *testing.T) {
	m := synthetic()
	r, err := Restricted(plain[float64](m), m.occ, m.vir, EnergyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "E_os", r.OppositeSpin, -1.1079465142789195, 1e-14)
	near(t, "E_ss", r.SameSpin, -0.011858974358974355, 1e-14)
	near(t, "total", r.Total(), -1.1198054886378939, 1e-14)

	beta := m.firstOccupied(1)
	u, err := Unrestricted(plain[float64](m), plain[float64](beta), m.occ, beta.occ, m.vir, beta.vir, EnergyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "E_aa", u.AlphaAlpha, -0.00592948717948718, 1e-14)
	near(t, "E_bb", u.BetaBeta, 0, 0)
	near(t, "E_ab", u.OppositeSpin, -0.37333657622561717, 1e-14)
	near(t, "open shell", u.Total(), -0.3792660634051043, 1e-14)
}

func TestOneOrbitalOfEachKind(t *testing.T) {
	// K = 0.3 and D = 2 (-0.5 - 0.7): E = 0.09 / -2.4, all of it between opposite spins.
	b := Integrals[float64]{Nocc: 1, Nvir: 1, Naux: 2, StrideP: 1, Data: []float64{0.5, math.Sqrt(0.05)}}
	r, err := Restricted(b, []float64{-0.5}, []float64{0.7}, EnergyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "E_os", r.OppositeSpin, -0.0375, 1e-14)
	near(t, "E_ss", r.SameSpin, 0, 0)
}

// agrees compares energies with the exact ones. The reported bound is certified, and checked here too.
func agrees(t *testing.T, name string, m molecule, b Source, opt EnergyOptions) {
	t.Helper()
	r, err := Restricted(b, m.occ, m.vir, opt)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	os, ss := referenceOpposite(m, m), referenceSame(m)
	if off := difference(r.OppositeSpin, os) + difference(r.SameSpin,
		ss); off > r.ErrorBound || !(r.ErrorBound <= 1e-3*math.Abs(r.Total())) {
		t.Errorf("%s: off by %.2e, bound %.2e, energy %g", name, off, r.ErrorBound, r.Total())
	}
	u, err := Unrestricted(b, b, m.occ, m.occ, m.vir, m.vir, opt)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	off := difference(u.OppositeSpin, os) + difference(u.AlphaAlpha, half(ss)) + difference(u.BetaBeta, half(ss))
	if off > u.ErrorBound {
		t.Errorf("%s, unrestricted: off by %.2e, bound %.2e", name, off, u.ErrorBound)
	}
}

func TestShapesAgainstTheNaiveSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	shapes := [][3]int{{1, 1, 1}, {1, 2, 3}, {2, 1, 4}, {3, 2, 1}, {2, 3, 5}, {4, 5, 3}, {1, 33, 2}, {2, 31, 3},
		{3, 7, 19}, {1, 65, 1}}
	for _, s := range shapes {
		m := randomMolecule(rng, s[0], s[1], s[2])
		agrees(t, fmt.Sprintf("float64 %v", s), m, plain[float64](m), EnergyOptions{})
		agrees(t, fmt.Sprintf("float32 %v", s), m, plain[float32](m), EnergyOptions{})
	}
}

func TestStridesAgainstTheNaiveSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := randomMolecule(rng, 3, 4, 5)
	for _, order := range axisOrders {
		for _, gap := range []int{0, 2} {
			for _, backwards := range []bool{false, true} {
				for _, precision := range []Precision{PrecisionInput, PrecisionFP64, PrecisionMixed} {
					name := fmt.Sprintf("%s, gap %d, backwards %v, precision %q", order, gap, backwards, precision)
					opt := EnergyOptions{Precision: precision}
					agrees(t, "float64 "+name, m, arrange[float64](m, order, gap, backwards), opt)
					agrees(t, "float32 "+name, m, arrange[float32](m, order, gap, backwards), opt)
				}
			}
		}
	}
}

func TestBroadcastStrides(t *testing.T) {
	// All virtual orbitals have the same integrals.
	m := randomMolecule(rand.New(rand.NewPCG(5, 6)), 2, 3, 4)
	one := molecule{nocc: 2, nvir: 1, naux: 4, b: m.b[:8]}
	for i := range 2 {
		for a := range 3 {
			copy(m.b[(i*3+a)*4:], one.b[i*4:(i+1)*4])
		}
	}
	agrees(t, "stride 0", m, Integrals[float64]{Nocc: 2, Nvir: 3, Naux: 4, StrideI: 4, StrideP: 1, Data: one.b},
		EnergyOptions{})
}

func TestNewIntegralsKnowsTheLayouts(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(7, 8)), 3, 4, 5)
	orders := map[Layout]string{LayoutIAP: "iaP", LayoutPairAux: "iaP", LayoutAuxPair: "Pia", LayoutIPA: "iPa"}
	for layout, order := range orders {
		b, err := NewIntegrals(arrange[float64](m, order, 0, false).Data, layout, 3, 4, 5)
		if err != nil {
			t.Fatal(err)
		}
		agrees(t, string(layout), m, b, EnergyOptions{})
	}
}

func TestUnrestrictedAgainstTheNaiveSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, s := range [][5]int{{3, 4, 2, 5, 6}, {1, 1, 1, 1, 1}, {4, 33, 1, 35, 2}, {2, 3, 0, 5, 4}, {0, 3, 2, 4, 4}} {
		a, b := randomMolecule(rng, s[0], s[1], s[4]), randomMolecule(rng, s[2], s[3], s[4])
		for name, sources := range map[string][2]Source{
			"float64":         {plain[float64](a), plain[float64](b)},
			"float32":         {plain[float32](a), plain[float32](b)},
			"mixed dtypes":    {plain[float32](a), plain[float64](b)},
			"mixed layouts":   {arrange[float64](a, "Pia", 0, false), arrange[float64](b, "aPi", 1, true)},
			"pointer sources": {ptr(plain[float64](a)), ptr(plain[float64](b))},
		} {
			u, err := Unrestricted(sources[0], sources[1], a.occ, b.occ, a.vir, b.vir, EnergyOptions{})
			if err != nil {
				t.Errorf("%v %s: %v", s, name, err)
				continue
			}
			off := difference(u.OppositeSpin, referenceOpposite(a, b)) + difference(u.AlphaAlpha,
				half(referenceSame(a))) + difference(u.BetaBeta, half(referenceSame(b)))
			if off > u.ErrorBound {
				t.Errorf("%v %s: off by %.2e, bound %.2e", s, name, off, u.ErrorBound)
			}
			if name == "mixed dtypes" && u.ErrorBound > 1e-10*math.Abs(u.Total()) {
				t.Errorf("%v %s: products were not in the wider dtype", s, name)
			}
		}
	}
}

func ptr[T any](x T) *T { return &x }

func TestNothingToCorrelateIsExactlyZero(t *testing.T) {
	for _, s := range [][3]int{{0, 3, 4}, {2, 0, 4}, {2, 3, 0}, {0, 0, 0}} {
		m := randomMolecule(rand.New(rand.NewPCG(11, 12)), s[0], s[1], s[2])
		// Equal energies: no denominator is looked at where there is nothing to divide.
		clear(m.occ)
		clear(m.vir)
		for _, b := range []Source{plain[float64](m), plain[float32](m),
			Integrals[float32]{Nocc: s[0], Nvir: s[1], Naux: s[2]}} {
			r, err := Restricted(b, m.occ, m.vir, EnergyOptions{PairEnergies: true})
			if err != nil || r.OppositeSpin != 0 || r.SameSpin != 0 || r.ErrorBound != 0 ||
				r.PairEnergies.OppositeSpin.Rows != s[0] {
				t.Errorf("%v: %+v, %v", s, r, err)
			}
			u, err := Unrestricted(b, b, m.occ, m.occ, m.vir, m.vir, EnergyOptions{})
			if err != nil || u.Total() != 0 || u.ErrorBound != 0 {
				t.Errorf("%v unrestricted: %+v, %v", s, u, err)
			}
		}
	}
}

func TestPairEnergies(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	a, b := randomMolecule(rng, 4, 5, 6), randomMolecule(rng, 3, 4, 6)
	r, err := Restricted(plain[float64](a), a.occ, a.vir, EnergyOptions{PairEnergies: true})
	if err != nil {
		t.Fatal(err)
	}
	sum := func(m dense.Matrix[float64]) float64 {
		var s compensated
		for _, x := range m.Data {
			s.add(x)
		}
		return s.value()
	}
	near(t, "closed shell E_os", sum(r.PairEnergies.OppositeSpin), r.OppositeSpin, 1e-14)
	near(t, "closed shell E_ss", sum(r.PairEnergies.AlphaAlpha)+sum(r.PairEnergies.BetaBeta), r.SameSpin, 1e-14)
	u, err := Unrestricted(plain[float64](a), plain[float64](b), a.occ, b.occ, a.vir, b.vir,
		EnergyOptions{PairEnergies: true})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "E_ab", sum(u.PairEnergies.OppositeSpin), u.OppositeSpin, 1e-14)
	near(t, "E_aa", sum(u.PairEnergies.AlphaAlpha), u.AlphaAlpha, 1e-14)
	near(t, "E_bb", sum(u.PairEnergies.BetaBeta), u.BetaBeta, 1e-14)
	// The energy of a pair is that of a molecule with these two orbitals alone, less those of the orbitals alone.
	for i := range 4 {
		for j := range i {
			two := molecule{nocc: 2, nvir: 5, naux: 6, occ: []float64{a.occ[i], a.occ[j]}, vir: a.vir}
			two.b = append(append(two.b, a.b[i*30:(i+1)*30]...), a.b[j*30:(j+1)*30]...)
			want, _ := referenceSame(two).Float64()
			got := r.PairEnergies.AlphaAlpha
			near(t, "same-spin pair", 2*(got.At(i, j)+got.At(j, i)), want, 1e-13)
			near(t, "open-shell pair", u.PairEnergies.AlphaAlpha.At(i, j), got.At(i, j), 1e-13)
		}
		one := molecule{nocc: 1, nvir: 5, naux: 6, occ: a.occ[i : i+1], vir: a.vir, b: a.b[i*30 : (i+1)*30]}
		want, _ := referenceOpposite(one, one).Float64()
		near(t, "diagonal pair", r.PairEnergies.OppositeSpin.At(i, i), want, 1e-13)
	}
	if none, _ := Restricted(plain[float64](a), a.occ, a.vir, EnergyOptions{}); none.PairEnergies != nil {
		t.Error("pair energies that nobody asked for")
	}
}

// permuted returns m with its orbitals and auxiliary functions in another order.
func (m molecule) permuted(occ, vir, aux []int) molecule {
	out := m
	out.b, out.occ, out.vir = make([]float64, len(m.b)), make([]float64, m.nocc), make([]float64, m.nvir)
	for i, i0 := range occ {
		out.occ[i] = m.occ[i0]
		for a, a0 := range vir {
			out.vir[a] = m.vir[a0]
			for p, p0 := range aux {
				out.b[(i*m.nvir+a)*m.naux+p] = m.at(i0, a0, p0)
			}
		}
	}
	return out
}

func TestInvariances(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	m := randomMolecule(rng, 5, 40, 30)
	energy := func(m molecule) Result {
		r, err := Restricted(plain[float64](m), m.occ, m.vir, EnergyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := energy(m)
	compare := func(name string, got Result) {
		t.Helper()
		near(t, name+" E_os", got.OppositeSpin, want.OppositeSpin, 1e-13)
		near(t, name+" E_ss", got.SameSpin, want.SameSpin, 1e-13)
	}
	compare("permuted", energy(m.permuted(rng.Perm(5), rng.Perm(40), rng.Perm(30))))

	// Plane rotations of the auxiliary functions, which are orthogonal, leave K as it is.
	rotated := m
	rotated.b = append([]float64(nil), m.b...)
	for range 60 {
		p, q := rng.IntN(30), rng.IntN(29)
		if q >= p {
			q++
		}
		sin, cos := math.Sincos(rng.Float64())
		for row := 0; row < len(m.b); row += 30 {
			x, y := rotated.b[row+p], rotated.b[row+q]
			rotated.b[row+p], rotated.b[row+q] = cos*x-sin*y, sin*x+cos*y
		}
	}
	compare("rotated", energy(rotated))

	// An occupied and a virtual orbital without integrals change nothing.
	larger := molecule{nocc: 6, nvir: 41, naux: 30, occ: append(append([]float64(nil), m.occ...), -0.3),
		vir: append(append([]float64(nil), m.vir...), 0.7), b: make([]float64, 6*41*30)}
	for i := range 5 {
		copy(larger.b[i*41*30:], m.b[i*40*30:(i+1)*40*30])
	}
	compare("uncoupled orbitals", energy(larger))
}

// A spin without orbitals has no integrals, so that it does not matter how many auxiliary functions its arrays would
// have.
func TestSpinWithoutOrbitals(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(37, 38)), 3, 4, 5)
	full := Spin{Source: plain[float64](m), Occ: m.occ, Vir: m.vir}
	alone, err := Generalized(full.Source, full.Occ, full.Vir, EnergyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Plan(EnergyOptions{}, full.Source, Integrals[float64]{Nvir: 4, Naux: 5})
	if err != nil || plan.Flops == 0 {
		t.Fatal(plan, err)
	}
	for _, naux := range []int{0, 5, 7} {
		for name, none := range map[string]Spin{
			"no occupied orbitals": {Source: Integrals[float64]{Nvir: 4, Naux: naux}, Vir: m.vir},
			"no virtual orbitals":  {Source: &FunctionIntegrals[float64]{Nocc: 3, Naux: naux}, Occ: m.occ},
		} {
			for _, spins := range [][2]Spin{{full, none}, {none, full}} {
				a, b := spins[0], spins[1]
				r, err := Unrestricted(a.Source, b.Source, a.Occ, b.Occ, a.Vir, b.Vir, EnergyOptions{})
				if err != nil || r.Total() != alone.SameSpin || r.OppositeSpin != 0 {
					t.Errorf("%s, naux %d: %+v, want %g, %v", name, naux, r, alone.SameSpin, err)
				}
				if got, err := Plan(EnergyOptions{}, a.Source, b.Source); err != nil || got.Flops != plan.Flops {
					t.Errorf("%s, naux %d: a plan of %g operations, want %g, %v", name, naux, got.Flops, plan.Flops,
						err)
				}
				if sos, err := OppositeSpin(1e-6, Options{}, a, b); err != nil || sos.OppositeSpin != 0 {
					t.Errorf("%s, naux %d: opposite spin %+v, %v", name, naux, sos, err)
				}
				if d, err := Density(Options{}, a,
					b); err != nil || d[0].Rows != len(a.Occ)+len(a.Vir) || d[1].Rows != len(b.Occ)+len(b.Vir) {
					t.Errorf("%s, naux %d: %v", name, naux, err)
				}
			}
		}
	}
}
