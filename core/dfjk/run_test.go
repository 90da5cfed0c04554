package dfjk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/packed"
	"trnsci/core/sched"
)

// written returns the .npy file of a matrix, open.
func written(t *testing.T, m dense.Matrix[float64], shape ...int) *packed.FileTensor {
	t.Helper()
	path := filepath.Join(t.TempDir(), "l.npy")
	w, err := npy.Create(path, shape)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(m.Data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := packed.OpenTensor(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// handedOut returns L as a function, and how often each row was asked for.
func handedOut(l dense.Matrix[float64]) (packed.FunctionTensor, []int) {
	asked := make([]int, l.Rows)
	return packed.FunctionTensor{Naux: l.Rows, Pairs: l.Cols, Load: func(_ *sched.Team, first, end int, dst []float64) error {
		for p := first; p < end; p++ {
			asked[p]++
			copy(dst[(p-first)*l.Cols:], l.Row(p))
		}
		return nil
	}}, asked
}

// From every source, with every number of threads and every memory limit that holds a block, the bits are those of one thread in memory.
func TestSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	const naux, nao = 149, 40
	l := random(rng, naux, packed.Pairs(nao))
	unpacked := dense.New[float64](naux, 2*packed.Pairs(nao)) // every other column
	apart := dense.View[float64]{Rows: naux, Cols: l.Cols, RowStride: unpacked.Stride, ColStride: 2, Data: unpacked.Data}
	dense.Copy(apart, l.View())
	file := written(t, l, naux, l.Cols)
	all := everyKind(rng, nao)
	for name, kinds := range map[string][]Density{"orbitals": {all[0], all[4]}, "general": all[1:2], "all": all} {
		want, err := Compute(tensor(l), kinds, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := newSizes(tensor(l), kinds, Options{})
		if err != nil {
			t.Fatal(err)
		}
		least := int64(s.unit * l.Cols * wordBytes)
		for _, threads := range []int{1, 2, 3, 40} { // more than there are rows in a group
			for _, room := range []int64{least, 2 * least, 2*least + 1, 5 * least, 0} {
				function, asked := handedOut(l)
				for kind, source := range map[string]packed.Source{"memory": tensor(l), "strides": packed.Tensor[float64]{View: apart}, "file": file, "function": function} {
					got, err := Compute(source, kinds, Options{Team: team(threads), MaxBytes: room})
					if err != nil {
						t.Fatal(err)
					}
					requireEqualResults(t, fmt.Sprintf("%s, %s, %d threads, %d bytes", name, kind, threads, room), got, want)
				}
				for p, n := range asked {
					if n != 1 {
						t.Fatalf("row %d was asked for %d times", p, n)
					}
				}
			}
		}
	}
}

func TestSinglePrecisionIsConverted(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	const naux, nao = 9, 7
	l32, l := dense.New[float32](naux, packed.Pairs(nao)), dense.New[float64](naux, packed.Pairs(nao))
	for n := range l.Data {
		l32.Data[n] = float32(rng.NormFloat64())
		l.Data[n] = float64(l32.Data[n])
	}
	kinds := everyKind(rng, nao)
	want, err := Compute(tensor(l), kinds, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Compute(packed.Tensor[float32]{View: l32.View()}, kinds, Options{})
	if err != nil {
		t.Fatal(err)
	}
	requireEqualResults(t, "float32", got, want)
}

func TestErrorsNameTheArgument(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	const naux, nao = 20, 5
	l := random(rng, naux, packed.Pairs(nao))
	function, _ := handedOut(l)
	other := fromOrbitals(rng, nao, 4)
	spoiled := func(spoil func(d *Density)) []Density {
		d := fromOrbitals(rand.New(rand.NewPCG(37, 38)), nao, 4)
		spoil(&d)
		return []Density{d}
	}
	nan := l.Clone()
	nan.Set(17, 3, math.NaN())
	infinite := l.Clone()
	infinite.Set(19, 14, math.Inf(-1))
	plain := []Density{randomDensity(rng, nao, Symmetric)}
	zero := []Density{{D: dense.New[float64](nao, nao).View()}}
	for _, c := range []struct {
		l         packed.Source
		densities []Density
		opt       Options
		want      string
	}{
		{nil, plain, Options{}, "L: expected integrals"},
		{tensor(random(rng, naux, 14)), plain, Options{}, "L: has rows of 14 elements"},
		{packed.FunctionTensor{Naux: -1, Pairs: 15}, plain, Options{}, "L: expected a shape without negative"},
		{tensor(nan), plain, Options{}, "L: contains infinities or NaNs, the first in row 17"},
		{tensor(infinite), zero, Options{NoK: true}, "L: contains infinities or NaNs, the first in row 19"},
		{tensor(nan), zero, Options{NoJ: true}, "L: contains infinities or NaNs, the first in row 17"},
		{tensor(nan), []Density{randomDensity(rng, nao, Antisymmetric)}, Options{}, "L: contains infinities or NaNs, the first in row 17"},
		{tensor(l), []Density{{D: random(rng, 5, 4).View()}}, Options{}, "dm: expected a square matrix"},
		{tensor(l), append(plain, Density{Label: "[1]", D: random(rng, 4, 4).View()}), Options{}, "dm[1]: has shape (4, 4)"},
		{tensor(l), []Density{{D: other.D, Symmetry: 3}}, Options{}, "hermi: expected 0, 1 or 2, got 3"},
		{tensor(l), spoiled(func(d *Density) { d.Symmetry = Antisymmetric }), Options{}, "hermi: orbitals"},
		{tensor(l), spoiled(func(d *Density) { d.D.Set(1, 1, math.NaN()) }), Options{}, "dm: contains"},
		{tensor(l), spoiled(func(d *Density) { d.D.Set(2, 1, 100) }), Options{}, "dm: is not mo_coeff"},
		{tensor(l), spoiled(func(d *Density) { d.Label, d.Orbitals.Occ[0] = "[1]", math.Inf(1) }), Options{}, "mo_occ[1]: contains"},
		{tensor(l), spoiled(func(d *Density) { d.Orbitals.Occ[1] = -1 }), Options{}, "mo_occ: expected numbers that are not negative"},
		{tensor(l), spoiled(func(d *Density) { d.Orbitals.Occ = d.Orbitals.Occ[1:] }), Options{}, "mo_coeff: expected shape"},
		{tensor(l), spoiled(func(d *Density) { d.Orbitals.Coeff.Set(0, 0, math.Inf(1)) }), Options{}, "mo_coeff: contains"},
		{tensor(l), plain, Options{MaxBytes: -1}, "max_memory: expected a number of bytes"},
		{function, plain, Options{MaxBytes: 100}, fmt.Sprintf("max_memory: 100 bytes hold no block of L: 20 rows of 15 elements need %d bytes", 20*15*8)},
	} {
		r, err := Compute(c.l, c.densities, c.opt)
		var argument *dense.ArgumentError
		if !errors.As(err, &argument) || !strings.HasPrefix(err.Error(), c.want) || r.J != nil || r.K != nil {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	// The least that works works.
	if _, err := Compute(function, plain, Options{MaxBytes: 20 * 15 * 8}); err != nil {
		t.Error(err)
	}
}

// Without the check an infinity goes where the formulas take it.
func TestNonFiniteIntegralsMayBeLetThrough(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	l := random(rng, 3, packed.Pairs(4))
	l.Set(1, 2, math.Inf(1))
	r, err := Compute(tensor(l), []Density{randomDensity(rng, 4, General)}, Options{SkipFiniteCheck: true})
	if err != nil || dense.IsFinite(r.J[0].At(0, 0)) {
		t.Errorf("%v, %v", r, err)
	}
}

func TestSumsThatOverflowAreNoErrorOfTheIntegrals(t *testing.T) {
	l := dense.FromRows([]float64{1e200})
	d := dense.FromRows([]float64{1e200})
	r, err := Compute(tensor(l), []Density{{D: d.View()}}, Options{})
	if err != nil || !math.IsInf(r.J[0].At(0, 0), 1) || !math.IsInf(r.K[0].At(0, 0), 1) {
		t.Errorf("%v, %v", r, err)
	}
}

func TestErrorsAndPanicsOfFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	const naux, nao = 100, 5
	l, failed := random(rng, naux, packed.Pairs(nao)), errors.New("the disk is gone")
	for _, bad := range []int{0, 31, 32, 70, 99} {
		for _, units := range []int64{1, 2, 4} {
			function, _ := handedOut(l)
			load := function.Load
			fail := func() error { return failed }
			function.Load = func(team *sched.Team, first, end int, dst []float64) error {
				if first <= bad && bad < end {
					return fail()
				}
				return load(team, first, end, dst)
			}
			opt := Options{Team: team(2), MaxBytes: units * maxGroup * 15 * 8}
			if _, err := Compute(function, []Density{fromOrbitals(rng, nao, 3)}, opt); !errors.Is(err, failed) {
				t.Errorf("row %d, room for %d units: %v", bad, units, err)
			}
			if bad < maxGroup || units != 2 {
				continue // it is not called ahead of time
			}
			fail = func() error { panic("no such row") }
			var panicked *sched.PanicError
			if _, err := Compute(function, []Density{fromOrbitals(rng, nao, 3)}, opt); !errors.As(err, &panicked) {
				t.Errorf("row %d, room for %d units: %v", bad, units, err)
			}
		}
	}
}

func TestCancellationAndProgress(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	const naux, nao = 100, 6
	l, kinds := random(rng, naux, packed.Pairs(nao)), everyKind(rng, nao)
	var progress sched.Progress
	if _, err := Compute(tensor(l), kinds, Options{Team: sched.NewTeam(context.Background(), 2, &progress)}); err != nil {
		t.Fatal(err)
	}
	if done, total := progress.Read(); done != naux || total != naux {
		t.Errorf("%d of %d steps", done, total)
	}
	ctx, cancel := context.WithCancel(context.Background())
	function, asked := handedOut(l)
	load := function.Load
	function.Load = func(team *sched.Team, first, end int, dst []float64) error {
		if first > 0 {
			cancel()
		}
		return load(team, first, end, dst)
	}
	_, err := Compute(function, kinds, Options{Team: sched.NewTeam(ctx, 2, nil), MaxBytes: maxGroup * 21 * 8})
	if !errors.Is(err, context.Canceled) || asked[naux-1] > 0 {
		t.Errorf("%v, last row asked for %d times", err, asked[naux-1])
	}
	if _, err := Compute(tensor(l), kinds, Options{Team: sched.NewTeam(ctx, 2, nil)}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
