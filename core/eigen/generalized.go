package eigen

import (
	"errors"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// EighGeneralized computes eigenvalues and eigenvectors of a generalized problem with n x n matrices A, Hermitian (real:
// symmetric), and B, Hermitian positive definite:
//
//	AXEqualsLambdaBX (1):  A V = B V diag(w),  V^H B V = I
//	ABXEqualsLambdaX (2):  A B V = V diag(w),  V^H B V = I
//	BAXEqualsLambdaX (3):  B A V = V diag(w),  V^H B^-1 V = I
//
// Arguments, results and errors are those of Eigh. opt.Upper and opt.Overwrite hold for b as for a (with the latter they
// do not overlap), and an infinity or a NaN may be in b. Further errors: *dense.ArgumentError for an unknown problem
// ("type"), for a shape of b that is not a's, and for a B so graded that the standard form overflows;
// *factor.NotPositiveDefiniteError with Arg "b" and the order of the first leading minor that is not positive: EighCanonical solves the first
// problem without the part of B that is singular.
//
// A pivot of the Cholesky factorization is refused, too, if it is at most n 2^-52 times the diagonal element it comes
// from: B is then indistinguishable from a singular matrix in double precision, and the vectors would be made of
// rounding errors. This holds for all dtypes, as single precision input is taken to be exact. Below that limit errors
// grow with the condition number of B: residuals are of the order eps cond(B) (|A| + |w| |B|) |x| at worst.
//
// Cost: 2/3 n^3 multiply-adds more than Eigh, and n^2/2 for each eigenvector.
func EighGeneralized[T dense.Scalar, R dense.Float](problem Problem, a, b dense.View[T], w []R, v dense.View[T], opt Options) (count int, err error) {
	requireRealType[T, R]()
	if problem < AXEqualsLambdaBX || problem > BAXEqualsLambdaX {
		return 0, dense.BadArgument("type", "expected 1, 2 or 3, got %d", int(problem))
	}
	if err := checkPencil(a, b, w, v, opt); err != nil || a.Rows == 0 {
		return 0, err
	}
	if dense.IsComplex[T]() {
		return eighGeneralized[complex128](problem, a, b, w, v, opt)
	}
	return eighGeneralized[float64](problem, a, b, w, v, opt)
}

// checkPencil returns an error unless the arguments fit together and both matrices are finite, as far as opt wants to know.
func checkPencil[T dense.Scalar, R dense.Float](a, b dense.View[T], w []R, v dense.View[T], opt Options) error {
	if err := checkCall(a, w, v, opt); err != nil {
		return err
	}
	if b.Rows != a.Rows || b.Cols != a.Cols {
		return dense.BadArgument("b", "expected the shape of a, (%d, %d), got (%d, %d)", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	if err := checkFinite(a, "a", opt); err != nil {
		return err
	}
	return checkFinite(b, "b", opt)
}

// pencil holds the lower triangles of two matrices, multiplied by two to these powers.
type pencil[W dense.Wide] struct {
	a, b                 dense.Matrix[W]
	exponentA, exponentB int
}

// loadPencil loads and scales the matrices; finite says whether both of their triangles are.
func loadPencil[W dense.Wide, T dense.Scalar](a, b dense.View[T], opt Options) (p pencil[W], finite bool, err error) {
	if p.a, err = loadLower[W](opt.Team, a, opt.Upper, opt.Overwrite); err != nil {
		return p, false, err
	}
	if p.b, err = loadLower[W](opt.Team, b, opt.Upper, opt.Overwrite); err != nil {
		return p, false, err
	}
	largestA, largestB := largestInLower(p.a), largestInLower(p.b)
	if !isFinite(largestA) || !isFinite(largestB) {
		return p, false, nil
	}
	p.exponentA, p.exponentB = scalingExponent[W](largestA), scalingExponent[W](largestB)
	scaleLower(p.a, p.exponentA)
	scaleLower(p.b, p.exponentB)
	return p, true, nil
}

// eighGeneralized is EighGeneralized in the double precision type W after the checks of the arguments.
func eighGeneralized[W dense.Wide, T dense.Scalar, R dense.Float](problem Problem, a, b dense.View[T], w []R, v dense.View[T], opt Options) (int, error) {
	opt = opt.sharedFrom(leastSharedPencil, a.Rows)
	p, finite, err := loadPencil[W](a, b, opt)
	if err != nil {
		return 0, err
	}
	if !finite {
		return fillNaN(a.Rows, w, v, opt), nil
	}
	g := generalized[W]{problem: problem, team: opt.Team, l: p.b, exponentA: p.exponentA, exponentB: p.exponentB}
	if err := g.factorB(); err != nil {
		return 0, err
	}
	if err := g.toStandardForm(p.a); err != nil {
		return 0, err
	}
	largest := largestInLower(p.a)
	if !isFinite(largest) {
		return 0, dense.BadArgument("b", "too badly scaled: the eigenvalues are beyond the range of double precision")
	}
	return solve[W, float64](p.a, largest, w, v, opt, g.transformation())
}

// generalized leads from a generalized problem to a standard one and back.
type generalized[W dense.Wide] struct {
	problem              Problem
	team                 *sched.Team
	l                    dense.Matrix[W] // B, then its Cholesky factor
	exponentA, exponentB int             // A and B have been multiplied by two to these powers
}

// factorB overwrites B by its Cholesky factor.
func (g *generalized[W]) factorB() error {
	n := g.l.Rows
	diagonal := make([]float64, n)
	for i := range n {
		diagonal[i] = dense.Real(g.l.At(i, i))
	}
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

// toStandardForm overwrites the lower triangle of h by that of C = F^H A F, where F is L^-H for problem 1 and L for the others. L is
// replaced by its conjugate for the problems 1 and 2.
func (g *generalized[W]) toStandardForm(h dense.Matrix[W]) error {
	elements := standardFormElements[W](h.Rows)
	memory := borrowWorkspace(wordsOf[W](elements))
	defer memory.giveBack()
	s := standardForm[W]{team: g.team, multiply: g.problem != AXEqualsLambdaBX, memory: take[W](&memory, elements)}
	if err := s.reduce(h, g.l); err != nil {
		return err
	}
	if g.problem != BAXEqualsLambdaX { // fromStandardForm multiplies rows by the inverse of the conjugate
		conjugateLower(g.l)
	}
	return nil
}

// transformation leads from the eigenpairs of C to those of the caller's problem: x = L^-H y for the problems 1 and 2,
// x = L y for problem 3, and the scaling factors of A and B are taken back.
func (g *generalized[W]) transformation() transformation[W] {
	if g.problem == AXEqualsLambdaBX {
		return transformation[W]{valueExponent: g.exponentB - g.exponentA, vectors: g.fromStandardForm}
	}
	return transformation[W]{valueExponent: -g.exponentA - g.exponentB, vectors: g.fromStandardForm}
}

// fromStandardForm replaces rows that are eigenvectors of C by those of the caller's problem.
func (g *generalized[W]) fromStandardForm(rows dense.Matrix[W]) error {
	team, rootExponent := g.team.Serial(), g.exponentB/2
	if g.problem == BAXEqualsLambdaX {
		rootExponent = -rootExponent
		blas.Trmm(team, blas.Right, blas.Lower, blas.Trans, blas.NonUnit, 1, g.l, rows)
	} else {
		blas.Trsm(team, blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, 1, g.l, rows)
	}
	if rootExponent != 0 {
		for i := range rows.Rows {
			scaleByPower(rootExponent, rows.Row(i))
		}
	}
	return g.team.Err()
}

// conjugateLower replaces the lower triangle of h by its complex conjugate.
func conjugateLower[W dense.Wide](h dense.Matrix[W]) {
	for i := range h.Rows {
		conjugate(h.Row(i)[:i+1])
	}
}
