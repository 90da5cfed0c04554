package mp2

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

// argument checks that err is an ArgumentError for arg whose reason contains all the words.
func argument(t *testing.T, name string, err error, arg string, words ...string) {
	t.Helper()
	var e *dense.ArgumentError
	if !errors.As(err, &e) || e.Arg != arg {
		t.Errorf("%s: %v, want an error in %s", name, err, arg)
		return
	}
	for _, w := range words {
		if !strings.Contains(e.Reason, w) {
			t.Errorf("%s: %q does not say %q", name, e.Reason, w)
		}
	}
}

func TestArgumentErrors(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(31, 32)), 2, 3, 4)
	b := plain[float64](m)
	restricted := func(b Source, occ, vir []float64, opt EnergyOptions) error {
		_, err := Restricted(b, occ, vir, opt)
		return err
	}
	argument(t, "long eps_occ", restricted(b, m.vir, m.vir, EnergyOptions{}), "eps_occ", "(3,)", "(2, 3, 4)")
	argument(t, "short eps_vir", restricted(b, m.occ, m.occ, EnergyOptions{}), "eps_vir", "(2,)", "(2, 3, 4)")
	argument(t, "no source", restricted(nil, m.occ, m.vir, EnergyOptions{}), "B")
	argument(t, "precision", restricted(b, m.occ, m.vir, EnergyOptions{Precision: "fp16"}), "precision", "fp16",
		"mixed")
	argument(t, "memory", restricted(b, m.occ, m.vir, EnergyOptions{Options: Options{MaxBytes: -1}}), "max_memory",
		"-1")
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		argument(t, "bad eps_occ", restricted(b, []float64{-1, x}, m.vir, EnergyOptions{}), "eps_occ",
			"infinities or NaNs")
		argument(t, "bad eps_vir", restricted(b, m.occ, []float64{x, 1, 1}, EnergyOptions{}), "eps_vir",
			"infinities or NaNs")
	}
	_, err := Unrestricted(b, plain[float64](randomMolecule(rand.New(rand.NewPCG(1, 1)), 2, 3, 5)), m.occ, m.occ, m.vir,
		m.vir, EnergyOptions{})
	argument(t, "other naux", err, "B", "(2, 3, 4)", "(2, 3, 5)")
	_, err = Unrestricted(b, b, m.occ, m.occ, m.vir, m.occ, EnergyOptions{})
	argument(t, "short beta eps_vir", err, "eps_vir", "beta")
	_, err = Unrestricted(b, b, m.occ, []float64{-1, math.NaN()}, m.vir, m.vir, EnergyOptions{})
	argument(t, "bad beta eps_occ", err, "eps_occ", "infinities or NaNs (beta)")
	_, err = NewIntegrals(b.Data, "Pai", 2, 3, 4)
	argument(t, "layout", err, "layout", "Pai", "P(ia)")
	_, err = Workspace(EnergyOptions{})
	argument(t, "no sources", err, "B")
}

func TestNonFiniteIntegralsNameTheOrbital(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(33, 34)), 4, 3, 5)
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for position := range m.b {
			bad := m
			bad.b = append([]float64(nil), m.b...)
			bad.b[position] = x
			orbital := "orbital " + string(rune('0'+position/15))
			for _, b := range []Source{plain[float64](bad), plain[float32](bad), arrange[float64](bad, "Pia", 0, false),
				arrange[float64](bad, "aiP", 0, true)} {
				_, err := Restricted(b, m.occ, m.vir, EnergyOptions{})
				argument(t, "closed shell", err, "B", "infinities or NaNs", orbital)
				r, err := Restricted(b, m.occ, m.vir, EnergyOptions{Options: Options{SkipFiniteCheck: true}})
				if err != nil || dense.IsFinite(r.Total()) || !math.IsInf(r.ErrorBound, 1) {
					t.Errorf("unchecked %g at %d: %+v, %v", x, position, r, err)
				}
			}
			_, err := Unrestricted(plain[float64](m), plain[float64](bad), m.occ, m.occ, m.vir, m.vir, EnergyOptions{})
			argument(t, "open shell", err, "B", orbital, "beta")
		}
	}
	m.b[20] = 1e60 // finite until it is rounded
	_, err := Restricted(plain[float64](m), m.occ, m.vir, EnergyOptions{Precision: PrecisionMixed})
	argument(t, "beyond float32", err, "B", "orbital 1", "rounded to float32")
}

