package reorder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/quasi"
	"trnsci/core/sched"
	"trnsci/core/schur"
)

func benchmarkOrder[T dense.Scalar](b *testing.B, threads int) {
	for _, n := range []int{16, 64, 128, 256, 500, 1000} {
		a, t, z := numtest.Random[T](rand.New(rand.NewPCG(1, uint64(n))), n, n), dense.New[T](n, n), dense.New[T](n, n)
		if err := schur.Decompose(a.View(), t.View(), z.View(), schur.Options{}); err != nil {
			b.Fatal(err)
		}
		selected := make([]bool, n)
		for i, w := range quasi.Eigenvalues(t.View()) {
			selected[i] = real(w) < 0
		}
		form, factor := t.Clone(), z.Clone()
		team := sched.NewTeam(context.Background(), threads, nil)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				form.CopyFrom(t)
				factor.CopyFrom(z)
				if _, err := Order(team, form.View(), factor.View(), selected); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOrder moves the eigenvalues in the left half plane, about half of them, to the top.
func BenchmarkOrder(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("float64/threads=%d", threads), func(b *testing.B) { benchmarkOrder[float64](b, threads) })
		b.Run(fmt.Sprintf("complex128/threads=%d", threads), func(b *testing.B) { benchmarkOrder[complex128](b, threads) })
	}
}
