package eigen

import (
	"fmt"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
	"trnsci/core/scratch"
	"trnsci/core/tridiag/reduce"
)

// IndefiniteError reports that a Hermitian matrix has a negative eigenvalue that rounding errors do not explain.
type IndefiniteError struct {
	Arg   string
	Value float64 // the smallest eigenvalue
	Limit float64 // an eigenvalue above -Limit counts as zero
}

func (e *IndefiniteError) Error() string {
	return fmt.Sprintf("%s: not positive definite: the smallest eigenvalue is %.6g, below -%.3g", e.Arg, e.Value, e.Limit)
}

// EighCanonical solves A V = B V diag(w), V^H B V = I for Hermitian (real: symmetric) n x n matrices A and B in the
// space of the eigenvectors of B, B u = s u, whose eigenvalues exceed lindep, for basis functions that are linearly
// dependent. With X = U diag(s)^(-1/2) of these eigenvectors it solves
//
//	X^H A X Y = Y diag(w),  V = X Y
//
// Hence the columns of V are n long, and there are at most n - dropped eigenpairs. An eigenvalue of B that is at most n
// 2^-52 times the largest one is dropped even if it exceeds lindep, since in double precision it consists of rounding
// errors. B is not scaled first: an overlap matrix of normalized functions has ones on its diagonal.
//
// Arguments, results, the triangle that is read, scratch memory and errors are those of EighGeneralized; opt.Subset
// refers to the remaining eigenpairs. Further errors: *dense.ArgumentError for a lindep that is negative, infinite or
// NaN, for a B without eigenvalues above it ("b"), and for a subset beyond the remaining eigenpairs; *IndefiniteError
// for a B with an eigenvalue below both -lindep and -n eps times its largest modulus, eps that of T, which is no
// metric; *factor.NotPositiveDefiniteError if no eigenvalue is positive.
//
// Method: canonical orthogonalization (Löwdin, Adv. Quantum Chem. 5, 1970). Cost: that of Eigh for two matrices, and up
// to 5/2 n^3 multiply-adds.
func EighCanonical[T dense.Scalar, R dense.Float](
	a, b dense.View[T], lindep float64, w []R, v dense.View[T], opt Options,
) (count, dropped int, err error) {
	requireRealType[T, R]()
	if !(lindep >= 0) || math.IsInf(lindep, 1) {
		return 0, 0, dense.BadArgument("lindep", "expected a finite number that is not negative, got %g", lindep)
	}
	if err := checkPencil(a, b, w, v, opt); err != nil || a.Rows == 0 {
		return 0, 0, err
	}
	if dense.IsComplex[T]() {
		return eighCanonical[complex128](a, b, lindep, w, v, opt)
	}
	return eighCanonical[float64](a, b, lindep, w, v, opt)
}

// eighCanonical is EighCanonical in the double precision type W, after the checks of the arguments.
func eighCanonical[W dense.Wide, T dense.Scalar, R dense.Float](
	a, b dense.View[T], lindep float64, w []R, v dense.View[T], opt Options,
) (count, dropped int, err error) {
	n, p := a.Rows, newPencil[W](a, b, opt)
	var m solveMemory[W, float64]
	var rest scratch.Arena // after the matrices, for both problems
	memory := workspaces.Arena(func(a *scratch.Arena) {
		p.take(a, n)
		rest = *a
		m.take(a, n, Options{Team: opt.Team}, false)
	})
	defer memory.GiveBack()
	finite, err := loadPencil(&p, a, b, opt)
	if err != nil {
		return 0, 0, err
	}
	if !finite {
		return fillNaN(n, w, v, opt), 0, nil
	}
	metric, c := costsOf[W](n, n), costsOf[W](n, opt.Subset.maxCount(n))
	projection := 2 * c.product // two products, one of a triangle only, and conjugations
	team := opt.Team.Plan(metric.vectors() + projection + c.solving(opt) + c.product)
	phase := team.Phase(metric.vectors())
	x, err := orthonormalRows(&m, p.b, p.exponentB, lindep, dense.Eps[T](), phase)
	if err != nil {
		return 0, 0, err
	}
	phase.End()
	kept := x.Rows
	if err := opt.Subset.check(kept); err != nil {
		return 0, 0, fmt.Errorf("%w; %d of %d eigenvectors of b were dropped, whose eigenvalues are not above lindep = %g",
			err, n-kept, n, lindep)
	}
	products := dense.New[W](kept, n)
	phase = team.Phase(projection)
	h := p.projected(x, products, phase)
	phase.End()
	opt.Team = team.Phase(c.solving(opt))
	if err := opt.Team.Err(); err != nil {
		return 0, 0, err
	}
	to := transformation[W]{valueExponent: p.exponentB - p.exponentA}
	y := dense.Matrix[W]{}
	if !opt.ValuesOnly {
		y = dense.New[W](opt.Subset.maxCount(kept), kept)
	}
	m.take(&rest, kept, opt, false)
	count, err = solveIn(&m, h, largestInLower(h), w, y.View().T(), opt, to)
	if err != nil || opt.ValuesOnly {
		return count, n - kept, err
	}
	opt.Team.End()
	opt.Team = team.Phase(c.product)
	rows := products.Slice(0, count, 0, n)
	scale := dense.FromReal[W](math.Ldexp(1, p.exponentB/2))
	blas.Gemm(opt.Team, blas.NoTrans, blas.NoTrans, scale, y.Slice(0, count, 0, kept), x, 0, rows)
	for i := range count {
		fixPhase(rows.Row(i))
	}
	return count, n - kept, blas.CopyView(opt.Team, columns(v, count), rows.View().T())
}

