package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// smallestEigenvalue stands for eigenvalues that are exactly zero, which have no logarithm.
const smallestEigenvalue = 1e-20

// logBounds are the norms up to which the diagonal Padé approximants of log(1 + x) are exact to double precision
// (Al-Mohy and Higham, 2012, table 2.1).
var logBounds = [highestRootDegree + 1]float64{0, 1.59e-5, 2.31e-3, 1.94e-2, 6.21e-2, 1.28e-1, 2.06e-1, 2.88e-1}

// Logm sets x to the principal logarithm of a square matrix: exp(X) = A, and the imaginary parts of the eigenvalues of
// X are above -pi and at most pi. It is real for a real matrix without eigenvalues below zero. x has the shape of a.
//
// Zero eigenvalues are replaced by 1e-20; a matrix with some, exactly or to working precision, has no logarithm, and
// Outcome says so. The Residual is |exp(X) - T| / |T| of the triangular form after grading.
//
// Errors: as in Sqrtm, and *dense.ArgumentError for infinities and NaNs. Cost: that of a Schur form, n^3/3 flops for
// each of some ten square roots and 2 n^3/3 for the systems of equations of an approximant of degree up to 7, four
// times that in complex arithmetic, and 4 n^3. Arithmetic is in double precision for every T; it is complex if A has
// eigenvalues that are no positive numbers.
//
// Method: inverse scaling and squaring of the Schur form with Padé approximants as partial fractions (Al-Mohy and
// Higham, SIAM J. Sci. Comput. 34, 2012).
func Logm[T dense.Scalar, C dense.Complex](team *sched.Team, a dense.View[T], x dense.View[C]) (o Outcome, err error) {
	if err := checkFunction(team, a, x); err != nil || a.Rows == 0 {
		return o, err
	}
	return applied(team, a, x, functionFor[T](logKind, 0))
}

// triangularLog overwrites the upper triangular t by its logarithm. A real t has no diagonal element below zero. The
// residual of the losses is |exp(X) - T| / |T|.
func triangularLog[W dense.Wide](team *sched.Team, t dense.Matrix[W], scales grading) (lost losses, err error) {
	n := t.Rows
	for i := range n {
		if t.At(i, i) == 0 {
			t.Set(i, i, smallestEigenvalue)
		}
	}
	multiple, shift := lifted(t.Clone())
	values := diagonalsOf(multiple, upper)
	roots := usualRoots(values.main, &logBounds)
	team = team.Plan((roots + highestRootDegree + checkRoots) * rootSteps(n))
	near, err := takeRoots(team, multiple, &logBounds, scales)
	if err != nil {
		return lost, err
	}
	team.Reach(roots * rootSteps(n))
	nodes, weights := gaussLegendre(near.degree)
	term, work := dense.New[W](n, n), dense.New[W](n, n)
	t.Fill(0)
	for k, node := range nodes {
		term.CopyFrom(near.r)
		phase := team.Phase(highestRootDegree * rootSteps(n) / near.degree)
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
	phase := team.Phase(checkRoots * rootSteps(n))
	if lost.residual, err = logResidual(phase, t, multiple); err != nil {
		return lost, err
	}
	phase.End()
	for i := range n {
		t.Set(i, i, t.At(i, i)-dense.FromReal[W](float64(shift)*math.Ln2))
	}
	return lost, nil
}

// logResidual returns |exp(X) - T| / |T|, or the relative error of X that explains it where that is smaller.
func logResidual[W dense.Wide](team *sched.Team, x, t dense.Matrix[W]) (float64, error) {
	const usual = 1000 // residuals up to this many machine epsilons need no warning and no explanation
	back, other := dense.New[W](t.Rows, t.Rows), dense.New[W](t.Rows, t.Rows)
	if err := Expm(team, x.View(), back.View()); err != nil {
		return 0, err
	}
	norm, residual := infinityNorm(t), 0.0
	if residual = distance(back, t) / norm; residual <= usual*dense.Eps[W]() {
		return residual, nil
	}
	if err := Expm(team, rounded(x).View(), other.View()); err != nil {
		return 0, err
	}
	return errorBehind[W](residual, distance(other, back)/norm), nil
}

// distance returns |A - B|, in the norm of sums of rows.
func distance[W dense.Wide](a, b dense.Matrix[W]) float64 {
	difference := a.Clone()
	for i := range a.Rows {
		blas.Axpy(-1, dense.Vec(b.Row(i)), dense.Vec(difference.Row(i)))
	}
	return infinityNorm(difference)
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
