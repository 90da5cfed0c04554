package mp2

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"trnsci/core/mp2/internal/denominators"
)

// geometric returns n numbers from low to high whose neighbours have one ratio.
func geometric(low, high float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = low * math.Pow(high/low, float64(i)/float64(n-1))
	}
	x[n-1] = high
	return x
}

// spinOf returns a molecule as a spin.
func spinOf(m molecule, name string) Spin {
	return Spin{Name: name, Source: plain[float64](m), Occ: m.occ, Vir: m.vir}
}

// spread moves the energies of a molecule apart, so that the largest e_a - e_i is about ratio times the smallest.
func (m molecule) spread(ratio float64) molecule {
	m.occ, m.vir = geometric(0.1, 0.1*ratio, len(m.occ)), geometric(0.1, 0.1*ratio, len(m.vir))
	for i := range m.occ {
		m.occ[i] = -m.occ[i]
	}
	return m
}

// roundingOf bounds the rounding of a sum e of n terms, conversions and denominators included.
func roundingOf(e float64, n int) float64 { return 8 * float64(n) * 0x1p-52 * math.Abs(e) }

func TestOppositeSpinAgainstTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	singles := 0
	for n, ratio := range []float64{1, 2, 18, 1e2, 1e4, 1e8} {
		a := randomMolecule(rng, 1+n, 4+n, 7).spread(ratio)
		b := randomMolecule(rng, 2, 9, 7).spread(ratio)
		for name, spins := range map[string][]Spin{"closed": {spinOf(a, "")},
			"open": {spinOf(a, "alpha"), spinOf(b, "beta")}} {
			exact := referenceOpposite(a, a)
			if name == "open" {
				exact = referenceOpposite(a, b)
			}
			size, _ := exact.Float64()
			for _, tolerance := range []float64{1e-1, 1e-5, 1e-9} {
				tolerance *= -size
				r, err := OppositeSpin(tolerance, Options{}, spins...)
				if err != nil {
					t.Fatal(err)
				}
				off := difference(r.OppositeSpin, exact)
				if r.QuadratureError > tolerance || off > r.QuadratureError+roundingOf(size, r.Points) {
					t.Errorf("%s, ratio %g, tol %g: %+v, off by %g", name, ratio, tolerance, r, off)
				}
				singles += r.Single
				// The tolerance is not met by far more than one point and a sketch that is too high make of it.
				if ratio >= 18 && r.Points > 1 && r.QuadratureError < 1e-5*tolerance {
					t.Errorf("%s, ratio %g, tol %g: %+v has too many points", name, ratio, tolerance, r)
				}
			}
		}
	}
	if singles == 0 {
		t.Error("no point was computed in float32")
	}
}

// Points that are added one by one, as if the sketch had been too low, lower a bound that always holds.
func TestOppositeSpinOnePointMore(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(69, 70)), 4, 9, 11).spread(20)
	exact := referenceOpposite(m, m)
	size, _ := exact.Float64()
	s := spinOf(m, "")
	run, err := newOppositeSpinRun(Options{}, []Spin{s})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.sketch(); err != nil {
		t.Fatal(err)
	}
	low, high := run.leaveOut(0)
	if err := run.compute(denominators.ZolotarevPoints(2, low, high), 0); err != nil {
		t.Fatal(err)
	}
	for before := math.Inf(1); run.error() > 1e-10; {
		if off := difference(-run.energy.value(), exact); off > run.error()+roundingOf(size,
			len(run.points)) || run.error() >= before {
			t.Fatalf("%d points: off by %g, bound %g after %g", len(run.points), off, run.error(), before)
		}
		before = run.error()
		if len(run.points) == mostPoints {
			t.Fatalf("error %g with %d points", before, mostPoints)
		}
		if err := run.addWorst(); err != nil {
			t.Fatal(err)
		}
	}
}

// Only x + y counts: energies of one spin may move against those of the other, past the point where one of them has no
// gap.
func TestOppositeSpinWithUnevenGaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 64))
	a, b := randomMolecule(rng, 3, 5, 6), randomMolecule(rng, 2, 4, 6)
	for i := range a.occ {
		a.occ[i] += 0.4 // above the lowest virtual one
	}
	for i := range b.occ {
		b.occ[i] -= 0.7
	}
	r, err := OppositeSpin(1e-7, Options{}, spinOf(a, "alpha"), spinOf(b, "beta"))
	if err != nil {
		t.Fatal(err)
	}
	if off := difference(r.OppositeSpin, referenceOpposite(a, b)); off > 1e-7 {
		t.Errorf("%+v is off by %g", r, off)
	}
}

