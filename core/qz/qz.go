// Package qz computes generalized Schur forms of pairs of square matrices by the QZ algorithm, moves chosen eigenvalues
// to the top of such a form, and finds generalized eigenvectors.
//
// All arithmetic is done in double precision, for single-precision matrices too, whose results are rounded once at the
// end. The decompositions are backward stable: the computed factors are exact for matrices that differ from A and B by
// small multiples of eps |A| and eps |B|. Each matrix is scaled by a power of two inside, so that any finite input
// works, subnormal and huge ones included, and multiplying A or B by a power of two multiplies its form and changes
// nothing else.
//
// Plane rotations do all of the work. Results do not depend on the number of threads.
package qz

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Options of a call. The zero value is right for most callers.
type Options struct {
	// Team carries threads, cancellation and progress: Decompose plans 2 n steps, Eigen n more for each kind of vectors.
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

// ConvergenceError reports that the QZ iteration gave up: the rows Lo to Hi (0-based, inclusive) still form one
// unreduced block after Sweeps sweeps in all. Found of the N eigenvalues were isolated.
type ConvergenceError struct {
	Lo, Hi   int
	Found, N int
	Sweeps   int
}

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("qz: the block of rows %d to %d did not split after %d QZ sweeps; %d of %d eigenvalues were found",
		e.Lo, e.Hi, e.Sweeps, e.Found, e.N)
}

// OrderError reports that two neighbouring diagonal blocks, the first of which starts in row Row (0-based), were not
// interchanged because their eigenvalues are too close: the pair would have been too far from generalized Schur form.
type OrderError struct{ Row int }

func (e *OrderError) Error() string {
	return fmt.Sprintf("qz: the diagonal blocks from row %d on were not interchanged: their eigenvalues are too close, and the pair "+
		"would be too far from generalized Schur form; it has been reordered in part", e.Row)
}

// Decompose computes the generalized Schur form of the n x n matrices a and b. Inputs are left as they are and must not
// overlap the results.
//
// Complex: S and P are upper triangular and P has a real diagonal, nowhere negative. Real: P is upper triangular with a
// diagonal that is nowhere negative, S is upper quasi-triangular. A 2 x 2 diagonal block of S belongs to a pair of
// complex eigenvalues, and P's block beside it is diagonal with positive elements, the larger one first. Elements that
// must be zero are exactly zero. Eigenvalues come in the order in which the iteration happens to find them; Beta is 0
// for an infinite one. Alpha and Beta are the diagonals of S and P where a block has one row. For a pair both betas are
// the square root of the determinant of P's block; the alpha with positive imaginary part comes first.
//
// It returns a *dense.ArgumentError for shapes that do not fit, for infinities or NaNs, and for matrices so large that
// S or P overflows; a *ConvergenceError when the iteration does not converge; and the team's error when the call is
// cancelled. After an error the results are unspecified.
//
// Cost: about 50 n^3 flops for real matrices, 66 n^3 with Q and Z. Method: reduction to Hessenberg-triangular form and
// implicit QZ iteration, double shifts for real matrices and single ones for complex, of C. B. Moler and G. W. Stewart
// (SIAM J. Numer. Anal. 10, 1973); Golub and Van Loan, Matrix Computations, 4th ed., section 7.7.
func Decompose[T dense.Scalar](a, b dense.View[T], f Form[T], opt Options) error {
	if dense.IsComplex[T]() {
		return decompose[T, complex128](a, b, f, opt)
	}
	return decompose[T, float64](a, b, f, opt)
}

// Workspace returns an upper bound on the memory in bytes that Decompose, Order or Eigen holds at one time for matrices
// of order n.
func Workspace[T dense.Scalar](n int) int64 {
	const (
		matrices = 8       // S, P, Q, Z; Eigen's two turned ones, its vectors and their product with Q or Z
		vectors  = 32      // of planes and sums
		extra    = 1 << 18 // packed blocks of matrix products, structs
	)
	word := int64(8)
	if dense.IsComplex[T]() {
		word = 16
	}
	return word*int64(n)*(matrices*int64(n)+vectors) + extra
}
