package hessenberg

import (
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/internal/formtest"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

func TestReduceObeysCancellation(t *testing.T) {
	t.Run("float32", testCancellation[float32])
	t.Run("float64", testCancellation[float64])
	t.Run("complex128", testCancellation[complex128])
}

func testCancellation[T dense.Scalar](t *testing.T) {
	reduce := func(n int) func(team *sched.Team) error {
		a := numtest.Random[T](rand.New(rand.NewPCG(77, uint64(n))), n, n)
		h, q := dense.New[T](n, n), dense.New[T](n, n)
		return func(team *sched.Team) error { return Reduce(a.View(), h.View(), q.View(), Options{Team: team}) }
	}
	schedtest.Cancel(t, schedtest.Limits{}, reduce(350))
	// Small matrices are reduced column by column, with a look at the context every 32 columns.
	const small = 64
	formtest.CancelAtEachLook(t, 2*small/32, reduce(small))
}

// Balance reports no progress, so that its looks at the context are counted instead.
func TestBalanceObeysCancellation(t *testing.T) {
	const n = 200
	a := numtest.Random[float64](rand.New(rand.NewPCG(78, 1)), n, n)
	for i := range n {
		a.Set(i, (i+1)%n, 1e8)
	}
	formtest.CancelAtEachLook(t, n/32, func(team *sched.Team) error {
		_, err := Balance(a.Clone(), BalanceOptions{Team: team, Permute: true, Scale: true})
		return err
	})
}
