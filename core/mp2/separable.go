package mp2

import "math"

// separable is a sum of products that stands for 1/(x + y): with points p_1, p_2, ... and
//
//	r_k(x) = prod_{j<=k} (x - p_j) / (x + p_j),   f_k(x) = sqrt(2 p_k) / (x + p_k) r_{k-1}(x)
//
// it is sum_k f_k(x) f_k(y) = (1 - r_n(x) r_n(y)) / (x + y), exactly. These are the Cholesky factors of the matrix 1/(x + y) with the points as
// pivots: H. Koch and A. Sánchez de Merás, J. Chem. Phys. 113, 508 (2000). Nothing is fitted: the relative error is r_n(x) r_n(y) whatever
// the points are, and more points may follow at any time. Why not exponentials: docs/decisions/0007-separable-denominators.md.
//
// This type holds x of some number of places, and r_k there for the points so far.
type separable struct{ x, residual []float64 }

func newSeparable(x []float64) *separable {
	s := &separable{x: x, residual: make([]float64, len(x))}
	for n := range s.residual {
		s.residual[n] = 1
	}
	return s
}

// next returns f_k at every place for the point that follows.
func (s *separable) next(point float64) []float64 {
	factor := make([]float64, len(s.x))
	for n, x := range s.x {
		factor[n] = math.Sqrt(2*point) / (x + point) * s.residual[n]
		s.residual[n] *= (x - point) / (x + point)
	}
	return factor
}

// largestResidual returns the largest |r_n| for some points at some places.
func largestResidual(points, places []float64) float64 {
	most := 0.0
	for _, x := range places {
		r := 1.0
		for _, p := range points {
			r *= (x - p) / (x + p)
		}
		most = max(most, math.Abs(r))
	}
	return most
}

// zolotarevPoints returns the n points, n odd, that make the largest |r_n| on the interval [low, high] as small as it can be, that in the middle,
// sqrt(low high), first. They are high dn((2j-1) K/(2n)) with the elliptic function dn of modulus sqrt(1 - (low/high)^2) and its quarter
// period K: E. I. Zolotarev 1877; E. L. Wachspress, The ADI Model Problem (2013), chapter 1. The square of |r_n|, and so the error, falls
// like 4 exp(-pi^2 n / log(4 high/low)).
func zolotarevPoints(n int, low, high float64) []float64 {
	middle := math.Sqrt(low) * math.Sqrt(high)
	points := []float64{middle}
	complement := low / high
	scales := means(complement)
	for j := 1; j <= n/2; j++ {
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
