package eigen

import (
	"fmt"
	"math"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
	"trnsci/core/tridiag"
	"trnsci/core/tridiag/reduce"
)

// Options selects what is computed and what may be overwritten. The zero value reads the lower triangle, computes all
// eigenvalues and eigenvectors on one thread and leaves the input as it is.
type Options struct {
	Team            *sched.Team // threads, cancellation, progress; nil is one thread
	Upper           bool        // read the upper triangle of a and b instead of the lower one
	ValuesOnly      bool        // compute no eigenvectors; v is not touched
	SkipFiniteCheck bool        // do not look for infinities and NaNs in the whole of a and b
	Overwrite       bool        // a and b may be used as scratch memory
	DoublePrecision bool        // work in double precision whatever the dtype is
	Jacobi          bool        // Eigh uses Jacobi's method, which is slower; the comment of Eigh says what for
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

// largestCount returns how many of n eigenvalues the subset can hold.
func (s Subset) largestCount(n int) int {
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

// Problem is the kind of a generalized eigenproblem; its numbers are those of LAPACK and SciPy.
type Problem int

// The generalized eigenproblems.
const (
	AXEqualsLambdaBX Problem = 1 // A x = lambda B x
	ABXEqualsLambdaX Problem = 2 // A B x = lambda x
	BAXEqualsLambdaX Problem = 3 // B A x = lambda x
)

// ConvergenceError reports that the QL iteration or Jacobi's method was given up. No matrix is known to cause it: the QL iteration converges
// for every tridiagonal matrix in exact arithmetic (Parlett, The Symmetric Eigenvalue Problem, section 8.10).
type ConvergenceError struct {
	Found  int // eigenvalues that had converged, and those of pieces in front of the one that did not converge
	Order  int // order of the matrix
	Sweeps int // that Jacobi's method did; 0 if it was the QL iteration
}

func (e *ConvergenceError) Error() string {
	if e.Sweeps > 0 {
		return fmt.Sprintf("Jacobi's method was given up after %d sweeps for a matrix of order %d", e.Sweeps, e.Order)
	}
	return fmt.Sprintf("the QL iteration found %d of %d eigenvalues and was given up", e.Found, e.Order)
}

// convergenceError converts the error of the tridiagonal solvers.
func convergenceError(err error) error {
	if failed, ok := err.(*tridiag.ConvergenceError); ok {
		return &ConvergenceError{Found: failed.Found, Order: failed.Order}
	}
	return err
}

// Workspace returns an upper bound of the memory in bytes that a call for an n x n matrix allocates, so that a caller
// can refuse in time what does not fit. It returns math.MaxInt64 for what no machine can hold. Up to 32 MB of it are kept between calls.
func Workspace[T dense.Scalar](n int, generalized bool, opt Options) (bytes int64) {
	if n > largestOrder {
		return math.MaxInt64
	}
	if !opt.Jacobi {
		opt = opt.sharedFrom(leastSharedOrder, n*planes[T]())
	}
	single := worksInSingle[T](n, opt) && !opt.Jacobi
	if dense.IsComplex[T]() {
		return bytesOfBoth[complex64, complex128](n, single, generalized, opt)
	}
	return bytesOfBoth[float32, float64](n, single, generalized, opt)
}

// bytesOfBoth is Workspace for complex or for real matrices. A generalized problem that does not suit single precision is then solved in double
// precision.
func bytesOfBoth[N, W dense.Scalar](n int, single, generalized bool, opt Options) (bytes int64) {
	if single {
		bytes = workspaceBytes[N, float32](n, generalized, opt)
	}
	if !single || generalized {
		bytes += workspaceBytes[W, float64](n, generalized, opt)
	}
	return bytes
}

// workspaceBytes is Workspace for the type W of what is computed, which V is the real type of.
func workspaceBytes[W dense.Scalar, V dense.Float](n int, generalized bool, opt Options) int64 {
	if opt.Jacobi {
		return jacobiBytes[W](n, opt.Team.Threads())
	}
	var number W
	wide, threads := int(unsafe.Sizeof(number)), opt.Team.Threads()
	total := wide*(reduce.LowerSize[W](n)+reduce.WorkElements[W](n)+n) + realBytes*(wholeRows*n+solveWords[W, V](n, opt, false))
	if opt.ValuesOnly {
		total += tridiag.EigenvaluesBytes(n, threads)
	} else {
		total += tridiag.EigenpairsBytes(n) + threads*int(blas.GemmWorkspace[V]())
	}
	if generalized { // the Cholesky factorization and the solves with its factor
		total += wide*(reduce.LowerSize[W](n)+standardFormElements[W](n)+(threads*inverseRows+probes)*n) + realBytes*generalizedRows*n
		total += threads * int(blas.GemmWorkspace[V]()+blas.TriangularWorkspace[W](n))
	}
	if n <= laneOrder {
		total += realBytes * kernel.LaneElements(kernel.Lanes, n, planes[W](), !opt.ValuesOnly)
	}
	return int64(total + total/roundUp + callOverhead)
}

const (
	realBytes = 8
	// No machine holds a matrix of a larger order.
	largestOrder = 1 << 24
	// Rows of real numbers that a generalized problem takes besides: the diagonal of B, its square roots, counts.
	generalizedRows = 3
	// Rows of real numbers d and e, and two of slack.
	wholeRows = 4
	// Go's allocator rounds small objects up by an eighth at most, large ones to pages. The rest is for the pages of a
	// call's few objects, its closures and goroutines.
	roundUp      = 8
	callOverhead = 1 << 16
)

// requireRealType panics unless R has the precision of T: the types are the program's, not the user's.
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
	wanted := opt.Subset.largestCount(n)
	if len(w) < wanted {
		return dense.BadArgument("w", "expected room for %d eigenvalues, got %d", wanted, len(w))
	}
	if !opt.ValuesOnly && (v.Rows != n || v.Cols < wanted) {
		return dense.BadArgument("v", "expected shape (%d, %d), got (%d, %d)", n, wanted, v.Rows, v.Cols)
	}
	return nil
}

// fillNaN answers for a matrix that is not finite: all wanted eigenpairs are NaN, none of them in a subset by value.
func fillNaN[T dense.Scalar, R dense.Float](n int, w []R, v dense.View[T], opt Options) (count int) {
	if opt.Subset.kind == pairsByValue {
		return 0
	}
	nan := math.NaN()
	count = opt.Subset.largestCount(n)
	for i := range count {
		w[i] = R(nan)
	}
	if opt.ValuesOnly {
		return count
	}
	for i := range v.Rows {
		for j := range count {
			v.Set(i, j, dense.FromParts[T](nan, nan))
		}
	}
	return count
}

// checkFinite refuses infinities and NaNs in the whole of v, unless opt forbids to look.
func checkFinite[T dense.Scalar](v dense.View[T], name string, opt Options) error {
	if opt.SkipFiniteCheck {
		return nil
	}
	return blas.CheckFinite(opt.Team, v, name)
}
