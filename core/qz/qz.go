// Package qz computes generalized Schur forms of pairs of square matrices by the QZ algorithm, reorders their
// eigenvalues, and computes generalized eigenvectors.
//
// The arithmetic is in double precision for all types; results for single-precision matrices are rounded once at the
// end. The decompositions are backward stable: the computed factors are exact for matrices that differ from A and B by
// small multiples of eps |A| and eps |B|. Each matrix is scaled internally by a power of two, so that any finite input
// works, subnormal and huge elements included. Multiplying A or B by a power of two multiplies its form by the same
// power and changes nothing else. Results do not depend on the number of threads.
//
// The files follow the routines of LAPACK, whose names they have:
//
//	gghd3.go   reduction to Hessenberg-triangular form by panels (gghd3); blocks.go has the products of their rotations,
//	           wavefront.go sweeps of rotations of a vector
//	gghrd.go   the same by columns, and the QR factorization before (gghrd)
//	hgeqz.go   QZ iteration: deflation, shifts; sweep.go has the single-shift sweep, double_shift.go that of real pairs
//	lagv2.go   standard form of 2 x 2 diagonal blocks (lagv2)
//	tgevc.go   eigenvectors by back substitution (tgevc)
//	tgsen.go   reordering (tgsen, tgexc) by swaps of adjacent blocks, tgex2.go with tgsy2.go
//	zeros.go   swaps that keep infinite and zero eigenvalues exact
//	lasr.go    sequences of Givens rotations (lasr)
//
// decompose.go and eigen.go are the drivers (gges, ggev), pencil.go has the pair that all of them work on.
package qz

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Options of a call. The zero value is right for most callers.
type Options struct {
	// Team provides threads, cancellation and progress.
	Team *sched.Team
	// SkipFiniteCheck makes matrices with infinities or NaNs give results full of NaN instead of an error.
	SkipFiniteCheck bool
	// MaxIterations limits the QZ sweeps of the whole call; 0 means 30 for each eigenvalue.
	MaxIterations int
}

// Form holds the results for matrices of order n: A = Q S Z^H, B = Q P Z^H. S and P are n x n of any strides; a Q or Z
// with Rows = 0 is not computed. Eigenvalue k is Alpha[k] / Beta[k]; either both slices have n elements or both are
// nil.
type Form[T dense.Scalar] struct {
	S, P, Q, Z dense.View[T]
	Alpha      []complex128
	Beta       []float64
}

// ConvergenceError reports that the QZ iteration did not converge: after Sweeps sweeps in all, the rows Lo to Hi
// (0-based, inclusive) still form one unreduced block. Found of the N eigenvalues have converged.
type ConvergenceError struct {
	Lo, Hi   int
	Found, N int
	Sweeps   int
}

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("qz: the block of rows %d to %d did not split after %d QZ sweeps; "+
		"%d of %d eigenvalues were found", e.Lo, e.Hi, e.Sweeps, e.Found, e.N)
}

// OrderError reports that two adjacent diagonal blocks, the first of which starts in row Row (0-based), were not
// swapped because their eigenvalues are too close: the pair would have been too far from generalized Schur form.
type OrderError struct{ Row int }

func (e *OrderError) Error() string {
	return fmt.Sprintf("qz: the diagonal blocks from row %d on were not interchanged: "+
		"their eigenvalues are too close, and the pair would be too far from generalized Schur form; "+
		"it has been reordered in part", e.Row)
}

// Workspace returns an upper bound on the memory in bytes that Decompose, Order or Eigen holds at any time for matrices
// of order n.
func Workspace[T dense.Scalar](n int) int64 {
	const (
		matrices = 8       // S, P, Q, Z, and those of Eigen: the vectors, their product with Q or Z, and two more
		vectors  = 128     // rotations, padding of rows, products with reflectors
		extra    = 1 << 20 // blocks of rotations and of matrix products, structs
	)
	word := int64(8)
	if dense.IsComplex[T]() {
		word = 16
	}
	return word*int64(n)*(matrices*int64(n)+vectors) + extra
}
