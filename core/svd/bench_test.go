package svd

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/tridiag"
)

// BenchmarkDecompose times the parts of a decomposition with one thread.
func BenchmarkDecompose(b *testing.B) {
	for _, n := range []int{32, 128, 512, 1024} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(1, 1)), n, n)
		b.Run(fmt.Sprintf("vectors/n=%d", n), func(b *testing.B) {
			out := results[float64](n, n, false, false)
			for b.Loop() {
				if err := Decompose(nil, a.View(), out, true); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("values/n=%d", n), func(b *testing.B) {
			values := make([]float64, n)
			for b.Loop() {
				if err := Decompose(nil, a.View(), Results[float64]{Values: values}, true); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("reduce/n=%d", n), func(b *testing.B) {
			memory := make([]float64, bidiagonalizationElements(n, n))
			for b.Loop() {
				if _, err := reduce(nil, a.Clone(), dense.New[float64](n, n), memory); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("bidiagonal/n=%d", n), func(b *testing.B) {
			r, err := reduce(nil, a.Clone(), dense.New[float64](n, n), make([]float64, bidiagonalizationElements(n, n)))
			if err != nil {
				b.Fatal(err)
			}
			c, ut, vt := tridiag.NewBidiagonal(n), dense.New[float64](n, n), dense.New[float64](n+1, n+1)
			memory := make([]float64, tridiag.SingularElements[float64](n, 1))
			for b.Loop() {
				copy(c.D, r.b.D)
				copy(c.E, r.b.E)
				if err := tridiag.SingularPairs(nil, c, ut, vt, memory); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
