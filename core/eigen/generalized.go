package eigen

import (
	"errors"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
	"trnsci/core/tridiag/reduce"
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
// grow with the condition number of B: residuals are of the order eps cond(B) (|A| + |w| |B|) |x| at worst. Single precision matrices are worked on
// in single precision where B is so well conditioned that this is not more than rounding errors of a sum of n numbers, otherwise in double precision.
//
// Cost: 2/3 n^3 multiply-adds more than Eigh, and n^2/2 for each eigenvector.
func EighGeneralized[T dense.Scalar, R dense.Float](problem Problem, a, b dense.View[T], w []R, v dense.View[T], opt Options) (count int, err error) {
	requireRealType[T, R]()
	if problem < AXEqualsLambdaBX || problem > BAXEqualsLambdaX {
		return 0, dense.BadArgument("type", "expected 1, 2 or 3, got %d", int(problem))
	}
	opt = opt.sharedFrom(leastSharedPencil, a.Rows)
	if err := checkPencil(a, b, w, v, opt); err != nil || a.Rows == 0 {
		return 0, err
	}
	if worksInSingle[T](a.Rows, opt) {
		first := opt
		opt.Team = opt.Team.Plan(attemptSteps)
		first.Team = opt.Team.Phase(attemptSteps)
		first.Overwrite = false // the matrices may yet be wanted
		if count, err := eighGeneralized[T, R](problem, a, b, w, v, first); !errors.Is(err, errBeyondSingle) {
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

// attemptSteps is how finely the work on a pencil is divided where it may have to be done a second time.
const attemptSteps = 1 << 30

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
type pencil[W dense.Scalar] struct {
	a, b                 dense.Matrix[W]
	ownA, ownB           bool // the caller's memory
	exponentA, exponentB int
}

// newPencil returns a pencil in the caller's memory where opt allows that; the rest is for place.
func newPencil[W dense.Scalar, T dense.Scalar](a, b dense.View[T], opt Options) (p pencil[W]) {
	p.a, p.ownA = lowerOf[W](a, opt.Overwrite)
	p.b, p.ownB = lowerOf[W](b, opt.Overwrite)
	return p
}

// words returns the words that place takes for matrices of order n.
func (p *pencil[W]) words(n int) (words int) {
	for _, own := range []bool{p.ownA, p.ownB} {
		if !own {
			words += wordsOf[W](reduce.LowerSize[W](n))
		}
	}
	return words
}

// place gives matrices of order n their memory where they have none.
func (p *pencil[W]) place(n int, memory *workspace) {
	if !p.ownA {
		p.a = reduce.LowerIn(n, take[W](memory, reduce.LowerSize[W](n)))
	}
	if !p.ownB {
		p.b = reduce.LowerIn(n, take[W](memory, reduce.LowerSize[W](n)))
	}
}

// loadPencil loads and scales the matrices; finite says whether both of their triangles are.
func loadPencil[W dense.Scalar, T dense.Scalar](p *pencil[W], a, b dense.View[T], opt Options) (finite bool, err error) {
	if err := fillLower(opt.Team, p.a, a, opt.Upper, p.ownA); err != nil {
		return false, err
	}
	if err := fillLower(opt.Team, p.b, b, opt.Upper, p.ownB); err != nil {
		return false, err
	}
	largestA, largestB := largestInLower(p.a), largestInLower(p.b)
	if !isFinite(largestA) || !isFinite(largestB) {
		return false, nil
	}
	p.exponentA, p.exponentB = scalingExponent[W](largestA), scalingExponent[W](largestB)
	scaleLower(p.a, p.exponentA)
	scaleLower(p.b, p.exponentB)
	return true, nil
}

// eighGeneralized is EighGeneralized in the type W, which V is the real type of, after the checks of the arguments.
func eighGeneralized[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](problem Problem, a, b dense.View[T], w []R, v dense.View[T], opt Options) (int, error) {
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
	c := costsOf[W](n, opt.Subset.largestCount(n))
	c.back += c.transform
	team := opt.Team.Plan(c.cholesky + c.standard + c.solving(opt))
	g := generalized[W]{problem: problem, team: team.Phase(c.cholesky), l: p.b, exponentA: p.exponentA, exponentB: p.exponentB}
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
	if !isFinite(largest) {
		return 0, dense.BadArgument("b", "too badly scaled: the eigenvalues are beyond the range of double precision")
	}
	if n <= singleLaneOrder {
		return solveInLane[W, V](&g, memory, p.a, largest, w, v, opt)
	}
	return solveIn[W, V](memory, p.a, largest, w, v, opt, g.transformation())
}

// standardWords returns the words that the reduction to standard form and the solution of what it leads to take from a workspace.
func standardWords[W dense.Scalar, V dense.Float, T dense.Scalar](n int, v dense.View[T], opt Options) int {
	_, direct := vectorMemory[V](v, opt)
	words := max(wordsOf[W](standardFormElements[W](n)), solveWords[W, V](n, opt, direct))
	if n <= singleLaneOrder {
		words = max(words, wordsOf[W](n*n)+laneWords[W](1, n, opt.ValuesOnly))
	}
	return words
}

// generalized leads from a generalized problem to a standard one and back.
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

// toStandardForm overwrites the lower triangle of h by that of C = F^H A F, where F is L^-H for problem 1 and L for the others. L is
// replaced by its conjugate for the problems 1 and 2. The scratch memory is free again on return.
func (g *generalized[W]) toStandardForm(memory workspace, h dense.Matrix[W]) error {
	s := standardForm[W]{team: g.team.Plan(cube(h.Rows)), multiply: g.problem != AXEqualsLambdaBX, memory: take[W](&memory, standardFormElements[W](h.Rows))}
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
func conjugateLower[W dense.Scalar](h dense.Matrix[W]) {
	if !dense.IsComplex[W]() {
		return
	}
	for i := range h.Rows {
		conjugate(h.Row(i)[:i+1])
	}
}

// solveInLane does solveIn's work for the standard form c of a generalized problem of an order up to singleLaneOrder, as EighGroup does it for a
// single matrix. The workspace has room for standardWords.
func solveInLane[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](g *generalized[W], memory workspace, c dense.Matrix[W], largest float64, w []R, v dense.View[T], opt Options) (int, error) {
	n, rest := c.Rows, memory
	vectors := takeMatrix[W](&rest, n, n)
	lane := laneGroupIn[W](rest, 1, n, opt.ValuesOnly)
	for k := 1; k < lane.Width; k++ {
		lane.Idle[k] = true
	}
	loadLane[V](lane, 0, c.View(), Options{SkipFiniteCheck: true})
	if lane.kinds[0] == laneTooWide {
		return solveIn[W, V](memory, c, largest, w, v, opt, g.transformation())
	}
	if found := lane.solve(); found[0] < n {
		return 0, &ConvergenceError{Found: found[0], Order: n}
	}
	var values [singleLaneOrder]V
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
