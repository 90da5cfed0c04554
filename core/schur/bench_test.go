package schur

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/hessenberg"
	"trnsci/core/internal/workspace"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// Orders of all benchmarks, among them multiples of 512, at which rows of matrices without padding fall upon the same
// lines of a cache.
var benchmarkOrders = []int{16, 32, 64, 96, 128, 256, 384, 500, 512, 1000, 1024}

// BenchmarkIteration leaves the reduction out.
func BenchmarkIteration(b *testing.B) {
	for _, n := range benchmarkOrders {
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("float32/%d/%d", n, threads), func(b *testing.B) { benchmarkIteration[float32](b, n, threads) })
			b.Run(fmt.Sprintf("float64/%d/%d", n, threads), func(b *testing.B) { benchmarkIteration[float64](b, n, threads) })
			b.Run(fmt.Sprintf("complex64/%d/%d", n, threads),
				func(b *testing.B) { benchmarkIteration[complex64](b, n, threads) })
			b.Run(fmt.Sprintf("complex128/%d/%d", n, threads),
				func(b *testing.B) { benchmarkIteration[complex128](b, n, threads) })
		}
	}
}

func benchmarkIteration[W dense.Scalar](b *testing.B, n, threads int) {
	a := numtest.Random[W](rand.New(rand.NewPCG(1, uint64(n))), n, n)
	h, q := workspace.NewPadded[W](n), workspace.NewPadded[W](n)
	t, zt := workspace.NewPadded[W](n), workspace.NewPadded[W](n)
	h.CopyFrom(a)
	if err := hessenberg.InPlace(nil, h, q); err != nil {
		b.Fatal(err)
	}
	team := sched.NewTeam(context.Background(), threads, nil)
	for b.Loop() {
		t.CopyFrom(h)
		zt.CopyFrom(q)
		if err := iterate(t, zt, Options{Team: team}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSchur(b *testing.B) {
	for _, n := range benchmarkOrders {
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) { benchmark[float64](b, n) })
		b.Run(fmt.Sprintf("float32/%d", n), func(b *testing.B) { benchmark[float32](b, n) })
		b.Run(fmt.Sprintf("complex128/%d", n), func(b *testing.B) { benchmark[complex128](b, n) })
	}
}

func benchmark[T dense.Scalar](b *testing.B, n int) {
	a := numtest.Random[T](rand.New(rand.NewPCG(1, uint64(n))), n, n)
	form, factor := dense.New[T](n, n), dense.New[T](n, n)
	for b.Loop() {
		if err := Decompose(a.View(), form.View(), factor.View().T(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
