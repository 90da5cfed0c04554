package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel/batch"
	"trnsci/core/scratch"
	"trnsci/core/tridiag"
	"trnsci/core/tridiag/reduce"
)

const (
	realBytes = 8
	// No machine holds a matrix of a larger order.
	maxOrder = 1 << 24
	// Further vectors of real numbers of a generalized problem: the diagonal of B, its square roots, counts.
	generalizedVectors = 3
	// The tridiagonal matrix, and two vectors of slack.
	tridiagonalVectors = 4
	// Go's allocator rounds small objects up by an eighth at most, large ones to pages. The rest is for the pages of a
	// call's few objects, its closures and goroutines.
	roundUp      = 8
	callOverhead = 1 << 16
)

// withOverhead adds the allocator's rounding up and small objects to a number of bytes.
func withOverhead(bytes int) int64 { return int64(bytes + bytes/roundUp + callOverhead) }

// Workspace returns an upper bound of the memory in bytes that a call for an n x n matrix allocates, so that a caller
// can refuse in time what does not fit. It returns math.MaxInt64 for what no machine can hold. Part of it is kept
// for later calls, within scratch.DefaultLimit for all pools together, until the garbage collector frees it.
func Workspace[T dense.Scalar](n int, generalized bool, opt Options) (bytes int64) {
	if n > maxOrder {
		return math.MaxInt64
	}
	if !opt.Jacobi {
		opt = opt.sharedFrom(minSharedOrder, n*dense.Parts[T]())
	}
	single := worksInSingle[T](n, opt) && !opt.Jacobi
	if dense.IsComplex[T]() {
		return bothPrecisionsBytes[complex64, complex128](n, single, generalized, opt)
	}
	return bothPrecisionsBytes[float32, float64](n, single, generalized, opt)
}

// bothPrecisionsBytes is Workspace for complex or for real matrices. A generalized problem that does not suit single
// precision is solved a second time, in double precision.
func bothPrecisionsBytes[N, W dense.Scalar](n int, single, generalized bool, opt Options) (bytes int64) {
	if single {
		bytes = workspaceBytes[N, float32](n, generalized, opt)
	}
	if !single || generalized {
		bytes += workspaceBytes[W, float64](n, generalized, opt)
	}
	return bytes
}

// workspaceBytes is Workspace for a computation in the type W, with the real type V.
func workspaceBytes[W dense.Scalar, V dense.Float](n int, generalized bool, opt Options) int64 {
	if opt.Jacobi {
		return jacobiBytes[W](n, opt.Team.Threads())
	}
	size, threads := dense.Bytes[W](), opt.Team.Threads()
	kept := scratch.Count(func(a *scratch.Arena) {
		p := pencil[W]{inPlaceB: !generalized}
		p.take(a, n)
		if generalized {
			new(standardMemory[W, V]).take(a, n, opt, false)
		} else {
			new(solveMemory[W, V]).take(a, n, opt, false)
		}
	})
	total := size*(reduce.WorkElements[W](n)+n) + realBytes*(tridiagonalVectors*n+kept)
	if opt.ValuesOnly {
		total += tridiag.EigenvaluesBytes(n, threads)
	} else {
		total += tridiag.EigenpairsBytes(n) + threads*int(blas.GemmWorkspace[V](dense.Parts[W]()*n))
	}
	if generalized { // the Cholesky factorization and the solves with its factor
		total += size*(threads*inverseRows+probes)*n +
			realBytes*generalizedVectors*n
		total += threads*int(blas.GemmWorkspace[V](dense.Parts[W]()*n)+blas.TriangularWorkspace[W](n, n)) +
			int(blas.SymmetricWorkspace[W](n))
	}
	if n <= maxLaneOrder {
		total += realBytes * laneElements[W](batch.Width, n, opt.ValuesOnly)
	}
	return withOverhead(total)
}

// jacobiBytes is workspaceBytes for Jacobi's method.
func jacobiBytes[W dense.Scalar](n, threads int) int64 {
	size := dense.Parts[W]() * realBytes
	const (
		squares = 3  // the factor, the remaining matrix, and eigenvectors
		vectors = 20 // pairs and their rotations, values and orders
	)
	total := size*(reduce.LowerSize[W](n)+squares*n*n) + realBytes*vectors*n
	if dense.IsComplex[W]() { // complex rank-one updates are products of real matrices
		total += threads * int(blas.GemmWorkspace[float64](n))
	}
	return withOverhead(total)
}

// WorkspaceCanonical is Workspace for EighCanonical.
func WorkspaceCanonical[T dense.Scalar](n int, opt Options) (bytes int64) {
	if n > maxOrder {
		return math.MaxInt64
	}
	all := opt
	all.ValuesOnly, all.Subset = false, Subset{}
	// The eigenvectors of both problems, and their products. The rows of single precision matrices are padded most.
	const squares = 3
	own := int64(dense.Parts[T]()*(squares*n*n+reduce.LowerSize[float32](n))+n) * realBytes
	own += int64(dense.Parts[T]()) * blas.SymmetricWorkspace[float64](n)
	return own + own/roundUp + Workspace[T](n, false, all) + Workspace[T](n, false, opt)
}

// BandWorkspace is Workspace for EighBanded with a band of the given rows, and with 2 rows for EighTridiagonal.
func BandWorkspace[T dense.Scalar](rows, n int, opt Options) (bytes int64) {
	width := bandWidth(rows, n)
	size := dense.Parts[T]() * realBytes
	if width > 1 && !(opt.ValuesOnly && isNarrow(width, n)) {
		if whole := Workspace[T](n, false, opt); whole < math.MaxInt64 {
			return whole + int64(size*n*n) // the dense matrix
		}
		return math.MaxInt64
	}
	if !opt.ValuesOnly {
		return Workspace[T](n, false, opt)
	}
	perRow := size + tridiagonalVectors*realBytes // the phases and the tridiagonal matrix
	if width > 1 {
		perRow += size * reduce.BandElements(width)
	}
	return withOverhead(n*perRow + tridiag.EigenvaluesBytes(n, opt.Team.Threads()))
}
