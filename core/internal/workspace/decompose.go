package workspace

import (
	"errors"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Output is a result matrix and the name that errors call it by.
type Output[T dense.Scalar] struct {
	Name string
	dense.View[T]
}

// Decompose computes A = Q F Q^H: do overwrites a padded copy of a by the form F, and factorT, which it gets with
// unspecified elements, by Q^H. F goes to form, Q to factor; a factor without rows is not computed, and factorT has
// none either.
//
// It returns a *dense.ArgumentError for shapes that do not fit, for a matrix that is not finite (with skipFiniteCheck
// the outputs become NaN), and for a form that overflows; else the error of do or of the team.
func Decompose[T dense.Scalar](
	team *sched.Team, a dense.View[T], form, factor Output[T], skipFiniteCheck bool,
	do func(work, factorT dense.Matrix[T]) error,
) error {
	if err := CheckShapes(a, form, factor); err != nil {
		return err
	}
	if a.Rows == 0 {
		return nil
	}
	if finite, err := CheckFinite(team, a, skipFiniteCheck); !finite {
		form.Fill(NaN[T]())
		factor.Fill(NaN[T]())
		return err
	}
	work, factorT, lent := BorrowPair[T](a.Rows, factor.Rows > 0)
	defer lent.GiveBack()
	if err := blas.CopyView(team, work.View(), a); err != nil {
		return err
	}
	if err := do(work, factorT); err != nil {
		return err
	}
	if err := blas.CopyView(team, form.View, work.View()); err != nil {
		return err
	}
	if blas.CheckFinite(nil, form.View, form.Name) != nil {
		return dense.BadArgument("a", "elements are too large: those of the form overflow")
	}
	if factor.Rows == 0 {
		return nil
	}
	Conjugate(factorT)
	return blas.CopyView(team, factor.View, factorT.View().T())
}

// CheckShapes returns an error unless a and form are square and of the same order, and so is factor if it has rows.
func CheckShapes[T dense.Scalar](a dense.View[T], form, factor Output[T]) error {
	n := a.Rows
	if a.Cols != n {
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if form.Rows != n || form.Cols != n {
		return dense.BadArgument(form.Name, "expected shape (%d, %d), got (%d, %d)", n, n, form.Rows, form.Cols)
	}
	if factor.Rows != 0 && (factor.Rows != n || factor.Cols != n) {
		return dense.BadArgument(factor.Name, "expected shape (%d, %d) or no rows, got (%d, %d)",
			n, n, factor.Rows, factor.Cols)
	}
	return nil
}

// CheckFinite reports whether a is free of infinities and NaNs. If it is not, that is an error unless skip is set.
func CheckFinite[T dense.Scalar](team *sched.Team, a dense.View[T], skip bool) (finite bool, err error) {
	var notFinite *dense.ArgumentError
	if err := blas.CheckFinite(team, a, "a"); !skip || !errors.As(err, &notFinite) {
		return err == nil, err
	}
	return false, nil
}

// NaN returns a NaN, in both parts of a complex T.
func NaN[T dense.Scalar]() T { return dense.FromParts[T](math.NaN(), math.NaN()) }
