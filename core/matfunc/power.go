package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// powerBounds are the norms up to which the diagonal Padé approximants of (1 - x)^p, 0 < |p| < 1, are exact to double
// precision (Higham and Lin, SIAM J. Matrix Anal. Appl. 32, 2011, table 3.1).
var powerBounds = [highestRootDegree + 1]float64{0, 1.51e-5, 2.24e-3, 1.88e-2, 6.04e-2, 1.24e-1, 2.00e-1, 2.79e-1}

// triangularPower overwrites the upper triangular t by its power p. A real t has positive diagonal elements.
//
// A negative power is that of the inverse to an integer, times the inverse of a positive one, since triangular inverses
// have small errors in each element. In a product of negative and positive powers the largest elements would cancel
// where t is ill-conditioned.
func triangularPower[W dense.Wide](
	team *sched.Team, t dense.Matrix[W], p float64, scales grading,
) (lost losses, err error) {
	whole, rest := splitExponent(t, math.Abs(p))
	products, inverses := 0, 0
	if whole != 0 {
		products = 1 + expectedProducts(whole)
	}
	if p < 0 {
		inverses = 2
	}
	team = team.Plan(powerSteps + (products+inverses)*productSteps)
	phase := team.Phase(powerSteps)
	fraction, lost, err := fractionalPower(phase, t, rest, scales)
	phase.End()
	if err != nil {
		return lost, err
	}
	if p < 0 {
		invertTriangle(team, fraction)
		invertTriangle(team, t)
		team.Step(inverses * productSteps)
	}
	if err := team.Err(); err != nil || whole == 0 {
		t.CopyFrom(fraction)
		return lost, err
	}
	product := dense.New[W](t.Rows, t.Rows)
	phase = team.Phase((products - 1) * productSteps)
	multiple, err := integerPower(phase, t, uint64(whole))
	if err != nil {
		return lost, err
	}
	phase.End()
	left, right := multiple, fraction
	if largestTerms(right, left) < largestTerms(left, right) {
		left, right = right, left
	}
	err = multiplyAdd(team.Phase(productSteps), left, right, 0, product)
	t.CopyFrom(product)
	return lost, err
}

// largestTerms returns the infinity norm of |L| |R|: it measures the cancellation in the product of two upper
// triangles. Powers of one matrix commute, but the terms may be much larger in one order than in the other.
func largestTerms[W dense.Wide](left, right dense.Matrix[W]) float64 {
	sums, most := make([]float64, left.Rows), 0.0
	for i := range right.Rows {
		for _, v := range right.Row(i)[i:] {
			sums[i] += dense.Abs(v)
		}
	}
	for i := range left.Rows {
		total := 0.0
		for j, v := range left.Row(i)[i:] {
			total += dense.Abs(v) * sums[i+j]
		}
		most = max(most, total)
	}
	return most
}

// splitExponent returns an integer and a number between -1 and 1 whose sum is p > 0: the pair with the smallest error,
// according to the condition number of t (Higham and Lin, 2011, section 6).
func splitExponent[W dense.Wide](t dense.Matrix[W], p float64) (whole, rest float64) {
	n := t.Rows
	norm := estimateNorm(n, func(transposed bool, x, y []W) {
		copy(y, x)
		blas.Trmv(nil, blas.Upper, transposition(transposed), blas.NonUnit, t, dense.Vec(y))
	})
	inverse := estimateNorm(n, func(transposed bool, x, y []W) {
		copy(y, x)
		blas.Trsv(nil, blas.Upper, transposition(transposed), blas.NonUnit, t, dense.Vec(y))
	})
	condition, low, high := norm*inverse, math.Floor(p), math.Ceil(p)
	if (p-low)*math.Pow(condition, 1-(p-low)) <= (high-p)*condition {
		return low, p - low
	}
	return high, p - high
}

// fractionalPower returns the power p, -1 < p < 1, of the upper triangular t, and the losses of its square roots.
func fractionalPower[W dense.Wide](
	team *sched.Team, t dense.Matrix[W], p float64, scales grading,
) (result dense.Matrix[W], lost losses, err error) {
	n := t.Rows
	t, shift := scaledUp(t)
	values := diagonalsOf(t, upper)
	roots, systems := expectedRoots(values.main, &powerBounds), 2*highestRootDegree-1
	team = team.Plan((2*roots + systems) * sqrtSteps(n)) // and squarings
	near, err := takeSquareRoots(team, t, &powerBounds, scales)
	if err != nil {
		return t, lost, err
	}
	team.Reach(roots * sqrtSteps(n))
	// The continued fraction of (1 - x)^p at x = -R, from its end.
	y, next, work := near.r.Clone(), dense.New[W](n, n), dense.New[W](n, n)
	scaleTriangle(y, -continuedFraction(2*near.degree, p))
	for j := 2*near.degree - 1; j >= 1; j-- {
		next.CopyFrom(near.r)
		phase := team.Phase(systems * sqrtSteps(n) / (2*near.degree - 1))
		solveShifted(phase, y, 1, next, work)
		phase.End()
		if err := team.Err(); err != nil {
			return t, lost, err
		}
		scaleTriangle(next, -continuedFraction(j, p))
		y, next = next, y
	}
	for i := range n {
		y.Set(i, i, y.At(i, i)+1)
	}
	for k := near.roots; ; k-- {
		setPowerDiagonals(y, values, p*math.Ldexp(1, -k))
		if k == 0 {
			scaleTriangle(y, math.Exp2(-p*float64(shift)))
			return y, near.losses, nil
		}
		phase := team.Phase(roots * sqrtSteps(n) / near.roots)
		if err := multiplyAdd(phase, y, y, 0, work); err != nil {
			return t, lost, err
		}
		phase.End()
		y, work = work, y
	}
}

// continuedFraction returns coefficient j >= 1 of the continued fraction 1 + c_1 x / (1 + c_2 x / (1 + ...)) of (1 -
// x)^p (Higham and Lin, 2011, section 4).
func continuedFraction(j int, p float64) float64 {
	half := float64(j / 2)
	switch {
	case j == 1:
		return -p
	case j%2 == 0:
		return (p - half) / (2 * (2*half - 1))
	}
	return (-p - half) / (2 * (2*half + 1))
}

// setPowerDiagonals sets the diagonal of y and the elements above it to those of the power p of a matrix with the given
// ones.
func setPowerDiagonals[W dense.Wide](y dense.Matrix[W], values diagonals, p float64) {
	for i, z := range values.main {
		y.Set(i, i, dense.Convert[W](principalPower(z, p)))
		if i > 0 {
			y.Set(i-1, i, dense.Convert[W](values.beside[i-1]*powerDifference(values.main[i-1], z, p)))
		}
	}
}
