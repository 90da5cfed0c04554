package eigen

import (
	"math"
	"unsafe"

	"trnsci/core/dense"
)

// What phases cost is counted in multiply-adds of products of real matrices in double precision. Constants named Rate say how many of these a
// multiply-add of another kind takes the time of: they were measured on Zen 4 with one thread at orders of 1000 to 2000, by benchmarks/progress.py, and
// decide about nothing but the progress that is reported.
const (
	reductionRate = 2.6  // half of it comes from memory
	secularRate   = 480  // of finding the roots and weights, for each pair of poles
	productRate   = 0.75 // some eigenvalues of the pieces agree
	endRate       = 15
	blocksRate    = 1.5
	backRate      = 1.8
	choleskyRate  = 1.5
	standardRate  = 2.3
	transformRate = 2.8
	rowsRate      = 4 // of writing one number
	chaseRate     = 8
)

// A step of the reduction reads the whole matrix. From this size on, that of last caches, it takes so many times as long.
const (
	cacheBytes    = 16 << 20
	uncachedRatio = 1.8
)

// costs is what the phases of an eigenproblem are expected to cost.
type costs struct {
	reduction int // to tridiagonal form
	values    int // of the tridiagonal matrix
	conquest  int // its eigenvalues and eigenvectors
	blocks    int // the reflections in blocks
	back      int // their application to the vectors
	cholesky  int // the Cholesky factor of a metric
	standard  int // reduction to standard form
	transform int // of vectors from standard form
	product   int // a product of two square matrices
	rows      int // writing the vectors where there are no reflections
}

// costsOf returns the costs for a matrix of type W and order n of which up to count eigenvectors are wanted.
func costsOf[W dense.Scalar](n, count int) costs {
	order, products := float64(n), float64(square(planes[W]()))
	if dense.IsSingle[W]() {
		products /= 2
	}
	return costs{
		reduction: int(reductionRate * products * 2 / 3 * float64(reductionSteps[W](n))),
		values:    valuesCost(n),
		conquest:  conquestCost(n, count),
		blocks:    int(blocksRate * products * order * order * float64(reflectionsTogether[W](n))),
		back:      int(backRate * products * order * order * float64(count)),
		cholesky:  int(choleskyRate * products * order * order * order / 6),
		standard:  int(standardRate * products * order * order * order / 2),
		transform: int(transformRate * products * order * order / 2 * float64(count)),
		product:   int(products * order * order * order),
		rows:      int(rowsRate * order * float64(count)),
	}
}

// reductionSteps returns the steps of the reduction of a matrix of order n to tridiagonal form: n^3, and more of those that the matrix is too large for the
// cache in.
func reductionSteps[W dense.Scalar](n int) int {
	var element W
	cached := min(n, int(math.Sqrt(cacheBytes/float64(unsafe.Sizeof(element)))))
	return cube(cached) + int(uncachedRatio*float64(cube(n)-cube(cached)))
}

// vectors returns the cost of a problem with eigenvectors, and solving that of one with or without.
func (c costs) vectors() int { return c.reduction + c.conquest + c.blocks + c.back }

func (c costs) solving(opt Options) int {
	if opt.ValuesOnly {
		return c.reduction + c.values
	}
	return c.vectors()
}

// Cost returns what Eigh with all eigenvectors is expected to cost, in multiply-adds of products of real matrices in double precision: for callers that
// plan it as a part of their work.
func Cost[T dense.Scalar](n int) int { return costsOf[T](n, n).vectors() }

// conquestCost returns what divide and conquer is expected to cost if up to count eigenvectors are wanted: the matrix has a single block and few
// eigenvalues of its pieces agree.
func conquestCost(n, count int) int {
	cost := secularCost(n) + productCost(n, count)
	for parts := 2; n/parts > leafOrder; parts *= 2 {
		cost += parts * (secularCost(n/parts) + productCost(n/parts, n/parts))
	}
	return cost
}

// wholeConquestCost is conquestCost with all eigenvectors.
func wholeConquestCost(n int) int { return conquestCost(n, n) }

// secularCost returns what a merge of order n takes for its eigenvalues.
func secularCost(n int) int { return secularRate * square(n) }

// productCost returns what a merge of order n takes for so many vectors.
func productCost(n, vectors int) int { return int(productRate / 2 * float64(n*n) * float64(vectors)) }

// valuesCost returns what the eigenvalues of a tridiagonal matrix cost.
func valuesCost(n int) int { return 2 * endCost(n) }

// endCost returns what a merge of order n takes if no vectors are wanted.
func endCost(n int) int { return endRate * square(n) }

// chaseCost returns what the reduction of a band costs.
func chaseCost[W dense.Scalar](width, n int) int {
	return chaseRate * square(planes[W]()) * 3 * width * square(n)
}

// costOfBlocks returns the sum of the costs of blocks, each of which ends where the next one begins.
func costOfBlocks(ends []int, cost func(n int) int) (sum int) {
	start := 0
	for _, end := range ends {
		sum += cost(end - start)
		start = end
	}
	return sum
}

const (
	// Sweeps of Jacobi's method that matrices take, the last ones of which rotate little. Definite ones of the orders 100, 200 and 400 took 15, 19 and
	// 27, all about as long: definiteSweeps times the root of the order.
	usualSweeps    = 8
	definiteSweeps = 1.35
	// Multiply-adds of a sweep for each of the n^3 elements that it multiplies.
	sweepRate = 6
)

// jacobiSweepCost returns what a sweep costs.
func jacobiSweepCost(n int) int { return sweepRate * cube(n) }

// sweepsOfDefinite returns how many sweeps a definite matrix of order n usually takes.
func sweepsOfDefinite(n int) int {
	return min(max(usualSweeps, int(definiteSweeps*math.Sqrt(float64(n)))), maxJacobiSweeps)
}

// doneOfSweeps returns what is done of the rounds of the usual number of sweeps. Where more are needed, each sweep does half of what is left.
func doneOfSweeps(rounds, perSweep, usual int) int {
	if most := (usual - 1) * perSweep; rounds > most {
		left := math.Exp2(-float64(rounds-most) / float64(perSweep))
		return most + int((1-left)*float64(perSweep))
	}
	return rounds
}

func square(n int) int { return n * n }

func cube(n int) int { return n * n * n }
