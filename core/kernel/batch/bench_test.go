package batch

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/kernel"
)

// BenchmarkLanes times each step with all lanes full, and with a matrix alone.
func BenchmarkLanes(b *testing.B) {
	for _, n := range []int{8, 16, 24, 32} {
		for _, width := range []int{Width, PairWidth} {
			rng := rand.New(rand.NewPCG(1, 2))
			p := NewProblem(width, n, 1, true, make([]float64, Elements(width, n, 1, true)))
			for i := range p.A {
				p.A[i] = rng.NormFloat64() / float64(n)
			}
			for lane := 1; lane < width && width == PairWidth; lane++ {
				p.Idle[lane] = true
			}
			for _, step := range laneSteps {
				before := p.copied()
				b.Run(fmt.Sprintf("%s/%d/%d", step.name, n, width), func(b *testing.B) {
					for b.Loop() {
						copy(p.A, before.A)
						copy(p.D, before.D)
						copy(p.E, before.E)
						copy(p.Vectors, before.Vectors)
						step.run(p, kernel.Best())
					}
				})
			}
		}
	}
}
