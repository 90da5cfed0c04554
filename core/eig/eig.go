// Package eig computes eigenvalues and eigenvectors of general square matrices.
//
// Eig balances the matrix (package hessenberg), computes its Schur form (package schur), and finds the eigenvectors of
// that by back-substitution for many vectors at once (trevc.go, with the rows of a diagonal block in trevc_rows.go).
// Vectors are multiplied by the unitary factor, taken back to the unbalanced matrix, and normalized in vectors.go.
// Results do not depend on the number of threads.
package eig

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/hessenberg"
	"trnsci/core/internal/workspace"
	"trnsci/core/quasi"
	"trnsci/core/sched"
	"trnsci/core/schur"
)

// Options of Eig. The zero value is right for most callers.
type Options struct {
	// Team carries threads, cancellation and progress.
	Team *sched.Team
	// SkipFiniteCheck makes a matrix with infinities or NaNs give results full of NaN instead of an error.
	SkipFiniteCheck bool
	// MaxIterations limits the QR sweeps of the whole call; 0 means 30 for each eigenvalue.
	MaxIterations int
}

// Eig computes the eigenvalues of an n x n matrix A and, where left or right has rows, eigenvectors: A x = d x for the
// columns x of right, y^H A = d y^H for the columns y of left. values has n elements, the vectors are n x n of any
// strides. C is the complex type of T's precision.
//
// Vectors have norm 1. If A or the eigenvalue is complex, the largest element is real and positive. The eigenvalues of
// a real matrix come in conjugate pairs, the one with positive imaginary part first, and their vectors are conjugate;
// vectors of real eigenvalues are real. Vectors of a defective eigenvalue are parallel up to rounding errors.
//
// It returns a *dense.ArgumentError for a matrix that is not square, holds infinities or NaNs, or is so large that an
// eigenvalue overflows; a *schur.ConvergenceError when the QR iteration does not converge; and the team's error when
// the call is cancelled. After an error the outputs are unspecified.
//
// Cost: about 25 n^3 flops and 4/3 n^3 more for each kind of vectors, 15 n^3 without any. Method: the Schur form of the
// matrix that Balance makes of A, and back-substitution for many vectors at once. The eigenvalues of a triangular
// matrix, or of one that becomes triangular when rows and columns are permuted, are exact.
func Eig[T dense.Scalar, C dense.Complex](a dense.View[T], values []C, left, right dense.View[C], opt Options) error {
	out := outputs[C]{
		values, workspace.Output[C]{Name: "left", View: left}, workspace.Output[C]{Name: "right", View: right},
	}
	if err := out.check(a.Rows, a.Cols); err != nil || a.Rows == 0 {
		return err
	}
	if finite, err := workspace.CheckFinite(opt.Team, a, opt.SkipFiniteCheck); !finite {
		for i := range values {
			values[i] = workspace.NaN[C]()
		}
		left.Fill(workspace.NaN[C]())
		right.Fill(workspace.NaN[C]())
		return err
	}
	n := a.Rows
	form, side := costs[T](n, out.wantsVectors())
	sides := (left.Rows + right.Rows) / n
	team := opt.Team.Plan(form + sides*side)
	phase := team.Phase(form)
	t, zt, lent := workspace.BorrowPair[T](n, out.wantsVectors())
	defer lent.GiveBack()
	if err := blas.CopyView(team, t.View(), a); err != nil {
		return err
	}
	balancing, before, err := hessenberg.BalanceForVectors(team, t)
	if err != nil {
		return err
	}
	schurOptions := schur.Options{Team: phase, MaxIterations: opt.MaxIterations, ValuesOnly: !out.wantsVectors()}
	exponent, err := schur.DecomposeScaled(t, zt, schurOptions)
	if err != nil {
		return err
	}
	phase.End()
	if err := storeValues(values, quasi.Eigenvalues(t.View()), -exponent-before); err != nil || !out.wantsVectors() {
		return err
	}
	phase = team.Phase(sides * side)
	err = storeBoth(newTriangularVectors(phase.Plan(n*n*sides), t), zt, balancing, out)
	phase.End()
	return err
}

// outputs is where eigenvalues go, and vectors if there are rows for them.
type outputs[C dense.Complex] struct {
	values      []C
	left, right workspace.Output[C]
}

func (out outputs[C]) wantsVectors() bool { return out.left.Rows > 0 || out.right.Rows > 0 }

// check returns an error unless the outputs fit a matrix of order n.
func (out outputs[C]) check(rows, cols int) error {
	if cols != rows {
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", rows, cols)
	}
	if len(out.values) != rows {
		return dense.BadArgument("values", "expected length %d, got %d", rows, len(out.values))
	}
	for _, v := range [2]workspace.Output[C]{out.left, out.right} {
		if v.Rows != 0 && (v.Rows != rows || v.Cols != rows) {
			return dense.BadArgument(v.Name, "expected shape (%d, %d) or no rows, got (%d, %d)", rows, rows, v.Rows, v.Cols)
		}
	}
	return nil
}

// costs returns the expected costs of the Schur form, with its factor if vectors are wanted, and of the vectors of one
// side, as hessenberg.Costs counts them.
func costs[T dense.Scalar](n int, vectors bool) (form, side int) {
	const vectorsRate = 2.0 // see package hessenberg
	cube := float64(n) * float64(n) * float64(n)
	if dense.IsComplex[T]() {
		cube *= 4
	}
	return schur.Cost[T](n, vectors), int(vectorsRate * cube)
}

// storeValues stores 2^exponent times the given eigenvalues.
func storeValues[C dense.Complex](values []C, found []complex128, exponent int) error {
	for i, d := range found {
		values[i] = C(complex(math.Ldexp(real(d), exponent), math.Ldexp(imag(d), exponent)))
		if !dense.IsFinite(values[i]) {
			return dense.BadArgument("a", "elements are too large: an eigenvalue overflows")
		}
	}
	return nil
}

// storeBoth stores the eigenvectors that are wanted. It may reverse T and the factor zt.
func storeBoth[T dense.Scalar, C dense.Complex](
	v *triangularVectors[T], zt dense.Matrix[T], b *hessenberg.Balancing, out outputs[C],
) error {
	if out.right.Rows > 0 {
		if err := storeVectors(v, zt, false, b, out.right.View); err != nil {
			return err
		}
	}
	if out.left.Rows == 0 {
		return nil
	}
	v.reverse()
	reverseRows(zt)
	return storeVectors(v, zt, true, b, out.left.View)
}

// reverseRows puts the rows of m in reverse order.
func reverseRows[T dense.Scalar](m dense.Matrix[T]) {
	spare := make([]T, m.Cols)
	for i, j := 0, m.Rows-1; i < j; i, j = i+1, j-1 {
		copy(spare, m.Row(i))
		copy(m.Row(i), m.Row(j))
		copy(m.Row(j), spare)
	}
}

// Workspace returns an upper bound on the memory in bytes that Eig allocates for an n x n matrix: that of the Schur
// form and, for each thread that computes vectors, two blocks of them.
func Workspace[T dense.Scalar](n int, vectors bool, opt Options) int64 {
	const (
		lists    = 8 // of eigenvalues, and those of the balancing
		pageSize = 8192
		headers  = 2048
	)
	order, complexSize := int64(n), int64(dense.Bytes[complex128]())
	bytes := schur.Workspace[T](n) + lists*order*complexSize + headers
	if vectors {
		const allocations = 8
		perThread := int64(storeElements(n))*int64(dense.Bytes[T]()) + 2*order*complexSize + allocations*pageSize
		bytes += int64(opt.Team.Threads()) * perThread
	}
	return bytes
}
