package schur

import (
	"math"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Eigen computes the eigenvalues of an n x n matrix A and, where left or right has rows, eigenvectors: A x = d x for the columns x of right,
// y^H A = d y^H for the columns y of left. Values is n long, the vectors are n x n of any strides. C is the complex type of T's precision.
//
// Vectors have norm 1. If A or the eigenvalue is complex, the largest element is real and positive. The eigenvalues of a real matrix come in
// conjugate pairs, of which the one with positive imaginary part comes first, and their vectors are conjugate; vectors of real eigenvalues are
// real. Vectors of a defective eigenvalue are parallel up to rounding errors.
//
// It returns a *dense.ArgumentError for a matrix that is not square, holds infinities or NaNs, or is so large that an eigenvalue
// overflows; a *ConvergenceError when the QR iteration does not converge; and the team's error when the call is cancelled.
// After an error the outputs are unspecified.
//
// Cost: about 25 n^3 flops and 4/3 n^3 more for each kind of vectors, 15 n^3 without any. Method: the Schur form of the matrix that Balance makes of A, and
// back-substitution for many vectors at once. The eigenvalues of a triangular matrix, or of one that becomes triangular when rows and columns are
// permuted, are exact.
func Eigen[T dense.Scalar, C dense.Complex](a dense.View[T], values []C, left, right dense.View[C], opt Options) error {
	out := eigenOutput[C]{values, output[C]{"left", left}, output[C]{"right", right}}
	opt.ValuesOnly = !out.wantsVectors()
	switch {
	case dense.IsComplex[T]() && dense.IsSingle[T]():
		return eigen(a, out, opt, triangularizeComplex[complex64], solveRowsComplex[float32, complex64])
	case dense.IsComplex[T]():
		return eigen(a, out, opt, triangularizeComplex[complex128], solveRowsComplex[float64, complex128])
	case dense.IsSingle[T]():
		return eigen(a, out, opt, triangularize[float32], solveRowsReal[float32])
	}
	return eigen(a, out, opt, triangularize[float64], solveRowsReal[float64])
}

// eigenOutput is where eigenvalues go, and vectors if there are rows for them.
type eigenOutput[C dense.Complex] struct {
	values      []C
	left, right output[C]
}

func (e eigenOutput[C]) wantsVectors() bool { return e.left.Rows > 0 || e.right.Rows > 0 }

// check returns an error unless the outputs fit a matrix of order n.
func (e eigenOutput[C]) check(rows, cols int) error {
	if cols != rows {
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", rows, cols)
	}
	if len(e.values) != rows {
		return dense.BadArgument("values", "expected length %d, got %d", rows, len(e.values))
	}
	for _, v := range [2]output[C]{e.left, e.right} {
		if v.Rows != 0 && (v.Rows != rows || v.Cols != rows) {
			return dense.BadArgument(v.name, "expected shape (%d, %d) or no rows, got (%d, %d)", rows, rows, v.Rows, v.Cols)
		}
	}
	return nil
}

// eigen is Eigen in the type W.
func eigen[W, T dense.Scalar, C dense.Complex](a dense.View[T], out eigenOutput[C], opt Options, iterate iteration[W], solver rowSolver[W]) error {
	if err := out.check(a.Rows, a.Cols); err != nil || a.Rows == 0 {
		return err
	}
	if finite, err := checkFinite(a, opt); !finite {
		for i := range out.values {
			out.values[i] = notANumber[C]()
		}
		fill(out.left.View, notANumber[C]())
		fill(out.right.View, notANumber[C]())
		return err
	}
	n, c := a.Rows, costsOf[W](a.Rows, out.wantsVectors())
	form, sides := c.reduction+c.accumulation+c.iteration, (out.left.Rows+out.right.Rows)/n
	team := opt.Team.Plan(form + sides*c.vectors)
	opt.Team = team.Phase(form)
	size := n * paddedStride[W](n)
	kept := borrow[W](&keptMatrices, 2*size)
	defer kept.GiveBack()
	t, zt := paddedIn(kept.numbers[:size], n), dense.Matrix[W]{}
	if out.wantsVectors() {
		zt = paddedIn(kept.numbers[size:], n)
	}
	if err := blas.CopyView(team, t.View(), a); err != nil {
		return err
	}
	balancing, before, err := balanceScaled(team, t)
	if err != nil {
		return err
	}
	shift, err := method[W]{iterate: iterate}.decomposeScaled(t, zt, opt)
	if err != nil {
		return err
	}
	opt.Team.End()
	if err := storeValues(out.values, Eigenvalues(t.View()), -shift-before); err != nil || !out.wantsVectors() {
		return err
	}
	opt.Team = team.Phase(sides * c.vectors)
	err = storeBoth(newSubstitution(opt.Team.Plan(n*n*sides), t, solver), zt, balancing, out)
	opt.Team.End()
	return err
}

// storeBoth stores the eigenvectors that are wanted, for which it may turn over T and the factor zt.
func storeBoth[W dense.Scalar, C dense.Complex](s *substitution[W], zt dense.Matrix[W], b *Balancing, out eigenOutput[C]) error {
	if out.right.Rows > 0 {
		if err := storeVectors(s, zt, false, b, out.right.View); err != nil {
			return err
		}
	}
	if out.left.Rows == 0 {
		return nil
	}
	s.turnOver()
	reverseRows(zt)
	return storeVectors(s, zt, true, b, out.left.View)
}

// storeValues stores 2^shift times the eigenvalues found.
func storeValues[C dense.Complex](values []C, found []complex128, shift int) error {
	for i, d := range found {
		values[i] = C(complex(math.Ldexp(real(d), shift), math.Ldexp(imag(d), shift)))
		if !dense.IsFinite(values[i]) {
			return dense.BadArgument("a", "elements are too large: an eigenvalue overflows")
		}
	}
	return nil
}

// EigenWorkspace returns an upper bound on the memory in bytes that Eigen allocates for an n x n matrix: that of Schur and, for each thread that
// makes vectors, two blocks of them.
func EigenWorkspace[T dense.Scalar](n int, vectors bool, opt Options) int64 {
	const (
		lists    = 8 // of eigenvalues, and what the balancing notes
		pageSize = 8192
		headers  = 2048
	)
	order, complexSize := int64(n), int64(unsafe.Sizeof(complex128(0)))
	bytes := Workspace[T](n, opt) + lists*order*complexSize + headers
	if vectors {
		const allocations = 8
		perThread := int64(storeElements(n))*int64(unsafe.Sizeof(*new(T))) + 2*order*complexSize + allocations*pageSize
		bytes += int64(opt.Team.Threads()) * perThread
	}
	return bytes
}
