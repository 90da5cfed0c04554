package tridiag

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// reducedRandom returns a matrix distributed like the tridiagonal form of a random symmetric matrix with independent
// normal elements (Dumitriu and Edelman, "Matrix models for beta ensembles", J. Math. Phys. 43, 2002): the couplings
// are lengths of normal vectors.
func reducedRandom(n int) Matrix {
	rng := rand.New(rand.NewPCG(31, uint64(n)))
	t := New(n)
	for i := range n {
		t.D[i] = math.Sqrt2 * rng.NormFloat64()
		squares := 0.0
		for range i + 1 {
			x := rng.NormFloat64()
			squares += x * x
		}
		t.E[i] = math.Sqrt(squares)
	}
	return t
}

func BenchmarkEigenpairs(b *testing.B) {
	for _, threads := range []int{1, 2} {
		for _, n := range []int{16, 32, 64, 128, 256, 512, 1024} {
			b.Run(fmt.Sprintf("%d/%d", threads, n), func(b *testing.B) { benchmarkEigenpairs(b, threads, n) })
		}
	}
}

func benchmarkEigenpairs(b *testing.B, threads, n int) {
	t, m := reducedRandom(n), New(n)
	vectors := dense.New[float64](n, n)
	workspace := make([]float64, WorkElements[float64](n))
	team := sched.NewTeam(context.Background(), threads, nil)
	b.ReportAllocs()
	for b.Loop() {
		copy(m.D, t.D)
		copy(m.E, t.E)
		if _, _, err := Eigenpairs(team, m, vectors, nil, n, workspace); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEigenvalues times both methods for eigenvalues alone: the QL iteration and divide and conquer with 1 and 2
// threads.
func BenchmarkEigenvalues(b *testing.B) {
	for _, n := range []int{32, 64, 96, 128, 256, 512, 1000, 2000} {
		t, m := reducedRandom(n), newQL(n)
		time := func(name string, body func() error) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					copy(m.D, t.D)
					copy(m.E, t.E)
					if err := body(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		time("QL", func() error { return m.blockValues(nil, 0, n) })
		for _, threads := range []int{1, 2} {
			team := sched.NewTeam(context.Background(), threads, nil)
			time(fmt.Sprintf("DC%d", threads), func() error { return newBoundaryRowsDC(m.Matrix, threads).solve(team) })
		}
	}
}
