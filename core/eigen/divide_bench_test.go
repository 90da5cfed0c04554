package eigen

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// BenchmarkSolve times divide and conquer alone, for the tridiagonal matrices of random full ones.
func BenchmarkSolve(b *testing.B) {
	for _, threads := range []int{1, 2} {
		for _, n := range []int{16, 32, 64, 128, 256, 512, 1024} {
			b.Run(fmt.Sprintf("%d/%d", threads, n), func(b *testing.B) { benchmarkSolve(b, threads, n) })
		}
	}
}

func benchmarkSolve(b *testing.B, threads, n int) {
	t, m := reducedRandom(b, n), newTridiagonal(n)
	m.vectors = dense.New[float64](n, n)
	workspace := make([]float64, solveElements[float64](n))
	team := sched.NewTeam(context.Background(), threads, nil)
	b.ReportAllocs()
	for b.Loop() {
		copy(m.d, t.d)
		copy(m.e, t.e)
		if _, _, err := solveTridiagonal(team, m.d, m.e, m.vectors, nil, n, workspace); err != nil {
			b.Fatal(err)
		}
	}
}

// reducedRandom returns the tridiagonal form of a full random matrix.
func reducedRandom(b *testing.B, n int) *tridiagonal {
	rng := rand.New(rand.NewPCG(31, uint64(n)))
	h := newLower[float64](n)
	for i := range n {
		for j := range i + 1 {
			h.Set(i, j, rng.NormFloat64())
		}
	}
	t := newTridiagonal(n)
	if _, err := tridiagonalize(nil, h, t.d, t.e); err != nil {
		b.Fatal(err)
	}
	return t
}

// BenchmarkTridiagonalValues times both ways to eigenvalues alone.
func BenchmarkTridiagonalValues(b *testing.B) {
	for _, n := range []int{32, 64, 96, 128, 256, 512, 1024} {
		t, m := reducedRandom(b, n), newTridiagonal(n)
		time := func(name string, body func() error) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					copy(m.d, t.d)
					copy(m.e, t.e)
					if err := body(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		time("QL", func() error { return m.blockValues(nil, 0, n) })
		for _, threads := range []int{1, 2} {
			team := sched.NewTeam(context.Background(), threads, nil)
			time(fmt.Sprintf("divide/%d", threads), func() error { return newEndConquest(m, threads).solve(team) })
		}
	}
}
