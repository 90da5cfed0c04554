package eigen

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// The Cholesky factor of a metric B decides whether B is singular to working precision, and whether it is well
// conditioned enough for single precision.

// generalized transforms a generalized problem to a standard one and its solution back.
type generalized[W dense.Scalar] struct {
	problem              Problem
	team                 *sched.Team
	l                    dense.Matrix[W] // B, then its Cholesky factor
	exponentA, exponentB int             // A and B have been multiplied by two to these powers
}

// factor overwrites B by its Cholesky factor.
func (g *generalized[W]) factor() error {
	diagonal := make([]float64, g.l.Rows)
	for i := range diagonal {
		diagonal[i] = dense.Real(g.l.At(i, i))
	}
	if dense.IsSingle[W]() {
		return g.factorInSingle(diagonal)
	}
	return g.factorInDouble(diagonal)
}

// factorInDouble is factor in double precision for a B with the given diagonal.
func (g *generalized[W]) factorInDouble(diagonal []float64) error {
	n := len(diagonal)
	err := factor.Cholesky(g.team, g.l)
	factored := n
	var failed *factor.NotPositiveDefiniteError
	if errors.As(err, &failed) {
		factored = failed.Order - 1
	} else if err != nil {
		return err
	}
	// A tiny pivot comes before the negative one that it causes.
	order, err := g.firstSingularMinor(diagonal, factored)
	if err != nil {
		return err
	}
	if order == 0 && failed != nil {
		order = failed.Order
	}
	if order > 0 {
		return &factor.NotPositiveDefiniteError{Arg: "b", Order: order}
	}
	return nil
}

const (
	// Up to this order boundBySubstitution is tried before boundByProbes, which takes longer there. It grows with the
	// order for most matrices.
	comparisonOrder = 64
	// Vectors that boundByProbes tries. It assumes that one of them has a component of at least minProbed along any
	// given vector.
	probes    = 8
	minProbed = 1.0 / 64
	// Rows of L^-1 that are computed together.
	inverseRows = 64

	// A metric suits single precision if b |L^-1 x|^2 of all probes, with b the largest diagonal element, is at most
	// this times n, its mean for L = I. Then b |L^-1|^2 is not much larger than this times n, and errors of eps b
	// |L^-1|^2 are not much larger than those of sums of n numbers.
	maxProbedSingle = 16
	// Its diagonal elements must not be further apart than this: with those of A they leave all numbers within the
	// range of single precision.
	maxGradingSingle = 1 << 20
)

// firstSingularMinor returns the order of the first leading minor of B that is singular to working precision, or 0, for
// a B with the given diagonal whose first rows have been factored.
//
// With y^T the k-th row of L^-1, y^T B y = 1. Rounding in the factorization perturbs B by an E with |E_ij| up to about
// eps sqrt(B_ii B_jj), so the minor cannot be distinguished from a singular one once eps (sum_i |y_i| sqrt(B_ii))^2
// reaches 1. Unlike a condition number this does not depend on the scaling of B. A pivot below n eps B_kk is refused as
// well.
//
// The sums are computed only if a bound of all of them is not below the limit: n^3/6 multiply-adds for a B that is
// nearly singular or was found not to be positive definite, and 4 n^2 for all others.
func (g *generalized[W]) firstSingularMinor(diagonal []float64, rows int) (order int, err error) {
	roots := make([]float64, rows)
	small := false
	for i := range roots {
		roots[i] = math.Sqrt(diagonal[i])
		small = small || g.pivotIsSmall(diagonal, i)
	}
	if rows == len(diagonal) && !small && g.allSumsRegular(roots) {
		return 0, nil
	}
	return g.firstLargeSum(diagonal, roots)
}

// pivotIsSmall reports whether the k-th pivot may consist of rounding errors alone.
func (g *generalized[W]) pivotIsSmall(diagonal []float64, k int) bool {
	pivot := dense.Real(g.l.At(k, k))
	return pivot*pivot <= float64(len(diagonal))*dense.Eps[W]()*diagonal[k]
}

// isRegularSum reports whether a squared sum of firstSingularMinor, or a bound of it, is below the limit; NaN is not.
func isRegularSum(squared, eps float64) bool { return squared*eps < 1 }

// allSumsRegular reports whether a bound of all sums of firstSingularMinor is below the limit.
func (g *generalized[W]) allSumsRegular(roots []float64) bool {
	eps := dense.Eps[W]()
	if n := len(roots); n <= comparisonOrder {
		if sum := g.boundBySubstitution(roots); isRegularSum(sum*sum, eps) {
			return true
		}
	}
	return isRegularSum(float64(len(roots))*g.boundByProbes(roots), eps)
}

