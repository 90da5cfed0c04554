package df

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// openWritten returns the .npy file of a matrix, open.
func openWritten(t *testing.T, m dense.Matrix[float64]) *PackedFile {
	t.Helper()
	file, err := OpenPacked(written(t, m.Data, m.Rows, m.Cols))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// handedOut returns L as a function, and how often each row was asked for.
func handedOut(l dense.Matrix[float64]) (PackedFunction, []int) {
	asked := make([]int, l.Rows)
	return PackedFunction{Naux: l.Rows, Pairs: l.Cols, Load: func(_ *sched.Team, first, end int, dst []float64) error {
		for p := first; p < end; p++ {
			asked[p]++
			copy(dst[(p-first)*l.Cols:], l.Row(p))
		}
		return nil
	}}, asked
}

// From every source, with every number of threads and every memory limit that holds a block, the bits are those of one
// thread in memory.
func TestJKSameBitsForAnyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	const naux, nao = 149, 40
	l := random[float64](rng, naux, PackedSize(nao))
	unpacked := dense.New[float64](naux, 2*PackedSize(nao)) // every other column
	apart := dense.View[float64]{Rows: naux, Cols: l.Cols, RowStride: unpacked.Stride, ColStride: 2,
		Data: unpacked.Data}
	dense.Copy(apart, l.View())
	file := openWritten(t, l)
	all := everyKind(rng, nao)
	for name, kinds := range map[string][]Density{"orbitals": {all[0], all[4]}, "general": all[1:2], "all": all} {
		want, err := JK(tensor(l), kinds, JKOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := newJKPlan(tensor(l), kinds, Options{})
		if err != nil {
			t.Fatal(err)
		}
		least := int64(s.unit * l.Cols * wordBytes)
		rooms, threadCounts := []int64{least, 2 * least, 2*least + 1, 5 * least, 0}, []int{1, 2, 3, 40}
		if testing.Short() { // also under the race detector
			rooms, threadCounts = rooms[1:3], threadCounts[2:] // 40 is more than there are rows in a group
		}
		for _, threads := range threadCounts {
			for _, room := range rooms {
				function, asked := handedOut(l)
				for kind, source := range map[string]Source{"memory": tensor(l),
					"strides": Packed[float64]{View: apart}, "file": file, "function": function} {
					got, err := JK(source, kinds, JKOptions{Options: Options{Team: team(threads), MaxBytes: room}})
					if err != nil {
						t.Fatal(err)
					}
					requireEqualResults(t, fmt.Sprintf("%s, %s, %d threads, %d bytes", name, kind, threads, room), got,
						want)
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
	l32, l := dense.New[float32](naux, PackedSize(nao)), dense.New[float64](naux, PackedSize(nao))
	for n := range l.Data {
		l32.Data[n] = float32(rng.NormFloat64())
		l.Data[n] = float64(l32.Data[n])
	}
	kinds := everyKind(rng, nao)
	want, err := JK(tensor(l), kinds, JKOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := JK(Packed[float32]{View: l32.View()}, kinds, JKOptions{})
	if err != nil {
		t.Fatal(err)
	}
	requireEqualResults(t, "float32", got, want)
}

func TestErrorsNameTheArgument(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	const naux, nao = 20, 5
	l := random[float64](rng, naux, PackedSize(nao))
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
		l         Source
		densities []Density
		opt       JKOptions
		want      string
	}{
		{nil, plain, JKOptions{}, "L: expected integrals"},
		{tensor(random[float64](rng, naux, 14)), plain, JKOptions{}, "L: has rows of 14 elements"},
		{PackedFunction{Naux: -1, Pairs: 15}, plain, JKOptions{}, "L: expected a shape without negative"},
		{tensor(nan), plain, JKOptions{}, "L: contains infinities or NaNs, the first in row 17"},
		{tensor(infinite), zero, JKOptions{NoK: true}, "L: contains infinities or NaNs, the first in row 19"},
		{tensor(nan), zero, JKOptions{NoJ: true}, "L: contains infinities or NaNs, the first in row 17"},
		{tensor(nan), []Density{randomDensity(rng, nao, Antisymmetric)}, JKOptions{},
			"L: contains infinities or NaNs, the first in row 17"},
		{tensor(l), []Density{{D: random[float64](rng, 5, 4).View()}}, JKOptions{}, "dm: expected a square matrix"},
		{tensor(l), append(plain, Density{Label: "[1]", D: random[float64](rng, 4, 4).View()}), JKOptions{},
			"dm[1]: has shape (4, 4)"},
		{tensor(l), []Density{{D: other.D, Symmetry: 3}}, JKOptions{}, "hermi: expected 0, 1 or 2, got 3"},
		{tensor(l), spoiled(func(d *Density) { d.Symmetry = Antisymmetric }), JKOptions{}, "hermi: orbitals"},
		{tensor(l), spoiled(func(d *Density) { d.D.Set(1, 1, math.NaN()) }), JKOptions{}, "dm: contains"},
		{tensor(l), spoiled(func(d *Density) { d.D.Set(2, 1, 100) }), JKOptions{}, "dm: is not mo_coeff"},
		{tensor(l), spoiled(func(d *Density) { d.Label, d.Orbitals.Occ[0] = "[1]", math.Inf(1) }), JKOptions{},
			"mo_occ[1]: contains"},
		{tensor(l), spoiled(func(d *Density) { d.Orbitals.Occ[1] = -1 }), JKOptions{},
			"mo_occ: expected numbers that are not negative"},
		{tensor(l), spoiled(func(d *Density) { d.Orbitals.Occ = d.Orbitals.Occ[1:] }), JKOptions{},
			"mo_coeff: expected shape"},
		{tensor(l), spoiled(func(d *Density) { d.Orbitals.Coeff.Set(0, 0, math.Inf(1)) }), JKOptions{},
			"mo_coeff: contains"},
		{tensor(l), plain, JKOptions{Options: Options{MaxBytes: -1}}, "max_memory: expected a number of bytes"},
		{function, plain, JKOptions{Options: Options{MaxBytes: 100}},
			fmt.Sprintf("max_memory: 100 bytes hold no block of L: 20 rows of 15 elements need %d bytes", 20*15*8)},
	} {
		r, err := JK(c.l, c.densities, c.opt)
		var argument *dense.ArgumentError
		if !errors.As(err, &argument) || !strings.HasPrefix(err.Error(), c.want) || r.J != nil || r.K != nil {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	// The least that works works.
	if _, err := JK(function, plain, JKOptions{Options: Options{MaxBytes: 20 * 15 * 8}}); err != nil {
		t.Error(err)
	}
}

// Without the check an infinity goes where the formulas take it.
func TestNonFiniteIntegralsMayBeLetThrough(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	l := random[float64](rng, 3, PackedSize(4))
	l.Set(1, 2, math.Inf(1))
	r, err := JK(tensor(l), []Density{randomDensity(rng, 4, General)},
		JKOptions{Options: Options{SkipFiniteCheck: true}})
	if err != nil || dense.IsFinite(r.J[0].At(0, 0)) {
		t.Errorf("%v, %v", r, err)
	}
}

func TestSumsThatOverflowAreNoErrorOfTheIntegrals(t *testing.T) {
	l := dense.FromRows([]float64{1e200})
	d := dense.FromRows([]float64{1e200})
	r, err := JK(tensor(l), []Density{{D: d.View()}}, JKOptions{})
	if err != nil || !math.IsInf(r.J[0].At(0, 0), 1) || !math.IsInf(r.K[0].At(0, 0), 1) {
		t.Errorf("%v, %v", r, err)
	}
}

func TestErrorsAndPanicsOfFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	const naux, nao = 100, 5
	l, failed := random[float64](rng, naux, PackedSize(nao)), errors.New("the disk is gone")
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
			opt := JKOptions{Options: Options{Team: team(2), MaxBytes: units * maxGroup * 15 * 8}}
			if _, err := JK(function, []Density{fromOrbitals(rng, nao, 3)}, opt); !errors.Is(err, failed) {
				t.Errorf("row %d, room for %d units: %v", bad, units, err)
			}
			if bad < maxGroup || units != 2 {
				continue // it is not called ahead of time
			}
			fail = func() error { panic("no such row") }
			var panicked *sched.PanicError
			if _, err := JK(function, []Density{fromOrbitals(rng, nao, 3)}, opt); !errors.As(err, &panicked) {
				t.Errorf("row %d, room for %d units: %v", bad, units, err)
			}
		}
	}
}

func TestCancellationAndProgress(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	const naux, nao = 100, 6
	l, kinds := random[float64](rng, naux, PackedSize(nao)), everyKind(rng, nao)
	var progress sched.Progress
	if _, err := JK(tensor(l), kinds, JKOptions{Options: Options{Team: sched.NewTeam(context.Background(), 2,
		&progress)}}); err != nil {
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
	_, err := JK(function, kinds, JKOptions{Options: Options{Team: sched.NewTeam(ctx, 2, nil),
		MaxBytes: maxGroup * 21 * 8}})
	if !errors.Is(err, context.Canceled) || asked[naux-1] > 0 {
		t.Errorf("%v, last row asked for %d times", err, asked[naux-1])
	}
	if _, err := JK(tensor(l), kinds, JKOptions{Options: Options{Team: sched.NewTeam(ctx, 2, nil)}}); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
}
