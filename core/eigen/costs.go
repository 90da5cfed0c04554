package eigen

import (
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/tridiag"
	"trnsci/core/tridiag/reduce"
)

// Costs are counted in multiply-adds of products of real double precision matrices. The rates say how many of these one
// multiply-add of another kind takes. They were measured on Zen 4 with one thread at orders of 1000 to 2000 by
// benchmarks/progress.py, and they determine reported progress only.
const (
	reductionRate = 2.6 // half of it is memory traffic
	blocksRate    = 1.5
	backRate      = 1.8
	choleskyRate  = 1.5
	standardRate  = 2.3
	transformRate = 2.8
	storeRate     = 4 // per number written
	chaseRate     = 8
)

// costs are the expected costs of the phases of an eigenproblem.
type costs struct {
	reduction     int // to tridiagonal form
	values        int // of the tridiagonal matrix
	divideConquer int // its eigenvalues and eigenvectors
	blocks        int // the block reflectors
	back          int // their application to the vectors
	cholesky      int // the Cholesky factor of a metric
	standard      int // reduction to standard form
	transform     int // of vectors from standard form
	product       int // a product of two square matrices
	store         int // writing the vectors if there are no reflectors
}

// costsOf returns the costs for a matrix of type W and order n of which up to count eigenvectors are wanted.
func costsOf[W dense.Scalar](n, count int) costs {
	order, products := float64(n), float64(square(dense.Parts[W]()))
	if dense.IsSingle[W]() {
		products /= 2
	}
	return costs{
		reduction:     int(reductionRate * products * 2 / 3 * float64(reduce.Cost[W](n))),
		values:        tridiag.EigenvaluesCost(n),
		divideConquer: tridiag.EigenpairsCost(n, count),
		blocks:        int(blocksRate * products * order * order * float64(householder.ReflectorsPerBlock[W](n))),
		back:          int(backRate * products * order * order * float64(count)),
		cholesky:      int(choleskyRate * products * order * order * order / 6),
		standard:      int(standardRate * products * order * order * order / 2),
		transform:     int(transformRate * products * order * order / 2 * float64(count)),
		product:       int(products * order * order * order),
		store:         int(storeRate * order * float64(count)),
	}
}

// vectors returns the cost of a problem with eigenvectors.
func (c costs) vectors() int { return c.reduction + c.divideConquer + c.blocks + c.back }

// solving returns the cost of a problem with or without eigenvectors.
func (c costs) solving(opt Options) int {
	if opt.ValuesOnly {
		return c.reduction + c.values
	}
	return c.vectors()
}

// Cost returns the expected cost of Eigh with all eigenvectors, in multiply-adds of products of real double precision
// matrices, for callers that plan it as a part of their work.
func Cost[T dense.Scalar](n int) int { return costsOf[T](n, n).vectors() }

// chaseCost returns the cost of the reduction of a band matrix.
func chaseCost[W dense.Scalar](width, n int) int {
	return chaseRate * square(dense.Parts[W]()) * 3 * width * square(n)
}

func square(n int) int { return n * n }

func cube(n int) int { return n * n * n }

// ceilDiv returns the smallest integer not below x/y.
func ceilDiv(x, y int) int { return (x + y - 1) / y }
