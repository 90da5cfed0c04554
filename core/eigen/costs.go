package eigen

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/tridiag"
	"trnsci/core/tridiag/reduce"
)

// What phases cost is counted in multiply-adds of products of real matrices in double precision. Constants named Rate say how many of these a
// multiply-add of another kind takes the time of: they were measured on Zen 4 with one thread at orders of 1000 to 2000, by benchmarks/progress.py, and
// decide about nothing but the progress that is reported.
const (
	reductionRate = 2.6 // half of it comes from memory
	blocksRate    = 1.5
	backRate      = 1.8
	choleskyRate  = 1.5
	standardRate  = 2.3
	transformRate = 2.8
	rowsRate      = 4 // of writing one number
	chaseRate     = 8
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
		reduction: int(reductionRate * products * 2 / 3 * float64(reduce.Cost[W](n))),
		values:    tridiag.EigenvaluesCost(n),
		conquest:  tridiag.EigenpairsCost(n, count),
		blocks:    int(blocksRate * products * order * order * float64(reduce.BlockSize[W](n))),
		back:      int(backRate * products * order * order * float64(count)),
		cholesky:  int(choleskyRate * products * order * order * order / 6),
		standard:  int(standardRate * products * order * order * order / 2),
		transform: int(transformRate * products * order * order / 2 * float64(count)),
		product:   int(products * order * order * order),
		rows:      int(rowsRate * order * float64(count)),
	}
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

// chaseCost returns what the reduction of a band costs.
func chaseCost[W dense.Scalar](width, n int) int {
	return chaseRate * square(planes[W]()) * 3 * width * square(n)
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
