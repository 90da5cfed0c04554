package eigen

import (
	"fmt"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
	"trnsci/core/tridiag"
)

// workspaces keeps the memory of calls for later ones, within scratch.DefaultLimit for all pools together: touching the
// pages of new memory takes up to half as long as the computation for small matrices, and a tenth at order 2048.
var workspaces = scratch.Pool{MostBytes: scratch.DefaultLimit}

// Options selects what is computed and what may be overwritten. The zero value reads the lower triangle, computes all
// eigenvalues and eigenvectors on one thread and leaves the input unchanged.
type Options struct {
	Team            *sched.Team // threads, cancellation, progress; nil is one thread
	Upper           bool        // read the upper triangle of a and b instead of the lower one
	ValuesOnly      bool        // compute no eigenvectors; v is not touched
	SkipFiniteCheck bool        // do not look for infinities and NaNs in the whole of a and b
	Overwrite       bool        // a and b may be used as scratch memory
	DoublePrecision bool        // compute in double precision for every dtype
	Jacobi          bool        // Eigh uses Jacobi's method, which is slower but accurate for graded matrices
	Subset          Subset
}

// Subset says which eigenpairs are wanted. The zero value is all of them; ByIndex and ByValue make the others.
type Subset struct {
	kind        subsetKind
	first, last int
	above, upTo float64
}

type subsetKind int

const (
	allPairs subsetKind = iota
	pairsByIndex
	pairsByValue
)

// ByIndex selects the eigenvalues with the 0-based positions lo to hi, hi included, in ascending order. A call with an
// n x n matrix returns an error unless 0 <= lo <= hi < n.
func ByIndex(lo, hi int) Subset { return Subset{kind: pairsByIndex, first: lo, last: hi} }

// ByValue selects the eigenvalues in the half open interval above < w <= upTo, where w is the computed value after
// rounding to the dtype. Infinite ends are allowed; a call returns an error unless above < upTo.
func ByValue(above, upTo float64) Subset { return Subset{kind: pairsByValue, above: above, upTo: upTo} }

func (s Subset) check(n int) error {
	switch {
	case s.kind == pairsByIndex && !(0 <= s.first && s.first <= s.last && s.last < n):
		return dense.BadArgument("subset_by_index", "expected 0 <= first <= last < %d, got (%d, %d)", n, s.first, s.last)
	case s.kind == pairsByValue && !(s.above < s.upTo):
		return dense.BadArgument("subset_by_value", "expected a lower end below the upper end, got (%g, %g)", s.above, s.upTo)
	}
	return nil
}

// maxCount returns how many of n eigenvalues the subset can hold at most.
func (s Subset) maxCount(n int) int {
	if s.kind == pairsByIndex {
		return s.last - s.first + 1
	}
	return n
}

// holds reports whether the subset has the eigenvalue w at the 0-based position i of all eigenvalues.
func (s Subset) holds(i int, w float64) bool {
	switch s.kind {
	case pairsByIndex:
		return s.first <= i && i <= s.last
	case pairsByValue:
		return s.above < w && w <= s.upTo
	}
	return true
}

// selectionOf returns which eigenvalues, multiplied by 2^exponent and rounded to R, belong to the subset.
func selectionOf[R dense.Float](subset Subset, exponent int) tridiag.Selection {
	if subset.kind == allPairs {
		return nil
	}
	return func(position int, value float64) bool {
		return subset.holds(position, float64(R(math.Ldexp(value, exponent))))
	}
}

// Problem is the kind of a generalized eigenproblem; its numbers are those of LAPACK and SciPy.
type Problem int

// The generalized eigenproblems.
const (
	AXEqualsLambdaBX Problem = 1 // A x = lambda B x
	ABXEqualsLambdaX Problem = 2 // A B x = lambda x
	BAXEqualsLambdaX Problem = 3 // B A x = lambda x
)

// ConvergenceError reports that the QL iteration or Jacobi's method gave up. No matrix is known to cause it: in exact
// arithmetic the QL iteration converges for every tridiagonal matrix (Parlett, The Symmetric Eigenvalue Problem,
// section 8.10).
type ConvergenceError struct {
	Found  int // eigenvalues that had converged, those of the blocks before the failing one included
	Order  int // order of the matrix
	Sweeps int // of Jacobi's method; 0 for the QL iteration
}

func (e *ConvergenceError) Error() string {
	if e.Sweeps > 0 {
		return fmt.Sprintf("Jacobi's method was given up after %d sweeps for a matrix of order %d", e.Sweeps, e.Order)
	}
	return (&tridiag.ConvergenceError{Found: e.Found, Order: e.Order}).Error()
}

// convergenceError converts the error of the tridiagonal solvers.
func convergenceError(err error) error {
	if failed, ok := err.(*tridiag.ConvergenceError); ok {
		return &ConvergenceError{Found: failed.Found, Order: failed.Order}
	}
	return err
}

// requireRealType panics unless R has the precision of T: the types are chosen by the programmer, not by the user.
func requireRealType[T dense.Scalar, R dense.Float]() {
	if dense.Eps[T]() != dense.Eps[R]() {
		panic("eigen: the type of the eigenvalues is not the real type of the matrix")
	}
}

// checkCall returns an error unless a is square, the subset fits it and the outputs have room for the result.
func checkCall[T dense.Scalar, R dense.Float](a dense.View[T], w []R, v dense.View[T], opt Options) error {
	if a.Cols != a.Rows {
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	return checkResults(a.Rows, w, v, opt)
}

// checkResults returns an error unless the subset fits a matrix of order n and the outputs have room for the result.
func checkResults[T dense.Scalar, R dense.Float](n int, w []R, v dense.View[T], opt Options) error {
	if err := opt.Subset.check(n); err != nil {
		return err
	}
	wanted := opt.Subset.maxCount(n)
	if len(w) < wanted {
		return dense.BadArgument("w", "expected room for %d eigenvalues, got %d", wanted, len(w))
	}
	if !opt.ValuesOnly && (v.Rows != n || v.Cols < wanted) {
		return dense.BadArgument("v", "expected shape (%d, %d), got (%d, %d)", n, wanted, v.Rows, v.Cols)
	}
	return nil
}

// checkFinite returns an error for infinities and NaNs anywhere in v, unless opt skips this check.
func checkFinite[T dense.Scalar](v dense.View[T], name string, opt Options) error {
	if opt.SkipFiniteCheck {
		return nil
	}
	return blas.CheckFinite(opt.Team, v, name)
}

// fillNaN stores the result for a matrix that is not finite: all wanted eigenpairs are NaN, and a subset by value is
// empty.
func fillNaN[T dense.Scalar, R dense.Float](n int, w []R, v dense.View[T], opt Options) (count int) {
	if opt.Subset.kind == pairsByValue {
		return 0
	}
	nan := math.NaN()
	count = opt.Subset.maxCount(n)
	for i := range count {
		w[i] = R(nan)
	}
	if !opt.ValuesOnly {
		columns(v, count).Fill(dense.FromParts[T](nan, nan))
	}
	return count
}

// columns returns the view of the first k columns of v.
func columns[T dense.Scalar](v dense.View[T], k int) dense.View[T] {
	v.Cols = k
	return v
}
