package sylvester

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func benchTriangular[W dense.Scalar](b *testing.B, threads int) {
	for _, n := range []int{16, 64, 128, 256, 512, 1000} {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		s, t, c := triangle[W](rng, n, 3), triangle[W](rng, n, 3), numtest.Random[W](rng, n, n)
		x, team := c.Clone(), sched.NewTeam(context.Background(), threads, nil)
		for name, solve := range map[string]func() (Outcome, error){
			"sylvester": func() (Outcome, error) { return Triangular(team, Form{}, s, t, x) },
			"adjoint":   func() (Outcome, error) { return Triangular(team, Form{AdjointB: true}, s, t, x) },
			"stein":     func() (Outcome, error) { return TriangularStein(team, s, t, x) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					x.CopyFrom(c)
					if _, err := solve(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkTriangular(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("float64/threads=%d", threads), func(b *testing.B) { benchTriangular[float64](b, threads) })
		b.Run(fmt.Sprintf("float32/threads=%d", threads), func(b *testing.B) { benchTriangular[float32](b, threads) })
		b.Run(fmt.Sprintf("complex128/threads=%d", threads), func(b *testing.B) { benchTriangular[complex128](b, threads) })
	}
}
