package reduce

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/tridiag"
)

// BenchmarkHermitian times the reduction alone, without the copy of the matrix.
func BenchmarkHermitian(b *testing.B) {
	for _, n := range []int{8, 16, 32, 64, 128, 256, 512, 1024, 2048} {
		for _, threads := range []int{1, 2} {
			name := func(dtype string) string { return fmt.Sprintf("%s/%d/threads%d", dtype, n, threads) }
			b.Run(name("float32"), func(b *testing.B) { benchmarkHermitian[float32](b, n, threads) })
			b.Run(name("float64"), func(b *testing.B) { benchmarkHermitian[float64](b, n, threads) })
			b.Run(name("complex64"), func(b *testing.B) { benchmarkHermitian[complex64](b, n, threads) })
			b.Run(name("complex128"), func(b *testing.B) { benchmarkHermitian[complex128](b, n, threads) })
			if n < minSharedOrder {
				break
			}
		}
	}
}

func benchmarkHermitian[W dense.Scalar](b *testing.B, n, threads int) {
	a := numtest.RandomSPD[W](rand.New(rand.NewPCG(1, 2)), n)
	h, t, team := NewLower[W](n), tridiag.New(n), sched.NewTeam(b.Context(), threads, nil)
	for b.Loop() {
		b.StopTimer()
		dense.Copy(h.View(), a.View())
		b.StartTimer()
		if _, err := Hermitian(team, h, t); err != nil {
			b.Fatal(err)
		}
	}
}
