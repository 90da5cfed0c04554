package hessenberg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// Orders of the benchmark, among them multiples of 512, for which rows of matrices without padding map to the same sets
// of a cache.
var benchmarkOrders = []int{16, 32, 64, 96, 128, 256, 384, 500, 512, 1000, 1024}

// BenchmarkReduce measures the reduction alone.
func BenchmarkReduce(b *testing.B) {
	for _, n := range benchmarkOrders {
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("float32/%d/%d", n, threads), func(b *testing.B) { benchmarkReduce[float32](b, n, threads) })
			b.Run(fmt.Sprintf("float64/%d/%d", n, threads), func(b *testing.B) { benchmarkReduce[float64](b, n, threads) })
			b.Run(fmt.Sprintf("complex64/%d/%d", n, threads), func(b *testing.B) { benchmarkReduce[complex64](b, n, threads) })
			b.Run(fmt.Sprintf("complex128/%d/%d", n, threads), func(b *testing.B) { benchmarkReduce[complex128](b, n, threads) })
		}
	}
}

func benchmarkReduce[W dense.Scalar](b *testing.B, n, threads int) {
	a := numtest.Random[W](rand.New(rand.NewPCG(1, uint64(n))), n, n)
	h, q := workspace.NewPadded[W](n), workspace.NewPadded[W](n)
	team := sched.NewTeam(context.Background(), threads, nil)
	for b.Loop() {
		h.CopyFrom(a)
		if err := InPlace(team, h, q); err != nil {
			b.Fatal(err)
		}
	}
}
