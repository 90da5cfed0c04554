// Package denominators separates 1/(x + y) into sums of products f(x) f(y), by Cholesky decomposition.
//
// With points p_1, p_2, ... and
//
//	r_k(x) = prod_{j<=k} (x - p_j) / (x + p_j),   f_k(x) = sqrt(2 p_k) / (x + p_k) r_{k-1}(x)
//
// sum_k f_k(x) f_k(y) = (1 - r_n(x) r_n(y)) / (x + y), exactly. The f_k are the Cholesky factors of the matrix 1/(x +
// y) with the points as pivots: H. Koch and A. Sánchez de Merás, J. Chem. Phys. 113, 508 (2000). Nothing is fitted:
// the relative error is r_n(x) r_n(y) for any points, and more points may be added at any time. For exponentials
// instead see docs/decisions/0007-separable-denominators.md.
package denominators

import (
	"math"

	"trnsci/core/dense"
)

// CholeskyFactor returns f_k(x) for the last of k points.
func CholeskyFactor(points []float64, x float64) float64 {
	last := len(points) - 1
	return math.Sqrt(2*points[last]) / (x + points[last]) * Residual(points[:last], x)
}

// Residual returns r_n(x) for n points.
func Residual(points []float64, x float64) float64 {
	r := 1.0
	for _, p := range points {
		r *= (x - p) / (x + p)
	}
	return r
}

// LargestResidual returns the largest |r_n| over some x, and the first x where it is attained.
func LargestResidual(points, xs []float64) (residual, at float64) {
	for _, x := range xs {
		if r := math.Abs(Residual(points, x)); r > residual {
			residual, at = r, x
		}
	}
	return residual, at
}

// ZolotarevPoints returns the n points that minimize the largest |r_n| on the interval [low, high], those nearest to
// its geometric mean first. They are high dn((2j-1) K/(2n)) with the elliptic function dn of modulus sqrt(1 -
// (low/high)^2) and its quarter period K: E. I. Zolotarev 1877; E. L. Wachspress, The ADI Model Problem (2013), chapter
// 1. The square of |r_n|, and so the error, decreases like 4 exp(-pi^2 n / log(4 high/low)).
func ZolotarevPoints(n int, low, high float64) []float64 {
	var points []float64
	if n%2 == 1 {
		points = append(points, math.Sqrt(low)*math.Sqrt(high))
	}
	complement := low / high
	steps := agmSteps(complement)
	for j := n / 2; j > 0; j-- {
		// u = t K with t <= 1/2, where dn is not small.
		t := float64(2*j-1) / float64(2*n)
		d := dn(t, complement, steps)
		points = append(points, high*d, low/d) // dn(K - u) dn(u) = low/high
	}
	return points
}

// agmStep is a step of an arithmetic-geometric mean: a, and c = (a' - b')/2 of the step before.
type agmStep struct{ a, c float64 }

// agmSteps returns the steps of the arithmetic-geometric mean of 1 and b, 0 < b <= 1, until they agree to working
// precision.
func agmSteps(b float64) []agmStep {
	a := 1.0
	steps := []agmStep{{a: a}}
	for a-b > dense.RoundoffDouble*a {
		next := agmStep{a: (a + b) / 2, c: (a - b) / 2}
		a, b = next.a, math.Sqrt(a*b)
		steps = append(steps, next)
		if next.c < dense.RoundoffDouble*a {
			break // rounding may keep a and b apart by a last bit
		}
	}
	return steps
}

// dn returns the elliptic function dn(t K) of the complementary modulus, 0 <= t <= 1/2, by descending Landen steps
// (M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 16.4), given agmSteps(complement).
func dn(t, complement float64, steps []agmStep) float64 {
	last := len(steps) - 1
	phase := math.Ldexp(t*math.Pi/2, last) // 2^last a u, where K = pi / (2 a)
	for n := last; n > 0; n-- {
		phase = (phase + math.Asin(steps[n].c/steps[n].a*math.Sin(phase))) / 2
	}
	return math.Hypot(math.Cos(phase), complement*math.Sin(phase))
}