// boundBySubstitution returns a bound of the sums of firstSingularMinor: the largest element of the solution of M z =
// s, where s are the roots and M is the comparison matrix of L, with the absolute values of its elements and negative
// ones off the diagonal. M^-1 is nonnegative, and no element of L^-1 has a larger modulus than its counterpart in M^-1.
// Source: Higham, "A survey of condition number estimation for triangular matrices", SIAM Rev. 29, 1987.
//
// Cost: n^2/2 multiply-adds.
func (g *generalized[W]) boundBySubstitution(roots []float64) float64 {
	var z [comparisonOrder]float64
	largest := 0.0
	for i, sum := range roots {
		row := g.l.Row(i)[:i+1]
		for j, x := range row[:i] {
			sum += (math.Abs(dense.Real(x)) + math.Abs(dense.Imag(x))) * z[j]
		}
		z[i] = sum / dense.Real(row[i])
		largest = max(largest, z[i])
	}
	return largest
}

// boundByProbes returns a bound of |S^-1|^2 in the spectral norm, S = D^-1 L with D the diagonal matrix of the given
// roots. n times the bound is a bound of the squared sum of the absolute values in any row of S^-1. It may be an
// infinity or NaN.
//
// The bound is |S^-1 x|^2 / minProbed^2 for the largest of some vectors x of independent normal deviates with variance
// 1. If u is the right singular vector of the largest singular value, |S^-1 x| >= |S^-1| |u^H x|, and the real or the
// imaginary part of u^H x is normal with a variance of at least 1/2. The probability that all of them are smaller than
// assumed is at most (2 minProbed/sqrt(pi))^8 = 1e-14. The deviates are the same in every call. Source: Dixon,
// "Estimating extremal eigenvalues and condition numbers of matrices", SIAM J. Numer. Anal. 20, 1983.
func (g *generalized[W]) boundByProbes(roots []float64) float64 {
	return g.largestProbe(roots) / (minProbed * minProbed)
}

// largestProbe returns the largest |S^-1 x|^2 of boundByProbes.
//
// Cost: 4 n^2 multiply-adds.
func (g *generalized[W]) largestProbe(roots []float64) float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	x := dense.New[W](len(roots), probes)
	for i, root := range roots {
		row := x.Row(i)
		for j := range row {
			row[j] = dense.FromReal[W](root * rng.NormFloat64())
		}
	}
	blas.Trsm(g.team, blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, 1, g.l, x)
	var squares [probes]float64
	for i := range x.Rows {
		for j, y := range x.Row(i) {
			re, im := dense.Real(y), dense.Imag(y)
			squares[j] += re*re + im*im
		}
	}
	return slices.Max(squares[:])
}

// firstLargeSum is firstSingularMinor by the sums themselves.
func (g *generalized[W]) firstLargeSum(diagonal, roots []float64) (order int, err error) {
	rows := len(roots)
	groups := ceilDiv(rows, inverseRows)
	first := make([]int, groups)
	perWorker := min(rows, inverseRows) * rows
	memory := make([]W, min(groups, g.team.Threads())*perWorker)
	err = g.team.For(groups, func(worker, group int) error {
		begin, end := group*inverseRows, min(rows, (group+1)*inverseRows)
		own := memory[worker*perWorker : (worker+1)*perWorker]
		inverse := dense.Matrix[W]{Rows: end - begin, Cols: end, Stride: end, Data: own}
		inverse.Clear()
		for k := begin; k < end; k++ {
			inverse.Set(k-begin, k, 1)
		}
		l := g.l.Slice(0, end, 0, end)
		blas.Trsm(g.team.Serial(), blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, 1, l, inverse)
		for k := end - 1; k >= begin; k-- {
			sum := 0.0
			for i, y := range inverse.Row(k - begin)[:k+1] {
				sum += dense.Abs(y) * roots[i]
			}
			if !isRegularSum(sum*sum, dense.Eps[W]()) || g.pivotIsSmall(diagonal, k) {
				first[group] = k + 1
			}
		}
		return nil
	})
	for _, order := range first {
		if order > 0 {
			return order, err
		}
	}
	return 0, err
}

// errNeedsDouble says that a metric needs double precision.
var errNeedsDouble = errors.New("eigen: the metric is too badly conditioned or graded for single precision")

// factorInSingle is factor in single precision for a B with the given diagonal. It returns errNeedsDouble if the
// problem should be solved in double precision.
func (g *generalized[W]) factorInSingle(diagonal []float64) error {
	if !(slices.Min(diagonal)*maxGradingSingle >= slices.Max(diagonal)) {
		return errNeedsDouble
	}
	err := factor.Cholesky(g.team, g.l)
	var failed *factor.NotPositiveDefiniteError
	if errors.As(err, &failed) {
		return errNeedsDouble
	} else if err != nil {
		return err
	}
	// One root for all: errors grow with the condition number, which depends on the scaling.
	largest := math.Sqrt(slices.Max(diagonal))
	roots := diagonal
	for i := range roots {
		roots[i] = largest
	}
	if !(g.largestProbe(roots) <= maxProbedSingle*float64(len(roots))) {
		return errNeedsDouble
	}
	return nil
}
