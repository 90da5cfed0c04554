package eigen

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/sched"
	"trnsci/core/scratch"
	"trnsci/core/tridiag"
	"trnsci/core/tridiag/reduce"
)

// Eigh computes the eigenvalues and eigenvectors of a Hermitian (real: symmetric) n x n matrix:
//
//	A = V diag(w) V^H,  V^H V = I
//
// w gets the count wanted eigenvalues in ascending order; it must have room for n, or for hi-lo+1 with ByIndex(lo, hi).
// Column j of v, an n x k view with k at least that number, gets the eigenvector of w[j]; further elements of w and
// columns of v are not touched. R is the real type of T, and a, w and v do not overlap. v is filled without a second
// n x n copy of the eigenvectors when T is real, its type is double precision and its columns are contiguous.
//
// Only the triangle named by opt determines the result, and imaginary parts of the diagonal are ignored. The order of
// the sums does not depend on the number of threads, and hence neither do the results.
//
// Errors: *dense.ArgumentError for shapes that do not fit, a bad subset, and an infinity or a NaN anywhere in a;
// *ConvergenceError; the team's error after cancellation. Except for argument errors, w and v are then undefined. With
// opt.SkipFiniteCheck an infinity or a NaN in the triangle is no error: w and v are filled with NaN, and count is 0 for
// a subset by value.
//
// With opt.Jacobi a matrix that is positive definite to working precision gets every eigenvalue, however small, with a
// relative error of the order n eps cond(H), where H = D^-1 A D^-1 has ones on its diagonal. Graded matrices thus keep
// the digits of their small eigenvalues, whose errors are otherwise of the order eps |A|. Jacobi's method takes some
// ten sweeps of 3 n^3 multiply-adds.
//
// Cost: 2/3 n^3 multiply-adds for eigenvalues; eigenvectors take up to 2/3 n^3 more in divide and conquer, much less
// with much deflation, and n^2 for each one that is wanted. Those of a complex matrix are complex, except in divide and
// conquer.
func Eigh[T dense.Scalar, R dense.Float](
	a dense.View[T], w []R, v dense.View[T], opt Options,
) (count int, err error) {
	requireRealType[T, R]()
	if err := checkCall(a, w, v, opt); err != nil {
		return 0, err
	}
	if a.Rows == 0 {
		return 0, nil
	}
	if groupSize[T](a.Rows, 1, opt) > 0 {
		var counts [1]int
		_, err := eighGroup([]Member[T, R]{{a, w, v}}, counts[:], opt)
		return counts[0], err
	}
	if err := checkFinite(a, "a", opt); err != nil {
		return 0, err
	}
	switch {
	case opt.Jacobi && dense.IsComplex[T]():
		return jacobi[complex128](a, w, v, opt)
	case opt.Jacobi:
		return jacobi[float64](a, w, v, opt)
	case worksInSingle[T](a.Rows, opt):
		return eigh[T, R](a, w, v, opt)
	}
	return eighDouble(a, w, v, opt)
}

// eighGroup solves matrices of one order, at most batch.Width of them, for which groupSize is not 0, after the checks
// of the arguments. counts gets their numbers of eigenvalues. With an error it returns the index of the matrix that
// failed.
func eighGroup[T dense.Scalar, R dense.Float](
	members []Member[T, R], counts []int, opt Options,
) (failed int, err error) {
	if err := opt.Team.Err(); err != nil {
		return 0, err
	}
	n := members[0].A.Rows
	elements := laneElements[T](len(members), n, opt.ValuesOnly)
	memory := workspaces.Borrow(elements)
	defer memory.GiveBack()
	g := newLaneGroup[T](memory.Words[:elements], len(members), n, opt.ValuesOnly)
	for k := range g.Width {
		if g.Idle[k] = k >= len(members); !g.Idle[k] && !loadLane[R](g, k, members[k].A, opt) {
			return k, dense.NotFinite("a")
		}
	}
	found := g.solve()
	for k, m := range members {
		switch g.kinds[k] {
		case laneNotFinite:
			counts[k] = fillNaN(g.Order, m.W, m.V, opt)
		case laneTooWide:
			if counts[k], err = eighDouble(m.A, m.W, m.V, opt); err != nil {
				return k, err
			}
		default:
			if found[k] < g.Order {
				return k, &ConvergenceError{Found: found[k], Order: g.Order}
			}
			counts[k] = storeLane(g, k, m.W, m.V, opt)
		}
	}
	return 0, nil
}

