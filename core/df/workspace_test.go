//go:build !race

package df

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// allocated returns the least that a call allocates, once packing memory is there. Not under the race detector, with
// which that is often thrown away and allocated anew. A collection of garbage does the same, so that there is none
// here.
func allocated(t *testing.T, call func() error) int64 {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := uint64(1 << 62)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := call(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return int64(least)
}

func TestWorkspaceHoldsWhatAFitAllocates(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	const n = 150
	integrals := random[float64](rng, n, fitPairs+1)
	for _, least := range []float64{0.1, -0.1} {
		w := spectrum(n, 0.2)
		w[0] = least
		metric := numtest.WithSpectrum[float64](rng, w)
		got := allocated(t, func() error {
			m, err := DecomposeMetric(team(2), metric.View(), DefaultDependence)
			if err != nil {
				return err
			}
			return m.Fit(team(2), integrals.View(), false)
		})
		if bound := FitWorkspace[float64](team(2), n); got > bound {
			t.Errorf("%d bytes allocated, %d announced", got, bound)
		}
	}
}

func TestWorkspaceHoldsWhatATransformAllocates(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	const naux, nao, nocc, nvir = 200, 60, 20, 40
	occ, vir, out := random[float64](rng, nao, nocc), random[float64](rng, nao, nvir), dense.New[float64](nocc*nvir,
		naux)
	function := PackedFunction{Naux: naux, Pairs: PackedSize(nao),
		Load: func(*sched.Team, int, int, []float64) error { return nil }}
	opt := Options{Team: team(2)}
	bound, err := TransformWorkspace(function, occ.View(), vir.View(), opt)
	if err != nil {
		t.Fatal(err)
	}
	got := allocated(t, func() error { return Transform(function, occ.View(), vir.View(), out.View(), opt) })
	const slack = 100_000 // headers of slices and the like are not counted
	if got > bound+slack || got < bound-slack {
		t.Errorf("%d bytes allocated, %d announced", got, bound)
	}
}

func TestWorkspaceHoldsWhatJKAllocates(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48))
	const naux, nao = 64, 60
	l, kinds := random[float64](rng, naux, PackedSize(nao)), everyKind(rng, nao)
	function, _ := handedOut(l)
	opt := JKOptions{Options: Options{Team: team(2)}}
	bound, err := JKWorkspace(function, kinds, opt)
	if err != nil {
		t.Fatal(err)
	}
	got := allocated(t, func() error {
		_, err := JK(function, kinds, opt)
		return err
	})
	// Comparisons of orbitals with densities take turns; the headers of slices and the like are not counted.
	slack := int64(len(kinds)*nao*nao*8 + 100_000)
	if got > bound+slack || got < bound-slack {
		t.Errorf("%d bytes allocated, %d announced", got, bound)
	}
}
