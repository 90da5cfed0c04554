package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
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
