package eigen

import (
	"errors"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
	"trnsci/core/tridiag/reduce"
)

// EighGeneralized computes eigenvalues and eigenvectors of a generalized problem with n x n matrices A, Hermitian
// (real: symmetric), and B, Hermitian positive definite:
//
//	AXEqualsLambdaBX (1):  A V = B V diag(w),  V^H B V = I
//	ABXEqualsLambdaX (2):  A B V = V diag(w),  V^H B V = I
//	BAXEqualsLambdaX (3):  B A V = V diag(w),  V^H B^-1 V = I
//
// Arguments, results and errors are those of Eigh. opt.Upper and opt.Overwrite apply to b as to a (with the latter they
// must not overlap), and an infinity or a NaN may be in b. Further errors: *dense.ArgumentError for an unknown problem
// ("type"), for a shape of b that is not a's, and for a B so graded that the standard form overflows;
// *factor.NotPositiveDefiniteError with Arg "b" and the order of the first leading minor that is not positive:
// EighCanonical solves the first problem without the singular part of B.
//
// A pivot of the Cholesky factorization is also refused if it is at most n 2^-52 times the diagonal element from which
// it was computed: B is then indistinguishable from a singular matrix in double precision, and rounding errors would
// determine the vectors. This holds for all dtypes, as single precision input is taken to be exact. Below that limit
// errors grow with the condition number of B: residuals are of the order eps cond(B) (|A| + |w| |B|) |x| at worst.
// Single precision problems are solved in single precision if B is so well conditioned that such residuals do not
// exceed the rounding errors of a sum of n numbers, and otherwise in double precision.
//
// Cost: 2/3 n^3 multiply-adds more than Eigh, and n^2/2 for each eigenvector.
func EighGeneralized[T dense.Scalar, R dense.Float](
	problem Problem, a, b dense.View[T], w []R, v dense.View[T], opt Options,
) (count int, err error) {
	requireRealType[T, R]()
	if problem < AXEqualsLambdaBX || problem > BAXEqualsLambdaX {
		return 0, dense.BadArgument("type", "expected 1, 2 or 3, got %d", int(problem))
	}
	opt = opt.sharedFrom(minSharedPencil, a.Rows)
	if err := checkPencil(a, b, w, v, opt); err != nil || a.Rows == 0 {
		return 0, err
	}
	if worksInSingle[T](a.Rows, opt) {
		first := opt
		opt.Team = opt.Team.Plan(attemptSteps)
		first.Team = opt.Team.Phase(attemptSteps)
		first.Overwrite = false // the second attempt may need the matrices
		if count, err := eighGeneralized[T, R](problem, a, b, w, v, first); !errors.Is(err, errNeedsDouble) {
			first.Team.End()
			return count, err
		}
		opt.Team = opt.Team.Remainder()
	}
	if dense.IsComplex[T]() {
		return eighGeneralized[complex128, float64](problem, a, b, w, v, opt)
	}
	return eighGeneralized[float64, float64](problem, a, b, w, v, opt)
}

// attemptSteps is how finely progress is divided if a second attempt may be necessary.
const attemptSteps = 1 << 30

// checkPencil returns an error unless the arguments fit together and both matrices pass opt's check for infinities and
// NaNs.
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

// pencil holds the lower triangles of two matrices, each multiplied by a power of two.
type pencil[W dense.Scalar] struct {
	a, b                 dense.Matrix[W]
	inPlaceA, inPlaceB   bool // in the caller's memory
	exponentA, exponentB int
}

// newPencil returns a pencil in the caller's memory if opt allows that; place does the rest.
func newPencil[W dense.Scalar, T dense.Scalar](a, b dense.View[T], opt Options) (p pencil[W]) {
	p.a, p.inPlaceA = lowerInPlace[W](a, opt.Overwrite)
	p.b, p.inPlaceB = lowerInPlace[W](b, opt.Overwrite)
	return p
}

// words returns the words that place takes for matrices of order n.
func (p *pencil[W]) words(n int) (words int) {
	for _, inPlace := range []bool{p.inPlaceA, p.inPlaceB} {
		if !inPlace {
			words += wordsOf[W](reduce.LowerSize[W](n))
		}
	}
	return words
}

// place gives matrices of order n their memory where they have none.
func (p *pencil[W]) place(n int, memory *workspace) {
	if !p.inPlaceA {
		p.a = reduce.LowerIn(n, take[W](memory, reduce.LowerSize[W](n)))
	}
	if !p.inPlaceB {
		p.b = reduce.LowerIn(n, take[W](memory, reduce.LowerSize[W](n)))
	}
}

