package secular

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/kernel"
)

// What a merge of that many eigenpairs does, per root.
func BenchmarkSecular(b *testing.B) {
	for _, count := range []int{8, 16, 32, 64, 128, 512} {
		rng := rand.New(rand.NewPCG(63, 1))
		e := &Equation{Poles: Poles{At: make([]float64, count), Weights: make([]float64, count)}, Count: count,
			Inverse: 1, Reach: 1.5}
		origins, shifts := make([]float64, count), make([]float64, count)
		x, singles := make([]float64, count*count), make([]float32, count*count)
		for j := range count {
			e.At[j], e.Weights[j] = (float64(j)+rng.Float64()/2)/float64(count), math.Pow(rng.NormFloat64(),
				2)/float64(count)
		}
		run := func(name string, work func()) {
			b.Run(fmt.Sprintf("%s/%d", name, count), func(b *testing.B) {
				for b.Loop() {
					work()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(count), "ns/root")
			})
		}
		run("roots", func() { Roots(kernel.Best(), e, 0, count, origins, shifts) })
		weights := append([]float64(nil), e.Weights...)
		p := Poles{At: e.At, Weights: weights}
		run("weights", func() {
			Weights(kernel.Best(), p, origins, shifts, 0, count)
		})
		run("vectors", func() { Vectors(kernel.Best(), e.Poles, origins, shifts, x, count) })
		run("singles", func() { Vectors(kernel.Best(), e.Poles, origins, shifts, singles, count) })
	}
}
