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
			b.Run(fmt.Sprintf("f64/%s/n=%d", s, n), func(b *testing.B) { benchmarkGemm[float64](b, s, nil, NoTrans, n) })
			b.Run(fmt.Sprintf("f32/%s/n=%d", s, n), func(b *testing.B) { benchmarkGemm[float32](b, s, nil, NoTrans, n) })
		}
	}
}

// BenchmarkGemmTransposed times A^T B^T.
func BenchmarkGemmTransposed(b *testing.B) {
	for _, n := range []int{64, 256, 1024} {
		b.Run(fmt.Sprintf("f64/n=%d", n), func(b *testing.B) { benchmarkGemm[float64](b, kernel.Best(), nil, Trans, n) })
		b.Run(fmt.Sprintf("f32/n=%d", n), func(b *testing.B) { benchmarkGemm[float32](b, kernel.Best(), nil, Trans, n) })
	}
}

// BenchmarkGemmThreads uses all processors.
func BenchmarkGemmThreads(b *testing.B) {
	team := sched.NewTeam(context.Background(), runtime.GOMAXPROCS(0), nil)
	for _, n := range []int{128, 256, 512, 1024} {
		b.Run(fmt.Sprintf("f64/n=%d", n), func(b *testing.B) { benchmarkGemm[float64](b, kernel.Best(), team, NoTrans, n) })
	}
}

func benchmarkGemm[T dense.Float](b *testing.B, s kernel.Set, team *sched.Team, trans Transpose, n int) {
	rng := rand.New(rand.NewPCG(9, 9))
	x, y, c := dense.New[T](n, n), dense.New[T](n, n), dense.New[T](n, n)
	for i := range x.Data {
		x.Data[i], y.Data[i] = T(rng.NormFloat64()), T(rng.NormFloat64())
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := gemmReal(s, team, trans, trans, 1, x, y, 0, c); err != nil {
			b.Fatal(err)
		}
	}
	flops := 2 * float64(n) * float64(n) * float64(n) * float64(b.N)
	b.ReportMetric(flops/b.Elapsed().Seconds()/1e9, "GF")
}
