package df

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

func tensor(l dense.Matrix[float64]) Packed[float64] {
	return Packed[float64]{View: l.View()}
}

// definition returns B, and the sums of the moduli of its terms, one row for each pair and a column for each auxiliary
// function.
func definition(l, occ, vir dense.Matrix[float64]) (b, moduli dense.Matrix[float64]) {
	b, moduli = dense.New[float64](occ.Cols*vir.Cols, l.Rows), dense.New[float64](occ.Cols*vir.Cols, l.Rows)
	for p := range l.Rows {
		for mu := range occ.Rows {
			for nu := range occ.Rows {
				x := l.At(p, PackedSize(max(mu, nu))+min(mu, nu))
				for i := range occ.Cols {
					for a := range vir.Cols {
						term := occ.At(mu, i) * x * vir.At(nu, a)
						b.Data[(i*vir.Cols+a)*b.Stride+p] += term
						moduli.Data[(i*vir.Cols+a)*b.Stride+p] += math.Abs(term)
					}
				}
			}
		}
	}
	return b, moduli
}

func TestTransformIsTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct{ naux, nao, nocc, nvir int }{
		{1, 1, 1, 1}, {3, 1, 1, 2}, {7, 5, 2, 3}, {70, 9, 3, 6}, {130, 17, 6, 11}, {65, 6, 5, 1}, {9, 20, 3, 4}, {5, 4,
			0, 4}, {5, 4, 4, 0}, {0, 4, 2, 2},
	} {
		l, occ, vir := random[float64](rng, c.naux, PackedSize(c.nao)), random[float64](rng, c.nao,
			c.nocc), random[float64](rng, c.nao, c.nvir)
		want, moduli := definition(l, occ, vir)
		byRows, byColumns := random[float64](rng, want.Rows, want.Cols), random[float64](rng, want.Cols, want.Rows)
		for name, out := range map[string]dense.View[float64]{"by rows": byRows.View(),
			"by columns": byColumns.View().T()} {
			if err := Transform(tensor(l), occ.View(), vir.View(), out, Options{Team: team(2)}); err != nil {
				t.Fatal(err)
			}
			for i := range out.Rows {
				for p := range out.Cols {
					// Each of the two sums has nao terms.
					if limit := float64(2*c.nao+2) * 0x1p-53 * moduli.At(i,
						p); math.Abs(out.At(i, p)-want.At(i, p)) > 2*limit {
						t.Fatalf("%v, %s, element (%d, %d): %g, want %g", c, name, i, p, out.At(i, p), want.At(i, p))
					}
				}
			}
		}
	}
}

func TestOrbitalsWithoutCoefficients(t *testing.T) {
	out := random[float64](rand.New(rand.NewPCG(13, 14)), 6, 4)
	none := tensor(dense.New[float64](4, 0))
	if err := Transform(none, dense.New[float64](0, 2).View(), dense.New[float64](0, 3).View(), out.View(),
		Options{}); err != nil || norm(out) != 0 {
		t.Errorf("%v, %v", err, out)
	}
}

// The same bits with every number of threads, every memory limit and every source, orbitals in any layout.
func TestTransformSameBitsForAnyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	const naux, nao, nocc, nvir = 3*maxTransformGroup + 5, 12, 4, 7
	l, occ, vir := random[float64](rng, naux, PackedSize(nao)), random[float64](rng, nao, nocc), random[float64](rng,
		nao, nvir)
	want := dense.New[float64](nocc*nvir, naux)
	if err := Transform(tensor(l), occ.View(), vir.View(), want.View(), Options{}); err != nil {
		t.Fatal(err)
	}
	turned := dense.New[float64](nocc, nao)
	dense.Copy(turned.View().T(), occ.View())
	function := PackedFunction{Naux: naux, Pairs: l.Cols, Load: func(_ *sched.Team, first, end int,
		dst []float64) error {
		copy(dst, l.Data[first*l.Cols:end*l.Cols])
		return nil
	}}
	least := int64(maxTransformGroup * l.Cols * wordBytes)
	for _, threads := range []int{1, 2, 3, maxTransformGroup + 1} {
		for _, room := range []int64{least, 2 * least, 0} {
			for name, source := range map[string]Source{"memory": tensor(l), "function": function} {
				got := dense.New[float64](nocc*nvir, naux)
				if err := Transform(source, turned.View().T(), vir.View(), got.View(),
					Options{Team: team(threads), MaxBytes: room}); err != nil {
					t.Fatal(err)
				}
				for k := range want.Data {
					if got.Data[k] != want.Data[k] {
						t.Fatalf("%s, %d threads, %d bytes: other bits", name, threads, room)
					}
				}
			}
		}
	}
}

