package sylvester

import (
	"math"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/quasi"
	"trnsci/core/sched"
)

// ClusterCondition returns condition numbers of the first sdim eigenvalues of the Schur form t, those of T11 in T =
// [T11 T12; 0 T22], as a cluster, and of its invariant subspace:
//
//	s    reciprocal condition number of the mean of the eigenvalues, 1/|P|_2 for the spectral projection P, of which
//	     the lower bound 1/sqrt(1 + |X|_F^2) is returned, T11 X - X T22 = T12. A change of A by E changes the mean by
//	     about |E|/s at most.
//	sep  separation of T11 and T22, the smallest singular value of X -> T11 X - X T22, estimated by the reciprocal of
//	     the 1-norm of the inverse map, which is right up to a factor sqrt(sdim (n - sdim)). A change of A by E turns
//	     the subspace by an angle of about |E|/sep.
//
// Without eigenvalues on one side s is 1 and sep the 1-norm of T. It returns a *dense.ArgumentError for shapes that do
// not fit and for a t that is not a Schur form, an sdim that cuts a 2 x 2 block, and the team's error.
//
// Cost: about 10 solutions of a triangular equation. Source: Bai, Demmel and McKenney, On computing condition numbers
// for the nonsymmetric eigenproblem, ACM TOMS 19, 1993; Higham, FORTRAN codes for estimating the one-norm, ACM TOMS 14,
// 1988, for the estimate.
func ClusterCondition[T dense.Scalar](t dense.View[T], sdim int, opt Options) (s, sep float64, err error) {
	n := t.Rows
	if t.Cols != n {
		return 0, 0, dense.BadArgument("t", "expected a square matrix, got shape (%d, %d)", t.Rows, t.Cols)
	}
	if err := blas.CheckFinite(opt.Team, t, "t"); err != nil {
		return 0, 0, err
	}
	if err := quasi.CheckForm(t); err != nil {
		return 0, 0, err
	}
	switch {
	case sdim < 0 || sdim > n:
		return 0, 0, dense.BadArgument("sdim", "expected a number from 0 to %d, got %d", n, sdim)
	case 0 < sdim && sdim < n && t.At(sdim, sdim-1) != 0:
		return 0, 0, dense.BadArgument("sdim", "%d cuts a 2 x 2 block", sdim)
	}
	form := dense.New[T](n, n)
	if err := blas.CopyView(opt.Team, form.View(), t); err != nil {
		return 0, 0, err
	}
	if sdim == 0 || sdim == n {
		return 1, oneNorm(form), nil
	}
	// The numbers of T scale out of s, and into sep.
	size := exponent(form)
	scale(form, -size)
	c := cluster[T]{
		team:  opt.Team,
		upper: form.Slice(0, sdim, 0, sdim), lower: form.Slice(sdim, n, sdim, n),
	}
	x := form.Slice(0, sdim, sdim, n).Clone()
	c.team = opt.Team.Plan(usualSolutions * solutionSteps)
	shift, err := c.solve(x, false)
	if err != nil {
		return 0, 0, err
	}
	s = 1 / math.Hypot(1, math.Ldexp(frobenius(x), shift))
	norm, err := c.inverseNorm()
	if err != nil {
		return 0, 0, err
	}
	return s, math.Ldexp(1/norm, size), nil
}

// ConditionWorkspace returns an upper bound on the memory in bytes that ClusterCondition allocates for a form of order
// n.
func ConditionWorkspace[T dense.Scalar](team *sched.Team, n int) int64 {
	const headers = 1 << 14 // structs, and the allocator's rounding up
	const squares = 3       // the form, what is scaled of it, and two solutions of at most n^2/4 elements
	leaves := int64(team.Threads()) * int64(unsafe.Sizeof(leaf[T]{}))
	return squares*int64(n)*int64(n)*int64(unsafe.Sizeof(*new(T))) + leaves + headers
}

// Equations that the estimates take usually, and the steps of each.
const usualSolutions, solutionSteps = 6, 1 << 20

// cluster is the map X -> T11 X - X T22.
type cluster[W dense.Scalar] struct {
	team         *sched.Team
	upper, lower dense.Matrix[W]
}

// solve overwrites x by the image of it under the inverse map, or the adjoint of that, divided by 2^shift.
func (c cluster[W]) solve(x dense.Matrix[W], adjoint bool) (shift int, err error) {
	team := c.team.Phase(solutionSteps)
	defer team.End()
	outcome, err := Triangular(team, Form{AdjointA: adjoint, AdjointB: adjoint, Minus: true}, c.upper, c.lower, x)
	return outcome.Shift, err
}

// inverseNorm estimates the 1-norm of the inverse map from below.
func (c cluster[W]) inverseNorm() (norm float64, err error) {
	x := dense.New[W](c.upper.Rows, c.lower.Rows)
	return factor.EstimateNorm(x.Data, func(adjoint bool) (shift int, err error) { return c.solve(x, adjoint) })
}

// frobenius returns the Frobenius norm of m, which has contiguous rows.
func frobenius[W dense.Scalar](m dense.Matrix[W]) float64 { return blas.Nrm2(dense.Vec(m.Data)) }

// oneNorm returns the largest sum of the moduli of a column.
func oneNorm[W dense.Scalar](m dense.Matrix[W]) (norm float64) {
	for j := range m.Cols {
		sum := 0.0
		for i := range m.Rows {
			sum += dense.Abs(m.At(i, j))
		}
		norm = max(norm, sum)
	}
	return norm
}
