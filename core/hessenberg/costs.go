package hessenberg

import (
	"math"

	"trnsci/core/dense"
)

// Phases are weighed in multiply-adds of matrix products. A rate says how many of these take the time of one
// multiply-add of the phase: measured with one thread at orders of 150 to 800 by benchmarks/progress.py. Rates affect
// reported progress only.
const (
	reductionRate    = 3.0 // half of the multiply-adds are products with vectors
	accumulationRate = 1.5
)

// Matrix-vector products of the reduction read the whole matrix. A matrix that does not fit the last-level cache takes
// this many times as long.
const (
	cacheBytes    = 16 << 20
	uncachedRatio = 2.5
)

// Costs returns the expected costs of InPlace for a matrix of order n, in multiply-adds of products of real matrices in
// double precision: those of the reduction and, with the unitary factor, those of its accumulation. They are for
// progress reports.
func Costs[T dense.Scalar](n int, factor bool) (reduction, accumulation int) {
	cube := float64(n) * float64(n) * float64(n)
	if dense.IsComplex[T]() {
		cube *= 4
	}
	if factor {
		accumulation = int(accumulationRate * 2 / 3 * cube)
	}
	return int(reductionRate * slowdown[T](n) * 5 / 3 * cube), accumulation
}

// slowdown returns how many times as long the reduction of a matrix of order n takes because it does not fit the cache
// until only a part of it is left.
func slowdown[T dense.Scalar](n int) float64 {
	cached := math.Sqrt(cacheBytes / float64(dense.Bytes[T]()))
	return uncachedRatio - (uncachedRatio-1)*math.Pow(min(1, cached/float64(max(n, 1))), 3)
}

// reductionSteps returns the number of progress steps of a reduction of order n: n (n + m) for each column with m rows
// below, up to a factor.
func reductionSteps(n int) int { return 5 * n * n * n }

// stepsDone returns how many of the steps are done when left columns are left.
func stepsDone(n, left int) int { return reductionSteps(n) - (3*n+2*left)*left*left }
