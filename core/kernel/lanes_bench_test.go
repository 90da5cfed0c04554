package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkLanes times each step with all lanes full, and the iteration without vectors.
func BenchmarkLanes(b *testing.B) {
	for _, n := range []int{8, 16, 24, 32} {
		rng := rand.New(rand.NewPCG(1, 2))
		p := NewLaneProblem(n, 1, true, make([]float64, LaneElements(n, 1, true)))
		for i := range p.A {
			p.A[i] = rng.NormFloat64() / float64(n)
		}
		for _, step := range laneSteps {
			before := p.copied()
			run := func(name string, q *LaneProblem, cols int) {
				b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
					for b.Loop() {
						copy(q.A, before.A)
						copy(q.D, before.D)
						copy(q.E, before.E)
						copy(q.Vectors, before.Vectors)
						q.Cols = cols
						step.run(q, Best())
					}
				})
			}
			run(step.name, before.copied(), p.Cols)
			for _, used := range []int{1, 4} {
				q := before.copied()
				for lane := used; lane < Lanes; lane++ {
					q.Idle[lane] = true
				}
				run(fmt.Sprintf("%s_of_%d", step.name, used), q, p.Cols)
			}
			if step.name == "Iterate" {
				run("Values", before.copied(), 0)
			}
			step.run(p, Best())
		}
	}
}