// loadPencil copies and scales the matrices; finite says whether both of their triangles are.
func loadPencil[W dense.Scalar, T dense.Scalar](p *pencil[W], a, b dense.View[T], opt Options) (finite bool, err error) {
	if err := copyTriangle(opt.Team, p.a, a, opt.Upper, p.inPlaceA); err != nil {
		return false, err
	}
	if err := copyTriangle(opt.Team, p.b, b, opt.Upper, p.inPlaceB); err != nil {
		return false, err
	}
	largestA, largestB := largestInLower(p.a), largestInLower(p.b)
	if !dense.IsFinite(largestA) || !dense.IsFinite(largestB) {
		return false, nil
	}
	p.exponentA, p.exponentB = scalingExponent[W](largestA), scalingExponent[W](largestB)
	scaleLower(p.a, p.exponentA)
	scaleLower(p.b, p.exponentB)
	return true, nil
}

// eighGeneralized is EighGeneralized in the type W, with the real type V, after the checks of the arguments.
func eighGeneralized[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](
	problem Problem, a, b dense.View[T], w []R, v dense.View[T], opt Options,
) (int, error) {
	n, p := a.Rows, newPencil[W](a, b, opt)
	memory := borrowWorkspace(p.words(n) + standardWords[W, V](n, v, opt))
	defer memory.GiveBack()
	p.place(n, &memory)
	finite, err := loadPencil(&p, a, b, opt)
	if err != nil {
		return 0, err
	}
	if !finite {
		return fillNaN(n, w, v, opt), nil
	}
	c := costsOf[W](n, opt.Subset.maxCount(n))
	c.back += c.transform
	team := opt.Team.Plan(c.cholesky + c.standard + c.solving(opt))
	g := generalized[W]{
		problem: problem, team: team.Phase(c.cholesky), l: p.b, exponentA: p.exponentA, exponentB: p.exponentB,
	}
	if err := g.factor(); err != nil {
		return 0, err
	}
	g.team.End()
	g.team = team.Phase(c.standard)
	if err := g.toStandardForm(memory, p.a); err != nil {
		return 0, err
	}
	g.team.End()
	opt.Team = team.Phase(c.solving(opt))
	largest := largestInLower(p.a)
	if !dense.IsFinite(largest) {
		return 0, dense.BadArgument("b", "too badly scaled: the eigenvalues are beyond the range of double precision")
	}
	if n <= maxSingleOrder {
		return solveInLane[W, V](&g, memory, p.a, largest, w, v, opt)
	}
	return solveIn[W, V](memory, p.a, largest, w, v, opt, g.transformation())
}

// standardWords returns the words that the reduction to standard form and the solution of the standard problem take
// from a workspace.
func standardWords[W dense.Scalar, V dense.Float, T dense.Scalar](n int, v dense.View[T], opt Options) int {
	_, direct := vectorMemory[V](v, opt)
	words := max(wordsOf[W](standardFormElements[W](n)), solveWords[W, V](n, opt, direct))
	if n <= maxSingleOrder {
		words = max(words, wordsOf[W](n*n)+laneWords[W](1, n, opt.ValuesOnly))
	}
	return words
}

// generalized transforms a generalized problem to a standard one and its solution back.
type generalized[W dense.Scalar] struct {
	problem              Problem
	team                 *sched.Team
	l                    dense.Matrix[W] // B, then its Cholesky factor
	exponentA, exponentB int             // A and B have been multiplied by two to these powers
}

// factor overwrites B by its Cholesky factor.
func (g *generalized[W]) factor() error {
	diagonal := make([]float64, g.l.Rows)
	for i := range diagonal {
		diagonal[i] = dense.Real(g.l.At(i, i))
	}
	if dense.IsSingle[W]() {
		return g.factorInSingle(diagonal)
	}
	return g.factorInDouble(diagonal)
}

// factorInDouble is factor in double precision for a B with the given diagonal.
func (g *generalized[W]) factorInDouble(diagonal []float64) error {
	n := len(diagonal)
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

// toStandardForm overwrites the lower triangle of h by that of C = F^H A F, where F is L^-H for problem 1 and L for the
// others. L is replaced by its conjugate for the problems 1 and 2. The scratch memory is free again on return.
func (g *generalized[W]) toStandardForm(memory workspace, h dense.Matrix[W]) error {
	s := standardForm[W]{
		team: g.team.Plan(cube(h.Rows)), multiply: g.problem != AXEqualsLambdaBX,
		memory: take[W](&memory, standardFormElements[W](h.Rows)),
	}
	if err := s.reduce(h, g.l); err != nil {
		return err
	}
	if g.problem != BAXEqualsLambdaX { // fromStandardForm multiplies rows by the inverse of the conjugate
		conjugateLower(g.l)
	}
	return nil
}

// transformation converts the eigenpairs of C to those of the caller's problem: x = L^-H y for the problems 1 and 2, x
// = L y for problem 3. It also undoes the scaling of A and B.
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
			blas.Ldexp(rows.Row(i), rootExponent)
		}
	}
	return g.team.Err()
}
