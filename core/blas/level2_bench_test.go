package blas

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// BenchmarkLevel2 times matrix-vector operations in GF (1e9 real multiplications and additions a second).
func BenchmarkLevel2(b *testing.B) {
	b.Run("f64", benchmarkLevel2[float64])
	b.Run("c128", benchmarkLevel2[complex128])
}

func benchmarkLevel2[T dense.Scalar](b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{64, 128, 256, 512, 1024, 2048} {
		a, x, y := dense.New[T](n, n), dense.Vec(make([]T, n)), dense.Vec(make([]T, n))
		for i := range a.Data {
			a.Data[i] = number[T](rng)
		}
		for i := range n {
			x.Data[i] = number[T](rng)
			a.Set(i, i, dense.FromReal[T](float64(n)))
		}
		for _, c := range []struct {
			name     string
			products int // in units of n^2
			call     func(team *sched.Team)
		}{
			{"GemvN", 2, func(team *sched.Team) { generalProduct(kernel.Best(), team, NoTrans, 1, a, x, 0, y) }},
			{"GemvT", 2, func(team *sched.Team) { generalProduct(kernel.Best(), team, Trans, 1, a, x, 0, y) }},
			{"SymvL", 2, func(team *sched.Team) { symvWith(kernel.Best(), team, Lower, true, 1, a, x, 0, y) }},
			{"TrsvLN", 1, func(team *sched.Team) { Copy(x, y); trsvWith(kernel.Best(), team, Lower, NoTrans, NonUnit, a, y) }},
			{"Ger", 2, func(team *sched.Team) {
				updateWith(kernel.Best(), team, update[T]{a: a}, dense.FromReal[T](1e-30), x, x)
			}},
		} {
			for _, threads := range []int{1, runtime.GOMAXPROCS(0)} {
				team := sched.NewTeam(context.Background(), threads, nil)
				b.Run(fmt.Sprintf("%s/n=%d/threads=%d", c.name, n, threads), func(b *testing.B) {
					for b.Loop() {
						c.call(team)
					}
					work := float64(c.products) * float64(n) * float64(n) * float64(b.N)
					if dense.IsComplex[T]() {
						work *= 4
					}
					b.ReportMetric(work/b.Elapsed().Seconds()/1e9, "GF")
				})
				team.StopWorkers()
			}
		}
	}
}
