package factor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func BenchmarkLU(b *testing.B) {
	b.Run("float64", benchmarkLU[float64])
	b.Run("float32", benchmarkLU[float32])
	b.Run("complex128", benchmarkLU[complex128])
}

// The factors and a system with as many right-hand sides as unknowns.
func benchmarkLU[T dense.Scalar](b *testing.B) {
	for _, n := range []int{16, 64, 128, 256, 512} {
		a := numtest.Random[T](rand.New(rand.NewPCG(1, 1)), n, n)
		lu, x, pivots := a.Clone(), a.Clone(), make([]int, n)
		for _, threads := range []int{1, 2} {
			team := sched.NewTeam(context.Background(), threads, nil)
			b.Run(fmt.Sprintf("factor/%d/%d", n, threads), func(b *testing.B) {
				for b.Loop() {
					lu.CopyFrom(a)
					if _, err := LU(team, lu, pivots); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("solve/%d/%d", n, threads), func(b *testing.B) {
				for b.Loop() {
					x.CopyFrom(a)
					if err := LUSolve(team, blas.NoTrans, lu, pivots, x); err != nil {
						b.Fatal(err)
					}
				}
			})
			team.ReleaseWorkers()
		}
	}
}