// The result depends neither on threads nor on memory nor on where the integrals are.
func TestOppositeSpinBits(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(65, 66)), 7, 700, 9) // more than one chunk
	orbital := int64(8 * 700 * 9)
	sources := map[string]Source{"packed": arrange[float64](m, "Pai", 0, false), "float32": plain[float32](m),
		"gaps": arrange[float64](m, "iPa", 3, true)}
	for _, c := range fileCases[float64](t, m, "<f8") {
		sources[c.name] = c.file
	}
	want, err := OppositeSpin(1e-6, Options{}, spinOf(m, ""))
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range sources {
		for _, opt := range []Options{{}, {Team: team(3)}, {Team: team(2), MaxBytes: orbital},
			{MaxBytes: 2 * orbital}} {
			s := Spin{Source: src, Occ: m.occ, Vir: m.vir}
			bound, err := OppositeSpinWorkspace(opt, s)
			if err != nil {
				t.Fatal(err)
			}
			var got OppositeSpinResult
			const garbage = 200 << 10 // goroutines, the factors of each point
			used := leastAllocated(t, func() error { got, err = OppositeSpin(1e-6, opt, s); return err })
			if got != want {
				t.Errorf("%s, %d threads, limit %d: %+v, want %+v", name, opt.Team.Threads(), opt.MaxBytes, got, want)
			}
			if used > bound+garbage {
				t.Errorf("%s, limit %d: %d bytes allocated, bound %d", name, opt.MaxBytes, used, bound)
			}
		}
	}
}

// Orbitals that are dropped by giving them a huge energy and rows of zeros add nothing, and take no points.
func TestOppositeSpinOfDroppedOrbitals(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	alpha, beta := randomMolecule(rng, 3, 5, 8), randomMolecule(rng, 2, 4, 8)
	want, err := OppositeSpin(1e-9, Options{}, spinOf(alpha, "alpha"), spinOf(beta, "beta"))
	if err != nil {
		t.Fatal(err)
	}
	for _, energy := range []float64{1e6, 1e15, 1e30, 1e300, math.MaxFloat64} {
		a, b := alpha.dropped(energy), beta.dropped(energy)
		got, err := OppositeSpin(1e-9, Options{}, spinOf(a, "alpha"), spinOf(b, "beta"))
		if err != nil {
			t.Errorf("%g: %v", energy, err)
			continue
		}
		off := difference(got.OppositeSpin, referenceOpposite(a, b))
		if off > 1e-9+roundingOf(got.OppositeSpin,
			got.Points) || got.Points != want.Points || !(got.QuadratureError <= 1e-9) {
			t.Errorf("%g: off by %g, %+v, without them %+v", energy, off, got, want)
		}
		closed, err := OppositeSpin(1e-9, Options{}, spinOf(a, ""))
		if off := difference(closed.OppositeSpin, referenceOpposite(a,
			a)); err != nil || off > 1e-9+roundingOf(closed.OppositeSpin, closed.Points) {
			t.Errorf("closed shell, %g: off by %g, %+v, %v", energy, off, closed, err)
		}
	}
	// One whose rows are not zero counts if it is near, and is named if it is too far for any number of points.
	far := alpha.dropped(1e18)
	for n := range far.b {
		far.b[n] = 1e9 * (1 + rng.Float64())
	}
	_, err = OppositeSpin(1e-9, Options{}, spinOf(far, ""))
	argument(t, "far", err, "tol", "virtual orbital 5", "1e+18")
}

func TestOppositeSpinRefuses(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(67, 68)), 3, 4, 5)
	call := func(tolerance float64, opt Options, spins ...Spin) error {
		_, err := OppositeSpin(tolerance, opt, spins...)
		return err
	}
	for _, tolerance := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		argument(t, "tolerance", call(tolerance, Options{}, spinOf(m, "")), "tol", "positive")
	}
	argument(t, "tiny tolerance", call(1e-300, Options{}, spinOf(m.spread(1e6), "")), "tol", "127 points")
	argument(t, "no source", call(1e-7, Options{}, Spin{Occ: m.occ, Vir: m.vir}), "B")
	argument(t, "sizes", call(1e-7, Options{}, Spin{Source: plain[float64](m), Occ: m.vir, Vir: m.vir}), "eps_occ",
		"(4,)")
	packed := Spin{Source: arrange[float64](m, "Pai", 0, false), Occ: m.occ, Vir: m.vir}
	argument(t, "memory", call(1e-7, Options{MaxBytes: 159}, packed), "max_memory", "159", "160 bytes")

	var gap *GapError
	if err := call(1e-7, Options{}, Spin{Source: plain[float64](m), Occ: m.vir[:3], Vir: m.vir}); !errors.As(err,
		&gap) || gap.Smallest > 0 {
		t.Errorf("no gap: %v", err)
	}
	bad := m
	bad.b = append([]float64{}, m.b...)
	bad.b[len(bad.b)-1] = math.Inf(1)
	argument(t, "infinite B", call(1e-7, Options{}, spinOf(bad, "")), "B", "orbital 2")
	r, err := OppositeSpin(1e-7, Options{SkipFiniteCheck: true}, spinOf(bad, ""))
	if err != nil || !(math.IsNaN(r.OppositeSpin) || math.IsInf(r.OppositeSpin, -1)) || !math.IsInf(r.QuadratureError,
		1) {
		t.Errorf("unchecked infinite B: %+v, %v", r, err)
	}
	empty := Spin{Source: Integrals[float64]{Nocc: 3, Nvir: 4, Naux: 0}, Occ: m.occ, Vir: m.vir}
	if _, err := OppositeSpinWorkspace(Options{}, empty); err != nil {
		t.Error(err)
	}
	if r, err := OppositeSpin(1e-7, Options{}, empty); err != nil || r != (OppositeSpinResult{}) {
		t.Errorf("no auxiliary functions: %+v, %v", r, err)
	}
}
