package qz

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

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