func TestVanishingDenominators(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(35, 36)), 3, 3, 4)
	check := func(name string, err error, want *DenominatorError) {
		t.Helper()
		var e *DenominatorError
		switch {
		case want == nil && err != nil:
			t.Errorf("%s: %v", name, err)
		case want != nil && (!errors.As(err, &e) || *e != *want):
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	closed := func(occ, vir []float64) error {
		_, err := Restricted(plain[float64](m), occ, vir, EnergyOptions{})
		return err
	}
	check("equal", closed([]float64{-1, -1, 0.5}, []float64{2, 0.5, 3}), &DenominatorError{I: 2, J: 2, A: 1, B: 1})
	check("sums", closed([]float64{-1, 2, -3}, []float64{0.25, 0.5, 0.75}), &DenominatorError{I: 1, J: 0, A: 0, B: 2})
	check("overlap without a zero", closed([]float64{-1, 0.4, -3}, []float64{0.25, 0.5, 1}), nil)
	// 0.1 + 0.7 - 0.2 - 0.6 is 0 in exact arithmetic and a few units of rounding in float64.
	check("zero but for rounding", closed([]float64{-1, 0.7, 0.1}, []float64{0.2, 0.6, 3}),
		&DenominatorError{I: 2, J: 1, A: 0, B: 1})
	check("reciprocal overflows", closed([]float64{-1, 0, -3}, []float64{5e-324, 1, 2}),
		&DenominatorError{I: 1, J: 1, A: 0, B: 0})
	check("tiny gap", closed([]float64{-1, -1e-290, -3}, []float64{1e-290, 1, 2}), nil)

	open := func(occA, occB, vir []float64) error {
		b := plain[float64](m)
		_, err := Unrestricted(b, b, occA, occB, vir, vir, EnergyOptions{})
		return err
	}
	low, vir := []float64{-1, -2, -3}, []float64{0.25, 0.5, 1}
	check("alpha", open([]float64{-1, 1.75, -2}, low, vir),
		&DenominatorError{I: 1, J: 0, A: 0, B: 1, SpinI: "alpha", SpinJ: "alpha"})
	check("beta", open(low, []float64{-1, 1.75, -2}, vir), &DenominatorError{I: 1, J: 0, A: 0, B: 1, SpinI: "beta",
		SpinJ: "beta"})
	check("alpha beta", open([]float64{0.25, -2, -3}, []float64{-4, -5, 1}, vir),
		&DenominatorError{I: 0, J: 2, A: 0, B: 2, SpinI: "alpha", SpinJ: "beta"})
	// Two electrons of one spin cannot be in one orbital: i = j and a = b have no denominator there.
	check("excluded", open([]float64{0.25, -2, -3}, low, vir), nil)
	text := (&DenominatorError{I: 4, J: 5, A: 6, B: 7, SpinI: "alpha", SpinJ: "beta"}).Error()
	for _, want := range []string{"i = 4 (alpha), j = 5 (beta)", "a = 6 (alpha), b = 7 (beta)"} {
		if !strings.Contains(text, want) {
			t.Error(text)
		}
	}
}

// Energies that overlap without a vanishing denominator give terms of both signs.
func TestInvertedOrbitals(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(37, 38)), 3, 4, 5)
	m.occ[1], m.vir[2] = 0.77, 0.31
	agrees(t, "inverted", m, plain[float64](m), EnergyOptions{})
}

func TestEachOrbital(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(41, 42)), 4, 3, 5)
	const first, end = 1, 4
	check := func(name string, src Source) {
		t.Helper()
		next := first
		err := EachOrbital(nil, Spin{Source: src}, first, end, func(i int, b dense.View[float32], norms []float64) {
			if i != next || b.Rows != m.nvir || b.Cols != m.naux || len(norms) != m.nvir {
				t.Fatalf("%s: orbital %d is %d x %d with %d norms, expected orbital %d", name, i, b.Rows, b.Cols,
					len(norms), next)
			}
			next++
			for a := range m.nvir {
				squares := 0.0
				for p := range m.naux {
					if got, want := float64(b.At(a, p)), m.at(i, a, p); got != want {
						t.Errorf("%s: B[%d,%d,%d] is %g, not %g", name, i, a, p, got, want)
					}
					squares += m.at(i, a, p) * m.at(i, a, p)
				}
				if length := math.Sqrt(squares); norms[a] < length*(1-1e-15) || norms[a] > length*(1+1e-12) {
					t.Errorf("%s: row %d of orbital %d has length %g, the bound is %g", name, a, i, length, norms[a])
				}
			}
		})
		if err != nil || next != end {
			t.Errorf("%s: %v, %d orbitals", name, err, next-first)
		}
	}
	for _, order := range axisOrders {
		check("float32 "+order, arrange[float32](m, order, 1, true))
		check("float64 "+order, arrange[float64](m, order, 0, false))
	}
	for _, c := range fileCases[float64](t, m, ">f8") {
		check(c.name, c.file)
	}
}

