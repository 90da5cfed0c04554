package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
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

func BenchmarkSolve(b *testing.B) {
	for _, s := range Sets() {
		for _, cols := range []int{8, 64, 256, 2048} {
			rng := rand.New(rand.NewPCG(14, 0))
			l, x := make([]float64, SolveOrder*SolveOrder), make([]float64, SolveOrder*cols)
			fillNormal(rng, x)
			for i := range SolveOrder {
				l[i*SolveOrder+i] = 1 // and all else zero, so that x stays as it is
			}
			b.Run(fmt.Sprintf("%v/%d", s, cols), func(b *testing.B) {
				for b.Loop() {
					Solve(s, SolveOrder, l, x, 0, cols, cols)
				}
				reportRate(b, SolveOrder*SolveOrder*cols)
			})
		}
	}
}

func BenchmarkRotate(b *testing.B) {
	const rotations = 100
	q := make([]Rotation[float64], rotations)
	for i := range q {
		s, c := math.Sincos(float64(i))
		q[i] = Rotation[float64]{C: c, S: s}
	}
	for _, s := range Sets() {
		for _, cols := range []int{8, 64, 128, 256, 512} {
			for _, down := range []bool{false, true} {
				a := make([]float64, (rotations+1)*cols)
				fillNormal(rand.New(rand.NewPCG(15, 0)), a)
				b.Run(fmt.Sprintf("%v/%d/down=%v", s, cols, down), func(b *testing.B) {
					for b.Loop() {
						Rotate(s, q, down, a, cols, cols)
					}
					reportRate(b, 6*rotations*cols)
				})
			}
		}
	}
}
