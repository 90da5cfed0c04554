package eigen

import (
	"math"

	"trnsci/core/dense"
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
// Only the triangle that opt names determines the result, and imaginary parts of the diagonal are taken to be zero. The
// order of the sums does not depend on the number of threads, so neither do the results.
//
// Errors: *dense.ArgumentError for shapes that do not fit, a bad subset, and an infinity or a NaN anywhere in a;
// *ConvergenceError; the team's error after cancellation. Except for argument errors, w and v are then undefined. With
// opt.SkipFiniteCheck an infinity or a NaN in the triangle is no error: w and v are filled with NaN, and count is 0 for
// a subset by value.
//
// With opt.Jacobi a matrix that is positive definite to working precision gets every eigenvalue, however small, with a relative error of the order n eps
// cond(H), where H is the matrix D^-1 A D^-1 with ones on its diagonal: graded matrices keep the digits of their small eigenvalues,
// whose errors are otherwise of the order eps |A|. It takes some ten sweeps of 3 n^3 multiply-adds.
//
// Cost: 2/3 n^3 multiply-adds for eigenvalues; eigenvectors take up to 2/3 n^3 more in divide and conquer, much less if many eigenvalues
// of its pieces agree, and n^2 for each one that is wanted. Those of a complex matrix are complex, except in divide and conquer.
func Eigh[T dense.Scalar, R dense.Float](a dense.View[T], w []R, v dense.View[T], opt Options) (count int, err error) {
	requireRealType[T, R]()
	if err := checkCall(a, w, v, opt); err != nil {
		return 0, err
	}
	if a.Rows == 0 {
		return 0, nil
	}
	if GroupSize(a.Rows, 1, opt) > 0 {
		count, _, err := EighGroup([]dense.View[T]{a}, [][]R{w}, []dense.View[T]{v}, opt)
		return count, err
	}
	if err := checkFinite(a, "a", opt); err != nil {
		return 0, err
	}
	switch {
	case opt.Jacobi && dense.IsComplex[T]():
		return jacobi[complex128](a, w, v, opt)
	case opt.Jacobi:
		return jacobi[float64](a, w, v, opt)
	case computesInOwnType[T](a.Rows):
		return eigh[T, R](a, w, v, opt)
	}
	return eighWide(a, w, v, opt)
}

// eighWide is eigh in the double precision type that T has.
func eighWide[T dense.Scalar, R dense.Float](a dense.View[T], w []R, v dense.View[T], opt Options) (int, error) {
	if dense.IsComplex[T]() {
		return eigh[complex128, float64](a, w, v, opt)
	}
	return eigh[float64, float64](a, w, v, opt)
}

// From this order on single precision matrices are worked on in single precision.
const leastSingleOrder = 64

// computesInOwnType reports whether matrices and vectors of order n are of type T while they are worked on; others are in double precision.
func computesInOwnType[T dense.Scalar](n int) bool {
	return !dense.IsSingle[T]() || n >= leastSingleOrder
}

// eigh is Eigh in the type W, which V is the real type of, after the checks of the arguments.
func eigh[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](a dense.View[T], w []R, v dense.View[T], opt Options) (int, error) {
	h, err := loadLower[W](opt.Team, a, opt.Upper, opt.Overwrite)
	if err != nil {
		return 0, err
	}
	largest := largestInLower(h)
	if !isFinite(largest) {
		return fillNaN(a.Rows, w, v, opt), nil
	}
	return solve[W, V](h, largest, w, v, opt, transformation[W]{})
}

// transformation leads from the eigenpairs of the matrix that solve gets to those of the caller's problem. The zero
// value changes nothing.
type transformation[W dense.Scalar] struct {
	valueExponent int                              // eigenvalues are multiplied by 2^valueExponent
	vectors       func(rows dense.Matrix[W]) error // works on rows that are eigenvectors; may be nil
}

// Below this order threads cost more than they save.
const leastSharedOrder = 96

// solve diagonalizes the Hermitian matrix in the lower triangle of h, which it overwrites, and writes the wanted
// eigenpairs of the caller's problem to w and v. largest is what largestInLower says of h, a finite number. V is the real type of W.
func solve[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](h dense.Matrix[W], largest float64, w []R, v dense.View[T], opt Options, to transformation[W]) (int, error) {
	n := h.Rows
	if n < leastSharedOrder {
		opt.Team = opt.Team.Serial()
	}
	exponent := scalingExponent[W](largest)
	scaleLower(h, exponent)
	to.valueExponent -= exponent
	if opt.ValuesOnly {
		return solveValues(h, w, opt, to.valueExponent)
	}
	return solveVectors[W, V](h, w, columns(v, opt.Subset.largestCount(n)), opt, to)
}

// solveValues does solve's work, scaling apart, where eigenvalues alone are wanted; they are multiplied by 2^exponent.
func solveValues[W dense.Scalar, R dense.Float](h dense.Matrix[W], w []R, opt Options, exponent int) (int, error) {
	n, team := h.Rows, opt.Team
	team.Plan(n + solveSteps(n))
	memory := borrowWorkspace(2 * wordsOf[float64](n))
	defer memory.giveBack()
	d, e := take[float64](&memory, n), take[float64](&memory, n)
	if _, err := tridiagonalize(team, h, d, e); err != nil {
		return 0, err
	}
	if err := tridiagonalValues(team, d, e); err != nil {
		return 0, err
	}
	first, end := selectionOf[R](opt.Subset, exponent).within(d)
	writeValues(w, d[first:end], exponent)
	return end - first, nil
}

// solveVectors does solve's work, scaling apart, where eigenvectors are wanted; v has as many columns as the subset may hold.
func solveVectors[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](h dense.Matrix[W], w []R, v dense.View[T], opt Options, to transformation[W]) (int, error) {
	n, team := h.Rows, opt.Team
	team.Plan(n + solveSteps(n) + v.Cols)
	vectors, direct := vectorMemory[V](v, opt.Subset)
	memory := borrowWorkspace(solveWords[W, V](n, v.Cols, team.Threads(), direct))
	defer memory.giveBack()
	if !direct {
		vectors = takeMatrix[V](&memory, n, n)
	}
	d, e := take[float64](&memory, n), take[float64](&memory, n)
	tau, err := tridiagonalize(team, h, d, e)
	if err != nil {
		return 0, err
	}
	first, count, err := solveTridiagonal(team, d, e, vectors, selectionOf[R](opt.Subset, to.valueExponent), memory.rest)
	if err != nil {
		return 0, err
	}
	writeValues(w, d[first:first+count], to.valueExponent)
	team.Step(v.Cols - count)
	blocks, err := gather(team, h, tau, take[V](&memory, blockElements[W](n, team.Threads())))
	if err != nil {
		return 0, err
	}
	out := vectorWriter[V, W, T]{blocks: blocks, transform: to.vectors, rows: vectors.Slice(0, count, 0, n), v: columns(v, count)}
	return count, out.write(team, take[V](&memory, writeElements[W](n, count, team.Threads())))
}

// selectionOf returns which eigenvalues, multiplied by 2^exponent and rounded to R, belong to the subset.
func selectionOf[R dense.Float](subset Subset, exponent int) selection {
	if subset.kind == allPairs {
		return nil
	}
	return func(position int, value float64) bool {
		return subset.holds(position, float64(R(math.Ldexp(value, exponent))))
	}
}

// writeValues stores the values d, multiplied by 2^exponent.
func writeValues[R dense.Float](w []R, d []float64, exponent int) {
	for i, x := range d {
		w[i] = R(math.Ldexp(x, exponent))
	}
}

// vectorMemory returns v's own memory as an n x n matrix for real eigenvectors as rows, where it is one and it is sure that all n of its columns are
// outputs.
func vectorMemory[V dense.Float, T dense.Scalar](v dense.View[T], subset Subset) (rows dense.Matrix[V], direct bool) {
	if v.Cols < v.Rows || subset.kind == pairsByValue {
		return rows, false
	}
	return ownRows[V](v.T())
}

// columns returns the view of the first k columns of v.
func columns[T dense.Scalar](v dense.View[T], k int) dense.View[T] {
	v.Cols = k
	return v
}
