package schur

import (
	"math"
	"unsafe"

	"trnsci/core/dense"
)

// What phases cost is counted in multiply-adds of products of matrices. Constants named Rate say how many of these a multiply-add of another kind
// takes the time of: they were measured with one thread at orders of 150 to 800, by benchmarks/progress.py, and decide about nothing but the progress
// that is reported.
const (
	reductionRate    = 3.0 // half of it are products with vectors
	accumulationRate = 1.5
	// Multiply-adds of the iteration for the cube of the order, with the unitary factor and for eigenvalues alone.
	iterationRate, valuesRate = 16, 8
	vectorsRate               = 2.0
)

// The products with vectors of the reduction read the whole matrix. From this size on, that of last caches, a reduction takes so many times as long.
const (
	cacheBytes    = 16 << 20
	uncachedRatio = 2.5
)

// costs is what the phases of a decomposition are expected to cost.
type costs struct {
	reduction    int // to Hessenberg form
	accumulation int // of its unitary factor
	iteration    int
	vectors      int // eigenvectors of one side
}

// costsOf returns the costs for a matrix of order n, with the unitary factor or without.
func costsOf[W dense.Scalar](n int, factor bool) costs {
	whole := float64(n) * float64(n) * float64(n)
	if dense.IsComplex[W]() {
		whole *= 4
	}
	c := costs{reduction: int(reductionRate * slowdown[W](n) * 5 / 3 * whole), iteration: int(valuesRate * whole), vectors: int(vectorsRate * whole)}
	if factor {
		c.accumulation, c.iteration = int(accumulationRate*2/3*whole), int(iterationRate*whole)
	}
	return c
}

// slowdown returns how many times as long the reduction of a matrix of order n takes because it does not fit the cache until a part of it is left that does.
func slowdown[W dense.Scalar](n int) float64 {
	var element W
	cached := math.Sqrt(cacheBytes / float64(unsafe.Sizeof(element)))
	return uncachedRatio - (uncachedRatio-1)*math.Pow(min(1, cached/float64(max(n, 1))), 3)
}

// reduced returns how many of the steps of a reduction of order n are done when left columns are left: those of columns with m rows below are m (n + m).
func reduced(n, left int) int { return reductionSteps(n) - (3*n+2*left)*left*left }

// reductionSteps returns the steps of a reduction.
func reductionSteps(n int) int { return 5 * n * n * n }

// iterated returns how many of the n^2 steps, n^3 where only eigenvalues are wanted, of an iteration are done when left rows are left.
func iterated(n, left int, valuesOnly bool) int {
	if valuesOnly {
		return n*n*n - left*left*left
	}
	return n*n*n - n*left*left
}

// Cost returns what the Schur form of a matrix of order n is expected to cost, with the unitary factor or without, in multiply-adds of products of
// real matrices in double precision: for callers that plan it as a part of their work.
func Cost[T dense.Scalar](n int, factor bool) int {
	c := costsOf[T](n, factor)
	return c.reduction + c.accumulation + c.iteration
}
