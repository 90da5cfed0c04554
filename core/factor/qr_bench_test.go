package factor

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

func BenchmarkQR(b *testing.B) {
	b.Run("float64", benchmarkQR[float64])
	b.Run("float32", benchmarkQR[float32])
	b.Run("complex128", benchmarkQR[complex128])
}

// Q and R, both as narrow as they can be.
func benchmarkQR[T dense.Scalar](b *testing.B) {
	for _, n := range []int{64, 128, 256, 512, 1024} {
		for _, m := range []int{n, 4 * n} {
			a := numtest.Random[T](rand.New(rand.NewPCG(1, 1)), m, n).View()
			for name, pivots := range map[string][]int64{"plain": nil, "pivots": make([]int64, n)} {
				out := QRResults[T]{Q: byColumns[T](m, n), R: byColumns[T](n, n), Pivots: pivots}
				b.Run(fmt.Sprintf("%s/%dx%d", name, m, n), func(b *testing.B) {
					for b.Loop() {
						if err := QRView(nil, a, out, false); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
