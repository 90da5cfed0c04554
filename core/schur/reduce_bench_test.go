package schur

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func BenchmarkReduce(b *testing.B) {
	for _, n := range []int{16, 32, 64, 96, 128, 256, 384, 500, 512, 1000, 1024} {
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("float64/%d/%d", n, threads), func(b *testing.B) { benchmarkReduce[float64](b, n, threads) })
			b.Run(fmt.Sprintf("complex128/%d/%d", n, threads), func(b *testing.B) { benchmarkReduce[complex128](b, n, threads) })
		}
	}
}

func benchmarkReduce[W dense.Scalar](b *testing.B, n, threads int) {
	a := numtest.Random[W](rand.New(rand.NewPCG(1, uint64(n))), n, n)
	h, q := newPadded[W](n), newPadded[W](n)
	team := sched.NewTeam(context.Background(), threads, nil)
	for b.Loop() {
		h.CopyFrom(a)
		if err := reduce(team, h, q); err != nil {
			b.Fatal(err)
		}
	}
}
