package matfunc

import (
	"math"
	"math/cmplx"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// logBounds are the norms up to which the diagonal Padé approximants of log(1 + x) are exact to double precision
// (Al-Mohy and Higham, 2012, table 2.1).
var logBounds = [highestRootDegree + 1]float64{0, 1.59e-5, 2.31e-3, 1.94e-2, 6.21e-2, 1.28e-1, 2.06e-1, 2.88e-1}

// triangularLog overwrites the upper triangular t by its logarithm. A real t has no diagonal element below zero. The
// residual of the losses is |exp(X) - T| / |T|.
func triangularLog[W dense.Wide](team *sched.Team, t dense.Matrix[W], scales grading) (lost losses, err error) {
	n := t.Rows
	for i := range n {
		if t.At(i, i) == 0 {
			t.Set(i, i, smallestEigenvalue)
		}
	}
	multiple, shift := scaledUp(t.Clone())
	values := diagonalsOf(multiple, upper)
	roots := expectedRoots(values.main, &logBounds)
	team = team.Plan((roots + highestRootDegree + checkRoots) * sqrtSteps(n))
	near, err := takeSquareRoots(team, multiple, &logBounds, scales)
	if err != nil {
		return lost, err
	}
	team.Reach(roots * sqrtSteps(n))
	nodes, weights := gaussLegendre(near.degree)
	term, work := dense.New[W](n, n), dense.New[W](n, n)
	t.Clear()
	for k, node := range nodes {
		term.CopyFrom(near.r)
		phase := team.Phase(highestRootDegree * sqrtSteps(n) / near.degree)
		solveShifted(phase, near.r, node, term, work)
		phase.End()
		if err := team.Err(); err != nil {
			return lost, err
		}
		factor := math.Ldexp(weights[k], near.roots)
		for i := range n {
			blas.Axpy(dense.FromReal[W](factor), term.RowVec(i, i, n), t.RowVec(i, i, n))
		}
	}
	for i, value := range values.main {
		t.Set(i, i, dense.Convert[W](principalLog(value)))
		if i > 0 {
			before := values.main[i-1]
			quotient := 1 / value
			if before != value {
				quotient = logDifference(before, value) / (value - before)
			}
			t.Set(i-1, i, dense.Convert[W](values.beside[i-1]*quotient))
		}
	}
	lost.growth = near.growth
	phase := team.Phase(checkRoots * sqrtSteps(n))
	if lost.residual, err = logResidual(phase, t, multiple); err != nil {
		return lost, err
	}
	phase.End()
	for i := range n {
		t.Set(i, i, t.At(i, i)-dense.FromReal[W](float64(shift)*math.Ln2))
	}
	return lost, nil
}

// logResidual returns |exp(X) - T| / |T|, or the relative error of X that explains the residual if that is smaller.
func logResidual[W dense.Wide](team *sched.Team, x, t dense.Matrix[W]) (float64, error) {
	const usual = 1000 // residuals up to this many machine epsilons need no warning and no explanation
	back, other := dense.New[W](t.Rows, t.Rows), dense.New[W](t.Rows, t.Rows)
	if err := Expm(team, x.View(), back.View()); err != nil {
		return 0, err
	}
	norm, residual := infinityNorm(t), 0.0
	if residual = normOfDifference(back, t) / norm; residual <= usual*dense.Eps[W]() {
		return residual, nil
	}
	if err := Expm(team, perturbed(x).View(), other.View()); err != nil {
		return 0, err
	}
	return explainedError[W](residual, normOfDifference(other, back)/norm), nil
}

// gaussLegendre returns the nodes and weights of the quadrature with m points on [0, 1], by Newton's method for the
// zeros of the Legendre polynomial.
func gaussLegendre(m int) (nodes, weights []float64) {
	const steps = 8 // more than enough: convergence is quadratic from the first guess on
	nodes, weights = make([]float64, m), make([]float64, m)
	for k := range m {
		x := math.Cos(math.Pi * (float64(k) + 0.75) / (float64(m) + 0.5))
		slope := 0.0
		for range steps {
			before, value := 1.0, x
			for j := 2; j <= m; j++ {
				before, value = value, (float64(2*j-1)*x*value-float64(j-1)*before)/float64(j)
			}
			slope = float64(m) * (x*value - before) / (x*x - 1)
			x -= value / slope
		}
		nodes[k], weights[k] = (1+x)/2, 1/((1-x*x)*slope*slope)
	}
	return nodes, weights
}

// nearIdentity is T^(1/2^roots) - I for an upper triangular T, close enough to zero for the Padé approximant of the
// given degree.
type nearIdentity[W dense.Wide] struct {
	r      dense.Matrix[W]
	roots  int
	degree int
	losses
}

// highestRootDegree is the largest useful degree of an approximant: another square root costs less than a higher
// degree.
const highestRootDegree = 7

// takeSquareRoots takes square roots of the upper triangular t until an approximant of degree m has a small error,
// which holds for norms up to theta[m]; theta[0] is not used. No diagonal element of t is zero, and a real t has none
// below zero. scales are those by which t has been graded.
//
// Method: Al-Mohy and Higham, SIAM J. Sci. Comput. 34, 2012, algorithm 4.1, lines 3 to 34, which is also part of Higham
// and Lin, SIAM J. Matrix Anal. Appl. 34, 2013, algorithm 3.1. The diagonal and the elements above it are computed from
// those of t, without the cancellation in the difference to I.
func takeSquareRoots[W dense.Wide](
	team *sched.Team, t dense.Matrix[W], theta *[highestRootDegree + 1]float64, scales grading,
) (near nearIdentity[W], err error) {
	n := t.Rows
	s := &repeatedRoots[W]{team: team, n: n, r: t.Clone(), other: dense.New[W](n, n), scales: scales}
	values := diagonalsOf(t, upper)
	for range rootsForDiagonal(values.main, theta[highestRootDegree]) {
		if err := s.next(); err != nil {
			return near, err
		}
	}
	degree, err := s.chooseDegree(theta)
	if err != nil {
		return near, err
	}
	for i := range n {
		s.r.Set(i, i, dense.Convert[W](rootMinusOne(values.main[i], s.roots)))
		if i > 0 {
			p := math.Ldexp(1, -s.roots)
			s.r.Set(i-1, i, dense.Convert[W](values.beside[i-1]*powerDifference(values.main[i-1], values.main[i], p)))
		}
	}
	return nearIdentity[W]{s.r, s.roots, degree, s.losses}, nil
}

// rootsForDiagonal returns the number of square roots after which all values are within the distance of 1.
func rootsForDiagonal(values []complex128, distance float64) int {
	most := 0
	for _, z := range values {
		roots := 0
		for ; cmplx.Abs(z-1) > distance; roots++ {
			z = principalSqrt(z)
		}
		most = max(most, roots)
	}
	return most
}

// expectedRoots returns the expected number of square roots in takeSquareRoots for a matrix with these eigenvalues. A
// system of equations costs about as much as one of them.
func expectedRoots(values []complex128, theta *[highestRootDegree + 1]float64) int {
	return rootsForDiagonal(values, theta[highestRootDegree]) + 2
}

// repeatedRoots is T^(1/2^roots) in r, and memory of the same size.
type repeatedRoots[W dense.Wide] struct {
	team     *sched.Team
	n, roots int
	r, other dense.Matrix[W]
	scales   grading
	losses
}

// next takes another square root.
func (s *repeatedRoots[W]) next() error {
	s.other.Clear()
	phase := s.team.Phase(sqrtSteps(s.n))
	_, err := sqrtByHalves(phase.Plan(sqrtSteps(s.n)), s.r, s.other)
	phase.End()
	addRoot(&s.losses, s.other, s.r, s.scales)
	s.r, s.other = s.other, s.r
	s.roots++
	return err
}

// distance returns an estimate of the p-th root of the norm of (R - I)^p.
func (s *repeatedRoots[W]) distance(p int) float64 {
	norm := estimateNorm(s.n, func(transposed bool, x, y []W) {
		trans := transposition(transposed)
		copy(y, x)
		before := make([]W, s.n)
		for range p {
			copy(before, y)
			blas.Trmv(nil, blas.Upper, trans, blas.NonUnit, s.r, dense.Vec(y))
			blas.Axpy(-1, dense.Vec(before), dense.Vec(y))
		}
	})
	return root(norm, p)
}

// chooseDegree takes more roots while a root costs less than the increase in degree that it saves, and returns the
// degree.
func (s *repeatedRoots[W]) chooseDegree(theta *[highestRootDegree + 1]float64) (degree int, err error) {
	smallest := func(from int, size float64) int {
		for m := from; m <= highestRootDegree; m++ {
			if size <= theta[m] {
				return m
			}
		}
		return highestRootDegree + 1
	}
	second, third := s.distance(2), s.distance(3)
	if m := smallest(1, max(second, third)); m <= 2 {
		return m, nil
	}
	for extra := 0; ; {
		fourth := s.distance(4)
		size := max(third, fourth)
		if size != size { // something has overflowed: no root helps
			return highestRootDegree, nil
		}
		if m := smallest(3, size); m < highestRootDegree {
			return m, nil
		} else if m == highestRootDegree && size/2 <= theta[5] && extra < 2 {
			extra++
		} else {
			if m := smallest(highestRootDegree-1, min(size, max(fourth, s.distance(5)))); m <= highestRootDegree {
				return m, nil
			}
		}
		if err := s.next(); err != nil {
			return 0, err
		}
		third = s.distance(3)
	}
}

// scaledUp returns t, or 2^shift t if all elements are so small that their reciprocals may overflow.
func scaledUp[W dense.Wide](t dense.Matrix[W]) (multiple dense.Matrix[W], shift int) {
	const least = -1000 // a power of two whose reciprocal is far from overflow
	if norm := infinityNorm(t); norm == 0 || norm >= math.Ldexp(1, least) {
		return t, 0
	}
	multiple = t.Clone()
	scaleTriangle(multiple, math.Ldexp(1, -least))
	return multiple, -least
}

// solveShifted overwrites b by the solution of (I + alpha R) X = B for the upper triangular r; work is memory of the
// same size.
func solveShifted[W dense.Wide](team *sched.Team, r dense.Matrix[W], alpha float64, b, work dense.Matrix[W]) {
	for i := range r.Rows {
		row := work.Row(i)
		clear(row[:i])
		for j, v := range r.Row(i)[i:] {
			row[i+j] = v * dense.FromReal[W](alpha)
		}
		row[i] += 1
	}
	blas.Trsm(team, blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, 1, work, b)
}
