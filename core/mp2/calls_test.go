package mp2

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/core/dense"
)

// argument checks that err is an ArgumentError for arg whose reason has all the words.
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
	restricted := func(b Source, occ, vir []float64, opt Options) error {
		_, err := Restricted(b, occ, vir, opt)
		return err
	}
	argument(t, "long eps_occ", restricted(b, m.vir, m.vir, Options{}), "eps_occ", "(3,)", "(2, 3, 4)")
	argument(t, "short eps_vir", restricted(b, m.occ, m.occ, Options{}), "eps_vir", "(2,)", "(2, 3, 4)")
	argument(t, "no source", restricted(nil, m.occ, m.vir, Options{}), "B")
	argument(t, "precision", restricted(b, m.occ, m.vir, Options{Precision: "fp16"}), "precision", "fp16", "mixed")
	argument(t, "memory", restricted(b, m.occ, m.vir, Options{MaxBytes: -1}), "max_memory", "-1")
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		argument(t, "bad eps_occ", restricted(b, []float64{-1, x}, m.vir, Options{}), "eps_occ", "infinities or NaNs")
		argument(t, "bad eps_vir", restricted(b, m.occ, []float64{x, 1, 1}, Options{}), "eps_vir", "infinities or NaNs")
	}
	_, err := Unrestricted(b, plain[float64](randomMolecule(rand.New(rand.NewPCG(1, 1)), 2, 3, 5)), m.occ, m.occ, m.vir, m.vir, Options{})
	argument(t, "other naux", err, "B", "(2, 3, 4)", "(2, 3, 5)")
	_, err = Unrestricted(b, b, m.occ, m.occ, m.vir, m.occ, Options{})
	argument(t, "short beta eps_vir", err, "eps_vir", "beta")
	_, err = Unrestricted(b, b, m.occ, []float64{-1, math.NaN()}, m.vir, m.vir, Options{})
	argument(t, "bad beta eps_occ", err, "eps_occ", "infinities or NaNs (beta)")
	_, err = NewIntegrals(b.Data, "Pai", 2, 3, 4)
	argument(t, "layout", err, "layout", "Pai", "P(ia)")
	_, err = Workspace(Options{})
	argument(t, "no sources", err, "B")
}

func TestIntegralsMustLieInTheirData(t *testing.T) {
	data := make([]float32, 24)
	good := Integrals[float32]{Nocc: 2, Nvir: 3, Naux: 4, StrideI: 12, StrideA: 4, StrideP: 1, Data: data}
	if err := good.check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Integrals[float32]){
		"too short":      func(b *Integrals[float32]) { b.Data = data[:23] },
		"no data":        func(b *Integrals[float32]) { b.Data = nil },
		"offset":         func(b *Integrals[float32]) { b.Offset = 1 },
		"before":         func(b *Integrals[float32]) { b.Offset = -1 },
		"negative":       func(b *Integrals[float32]) { b.StrideI = -12 },
		"product wraps":  func(b *Integrals[float32]) { b.StrideA = math.MaxInt },
		"minimal stride": func(b *Integrals[float32]) { b.StrideP = math.MinInt },
		"negative size":  func(b *Integrals[float32]) { b.Nvir = -3 },
		"huge size":      func(b *Integrals[float32]) { b.Naux = math.MaxInt },
	} {
		bad := good
		change(&bad)
		argument(t, name, bad.check(), "B")
	}
}

func TestNonFiniteIntegralsNameTheOrbital(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(33, 34)), 4, 3, 5)
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for position := range m.b {
			bad := m
			bad.b = append([]float64(nil), m.b...)
			bad.b[position] = x
			orbital := "orbital " + string(rune('0'+position/15))
			for _, b := range []Source{plain[float64](bad), plain[float32](bad), arrange[float64](bad, "Pia", 0, false), arrange[float64](bad, "aiP", 0, true)} {
				_, err := Restricted(b, m.occ, m.vir, Options{})
				argument(t, "closed shell", err, "B", "infinities or NaNs", orbital)
				r, err := Restricted(b, m.occ, m.vir, Options{SkipFiniteCheck: true})
				if err != nil || dense.IsFinite(r.Total()) || !math.IsInf(r.ErrorBound, 1) {
					t.Errorf("unchecked %g at %d: %+v, %v", x, position, r, err)
				}
			}
			_, err := Unrestricted(plain[float64](m), plain[float64](bad), m.occ, m.occ, m.vir, m.vir, Options{})
			argument(t, "open shell", err, "B", orbital, "beta")
		}
	}
	m.b[20] = 1e60 // finite until it is rounded
	_, err := Restricted(plain[float64](m), m.occ, m.vir, Options{Precision: PrecisionMixed})
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
		_, err := Restricted(plain[float64](m), occ, vir, Options{})
		return err
	}
	check("equal", closed([]float64{-1, -1, 0.5}, []float64{2, 0.5, 3}), &DenominatorError{I: 2, J: 2, A: 1, B: 1})
	check("sums", closed([]float64{-1, 2, -3}, []float64{0.25, 0.5, 0.75}), &DenominatorError{I: 1, J: 0, A: 0, B: 2})
	check("overlap without a zero", closed([]float64{-1, 0.4, -3}, []float64{0.25, 0.5, 1}), nil)
	// 0.1 + 0.7 - 0.2 - 0.6 is 0 in exact arithmetic and a few units of rounding in float64.
	check("zero but for rounding", closed([]float64{-1, 0.7, 0.1}, []float64{0.2, 0.6, 3}), &DenominatorError{I: 2, J: 1, A: 0, B: 1})
	check("reciprocal overflows", closed([]float64{-1, 0, -3}, []float64{5e-324, 1, 2}), &DenominatorError{I: 1, J: 1, A: 0, B: 0})
	check("tiny gap", closed([]float64{-1, -1e-290, -3}, []float64{1e-290, 1, 2}), nil)

	open := func(occA, occB, vir []float64) error {
		b := plain[float64](m)
		_, err := Unrestricted(b, b, occA, occB, vir, vir, Options{})
		return err
	}
	low, vir := []float64{-1, -2, -3}, []float64{0.25, 0.5, 1}
	check("alpha", open([]float64{-1, 1.75, -2}, low, vir), &DenominatorError{I: 1, J: 0, A: 0, B: 1, SpinI: "alpha", SpinJ: "alpha"})
	check("beta", open(low, []float64{-1, 1.75, -2}, vir), &DenominatorError{I: 1, J: 0, A: 0, B: 1, SpinI: "beta", SpinJ: "beta"})
	check("alpha beta", open([]float64{0.25, -2, -3}, []float64{-4, -5, 1}, vir), &DenominatorError{I: 0, J: 2, A: 0, B: 2, SpinI: "alpha", SpinJ: "beta"})
	// Two electrons of one spin cannot be in one orbital: i = j and a = b have no denominator there.
	check("excluded", open([]float64{0.25, -2, -3}, low, vir), nil)
	if text := (&DenominatorError{I: 4, J: 5, A: 6, B: 7, SpinI: "alpha", SpinJ: "beta"}).Error(); !strings.Contains(text, "i = 4 (alpha), j = 5 (beta)") || !strings.Contains(text, "a = 6 (alpha), b = 7 (beta)") {
		t.Error(text)
	}
}

// Energies that overlap without a vanishing denominator give terms of both signs.
func TestInvertedOrbitals(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(37, 38)), 3, 4, 5)
	m.occ[1], m.vir[2] = 0.77, 0.31
	agrees(t, "inverted", m, plain[float64](m), Options{})
}