func TestEachOrbitalRefusesWhatIsNotFinite(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(43, 44)), 3, 2, 4)
	m.b[len(m.b)-1] = 1e60 // finite until it is rounded
	s := Spin{Name: "beta", Source: plain[float64](m)}
	none := func(int, dense.View[float32], []float64) { t.Error("visited an orbital that is refused") }
	argument(t, "beyond float32", EachOrbital(nil, s, 2, 3, none), "B", "orbital 2", "beta", "float32")
	visited := 0
	err := EachOrbital(nil, s, 2, 3, func(int, dense.View[float64], []float64) { visited++ })
	if err != nil || visited != 1 {
		t.Errorf("in float64: %v, %d orbitals", err, visited)
	}
}

func TestCheckIsWhatTheEnergiesRefuse(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(45, 46)), 2, 3, 4)
	good := Spin{Source: plain[float64](m), Occ: m.occ, Vir: m.vir}
	if err := Check(nil, good); err != nil {
		t.Error(err)
	}
	if err := Check(nil, good, good); err != nil {
		t.Error(err)
	}
	argument(t, "no spin", Check(nil), "B")
	short := good
	short.Name, short.Vir = "beta", m.occ
	argument(t, "short eps_vir", Check(nil, good, short), "eps_vir", "beta")
	inverted := good
	inverted.Vir = []float64{m.occ[0], 1, 2}
	if _, ok := Check(nil, inverted).(*DenominatorError); !ok {
		t.Errorf("a vanishing denominator: %v", Check(nil, inverted))
	}
}

func team(threads int) *sched.Team { return sched.NewTeam(context.Background(), threads, nil) }

func TestSameBitsForAllNumbersOfThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	// One pair, fewer pairs than threads, and more.
	for _, s := range [][3]int{{1, 150, 90}, {2, 70, 300}, {7, 70, 40}} {
		a, b := randomMolecule(rng, s[0], s[1], s[2]), randomMolecule(rng, s[0]+1, s[1]+3, s[2])
		for _, order := range []string{"iaP", "Pia", "Pai"} {
			for _, precision := range []Precision{PrecisionInput, PrecisionMixed} {
				left, right := arrange[float64](a, order, 0, false), arrange[float64](b, order, 0, false)
				var closed, open Result
				for n, threads := range []int{1, 2, 5} {
					opt := EnergyOptions{Options: Options{Team: team(threads)}, Precision: precision}
					r, err := Restricted(left, a.occ, a.vir, opt)
					if err != nil {
						t.Fatal(err)
					}
					u, err := Unrestricted(left, right, a.occ, b.occ, a.vir, b.vir, opt)
					if err != nil {
						t.Fatal(err)
					}
					if n == 0 {
						closed, open = r, u
					}
					if r != closed || u != open {
						t.Errorf("%v %s, %d threads: %+v and %+v, want %+v and %+v", s, order, threads, r, u, closed,
							open)
					}
				}
			}
		}
	}
}

func TestProgressCountsPairs(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(57, 58)), 5, 4, 3)
	var closed, open sched.Progress
	b := arrange[float64](m, "Pai", 0, false)
	opt := EnergyOptions{Options: Options{Team: sched.NewTeam(context.Background(), 2, &closed), MaxBytes: 2 * 8 * 12}}
	if _, err := Restricted(b, m.occ, m.vir, opt); err != nil {
		t.Fatal(err)
	}
	if done, total := closed.Read(); done != 15 || total != 15 {
		t.Errorf("closed shell: %d of %d", done, total)
	}
	opt.Team = sched.NewTeam(context.Background(), 2, &open)
	if _, err := Unrestricted(b, b, m.occ, m.occ, m.vir, m.vir, opt); err != nil {
		t.Fatal(err)
	}
	if done, total := open.Read(); done != 10+10+25 || total != 45 {
		t.Errorf("open shell: %d of %d", done, total)
	}
}

