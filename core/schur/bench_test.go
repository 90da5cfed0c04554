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

// BenchmarkIteration leaves the reduction out.
func BenchmarkIteration(b *testing.B) {
	for _, n := range []int{16, 32, 64, 96, 128, 256, 384, 500, 512, 1000, 1024} {
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("%d/%d", n, threads), func(b *testing.B) { benchmarkIteration(b, n, threads) })
		}
	}
}

func benchmarkIteration(b *testing.B, n, threads int) {
	a := numtest.Random[float64](rand.New(rand.NewPCG(1, uint64(n))), n, n)
	h, q := newPadded[float64](n), newPadded[float64](n)
	t, zt := newPadded[float64](n), newPadded[float64](n)
	h.CopyFrom(a)
	if err := reduce(nil, h, q); err != nil {
		b.Fatal(err)
	}
	team := sched.NewTeam(context.Background(), threads, nil)
	for b.Loop() {
		t.CopyFrom(h)
		zt.CopyFrom(q)
		if err := triangularize(t, zt, Options{Team: team}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSchur(b *testing.B) {
	for _, n := range []int{16, 32, 64, 96, 128, 256, 384, 500, 512, 1000, 1024} {
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) { benchmark[float64](b, n) })
		b.Run(fmt.Sprintf("float32/%d", n), func(b *testing.B) { benchmark[float32](b, n) })
		b.Run(fmt.Sprintf("complex128/%d", n), func(b *testing.B) { benchmark[complex128](b, n) })
	}
}

func benchmark[T dense.Scalar](b *testing.B, n int) {
	a := numtest.Random[T](rand.New(rand.NewPCG(1, uint64(n))), n, n)
	form, factor := dense.New[T](n, n), dense.New[T](n, n)
	for b.Loop() {
		if err := Schur(a.View(), form.View(), factor.View().T(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