// eighDouble is eigh in double precision.
func eighDouble[T dense.Scalar, R dense.Float](a dense.View[T], w []R, v dense.View[T], opt Options) (int, error) {
	if dense.IsComplex[T]() {
		return eigh[complex128, float64](a, w, v, opt)
	}
	return eigh[float64, float64](a, w, v, opt)
}

// From this order on single precision matrices are solved in single precision. Smaller ones are solved as fast or
// faster in double precision, in SIMD lanes.
const minSingleOrder = 40

// worksInSingle reports whether a matrix of order n and type T is solved in single precision, which is then T's own.
func worksInSingle[T dense.Scalar](n int, opt Options) bool {
	return dense.IsSingle[T]() && n >= minSingleOrder && !opt.DoublePrecision
}

// eigh is Eigh in the type W, with the real type V, after the checks of the arguments.
func eigh[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](
	a dense.View[T], w []R, v dense.View[T], opt Options,
) (int, error) {
	n := a.Rows
	h, inPlace := lowerInPlace[W](a, opt.Overwrite)
	_, direct := vectorMemory[V](v, opt)
	var m solveMemory[W, V]
	memory := workspaces.Arena(func(a *scratch.Arena) {
		if !inPlace {
			h = takeLower[W](a, n)
		}
		m.take(a, n, opt, direct)
	})
	defer memory.GiveBack()
	if err := copyTriangle(opt.Team, h, a, opt.Upper, inPlace); err != nil {
		return 0, err
	}
	largest := largestInLower(h)
	if !dense.IsFinite(largest) {
		return fillNaN(n, w, v, opt), nil
	}
	return solveIn(&m, h, largest, w, v, opt, transformation[W]{})
}

// solveMemory is the memory in which solveIn works.
type solveMemory[W dense.Scalar, V dense.Float] struct {
	t             tridiag.Matrix
	vectors       dense.Matrix[V] // of t, unless they are in the caller's memory
	divideConquer []float64
	reflectors    []V // used after divideConquer, in the same place
	chunks        []V // of the vectors that are being written, likewise
}

// take takes the memory for a matrix of order n. direct says whether the eigenvectors of the tridiagonal matrix are in
// the caller's memory.
func (m *solveMemory[W, V]) take(a *scratch.Arena, n int, opt Options, direct bool) {
	m.t = tridiag.Matrix{D: scratch.Take[float64](a, n), E: scratch.Take[float64](a, n)}
	if opt.ValuesOnly {
		return
	}
	if !direct {
		m.vectors = scratch.TakeMatrix[V](a, n, n)
	}
	threads := opt.Team.Threads()
	a.Either(func(a *scratch.Arena) {
		m.divideConquer = scratch.Take[float64](a, tridiag.WorkElements[V](n))
	}, func(a *scratch.Arena) {
		m.reflectors = scratch.Take[V](a, householder.BlockElements[W](n, threads))
		m.chunks = scratch.Take[V](a, writeElements[W](n, opt.Subset.maxCount(n), threads))
	})
}

// takeLower takes the memory of a matrix of order n in the layout of package reduce.
func takeLower[W dense.Scalar](a *scratch.Arena, n int) dense.Matrix[W] {
	return reduce.LowerIn(n, scratch.Take[W](a, reduce.LowerSize[W](n)))
}

// transformation converts the eigenpairs of the matrix that solveIn gets to those of the caller's problem. The zero
// value changes nothing.
type transformation[W dense.Scalar] struct {
	valueExponent int                              // eigenvalues are multiplied by 2^valueExponent
	vectors       func(rows dense.Matrix[W]) error // transforms rows that are eigenvectors; may be nil
}

// Below these orders threads cost more than they save.
const (
	minSharedOrder  = 96  // eigenvectors, counting real numbers of a row: threads wake up during the reduction
	minSharedBand   = 96  // tridiagonal and band matrices, which have no such reduction
	minSharedPencil = 96  // generalized problems
	minSharedValues = 144 // eigenvalues alone
)

