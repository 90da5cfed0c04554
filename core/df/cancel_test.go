package df

import (
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

// Steps of progress that are enough to cancel a call on its way.
const steps = 12

func TestFitObeysCancellation(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	const naux = 8
	for name, least := range map[string]float64{"Cholesky": 0.1, "eigenvalues": -0.1} {
		w := spectrum(naux, 0.2)
		w[0] = least
		m, err := DecomposeMetric(nil, numtest.WithSpectrum[float64](rng, w).View(), DefaultDependence)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
				integrals := random[float64](rng, naux, steps*fitPairs)
				return m.Fit(team, integrals.View(), false)
			})
		})
	}
}

func TestTransformObeysCancellation(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	const naux, nao, nocc, nvir = steps * maxTransformGroup, 6, 2, 4
	l, occ, vir := random[float64](rng, naux, PackedSize(nao)), random[float64](rng, nao, nocc), random[float64](rng,
		nao, nvir)
	function, _ := handedOut(l)
	out := dense.New[float64](nocc*nvir, naux)
	for name, source := range map[string]Source{"memory": tensor(l), "function": function} {
		t.Run(name, func(t *testing.T) {
			schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
				opt := Options{Team: team, MaxBytes: 2 * maxTransformGroup * int64(PackedSize(nao)) * wordBytes}
				return Transform(source, occ.View(), vir.View(), out.View(), opt)
			})
		})
	}
}

func TestJKObeysCancellation(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	const naux, nao = steps * maxGroup, 7
	l := random[float64](rng, naux, PackedSize(nao))
	function, _ := handedOut(l)
	kinds := everyKind(rng, nao)
	for name, call := range map[string]func(opt JKOptions) error{
		"both": func(opt JKOptions) error { return errorOf(JK(tensor(l), kinds, opt)) },
		"J": func(opt JKOptions) error {
			opt.NoK = true
			return errorOf(JK(tensor(l), kinds, opt))
		},
		"K": func(opt JKOptions) error {
			opt.NoJ = true
			return errorOf(JK(tensor(l), kinds, opt))
		},
		"function": func(opt JKOptions) error {
			opt.MaxBytes = 2 * maxGroup * int64(l.Cols) * wordBytes
			return errorOf(JK(function, kinds, opt))
		},
	} {
		t.Run(name, func(t *testing.T) {
			schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
				return call(JKOptions{Options: Options{Team: team}})
			})
		})
	}
}
