package kernel

import (
	"fmt"
	"testing"
)

// BenchmarkTranspose packs as core/blas does: the narrow panels and the wide blocks of a product, out of a large matrix.
func BenchmarkTranspose(b *testing.B) {
	b.Run("float64", benchmarkTranspose[float64])
	b.Run("float32", benchmarkTranspose[float32])
}

func benchmarkTranspose[T Float](b *testing.B) {
	const cols, srcStride = 256, 1000
	for _, s := range Sets() {
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
