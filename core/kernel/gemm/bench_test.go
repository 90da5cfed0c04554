package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// BenchmarkTranspose packs as core/blas does: the narrow panels and the wide blocks of a product, out of a large
// matrix.
func BenchmarkTranspose(b *testing.B) {
	b.Run("float64", benchmarkTranspose[float64])
	b.Run("float32", benchmarkTranspose[float32])
}

func benchmarkTranspose[T kernel.Float](b *testing.B) {
	const cols, srcStride = 256, 1000
	for _, s := range kernel.Sets() {
		for _, rows := range []int{24, 48, 240} {
			src, dst := make([]T, rows*srcStride), make([]T, cols*rows)
			b.Run(fmt.Sprintf("%v/%dx%d", s, rows, cols), func(b *testing.B) {
				for b.Loop() {
					Transpose(s, rows, cols, src, srcStride, dst, rows)
				}
				b.ReportMetric(float64(rows*cols*b.N)/float64(b.Elapsed().Nanoseconds()), "elements/ns")
			})
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, s := range kernel.Sets() {
		for _, cols := range []int{8, 64, 256, 2048} {
			rng := rand.New(rand.NewPCG(14, 0))
			l, x := make([]float64, TriangleOrder*TriangleOrder), make([]float64, TriangleOrder*cols)
			kerneltest.FillNormal(rng, x)
			for i := range TriangleOrder {
				l[i*TriangleOrder+i] = 1 // and all else zero, so that x stays as it is
			}
			b.Run(fmt.Sprintf("%v/%d", s, cols), func(b *testing.B) {
				for b.Loop() {
					Trsm(s, TriangleOrder, l, x, 0, cols, cols)
				}
				kerneltest.ReportRate(b, TriangleOrder*TriangleOrder*cols)
			})
		}
	}
}
