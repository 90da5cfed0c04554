package eigen

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

func BenchmarkEigh(b *testing.B) {
	for _, n := range []int{8, 64, 128, 256, 512, 1024} {
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) { benchmarkEigh[float64, float64](b, n) })
		b.Run(fmt.Sprintf("complex128/%d", n), func(b *testing.B) { benchmarkEigh[complex128, float64](b, n) })
	}
}

func benchmarkEigh[T dense.Scalar, R dense.Float](b *testing.B, n int) {
	a := numtest.RandomSPD[T](rand.New(rand.NewPCG(1, 2)), n)
	w, v := make([]R, n), dense.New[T](n, n)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Eigh(a.View(), w, v.View().T(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEighGeneralized(b *testing.B) {
	for _, n := range []int{16, 64, 128, 256, 512, 1024} {
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) { benchmarkGeneralized[float64, float64](b, n) })
		b.Run(fmt.Sprintf("complex128/%d", n), func(b *testing.B) { benchmarkGeneralized[complex128, float64](b, n) })
	}
}

func benchmarkGeneralized[T dense.Scalar, R dense.Float](b *testing.B, n int) {
	rng := rand.New(rand.NewPCG(1, 2))
	a, metric := numtest.RandomSPD[T](rng, n), numtest.RandomSPD[T](rng, n)
	w, v := make([]R, n), dense.New[T](n, n)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := EighGeneralized(AXEqualsLambdaBX, a.View(), metric.View(), w, v.View().T(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
