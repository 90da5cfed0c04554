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

// BenchmarkComplexIteration leaves the reduction out.
func BenchmarkComplexIteration(b *testing.B) {
	for _, n := range []int{16, 32, 64, 96, 128, 256, 384, 500, 512, 1000, 1024} {
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("complex128/%d/%d", n, threads), func(b *testing.B) { benchmarkComplexIteration[complex128](b, n, threads) })
			b.Run(fmt.Sprintf("complex64/%d/%d", n, threads), func(b *testing.B) { benchmarkComplexIteration[complex64](b, n, threads) })
		}
	}
}

func benchmarkComplexIteration[W dense.Complex](b *testing.B, n, threads int) {
	a := numtest.Random[W](rand.New(rand.NewPCG(1, uint64(n))), n, n)
	h, q := newPadded[W](n), newPadded[W](n)
	t, zt := newPadded[W](n), newPadded[W](n)
	h.CopyFrom(a)
	if err := reduce(nil, h, q); err != nil {
		b.Fatal(err)
	}
	team := sched.NewTeam(context.Background(), threads, nil)
	for b.Loop() {
		t.CopyFrom(h)
		zt.CopyFrom(q)
		if err := triangularizeComplex(t, zt, Options{Team: team}); err != nil {
			b.Fatal(err)
		}
	}
}
