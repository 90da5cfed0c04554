package eigen

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// BenchmarkTridiagonalize times the reduction alone; the copy of the matrix is not counted.
func BenchmarkTridiagonalize(b *testing.B) {
	for _, n := range []int{8, 16, 32, 64, 128, 256, 512, 1024, 2048} {
		for _, threads := range []int{1, 2} {
			name := func(dtype string) string { return fmt.Sprintf("%s/%d/threads%d", dtype, n, threads) }
			b.Run(name("float32"), func(b *testing.B) { benchmarkTridiagonalize[float32](b, n, threads) })
			b.Run(name("float64"), func(b *testing.B) { benchmarkTridiagonalize[float64](b, n, threads) })
			b.Run(name("complex64"), func(b *testing.B) { benchmarkTridiagonalize[complex64](b, n, threads) })
			b.Run(name("complex128"), func(b *testing.B) { benchmarkTridiagonalize[complex128](b, n, threads) })
			if n < minSharedOrder {
				break
			}
		}
	}
}

func benchmarkTridiagonalize[W dense.Scalar](b *testing.B, n, threads int) {
	a := numtest.RandomSPD[W](rand.New(rand.NewPCG(1, 2)), n)
	h, t, team := newLower[W](n), newTridiagonal(n), sched.NewTeam(b.Context(), threads, nil)
	for b.Loop() {
		b.StopTimer()
		dense.Copy(h.View(), a.View())
		b.StartTimer()
		if _, err := tridiagonalize(team, h, t.d, t.e); err != nil {
			b.Fatal(err)
		}
	}
}
