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

// BenchmarkGemm times square products of every kernel set in GF (1e9 multiplications and additions a second).
func BenchmarkGemm(b *testing.B) {
	for _, n := range []int{8, 64, 256, 1024} {
		for _, s := range kernel.Sets() {
			b.Run(fmt.Sprintf("f64/%s/n=%d", s, n), func(b *testing.B) {
				benchmarkGemm[float64](b, s, nil, NoTrans, NoTrans, n)
			})
			b.Run(fmt.Sprintf("f32/%s/n=%d", s, n), func(b *testing.B) {
				benchmarkGemm[float32](b, s, nil, NoTrans, NoTrans, n)
			})
		}
	}
}

// BenchmarkGemmTransposed times A^T B and A B^T.
func BenchmarkGemmTransposed(b *testing.B) {
	for _, n := range []int{64, 256, 1024} {
		for _, c := range []struct {
			name   string
			tA, tB Transpose
		}{{"TN", Trans, NoTrans}, {"NT", NoTrans, Trans}} {
			b.Run(fmt.Sprintf("f64/%s/n=%d", c.name, n), func(b *testing.B) {
				benchmarkGemm[float64](b, kernel.Best(), nil, c.tA, c.tB, n)
			})
			b.Run(fmt.Sprintf("f32/%s/n=%d", c.name, n), func(b *testing.B) {
				benchmarkGemm[float32](b, kernel.Best(), nil, c.tA, c.tB, n)
			})
		}
	}
}

// BenchmarkGemmThreads uses all processors.
func BenchmarkGemmThreads(b *testing.B) {
	team := sched.NewTeam(context.Background(), runtime.GOMAXPROCS(0), nil)
	for _, n := range []int{128, 256, 512, 1024} {
		b.Run(fmt.Sprintf("f64/n=%d", n), func(b *testing.B) {
			benchmarkGemm[float64](b, kernel.Best(), team, NoTrans, NoTrans, n)
		})
	}
}

func benchmarkGemm[T dense.Float](b *testing.B, s kernel.Set, team *sched.Team, tA, tB Transpose, n int) {
	rng := rand.New(rand.NewPCG(9, 9))
	x, y, c := dense.New[T](n, n), dense.New[T](n, n), dense.New[T](n, n)
	for i := range x.Data {
		x.Data[i], y.Data[i] = T(rng.NormFloat64()), T(rng.NormFloat64())
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := gemmReal(s, team, full, 1, opOf(tA, x), opOf(tB, y), 0, c); err != nil {
			b.Fatal(err)
		}
	}
	reportGF(b, n, 2)
}

// BenchmarkGemmComplex counts 8 operations for a complex multiplication and addition.
func BenchmarkGemmComplex(b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{64, 256, 1024} {
		x := random[complex128](rng, n, n)
		c := dense.New[complex128](n, n)
		for _, tB := range []Transpose{NoTrans, ConjTrans} {
			b.Run(fmt.Sprintf("c128/N%c/n=%d", tB, n), func(b *testing.B) {
				for b.Loop() {
					Gemm(nil, NoTrans, tB, 1, x, x, 0, c)
				}
				reportGF(b, n, 8)
			})
		}
	}
}

func reportGF(b *testing.B, n, operations int) {
	flops := float64(operations) * float64(n) * float64(n) * float64(n) * float64(b.N)
	b.ReportMetric(flops/b.Elapsed().Seconds()/1e9, "GF")
}

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
			{"TrsvLN", 1, func(team *sched.Team) {
				Copy(x, y)
				trsvWith(kernel.Best(), team, Lower, NoTrans, NonUnit, a,
					y)
			}},
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
				team.ReleaseWorkers()
			}
		}
	}
}
