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

func BenchmarkJacobi(b *testing.B) {
	kinds := map[string]func(*rand.Rand, int) dense.Matrix[float64]{
		"definite": numtest.RandomSPD[float64], "indefinite": numtest.RandomHermitian[float64],
	}
	for kind, make := range kinds {
		for _, n := range []int{16, 64, 256} {
			a := make(rand.New(rand.NewPCG(1, 2)), n)
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) { benchmarkMatrix[float64, float64](b, a, Options{Jacobi: true}) })
		}
	}
}

func benchmarkEigh[T dense.Scalar, R dense.Float](b *testing.B, n int) {
	benchmarkMatrix[T, R](b, numtest.RandomSPD[T](rand.New(rand.NewPCG(1, 2)), n), Options{})
}

func benchmarkMatrix[T dense.Scalar, R dense.Float](b *testing.B, a dense.Matrix[T], opt Options) {
	n := a.Rows
	w, v := make([]R, n), dense.New[T](n, n)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Eigh(a.View(), w, v.View().T(), opt); err != nil {
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

// Eigenvalues of bands, reduced as bands and as dense matrices: where the two take the same time is narrowBand.
func BenchmarkBandValues(b *testing.B) {
	for _, n := range []int{256, 1024} {
		for _, width := range []int{2, 4, 8, 16} {
			whole := numtest.RandomSPD[float64](rand.New(rand.NewPCG(1, 2)), n)
			view := packed(limited(whole, width), width+1, false).View()
			band := newHermitianBand[float64](view, false)
			d, e := make([]float64, n), make([]float64, n)
			b.Run(fmt.Sprintf("band/%d/%d", n, width), func(b *testing.B) {
				for b.Loop() {
					_ = band.chase().tridiagonalize(nil, d, e)
				}
			})
			b.Run(fmt.Sprintf("dense/%d/%d", n, width), func(b *testing.B) {
				for b.Loop() {
					h, _ := loadLower[float64](nil, band.lower().View(), false, false)
					_, _ = tridiagonalize(nil, h, d, e)
				}
			})
		}
	}
}