// orthonormalRows returns X^T for the eigenvectors of the matrix in the lower triangle of b, which it overwrites, whose
// eigenvalues exceed lindep, in ascending order. b is the caller's matrix, of precision eps, times 2^exponent.
func orthonormalRows[W dense.Wide](
	m *solveMemory[W, float64], b dense.Matrix[W], exponent int, lindep, eps float64, team *sched.Team,
) (dense.Matrix[W], error) {
	n := b.Rows
	s, rows := make([]float64, n), dense.New[W](n, n)
	_, err := solveIn(m, b, largestInLower(b), s, rows.View().T(), Options{Team: team}, transformation[W]{})
	if err != nil {
		return rows, err
	}
	if !(s[n-1] > 0) {
		return rows, &factor.NotPositiveDefiniteError{Arg: "b", Order: 1}
	}
	size, limit := float64(n)*max(s[n-1], -s[0]), math.Ldexp(lindep, exponent)
	if tolerance := max(limit, eps*size); s[0] < -tolerance {
		value, limit := math.Ldexp(s[0], -exponent), math.Ldexp(tolerance, -exponent)
		return rows, &IndefiniteError{Arg: "b", Value: value, Limit: limit}
	}
	limit = max(limit, dense.Eps[float64]()*size)
	first := 0
	for first < n && !(s[first] > limit) {
		first++
	}
	if first == n {
		return rows, dense.BadArgument("b", "none of its eigenvalues is above lindep = %g, the largest is %g",
			lindep, math.Ldexp(s[n-1], -exponent))
	}
	for i := first; i < n; i++ {
		blas.Scal(dense.FromReal[W](1/math.Sqrt(s[i])), dense.Vec(rows.Row(i)))
	}
	return rows.Slice(first, n, 0, n), nil
}

// projected returns a matrix in the layout of package reduce with the lower triangle of X^H A X, given the rows of X^T.
// The lower triangle of A is overwritten by its conjugate, and products, of the shape of X^T, by scratch data.
func (p *pencil[W]) projected(x, products dense.Matrix[W], team *sched.Team) dense.Matrix[W] {
	h := reduce.NewLower[W](x.Rows)
	const whole, triangle = 2 << 20, 1 << 20 // the shares of the products
	team = team.Plan(whole + triangle)
	phase := team.Phase(whole)
	conjugateLower(p.a)
	blas.Hemm(phase, blas.Right, blas.Lower, 1, p.a, x, 0, products)
	phase.End()
	// X^T conj(A) conj(X) is the conjugate of the result.
	blas.Gemmt(team.Phase(triangle), blas.Lower, blas.NoTrans, blas.ConjTrans, 1, products, x, 0, h)
	conjugateLower(h)
	for i := range h.Rows {
		h.Set(i, i, dense.FromReal[W](dense.Real(h.At(i, i))))
	}
	return h
}
