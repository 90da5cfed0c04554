// Package schur reduces square matrices to Hessenberg form and to Schur form by unitary similarity.
//
// Both decompositions are backward stable: the computed factors are exact for a matrix that differs from A by a small
// multiple of eps |A|. Matrices are scaled by a power of two inside, so that any finite input works, subnormal and huge
// ones included, and multiplying A by a power of two multiplies the result by it and changes nothing else.
//
// Threads share the work; results do not depend on their number.
package schur

import (
	"fmt"
	"math"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Options of a decomposition. The zero value is right for most callers.
type Options struct {
	// Team carries cancellation and progress: a call plans n steps for the reduction and n for the eigenvalues.
	Team *sched.Team
	// SkipFiniteCheck makes a matrix with infinities or NaNs give results full of NaN instead of an error.
	SkipFiniteCheck bool
	// Overwrite is for callers who do not need a any more: the first output may then be the same view as a. No other
	// overlap of the views is allowed, with or without Overwrite.
	Overwrite bool
	// ValuesOnly is for callers of Schur who only want the eigenvalues: of t only the diagonal blocks are computed then, and what is right of them is
	// unspecified. It changes nothing in Hessenberg, and where z is wanted.
	ValuesOnly bool
	// MaxIterations limits the QR sweeps of the whole call; 0 means 30 for each eigenvalue.
	MaxIterations int
}

// ConvergenceError reports that the QR iteration gave up: the rows Lo to Hi (0-based, inclusive) of the iterated matrix
// still form one unreduced Hessenberg block after Sweeps sweeps in all. Found of the N eigenvalues were isolated.
type ConvergenceError struct {
	Lo, Hi   int
	Found, N int
	Sweeps   int
}

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("schur: the block of rows %d to %d did not split after %d QR sweeps; %d of %d eigenvalues were found",
		e.Lo, e.Hi, e.Sweeps, e.Found, e.N)
}

// Hessenberg computes A = Q H Q^H for an n x n matrix A: H is upper Hessenberg with exact zeros below the first
// subdiagonal, Q is unitary with first column e_1. h and q are n x n of any strides; a q with Rows = 0 is not
// computed. A matrix that already is Hessenberg comes back unchanged, with Q = I. The subdiagonal elements that
// reflections make are real.
//
// It returns a *dense.ArgumentError for a matrix that is not square, holds infinities or NaNs, or is so large that H
// overflows; and the team's error when the call is cancelled. After an error the outputs are unspecified.
//
// Cost: 10/3 n^3 flops, 14/3 n^3 with Q. Method: Householder reduction, Golub and Van Loan, Matrix Computations,
// 4th ed., algorithm 7.4.2.
func Hessenberg[T dense.Scalar](a, h, q dense.View[T], opt Options) error {
	return decompose(a, output[T]{"h", h}, output[T]{"q", q}, opt, method[T]{})
}

// methods is a method for each type.
type methods struct {
	single        method[float32]
	double        method[float64]
	singleComplex method[complex64]
	doubleComplex method[complex128]
}

// runMethod calls decompose with the method of the type T.
func runMethod[T dense.Scalar](m methods, a dense.View[T], form, factor output[T], opt Options) error {
	switch {
	case dense.IsComplex[T]() && dense.IsSingle[T]():
		return decompose(a, form, factor, opt, m.singleComplex)
	case dense.IsComplex[T]():
		return decompose(a, form, factor, opt, m.doubleComplex)
	case dense.IsSingle[T]():
		return decompose(a, form, factor, opt, m.single)
	}
	return decompose(a, form, factor, opt, m.double)
}

