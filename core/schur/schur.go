// Package schur computes Schur forms of general square matrices by the implicit QR iteration.
//
// The decomposition is backward stable: the computed factors are exact for a matrix that differs from A by a small
// multiple of eps |A|. Matrices are scaled by a power of two inside, so that any finite input works, subnormal and huge
// ones included, and multiplying A by a power of two multiplies the result by it and changes nothing else.
//
// Package hessenberg reduces the matrix. Small Hessenberg matrices are left to the classical iteration: double-shift QR
// for real ones (double_shift.go), single-shift QR for complex ones (single_shift.go). Larger ones go to the multishift
// iteration with aggressive early deflation (multishift.go), which is the same for both and takes its bulges, its tests
// and the solution of small blocks from the classical ones. Its updates far from the diagonal are queued (package
// deferred).
//
// Threads share the work; results do not depend on their number.
package schur

import (
	"trnsci/core/dense"
	"trnsci/core/hessenberg"
	"trnsci/core/internal/workspace"
	"trnsci/core/quasi"
)

// Decompose computes A = Z T Z^H for an n x n matrix A: T is upper triangular for a complex matrix and upper
// quasi-triangular for a real one, Z is unitary. t and z are n x n of any strides; a z with Rows = 0 is not computed.
//
// A real T has exact zeros below the first subdiagonal. Its diagonal blocks are 1 x 1 for real eigenvalues and 2 x 2
// for complex pairs; a 2 x 2 block is standardized, with equal diagonal elements and off-diagonal elements of opposite
// sign (neither is zero), so that its eigenvalues can be read off: see quasi.Eigenvalues. Their order is the one in
// which the iteration happens to find them. A matrix that already has this form comes back unchanged, with Z = I.
// Eigenvalues that can be isolated by a permutation of rows and columns are exact.
//
// It returns a *dense.ArgumentError for a matrix that is not square, holds infinities or NaNs, or is so large that T
// overflows; a *ConvergenceError when the QR iteration does not converge; and the team's error when the call is
// cancelled. After an error the outputs are unspecified.
//
// Cost: about 25 n^3 flops, 15 n^3 without Z. Method: Hessenberg reduction and Francis's implicit double-shift QR
// iteration (single-shift for complex matrices), Golub and Van Loan, section 7.5, with the deflation test of Ahues and
// Tisseur (LAPACK Working Note 122, 1997), the standardized blocks of Bai and Demmel (Linear Algebra Appl. 186, 1993),
// and for large matrices the multishift iteration of Braman, Byers and Mathias (SIAM J. Matrix Anal. Appl. 23, 2002).
func Decompose[T dense.Scalar](a, t, z dense.View[T], opt Options) error {
	form, factor := workspace.Output[T]{Name: "t", View: t}, workspace.Output[T]{Name: "z", View: z}
	return workspace.Decompose(opt.Team, a, form, factor, opt.SkipFiniteCheck, func(work, zt dense.Matrix[T]) error {
		order, err := hessenberg.Isolate(opt.Team, work)
		if err != nil {
			return err
		}
		exponent, err := DecomposeScaled(work, zt, opt)
		if err != nil {
			return err
		}
		workspace.Scale(work, -exponent)
		restandardize(work, zt)
		hessenberg.RestoreOrder(zt, order)
		return nil
	})
}

// restandardize repairs blocks of a real T in which scaling has rounded an element to zero.
func restandardize[T dense.Scalar](t, zt dense.Matrix[T]) {
	switch t := any(t).(type) {
	case dense.Matrix[float32]:
		quasi.Restandardize(t, any(zt).(dense.Matrix[float32]))
	case dense.Matrix[float64]:
		quasi.Restandardize(t, any(zt).(dense.Matrix[float64]))
	}
}

// DecomposeScaled overwrites the square, finite matrix t by 2^exponent times its Schur form, and zt, unless it has no
// rows, by Z^H. It does not isolate eigenvalues. Errors are those of Decompose but for the *dense.ArgumentError.
func DecomposeScaled[T dense.Scalar](t, zt dense.Matrix[T], opt Options) (exponent int, err error) {
	exponent = workspace.ScalingExponent(t)
	workspace.Scale(t, exponent)
	c := costsOf[T](t.Rows, zt.Rows > 0)
	team := opt.Team.Plan(c.hessenberg + c.iteration)
	phase := team.Phase(c.hessenberg)
	if err := hessenberg.InPlace(phase, t, zt); err != nil {
		return exponent, err
	}
	phase.End()
	opt.Team = team.Phase(c.iteration)
	err = iterate(t, zt, opt)
	opt.Team.End()
	return exponent, err
}

// iterate overwrites the Hessenberg matrix h and the adjoint qt of its unitary factor by the T and Z^H of the Schur
// form.
func iterate[T dense.Scalar](h, qt dense.Matrix[T], opt Options) error {
	switch h := any(h).(type) {
	case dense.Matrix[float32]:
		return newDoubleShiftQR(h, any(qt).(dense.Matrix[float32]), opt).run()
	case dense.Matrix[float64]:
		return newDoubleShiftQR(h, any(qt).(dense.Matrix[float64]), opt).run()
	case dense.Matrix[complex64]:
		return newSingleShiftQR(h, any(qt).(dense.Matrix[complex64]), opt).run()
	case dense.Matrix[complex128]:
		return newSingleShiftQR(h, any(qt).(dense.Matrix[complex128]), opt).run()
	}
	panic("schur: unreachable element type")
}

// costs is the expected costs of the phases, as hessenberg.Costs counts them.
type costs struct{ hessenberg, iteration int }

// costsOf returns the costs for a matrix of order n, with the unitary factor or without.
func costsOf[T dense.Scalar](n int, factor bool) costs {
	// Multiply-adds of the iteration for the cube of the order, with the unitary factor and for eigenvalues alone.
	const iterationRate, valuesRate = 16, 8
	cube := float64(n) * float64(n) * float64(n)
	if dense.IsComplex[T]() {
		cube *= 4
	}
	reduction, accumulation := hessenberg.Costs[T](n, factor)
	if factor {
		return costs{reduction + accumulation, int(iterationRate * cube)}
	}
	return costs{reduction, int(valuesRate * cube)}
}

// Cost returns the expected cost of the Schur form of a matrix of order n, with the unitary factor or without, in
// multiply-adds of products of real matrices in double precision: for callers that plan it as a part of their work.
func Cost[T dense.Scalar](n int, factor bool) int {
	c := costsOf[T](n, factor)
	return c.hessenberg + c.iteration
}

// Workspace returns an upper bound on the memory in bytes that Decompose allocates for an n x n matrix: that of the
// Hessenberg reduction, and for large matrices the deflation windows of the multishift iteration, their products, and
// queued updates, each of which may become as large as the matrix.
func Workspace[T dense.Scalar](n int) int64 {
	const matrices = 8
	bytes := hessenberg.Workspace[T](n)
	plain := plainRealOrder
	if dense.IsComplex[T]() {
		plain = plainComplexOrder
	}
	if n > plain {
		bytes += matrices * int64(dense.Bytes[T]()) * int64(n) * int64(workspace.PaddedStride[T](n))
	}
	return bytes
}
