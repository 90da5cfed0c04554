package eigen

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
)

// firstSingularMinor returns the order of the first leading minor of B that is singular to working precision, or 0, for
// B with the given diagonal whose first rows have been factored.
//
// With y^T the k-th row of L^-1, y^T B y = 1. Rounding while B was factored is a change E of B with |E_ij| up to about
// eps sqrt(B_ii B_jj), so the minor is not known to differ from a singular one once eps (sum_i |y_i| sqrt(B_ii))^2 is as
// large as 1. Unlike a condition number this does not depend on the scaling of B. A pivot below n eps B_kk is refused
// too.
//
// The sums are computed only where a bound of all of them is not below the limit: n^3/6 multiply-adds for a B that is nearly singular,
// or has been found not to be positive definite, and 4 n^2 for all others.
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

// allSumsRegular reports whether a bound of all sums of firstSingularMinor is below the limit.
func (g *generalized[W]) allSumsRegular(roots []float64) bool {
	eps := dense.Eps[W]()
	if n := len(roots); n <= comparisonOrder {
		if sum := g.boundBySubstitution(roots); isRegularSum(sum*sum, eps) {
			return true
		}
	}
	return isRegularSum(float64(len(roots))*g.boundOfInverse(roots), eps)
}

// Up to this order boundBySubstitution is tried before boundOfInverse, which takes longer there. It grows with the order for most matrices.
const comparisonOrder = 64

// boundBySubstitution returns a bound of the sums of firstSingularMinor: the largest element of the solution of M z = s, where s are the
// roots and M is L with the absolute values of its elements, negative beside the diagonal: no element of L^-1 has a larger modulus than the one of
// M^-1, which is not negative.
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

// pivotIsSmall reports whether the k-th pivot is rounding errors alone.
func (g *generalized[W]) pivotIsSmall(diagonal []float64, k int) bool {
	pivot := dense.Real(g.l.At(k, k))
	return pivot*pivot <= float64(len(diagonal))*dense.Eps[W]()*diagonal[k]
}

// isRegularSum reports whether a squared sum of firstSingularMinor, or a bound of it, is below the limit; NaN is not.
func isRegularSum(squared, eps float64) bool { return squared*eps < 1 }

// Vectors that boundOfInverse tries, and what it takes for certain: that one of them has a component of at least 1/64 along any given vector.
const (
	probes      = 8
	leastProbed = 1.0 / 64
)

// boundOfInverse returns a bound of |S^-1|^2 in the spectral norm, S = D^-1 L with D the diagonal matrix of the given roots, so n times it
// bounds the squared sum of the absolute values in any row of S^-1. It may be an infinity or NaN.
//
// It is |S^-1 x|^2 / leastProbed^2 for the largest of some x, vectors of independent normal deviates with the variance 1: if u is the
// right singular vector of the largest singular value, |S^-1 x| >= |S^-1| |u^H x|, and the real or the imaginary part of u^H x is normal
// with a variance of at least 1/2. All of them are smaller than assumed with a probability of (2 leastProbed/sqrt(pi))^8 = 1e-14 at most.
// Source: Dixon, "Estimating extremal eigenvalues and condition numbers of matrices", SIAM J. Numer. Anal. 20, 1983. The deviates are the
// same in every call.
func (g *generalized[W]) boundOfInverse(roots []float64) float64 {
	return g.largestProbe(roots) / (leastProbed * leastProbed)
}

// largestProbe returns the largest |S^-1 x|^2 of boundOfInverse.
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

// errBeyondSingle says that a metric is for double precision.
var errBeyondSingle = errors.New("eigen: the metric is too badly conditioned or graded for single precision")

const (
	// b |L^-1 x|^2 of all probes, b the largest diagonal element, is at most this times n, its mean for L = I, in a B that is worked on in single
	// precision: then b |L^-1|^2 is not much larger than this times n, and errors of eps b |L^-1|^2 are not much larger than those of sums
	// of n numbers.
	mostProbed = 16
	// Nor are its diagonal elements further apart: with those of A they leave all numbers within single precision's range.
	singleGrading = 1 << 20
)

// factorInSingle is factor in single precision for a B with the given diagonal. It returns errBeyondSingle if double precision should be tried.
func (g *generalized[W]) factorInSingle(diagonal []float64) error {
	if !(slices.Min(diagonal)*singleGrading >= slices.Max(diagonal)) {
		return errBeyondSingle
	}
	err := factor.Cholesky(g.team, g.l)
	var failed *factor.NotPositiveDefiniteError
	if errors.As(err, &failed) {
		return errBeyondSingle
	} else if err != nil {
		return err
	}
	largest := math.Sqrt(slices.Max(diagonal))
	roots := diagonal
	for i := range roots {
		roots[i] = largest // not each its own: errors grow with the condition number, of which scaling is a part
	}
	if !(g.largestProbe(roots) <= mostProbed*float64(len(roots))) {
		return errBeyondSingle
	}
	return nil
}

// Rows of L^-1 that are computed together.
const inverseRows = 64

// firstLargeSum is firstSingularMinor where the sums are wanted.
func (g *generalized[W]) firstLargeSum(diagonal, roots []float64) (order int, err error) {
	rows := len(roots)
	groups := ceilDiv(rows, inverseRows)
	first := make([]int, groups)
	perWorker := min(rows, inverseRows) * rows
	memory := make([]W, min(groups, g.team.Threads())*perWorker)
	err = g.team.For(groups, func(worker, group int) error {
		begin, end := group*inverseRows, min(rows, (group+1)*inverseRows)
		inverse := dense.Matrix[W]{Rows: end - begin, Cols: end, Stride: end, Data: memory[worker*perWorker : (worker+1)*perWorker]}
		inverse.Fill(0)
		for k := begin; k < end; k++ {
			inverse.Set(k-begin, k, 1)
		}
		blas.Trsm(g.team.Serial(), blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, 1, g.l.Slice(0, end, 0, end), inverse)
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
