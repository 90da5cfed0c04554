package eigen

import (
	"errors"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/scratch"
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

// newPencil returns a pencil in the caller's memory if opt allows that; take does the rest.
func newPencil[W dense.Scalar, T dense.Scalar](a, b dense.View[T], opt Options) (p pencil[W]) {
	p.a, p.inPlaceA = lowerInPlace[W](a, opt.Overwrite)
	p.b, p.inPlaceB = lowerInPlace[W](b, opt.Overwrite)
	return p
}

// take gives matrices of order n their memory where they have none.
func (p *pencil[W]) take(a *scratch.Arena, n int) {
	if !p.inPlaceA {
		p.a = takeLower[W](a, n)
	}
	if !p.inPlaceB {
		p.b = takeLower[W](a, n)
	}
}

// standardMemory is the memory of the reduction to standard form and of the solution of the standard problem.
type standardMemory[W dense.Scalar, V dense.Float] struct {
	form    []W
	solve   solveMemory[W, V] // used after form, in the same place
	vectors dense.Matrix[W]   // of a problem that is solved in a SIMD lane, which has no solve
	lane    []float64
}

// take takes the memory for matrices of order n; direct is that of solveMemory.take.
func (m *standardMemory[W, V]) take(a *scratch.Arena, n int, opt Options, direct bool) {
	if n <= maxSingleOrder {
		m.form = scratch.Take[W](a, standardFormElements[W](n))
		m.vectors = scratch.TakeMatrix[W](a, n, n)
		m.lane = scratch.Take[float64](a, laneElements[W](1, n, opt.ValuesOnly))
		return
	}
	a.Either(func(a *scratch.Arena) {
		m.form = scratch.Take[W](a, standardFormElements[W](n))
	}, func(a *scratch.Arena) {
		m.solve.take(a, n, opt, direct)
	})
}

// loadPencil copies and scales the matrices; finite says whether both of their triangles are.
func loadPencil[W dense.Scalar, T dense.Scalar](
	p *pencil[W], a, b dense.View[T], opt Options,
) (finite bool, err error) {
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
	_, direct := vectorMemory[V](v, opt)
	var m standardMemory[W, V]
	memory := workspaces.Arena(func(a *scratch.Arena) {
		p.take(a, n)
		m.take(a, n, opt, direct)
	})
	defer memory.GiveBack()
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
	if err := g.toStandardForm(m.form, p.a); err != nil {
		return 0, err
	}
	g.team.End()
	opt.Team = team.Phase(c.solving(opt))
	largest := largestInLower(p.a)
	if !dense.IsFinite(largest) {
		return 0, dense.BadArgument("b", "too badly scaled: the eigenvalues are beyond the range of double precision")
	}
	if n <= maxSingleOrder {
		return solveInLane(&g, &m, p.a, largest, w, v, opt)
	}
	return solveIn(&m.solve, p.a, largest, w, v, opt, g.transformation())
}

// toStandardForm overwrites the lower triangle of h by that of C = F^H A F, where F is L^-H for problem 1 and L for the
// others. L is replaced by its conjugate for the problems 1 and 2. memory has standardFormElements numbers.
func (g *generalized[W]) toStandardForm(memory []W, h dense.Matrix[W]) error {
	s := standardForm[W]{
		team: g.team.Plan(cube(h.Rows)), multiply: g.problem != AXEqualsLambdaBX,
		memory: memory,
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

// solveInLane is solveIn for the standard form c of a generalized problem of an order up to maxSingleOrder. It solves
// it as eighGroup solves a single matrix.
func solveInLane[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](
	g *generalized[W], m *standardMemory[W, V], c dense.Matrix[W], largest float64, w []R, v dense.View[T], opt Options,
) (int, error) {
	n, vectors := c.Rows, m.vectors
	lane := newLaneGroup[W](m.lane, 1, n, opt.ValuesOnly)
	for k := 1; k < lane.Width; k++ {
		lane.Idle[k] = true
	}
	loadLane[V](lane, 0, c.View(), Options{SkipFiniteCheck: true})
	if lane.kinds[0] == laneTooWide {
		_, direct := vectorMemory[V](v, opt)
		memory := workspaces.Arena(func(a *scratch.Arena) { m.solve.take(a, n, opt, direct) })
		defer memory.GiveBack()
		return solveIn(&m.solve, c, largest, w, v, opt, g.transformation())
	}
	if found := lane.solve(); found[0] < n {
		return 0, &ConvergenceError{Found: found[0], Order: n}
	}
	var values [maxSingleOrder]V
	storeLane(lane, 0, values[:], vectors.View().T(), Options{ValuesOnly: opt.ValuesOnly})
	count := 0
	for i, x := range values[:n] {
		value := R(math.Ldexp(float64(x), g.transformation().valueExponent)) + 0 // no negative zero
		if !opt.Subset.holds(i, float64(value)) {
			continue
		}
		w[count] = value
		if !opt.ValuesOnly {
			copy(vectors.Row(count), vectors.Row(i))
		}
		count++
	}
	if opt.ValuesOnly {
		return count, nil
	}
	rows := vectors.Slice(0, count, 0, n)
	if err := g.fromStandardForm(rows); err != nil {
		return 0, err
	}
	for i := range count {
		fixPhase(rows.Row(i))
	}
	return count, blas.CopyView(nil, columns(v, count), rows.View().T())
}