// Schur computes A = Z T Z^H for an n x n matrix A: T is upper triangular for a complex matrix and upper quasi-triangular
// for a real one, Z is unitary. t and z are n x n of any strides; a z with Rows = 0 is not computed.
//
// A real T has exact zeros below the first subdiagonal. Its diagonal blocks are 1 x 1 for real eigenvalues and 2 x 2 for
// complex pairs; a 2 x 2 block is standardized, with equal diagonal elements and off-diagonal elements of opposite
// sign (neither is zero), so that its eigenvalues can be read off: see Eigenvalues. Their order is the one in which the
// iteration happens to find them. A matrix that already has this form comes back unchanged, with Z = I. Eigenvalues that stand alone in their row or column,
// or do so without others of that kind, are exact: rows and columns are permuted first.
//
// It returns a *dense.ArgumentError for a matrix that is not square, holds infinities or NaNs, or is so large that T
// overflows; a *ConvergenceError when the QR iteration does not converge; and the team's error when the call is
// cancelled. After an error the outputs are unspecified.
//
// Cost: about 25 n^3 flops, 15 n^3 without Z. Method: Hessenberg reduction and Francis's implicit double-shift QR
// iteration (single-shift for complex matrices), Golub and Van Loan, section 7.5, with the deflation test of Ahues and Tisseur (LAPACK Working Note 122,
// 1997) and the standardized blocks of Bai and Demmel (Linear Algebra Appl. 186, 1993).
func Schur[T dense.Scalar](a, t, z dense.View[T], opt Options) error {
	return runMethod(methods{
		single:        method[float32]{iterate: triangularize[float32], finish: restandardize[float32]},
		double:        method[float64]{iterate: triangularize[float64], finish: restandardize[float64]},
		singleComplex: method[complex64]{iterate: triangularizeComplex[complex64]},
		doubleComplex: method[complex128]{iterate: triangularizeComplex[complex128]},
	}, a, output[T]{"t", t}, output[T]{"z", z}, opt)
}

// Eigenvalues returns the eigenvalues of the triangular or quasi-triangular t that Schur computes, in the order of its
// diagonal. A 2 x 2 block [a b; c a] holds the pair a +- i sqrt(-bc), of which the one with positive imaginary part comes
// first.
func Eigenvalues[T dense.Scalar](t dense.View[T]) []complex128 {
	n := t.Rows
	values := make([]complex128, 0, n)
	for i := 0; i < n; i++ {
		diagonal := dense.Convert[complex128](t.At(i, i))
		if i+1 == n || t.At(i+1, i) == 0 {
			values = append(values, diagonal)
			continue
		}
		im := geometricMean(dense.Abs(t.At(i, i+1)), dense.Abs(t.At(i+1, i)))
		values = append(values, diagonal+complex(0, im), dense.Convert[complex128](t.At(i+1, i+1))-complex(0, im))
		i++
	}
	return values
}

// geometricMean returns the square root of x y, which is exact if the numbers are equal.
func geometricMean(x, y float64) float64 {
	larger, smaller := max(x, y), min(x, y)
	if ratio := smaller / larger; ratio >= safeMin {
		return larger * math.Sqrt(ratio)
	}
	return math.Sqrt(larger) * math.Sqrt(smaller)
}

// Workspace returns an upper bound on the memory in bytes that Hessenberg or Schur allocates for an n x n matrix: two
// matrices, of which the second is for the unitary factor, and a few vectors.
func Workspace[T dense.Scalar](n int, _ Options) int64 {
	switch {
	case dense.IsComplex[T]() && dense.IsSingle[T]():
		return workspace[complex64](n)
	case dense.IsComplex[T]():
		return workspace[complex128](n)
	case dense.IsSingle[T]():
		return workspace[float32](n)
	}
	return workspace[float64](n)
}

// workspace is Workspace for the type W that is worked in.
func workspace[W dense.Scalar](n int) int64 {
	const (
		matrices, vectors = 2, 4
		reflectors        = 5    // numbers for each row
		headers           = 2048 // structs, the alignment of the matrices and the allocator's rounding up of small sizes
		pageSize          = 8192 // to which the allocator rounds up large sizes
	)
	word, order, stride := int64(unsafe.Sizeof(*new(W))), int64(n), int64(paddedStride[W](n))
	numbers := matrices*order*stride + int64(reductionElements[W](n)) + (vectors+reflectors)*order
	plain := plainOrder
	if dense.IsComplex[W]() {
		plain = plainComplexOrder
	}
	if n > plain { // the windows of the multishift iteration and their products, which may become as large as the matrix
		numbers += (matrices + 1 + reflectors) * order * stride
	}
	return word*numbers + (matrices+1+vectors)*pageSize + headers
}
