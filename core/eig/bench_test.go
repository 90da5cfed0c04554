package eig

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

var benchmarkOrders = []int{64, 128, 256, 512, 1024}

// BenchmarkEigen computes eigenvalues alone, and eigenvalues with right eigenvectors.
func BenchmarkEigen(b *testing.B) {
	for _, n := range benchmarkOrders {
		for threads := 1; threads <= 2; threads++ {
			for _, vectors := range []bool{false, true} {
				name := fmt.Sprintf("%d/%d/vectors=%v", n, threads, vectors)
				b.Run("float32/"+name, func(b *testing.B) { benchmarkEigen[float32, complex64](b, n, threads, vectors) })
				b.Run("float64/"+name, func(b *testing.B) { benchmarkEigen[float64, complex128](b, n, threads, vectors) })
				b.Run("complex128/"+name, func(b *testing.B) { benchmarkEigen[complex128, complex128](b, n, threads, vectors) })
			}
		}
	}
}

func benchmarkEigen[T dense.Scalar, C dense.Complex](b *testing.B, n, threads int, vectors bool) {
	a := numtest.Random[T](rand.New(rand.NewPCG(1, uint64(n))), n, n)
	values, right := make([]C, n), dense.View[C]{}
	if vectors {
		right = dense.New[C](n, n).View().T()
	}
	opt := Options{Team: sched.NewTeam(context.Background(), threads, nil)}
	for b.Loop() {
		if err := Eig(a.View(), values, dense.View[C]{}, right, opt); err != nil {
			b.Fatal(err)
		}
	}
}
