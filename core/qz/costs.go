package qz

import "trnsci/core/dense"

// Multiply-adds of the phases for the cube of the order, with both factors: measured with one thread at orders of 200
// to 400 by benchmarks/progress.py. They decide about nothing but the progress that is reported.
const (
	triangleRate  = 2.0
	reductionRate = 8.0
	iterationRate = 12.0
	vectorsRate   = 2.0
	// What each of the factors takes of the reduction and of the iteration.
	factorShare = 0.25
)

// costs is what the phases of a decomposition are expected to cost.
type costs struct{ triangle, reduction, iteration, vectors int }

// costsOf returns the costs of a pair.
func costsOf[T dense.Wide](m *pencil[T]) costs {
	whole := float64(m.order()) * float64(m.order()) * float64(m.order())
	share := 1 - 2*factorShare
	for _, factor := range []dense.Matrix[T]{m.qt, m.zt} {
		if factor.Rows > 0 {
			share += factorShare
		}
	}
	return costs{
		triangle: int(triangleRate * share * whole), reduction: int(reductionRate * share * whole),
		iteration: int(iterationRate * share * whole),
		vectors:   int(vectorsRate * whole),
	}
}

// form returns the cost of the generalized Schur form.
func (c costs) form() int { return c.triangle + c.reduction + c.iteration }

func cube(n int) int { return n * n * n }
