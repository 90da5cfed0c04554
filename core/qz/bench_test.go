package qz

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func BenchmarkDecompose(b *testing.B) {
	for _, n := range []int{16, 64, 128, 256, 500} {
		for _, threads := range []int{1, 2} {
			benchmarkDecompose[float64](b, n, threads)
			benchmarkDecompose[complex128](b, n, threads)
		}
	}
}

func benchmarkDecompose[T dense.Scalar](b *testing.B, n, threads int) {
	b.Run(fmt.Sprintf("%T/n=%d/threads=%d", *new(T), n, threads), func(b *testing.B) {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		x, y := numtest.Random[T](rng, n, n), numtest.Random[T](rng, n, n)
		r := newResult[T](n)
		for b.Loop() {
			opt := Options{Team: sched.NewTeam(context.Background(), threads, nil)}
			if err := Decompose(x.View(), y.View(), r.form(), opt); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkReduction times what comes before the QZ iteration, phase by phase.
func BenchmarkReduction(b *testing.B) {
	for _, n := range []int{16, 32, 60, 100, 200, 500} {
		for _, threads := range []int{1, 2} {
			benchmarkReduction[float64](b, n, threads)
			benchmarkReduction[complex128](b, n, threads)
		}
	}
}

func benchmarkReduction[T dense.Wide](b *testing.B, n, threads int) {
	b.Run(fmt.Sprintf("%T/n=%d/threads=%d", *new(T), n, threads), func(b *testing.B) {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		x, y := numtest.Random[T](rng, n, n), numtest.Random[T](rng, n, n)
		m := newPencil[T](sched.NewTeam(context.Background(), threads, nil), n, x.View(), x.View())
		phases := []string{"load", "triangularize", "reduce"}
		least := make([]time.Duration, len(phases))
		for i := range least {
			least[i] = math.MaxInt64
		}
		for b.Loop() {
			m.qt.SetIdentity()
			m.zt.SetIdentity()
			for i, phase := range []func() error{
				func() error { _, err := load(m, x.View(), y.View()); return err }, m.triangularize, m.reduceToHessenberg,
			} {
				start := time.Now()
				if err := phase(); err != nil {
					b.Fatal(err)
				}
				least[i] = min(least[i], time.Since(start))
			}
		}
		for i, d := range least {
			b.ReportMetric(float64(d.Nanoseconds())/1e3, phases[i]+"-us")
		}
	})
}
