package mp2

import "math"

// A sum of products stands for 1/(x + y): with points p_1, p_2, ... and
//
//	r_k(x) = prod_{j<=k} (x - p_j) / (x + p_j),   f_k(x) = sqrt(2 p_k) / (x + p_k) r_{k-1}(x)
//
// it is sum_k f_k(x) f_k(y) = (1 - r_n(x) r_n(y)) / (x + y), exactly. These are the Cholesky factors of the matrix 1/(x + y) with the points as
// pivots: H. Koch and A. Sánchez de Merás, J. Chem. Phys. 113, 508 (2000). Nothing is fitted: the relative error is r_n(x) r_n(y) whatever
// the points are, and more points may follow at any time. Why not exponentials: docs/decisions/0007-separable-denominators.md.

// separableFactor returns f_k(x) for the last of k points.
func separableFactor(points []float64, x float64) float64 {
	last := len(points) - 1
	return math.Sqrt(2*points[last]) / (x + points[last]) * separableResidual(points[:last], x)
}

// separableResidual returns r_n(x) for n points.
func separableResidual(points []float64, x float64) float64 {
	r := 1.0
	for _, p := range points {
		r *= (x - p) / (x + p)
	}
	return r
}

// largestResidual returns the largest |r_n| at some places, and the first place where it is.
func largestResidual(points, places []float64) (residual, place float64) {
	for _, x := range places {
		if r := math.Abs(separableResidual(points, x)); r > residual {
			residual, place = r, x
		}
	}
	return residual, place
}

// zolotarevPoints returns the n points that make the largest |r_n| on the interval [low, high] as small as it can be, those nearest to its
// middle, sqrt(low high), first. They are high dn((2j-1) K/(2n)) with the elliptic function dn of modulus sqrt(1 - (low/high)^2) and its quarter
// period K: E. I. Zolotarev 1877; E. L. Wachspress, The ADI Model Problem (2013), chapter 1. The square of |r_n|, and so the error, falls
// like 4 exp(-pi^2 n / log(4 high/low)).
func zolotarevPoints(n int, low, high float64) []float64 {
	var points []float64
	if n%2 == 1 {
		points = append(points, math.Sqrt(low)*math.Sqrt(high))
	}
	complement := low / high
	scales := means(complement)
	for j := n / 2; j > 0; j-- {
		// u = t K; the phase is at most half a quarter period, where dn is not small.
		t := float64(2*j-1) / float64(2*n)
		d := dn(t, complement, scales)
		points = append(points, high*d, low/d) // dn(K - u) dn(u) = low/high
	}
	return points
}

// mean is a step of an arithmetic-geometric mean: a, and c = (a' - b')/2 of the step before.
type mean struct{ a, c float64 }

// means returns the steps of the arithmetic-geometric mean of 1 and b, 0 < b <= 1, until they are equal to working precision.
func means(b float64) []mean {
	a := 1.0
	steps := []mean{{a: a}}
	for a-b > unitRoundoff*a {
		next := mean{a: (a + b) / 2, c: (a - b) / 2}
		a, b = next.a, math.Sqrt(a*b)
		steps = append(steps, next)
		if next.c < unitRoundoff*a {
			break // rounding may keep a and b apart by a last bit
		}
	}
	return steps
}

// dn returns the elliptic function dn(t K) of the complementary modulus, 0 <= t <= 1/2, by descending Landen steps (M. Abramowitz and I. A.
// Stegun, Handbook of Mathematical Functions, 16.4), given means(complement).
func dn(t, complement float64, steps []mean) float64 {
	last := len(steps) - 1
	phase := math.Ldexp(t*math.Pi/2, last) // 2^last a u, where K = pi / (2 a)
	for n := last; n > 0; n-- {
		phase = (phase + math.Asin(steps[n].c/steps[n].a*math.Sin(phase))) / 2
	}
	return math.Hypot(math.Cos(phase), complement*math.Sin(phase))
}
