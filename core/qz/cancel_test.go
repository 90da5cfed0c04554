package qz

import (
	"context"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

// cancelOrder is large enough for updates by several threads.
const cancelOrder = 120

func TestCancellation(t *testing.T) {
	t.Run("float64", cancellation[float64])
	t.Run("complex128", cancellation[complex128])
}

func cancellation[T dense.Scalar](t *testing.T) {
	const n = cancelOrder
	rng := rand.New(rand.NewPCG(10, 11))
	a, b := numtest.Random[T](rng, n, n), numtest.Random[T](rng, n, n)
	none := dense.View[complex128]{}
	alpha, beta := make([]complex128, n), make([]float64, n)
	vectors := func() dense.View[complex128] { return dense.New[complex128](n, n).View() }
	selected := make([]bool, n)
	for k := range selected {
		selected[k] = k%4 < 2
	}
	form := newResult[T](n)
	if err := Decompose(a.View(), b.View(), form.form(), Options{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		call func(team *sched.Team) error
	}{
		{"Decompose", func(team *sched.Team) error {
			return Decompose(a.View(), b.View(), newResult[T](n).form(), Options{Team: team})
		}},
		{"Decompose without factors", func(team *sched.Team) error {
			r := newResult[T](n)
			return Decompose(a.View(), b.View(), Form[T]{S: r.s.View(), P: r.p.View()}, Options{Team: team})
		}},
		{"Order", func(team *sched.Team) error {
			r := newResult[T](n)
			for k, m := range []dense.Matrix[T]{form.s, form.p, form.q, form.z} {
				[]dense.Matrix[T]{r.s, r.p, r.q, r.z}[k].CopyFrom(m)
			}
			_, err := Order(r.form(), selected, Options{Team: team})
			return err
		}},
		{"eigenvalues", func(team *sched.Team) error {
			return Eigen(a.View(), b.View(), alpha, beta, none, none, Options{Team: team})
		}},
		{"eigenvectors", func(team *sched.Team) error {
			return Eigen(a.View(), b.View(), alpha, beta, vectors(), vectors(), Options{Team: team})
		}},
	} {
		t.Run(c.name, func(t *testing.T) { schedtest.Cancel(t, schedtest.Limits{}, c.call) })
	}
}

func TestProgressIsComplete(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(10, 11))
	a, b := numtest.Random[float64](rng, n, n), numtest.Random[float64](rng, n, n)
	progress := &sched.Progress{}
	team := sched.NewTeam(context.Background(), 1, progress)
	if err := Decompose(a.View(), b.View(), newResult[float64](n).form(), Options{Team: team}); err != nil {
		t.Fatal(err)
	}
	if done, total := progress.Read(); done != total || total == 0 {
		t.Errorf("%d of %d steps", done, total)
	}
}
