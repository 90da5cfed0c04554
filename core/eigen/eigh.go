package eigen

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/sched"
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
	words := solveWords[W, V](n, opt, direct)
	if !inPlace {
		words += wordsOf[W](reduce.LowerSize[W](n))
	}
	memory := borrowWorkspace(words)
	defer memory.GiveBack()
	if !inPlace {
		h = reduce.LowerIn(n, take[W](&memory, reduce.LowerSize[W](n)))
	}
	if err := copyTriangle(opt.Team, h, a, opt.Upper, inPlace); err != nil {
		return 0, err
	}
	largest := largestInLower(h)
	if !dense.IsFinite(largest) {
		return fillNaN(n, w, v, opt), nil
	}
	return solveIn[W, V](memory, h, largest, w, v, opt, transformation[W]{})
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
// W. The workspace has room for solveWords.
func solveIn[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](
	memory workspace, h dense.Matrix[W], largest float64, w []R, v dense.View[T], opt Options, to transformation[W],
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
		return solveValues(memory, h, w, opt, to.valueExponent)
	}
	return solveVectors[W, V](memory, h, w, columns(v, opt.Subset.maxCount(n)), opt, to)
}

// solveValues is solveIn for a scaled matrix and eigenvalues alone, which are multiplied by 2^exponent.
func solveValues[W dense.Scalar, R dense.Float](
	memory workspace, h dense.Matrix[W], w []R, opt Options, exponent int,
) (int, error) {
	n, c := h.Rows, costsOf[W](h.Rows, 0)
	team := opt.Team.Plan(c.reduction + c.values)
	t := takeTridiagonal(&memory, n)
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
	memory workspace, h dense.Matrix[W], w []R, v dense.View[T], opt Options, to transformation[W],
) (int, error) {
	n, c := h.Rows, costsOf[W](h.Rows, v.Cols)
	if to.vectors != nil {
		c.back += c.transform
	}
	team := opt.Team.Plan(c.reduction + c.divideConquer + c.blocks + c.back)
	vectors, direct := vectorMemory[V](v, opt)
	if !direct {
		vectors = takeMatrix[V](&memory, n, n)
	}
	t := takeTridiagonal(&memory, n)
	phase := team.Phase(c.reduction)
	tau, err := reduce.Hermitian(phase, h, t)
	if err != nil {
		return 0, err
	}
	phase.End()
	phase = team.Phase(c.divideConquer)
	rows, err := tridiagonalPairs(phase, t, vectors, w, opt.Subset, to.valueExponent, memory.rest)
	if err != nil {
		return 0, err
	}
	phase.End()
	reflectors := take[V](&memory, householder.BlockElements[W](n, team.Threads()))
	blocks, err := householder.GatherRows(team, h, tau, reflectors)
	if err != nil {
		return 0, err
	}
	team.Step(c.blocks)
	count := rows.Rows
	out := vectorWriter[V, W, T]{blocks: blocks, transform: to.vectors, rows: rows, v: columns(v, count)}
	phase = team.Phase(c.back)
	err = out.write(phase, take[V](&memory, writeElements[W](n, count, team.Threads())))
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

// writeValues stores the values d, multiplied by 2^exponent.
func writeValues[R dense.Float](w []R, d []float64, exponent int) {
	for i, x := range d {
		w[i] = R(math.Ldexp(x, exponent))
	}
}

// vectorMemory returns the memory of v as an n x n matrix for real eigenvectors as rows, if it has that layout and all
// of its first n columns are certain to be outputs.
func vectorMemory[V dense.Float, T dense.Scalar](v dense.View[T], opt Options) (rows dense.Matrix[V], direct bool) {
	if opt.ValuesOnly || opt.Subset.kind == pairsByValue || opt.Subset.maxCount(v.Rows) < v.Rows {
		return rows, false
	}
	return sameRows[V](columns(v, v.Rows).T())
}

// columns returns the view of the first k columns of v.
func columns[T dense.Scalar](v dense.View[T], k int) dense.View[T] {
	v.Cols = k
	return v
}