// sharedFrom returns o, with a team of one thread if the order n is below least.
func (o Options) sharedFrom(least, n int) Options {
	if n < least {
		o.Team = o.Team.Serial()
	}
	return o
}

// solveIn diagonalizes the Hermitian matrix in the lower triangle of h, which it overwrites, and writes the wanted
// eigenpairs of the caller's problem to w and v. largest is largestInLower of h, a finite number. V is the real type of
// W. m has been taken for the order of h, opt and v.
func solveIn[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](
	m *solveMemory[W, V], h dense.Matrix[W], largest float64, w []R, v dense.View[T], opt Options, to transformation[W],
) (int, error) {
	n := h.Rows
	opt = opt.sharedFrom(minSharedOrder, n*dense.Parts[W]())
	if opt.ValuesOnly {
		opt = opt.sharedFrom(minSharedValues, n)
	}
	exponent := scalingExponent[W](largest)
	scaleLower(h, exponent)
	to.valueExponent -= exponent
	if opt.ValuesOnly {
		return solveValues(m.t, h, w, opt, to.valueExponent)
	}
	return solveVectors(m, h, w, columns(v, opt.Subset.maxCount(n)), opt, to)
}

// solveValues is solveIn for a scaled matrix and eigenvalues alone, which are multiplied by 2^exponent.
func solveValues[W dense.Scalar, R dense.Float](
	t tridiag.Matrix, h dense.Matrix[W], w []R, opt Options, exponent int,
) (int, error) {
	c := costsOf[W](h.Rows, 0)
	team := opt.Team.Plan(c.reduction + c.values)
	phase := team.Phase(c.reduction)
	if _, err := reduce.Hermitian(phase, h, t); err != nil {
		return 0, err
	}
	phase.End()
	phase = team.Phase(c.values)
	count, err := tridiagonalValues(phase, t, w, opt.Subset, exponent)
	phase.End()
	return count, err
}

// solveVectors is solveIn for a scaled matrix with eigenvectors; v has as many columns as the subset may hold.
func solveVectors[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](
	m *solveMemory[W, V], h dense.Matrix[W], w []R, v dense.View[T], opt Options, to transformation[W],
) (int, error) {
	c := costsOf[W](h.Rows, v.Cols)
	if to.vectors != nil {
		c.back += c.transform
	}
	team := opt.Team.Plan(c.reduction + c.divideConquer + c.blocks + c.back)
	vectors, direct := vectorMemory[V](v, opt)
	if !direct {
		vectors = m.vectors
	}
	phase := team.Phase(c.reduction)
	tau, err := reduce.Hermitian(phase, h, m.t)
	if err != nil {
		return 0, err
	}
	phase.End()
	phase = team.Phase(c.divideConquer)
	rows, err := tridiagonalPairs(phase, m.t, vectors, w, opt.Subset, to.valueExponent, m.divideConquer)
	if err != nil {
		return 0, err
	}
	phase.End()
	blocks, err := householder.GatherRows(team, h, tau, m.reflectors)
	if err != nil {
		return 0, err
	}
	team.Step(c.blocks)
	count := rows.Rows
	out := vectorWriter[V, W, T]{blocks: blocks, transform: to.vectors, rows: rows, v: columns(v, count)}
	phase = team.Phase(c.back)
	err = out.write(phase, m.chunks)
	phase.End()
	return count, err
}

// tridiagonalValues writes the wanted eigenvalues of t, which it overwrites, multiplied by 2^exponent to w.
func tridiagonalValues[R dense.Float](
	team *sched.Team, t tridiag.Matrix, w []R, subset Subset, exponent int,
) (count int, err error) {
	if err := tridiag.Eigenvalues(team, t); err != nil {
		return 0, convergenceError(err)
	}
	first, end := selectionOf[R](subset, exponent).Within(t.D)
	writeValues(w, t.D[first:end], exponent)
	return end - first, nil
}

// tridiagonalPairs is tridiagonalValues with eigenvectors, which it returns as rows in the memory of vectors.
func tridiagonalPairs[V, R dense.Float](
	team *sched.Team, t tridiag.Matrix, vectors dense.Matrix[V], w []R, subset Subset, exponent int, memory []float64,
) (rows dense.Matrix[V], err error) {
	n := len(t.D)
	first, count, err := tridiag.Eigenpairs(team, t, vectors, selectionOf[R](subset, exponent), subset.maxCount(n), memory)
	if err != nil {
		return rows, convergenceError(err)
	}
	writeValues(w, t.D[first:first+count], exponent)
	return vectors.Slice(0, count, 0, n), nil
}

