// Package hessenberg balances square matrices and reduces them to Hessenberg form by unitary similarity: what comes
// before a QR iteration.
//
// The reduction is backward stable: the computed factors are exact for a matrix that differs from A by a small multiple
// of eps |A|. Matrices are scaled by a power of two inside, so that any finite input works, subnormal and huge ones
// included, and multiplying A by a power of two multiplies the result by it and changes nothing else.
//
// Small matrices are reduced by one fused pass over the matrix for each reflector (gehd2_fused.go), large ones a panel
// of columns at a time (gehrd.go, with the columns of a panel in lahr2.go). Threads share the work; results do not
// depend on their number.
package hessenberg

import (
	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/sched"
)

// Options of Reduce. The zero value is right for most callers.
type Options struct {
	// Team carries threads, cancellation and progress.
	Team *sched.Team
	// SkipFiniteCheck makes a matrix with infinities or NaNs give results full of NaN instead of an error.
	SkipFiniteCheck bool
	// Overwrite is for callers who do not need a any more: h may then be the same view as a. No other overlap of the views
	// is allowed, with or without Overwrite.
	Overwrite bool
}

// Reduce computes A = Q H Q^H for an n x n matrix A: H is upper Hessenberg with exact zeros below the first
// subdiagonal, Q is unitary with first column e_1. h and q are n x n of any strides; a q with Rows = 0 is not computed.
// A matrix that already is Hessenberg comes back unchanged, with Q = I. The subdiagonal elements that reflectors
// produce are real.
//
// It returns a *dense.ArgumentError for a matrix that is not square, holds infinities or NaNs, or is so large that H
// overflows; and the team's error when the call is cancelled. After an error the outputs are unspecified.
//
// Cost: 10/3 n^3 flops, 14/3 n^3 with Q. Method: Householder reduction, Golub and Van Loan, Matrix Computations,
// 4th ed., algorithm 7.4.2.
func Reduce[T dense.Scalar](a, h, q dense.View[T], opt Options) error {
	form, factor := workspace.Output[T]{Name: "h", View: h}, workspace.Output[T]{Name: "q", View: q}
	return workspace.Decompose(opt.Team, a, form, factor, opt.SkipFiniteCheck, func(work, qt dense.Matrix[T]) error {
		exponent := workspace.ScalingExponent(work)
		workspace.Scale(work, exponent)
		reduction, accumulation := Costs[T](work.Rows, qt.Rows > 0)
		team := opt.Team.Plan(reduction + accumulation)
		phase := team.Phase(reduction + accumulation)
		if err := InPlace(phase, work, qt); err != nil {
			return err
		}
		phase.End()
		workspace.Scale(work, -exponent)
		return nil
	})
}

// InPlace overwrites the square matrix a by its Hessenberg form H, A = Q H Q^H, and qt by Q^H unless it has no rows.
// The elements of a must be small enough that sums of n squares of them do not overflow. Matrices whose rows begin at
// whole cache lines are reduced in place if they are small, others in a copy. The error is the team's.
func InPlace[T dense.Scalar](team *sched.Team, a, qt dense.Matrix[T]) error {
	reduction, accumulation := Costs[T](a.Rows, qt.Rows > 0)
	team = team.Plan(reduction + accumulation)
	switch n := a.Rows; {
	case n < blockedOrder && dense.IsSingle[T]():
		return reduceFused[T, float32](team, a, qt)
	case n < blockedOrder:
		return reduceFused[T, float64](team, a, qt)
	}
	return reduceBlocked(team, a, qt)
}

// Workspace returns an upper bound on the memory in bytes that Reduce allocates for an n x n matrix: two matrices, of
// which the second is for the unitary factor, panels of reflectors, and a few vectors.
func Workspace[T dense.Scalar](n int) int64 {
	const (
		matrices, vectors = 2, 9
		allocations       = 7
		headers           = 2048 // structs, the alignment of the matrices and the allocator's rounding up of small sizes
		pageSize          = 8192 // to which the allocator rounds up large sizes
	)
	numbers := matrices*n*workspace.PaddedStride[T](n) + reductionElements[T](n) + vectors*n
	return int64(dense.Bytes[T]())*int64(numbers) + allocations*pageSize + headers
}

// reductionElements returns how many numbers InPlace allocates for matrices of order n.
func reductionElements[T dense.Scalar](n int) int {
	if n < blockedOrder {
		return fusedElements[T](n)
	}
	return blockedElements[T](n)
}
