package eigen

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/numtest"
)

// BenchmarkGroup times a full group, and one matrix in lanes and by the method of larger ones.
func BenchmarkGroup(b *testing.B) {
	for _, n := range []int{2, 4, 8, 12, 16, 20, 24, 32, 48, 64} {
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) { benchmarkGroup[float64, float64](b, n) })
		b.Run(fmt.Sprintf("complex128/%d", n), func(b *testing.B) { benchmarkGroup[complex128, float64](b, n) })
	}
}

func benchmarkGroup[T dense.Scalar, R dense.Float](b *testing.B, n int) {
	rng := rand.New(rand.NewPCG(1, 2))
	var a, v []dense.View[T]
	var w [][]R
	for range kernel.Lanes {
		a = append(a, numtest.RandomSPD[T](rng, n).View())
		v = append(v, dense.New[T](n, n).View().T())
		w = append(w, make([]R, n))
	}
	for _, count := range []int{kernel.Lanes, 1} {
		b.Run(fmt.Sprintf("%d", count), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := EighGroup(a[:count], w, v, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if _, err := eighWide(a[0], w[0], v[0], Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
