package eigen

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// BenchmarkTridiagonalize times the reduction alone on one thread; the copy of the matrix is not counted.
func BenchmarkTridiagonalize(b *testing.B) {
	for _, n := range []int{8, 32, 64, 128, 256, 512, 1024, 2048} {
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) { benchmarkTridiagonalize[float64](b, n) })
		b.Run(fmt.Sprintf("complex128/%d", n), func(b *testing.B) { benchmarkTridiagonalize[complex128](b, n) })
	}
}

func benchmarkTridiagonalize[W dense.Wide](b *testing.B, n int) {
	a := numtest.RandomSPD[W](rand.New(rand.NewPCG(1, 2)), n)
	h, t := newLower[W](n), newTridiagonal(n)
	for b.Loop() {
		b.StopTimer()
		dense.Copy(h.View(), a.View())
		b.StartTimer()
		if _, err := tridiagonalize(nil, h, t.d, t.e); err != nil {
			b.Fatal(err)
		}
	}
}