// Every long function, in place and in blocks of two orbitals of either spin.
func TestCallsObeyCancellation(t *testing.T) {
	rng := rand.New(rand.NewPCG(59, 60))
	m, other := randomMolecule(rng, 12, 20, 16), randomMolecule(rng, 10, 18, 16)
	blocks := arrange[float64](m, "Pai", 0, false)
	tight := int64(4 * 8 * m.nvir * m.naux)
	a, b := spinOf(m, "alpha"), spinOf(other, "beta")
	im := randomMolecule(rng, 12, 20, 16)
	large := spinOf(randomMolecule(rng, 60, 40, 12), "") // several chunks
	crystal := randomCrystal(rng, []int{3}, 4, 6, 8).points(inOrder[complex128]("iaP"))
	for name, call := range map[string]func(opt Options) error{
		"restricted": func(opt Options) error {
			return onlyError(Restricted(a.Source, a.Occ, a.Vir, EnergyOptions{Options: opt}))
		},
		"restricted, in blocks": func(opt Options) error {
			opt.MaxBytes = tight
			return onlyError(Restricted(blocks, m.occ, m.vir, EnergyOptions{Options: opt}))
		},
		"restricted, tolerance": func(opt Options) error {
			return onlyError(Restricted(a.Source, a.Occ, a.Vir,
				EnergyOptions{Options: opt, Precision: PrecisionMixed, Tolerance: 1e-9}))
		},
		"unrestricted": func(opt Options) error {
			return onlyError(Unrestricted(a.Source, b.Source, a.Occ, b.Occ, a.Vir, b.Vir, EnergyOptions{Options: opt}))
		},
		"generalized": func(opt Options) error {
			return onlyError(Generalized(complexOf[complex128](m, im, "iaP", 0, false), m.occ, m.vir,
				EnergyOptions{Options: opt}))
		},
		"k-points":           func(opt Options) error { return onlyError(KPointEnergy(crystal, opt)) },
		"opposite spin":      func(opt Options) error { return onlyError(OppositeSpin(1e-6, opt, large)) },
		"density":            func(opt Options) error { return onlyError(Density(opt, a)) },
		"density, two spins": func(opt Options) error { return onlyError(Density(opt, a, b)) },
		"amplitudes": func(opt Options) error {
			return EachAmplitudes(opt, a, a, ClosedShellAmplitudes, func(int, []float64) error { return nil })
		},
		"pair amplitudes": func(opt Options) error {
			return PairAmplitudes(opt, a, b, OppositeSpinAmplitudes, func(int, int, dense.Matrix[float64]) {})
		},
	} {
		t.Run(name, func(t *testing.T) {
			schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error { return call(Options{Team: team}) })
		})
	}
}

func onlyError[R any](_ R, err error) error { return err }

// watchedContext counts how often it is looked at, and ends at one of these looks.
type watchedContext struct {
	context.Context
	looks, end int
}

func (c *watchedContext) Err() error {
	if c.looks++; c.looks >= c.end {
		return context.Canceled
	}
	return nil
}

// The search for vanishing denominators, which has no progress, looks at the context for every i, j and a.
func TestSearchForDenominatorsObeysCancellation(t *testing.T) {
	const nocc, nvir = 6, 5
	s := Spin{Source: Integrals[float32]{Nocc: nocc, Nvir: nvir, Naux: 1, StrideI: nvir, StrideA: 1, StrideP: 1,
		Data: make([]float32, nocc*nvir)}}
	for i := range nocc { // overlapping energies, none of whose denominators vanishes
		s.Occ = append(s.Occ, float64(i))
	}
	for a := range nvir {
		s.Vir = append(s.Vir, float64(a)+0.25)
	}
	full := &watchedContext{Context: context.Background(), end: math.MaxInt}
	if err := Check(sched.NewTeam(full, 1, nil), s); err != nil || full.looks < triangular(nocc, 0)*nvir {
		t.Errorf("%v after %d looks", err, full.looks)
	}
	for end := 1; end < full.looks; end++ {
		c := &watchedContext{Context: context.Background(), end: end}
		if err := Check(sched.NewTeam(c, 1, nil), s); !errors.Is(err, context.Canceled) || c.looks > end+2 {
			t.Errorf("cancelled at look %d: %v after %d", end, err, c.looks)
		}
	}
}