func TestErrorsOfTransform(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	const naux, nao, nocc, nvir = 20, 5, 2, 3
	l, occ, vir, out := random[float64](rng, naux, PackedSize(nao)), random[float64](rng, nao,
		nocc), random[float64](rng, nao, nvir), dense.New[float64](nocc*nvir, naux)
	spoiled := func(m dense.Matrix[float64], i, j int) dense.Matrix[float64] {
		m = m.Clone()
		m.Set(i, j, math.NaN())
		return m
	}
	function := PackedFunction{Naux: naux, Pairs: 15}
	for _, c := range []struct {
		l             Source
		occ, vir, out dense.Matrix[float64]
		opt           Options
		want          string
	}{
		{PackedFunction{Naux: -1}, occ, vir, out, Options{}, "L: expected a shape without negative"},
		{tensor(l), occ, random[float64](rng, 4, 3), out, Options{},
			"vir_coeff: expected 5 rows, as occ_coeff has, got shape (4, 3)"},
		{tensor(random[float64](rng, naux, 10)), occ, vir, out, Options{}, "L: has rows of 10 elements"},
		{tensor(l), occ, vir, dense.New[float64](naux, 6), Options{},
			"out: expected shape (nocc*nvir, naux) = (6, 20), got (20, 6)"},
		{tensor(l), spoiled(occ, 4, 1), vir, out, Options{}, "occ_coeff: contains infinities or NaNs"},
		{tensor(l), occ, spoiled(vir, 0, 2), out, Options{}, "vir_coeff: contains infinities or NaNs"},
		{tensor(spoiled(l, 17, 3)), occ, vir, out, Options{}, "L: contains infinities or NaNs, the first in row 17"},
		{tensor(l), occ, vir, out, Options{MaxBytes: -1}, "max_memory: expected"},
		{function, occ, vir, out, Options{MaxBytes: 100},
			fmt.Sprintf("max_memory: 100 bytes hold no block of L: 20 rows of 15 elements need %d bytes", 20*15*8)},
	} {
		requireArgument(t, Transform(c.l, c.occ.View(), c.vir.View(), c.out.View(), c.opt), c.want)
	}
	nan := spoiled(l, 2, 2)
	if err := Transform(tensor(nan), occ.View(), vir.View(), out.View(), Options{SkipFiniteCheck: true}); err != nil {
		t.Fatal(err)
	}
	for p := range naux {
		if got := dense.IsFinite(out.At(0, p)); got == (p == 2) {
			t.Errorf("column %d finite: %v", p, got)
		}
	}
}

func TestTransformIsCancelledAndReportsProgress(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	const naux, nao = 200, 6
	l, occ, vir := random[float64](rng, naux, PackedSize(nao)), random[float64](rng, nao, 2), random[float64](rng, nao,
		4)
	out := dense.New[float64](8, naux)
	var progress sched.Progress
	if err := Transform(tensor(l), occ.View(), vir.View(), out.View(),
		Options{Team: sched.NewTeam(context.Background(), 2, &progress)}); err != nil {
		t.Fatal(err)
	}
	if done, total := progress.Read(); done != naux || total != naux {
		t.Errorf("%d of %d steps", done, total)
	}
	ctx, cancel := context.WithCancel(context.Background())
	last, failed := 0, errors.New("the disk is gone")
	function := PackedFunction{Naux: naux, Pairs: l.Cols, Load: func(_ *sched.Team, first, end int,
		dst []float64) error {
		last = end
		cancel()
		return nil
	}}
	opt := Options{Team: sched.NewTeam(ctx, 2, nil), MaxBytes: int64(maxTransformGroup * l.Cols * wordBytes)}
	if err := Transform(function, occ.View(), vir.View(), out.View(), opt); !errors.Is(err,
		context.Canceled) || last != maxTransformGroup {
		t.Errorf("%v, %d rows were read", err, last)
	}
	function.Load = func(*sched.Team, int, int, []float64) error { return failed }
	if err := Transform(function, occ.View(), vir.View(), out.View(), Options{}); !errors.Is(err, failed) {
		t.Error(err)
	}
}