// vectorMemory returns the memory of v as an n x n matrix for real eigenvectors as rows, if it has that layout and all
// of its first n columns are certain to be outputs.
func vectorMemory[V dense.Float, T dense.Scalar](v dense.View[T], opt Options) (rows dense.Matrix[V], direct bool) {
	if opt.ValuesOnly || opt.Subset.kind == pairsByValue || opt.Subset.maxCount(v.Rows) < v.Rows {
		return rows, false
	}
	return sameRows[V](columns(v, v.Rows).T())
}

// jacobi is Eigh with opt.Jacobi, after the checks of the arguments.
//
// A matrix that is positive definite to working precision is factored by Cholesky, and the columns of its factor L are
// then made orthogonal: A = L L^H = (L V) (L V)^H. This finds each eigenvalue with a small relative error. Any other
// matrix is diagonalized by rotations from both sides, which find eigenvalues at least as accurately as the other
// methods.
//
// Method: Hestenes, "Inversion of matrices by biorthogonalization and related results", J. SIAM 6, 1958; Veselic and
// Hari, "A note on a one-sided Jacobi algorithm", Numer. Math. 56, 1989; Demmel and Veselic, "Jacobi's method is more
// accurate than QR", SIAM J. Matrix Anal. Appl. 13, 1992.
func jacobi[W dense.Wide, T dense.Scalar, R dense.Float](
	a dense.View[T], w []R, v dense.View[T], opt Options,
) (int, error) {
	n := a.Rows
	h, err := lowerCopy[W](opt.Team, a, opt.Upper, opt.Overwrite)
	if err != nil {
		return 0, err
	}
	largest := largestInLower(h)
	if !dense.IsFinite(largest) {
		return fillNaN(n, w, v, opt), nil
	}
	_, exponent := math.Frexp(largest)
	exponent = min(jacobiExponent-exponent, maxNormalExponent)
	scaleLower(h, exponent)
	j := newJacobiSolver[W](opt.Team, n)
	writing := 0
	if !opt.ValuesOnly {
		writing = square(n)
	}
	solving := jacobiSweepCost(n) * usualSweeps
	team := opt.Team.Plan(solving + writing)
	j.team = team.Phase(solving)
	rows, err := j.solve(h, !opt.ValuesOnly)
	if err != nil {
		return 0, err
	}
	j.team.End()
	j.team = team.Phase(writing)
	order, ascending := make([]int, n), make([]float64, n)
	tridiag.SortIndices(j.values, order)
	for k, i := range order {
		ascending[k] = j.values[i]
	}
	first, end := selectionOf[R](opt.Subset, -exponent).Within(ascending)
	writeValues(w, ascending[first:end], -exponent)
	if opt.ValuesOnly {
		return end - first, nil
	}
	err = writeOrdered(j.team, rows, order[first:end], v)
	j.team.End()
	return end - first, err
}

// solve finds the eigenvalues of the matrix in the lower triangle of h, which it overwrites. If vectors are wanted it
// returns them as rows, which need not have length 1.
func (j *jacobiSolver[W]) solve(h dense.Matrix[W], vectors bool) (rows dense.Matrix[W], err error) {
	// The expected number of sweeps is planned once it is known whether there is a factor.
	if err := mirrorLower(j.team.Phase(0), h); err != nil {
		return rows, err
	}
	factor, err := j.factor(h)
	if err != nil {
		return rows, err
	}
	j.usual = usualSweeps
	if factor.Rows > 0 {
		j.usual = sweepsOfDefinite(j.n)
	}
	j.team = j.team.Plan(TournamentRounds(j.n) * j.usual)
	switch {
	case factor.Rows > 0:
		rows = factor
	case vectors:
		rows = dense.New[W](j.n, j.n)
		rows.SetIdentity()
	}
	return rows, j.team.Rounds(j.parts, j.part, func(rounds *sched.Rounds) error {
		j.rounds = rounds
		if factor.Rows > 0 {
			return j.orthogonalize(rows)
		}
		return j.diagonalize(h, rows)
	})
}
