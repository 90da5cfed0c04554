package eigen

import (
	"math"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// residualLimit, in units of max(n, 8) eps, is above the residual of every correct result. Householder and QL errors
// grow like sqrt(n) eps in practice (Wilkinson, The Algebraic Eigenvalue Problem, sections 5.29 and 8.12).
const residualLimit = 4

// checkPairs fails the test unless w and v are eigenpairs of a, w ascends, and v has the documented phase.
func checkPairs[W dense.Wide](t *testing.T, worst *numtest.WorstResiduals, name string, a dense.Matrix[W], w []float64,
	v dense.Matrix[W], eps float64) {
	t.Helper()
	residual, unitarity := numtest.EigenResidual(a, w, v, eps), numtest.UnitaryResidual(v, eps)
	if !(residual < residualLimit) || !(unitarity < residualLimit) {
		t.Errorf("%s: |AV - VW| %g, |V^H V - I| %g", name, residual, unitarity)
	}
	worst.Note(name, residual, unitarity)
	if !slices.IsSorted(w) {
		t.Errorf("%s: eigenvalues are not in ascending order", name)
	}
	checkPhase(t, name, v)
}

func checkPhase[W dense.Wide](t *testing.T, name string, v dense.Matrix[W]) {
	t.Helper()
	for j := range v.Cols {
		largest := 0.0
		for i := range v.Rows {
			largest = max(largest, dense.Abs(v.At(i, j)))
		}
		for i := range v.Rows {
			if c := v.At(i, j); dense.Abs(c) >= 0.9*largest {
				if dense.Imag(c) != 0 || !(dense.Real(c) > 0) {
					t.Errorf("%s: the first large component of vector %d is %v", name, j, c)
				}
				break
			}
		}
	}
}

// checkValues fails the test unless got and want differ by at most tolerance.
func checkValues(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if err := numtest.CompareValues(got, want, tolerance); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// checkSameValues is checkEighValues for all eigenvalues.
func checkSameValues[R dense.Float](t *testing.T, name string, valuesOnly []R, w []float64) {
	t.Helper()
	checkEighValues(t, name, len(w), valuesOnly, w)
}

// checkEighValues fails the test unless valuesOnly, eigenvalues of a matrix of order n computed without eigenvectors,
// agree with w, computed with them: up to rounding errors, relative to the largest eigenvalue, in the precision that
// Eigh works in, and one rounding to R.
func checkEighValues[R dense.Float](t *testing.T, name string, n int, valuesOnly []R, w []float64) {
	t.Helper()
	largest, eps := 0.0, dense.Eps[float64]()
	if worksInSingle[R](n, Options{}) {
		eps = dense.Eps[R]()
	}
	for _, x := range w {
		largest = max(largest, math.Abs(x))
	}
	for i, x := range w {
		tolerance := 2*residualLimit*float64(max(len(w), 8))*eps*largest + dense.Eps[R]()*math.Abs(x)
		if got := float64(valuesOnly[i]); !(math.Abs(got-x) <= tolerance) {
			t.Errorf("%s: eigenvalue %d is %v without vectors, %v with them", name, i, got, x)
			return
		}
	}
}

// outputs holds a result, with column-major eigenvectors as NumPy users receive them.
type outputs[T dense.Scalar, R dense.Float] struct {
	w []R
	v dense.View[T]
}

func newOutputs[T dense.Scalar, R dense.Float](n int) outputs[T, R] {
	return outputs[T, R]{w: make([]R, n), v: dense.New[T](n, n).View().T()}
}

// pairs returns the first count eigenpairs in double precision.
func pairs[W dense.Wide, T dense.Scalar, R dense.Float](o outputs[T, R], count int) ([]float64, dense.Matrix[W]) {
	w, v := make([]float64, count), dense.New[W](o.v.Rows, count)
	for i := range w {
		w[i] = float64(o.w[i])
	}
	dense.Copy(v.View(), columns(o.v, count))
	return w, v
}

// mustEigh returns the eigenpairs of a in double precision.
func mustEigh[W dense.Wide, R dense.Float, T dense.Scalar](t *testing.T, a dense.View[T],
	opt Options) ([]float64, dense.Matrix[W]) {
	t.Helper()
	o := newOutputs[T, R](a.Rows)
	count, err := Eigh(a, o.w, o.v, opt)
	if err != nil {
		t.Fatal(err)
	}
	return pairs[W](o, count)
}

// rounded returns a in the dtype T.
func rounded[T dense.Scalar, W dense.Wide](a dense.Matrix[W]) dense.Matrix[T] {
	b := dense.New[T](a.Rows, a.Cols)
	dense.Copy(b.View(), a.View())
	return b
}

// widened returns a in double precision.
func widened[W dense.Wide, T dense.Scalar](a dense.Matrix[T]) dense.Matrix[W] {
	b := dense.New[W](a.Rows, a.Cols)
	dense.Copy(b.View(), a.View())
	return b
}

// times2 returns 2^exponent a.
func times2[W dense.Wide](a dense.Matrix[W], exponent int) dense.Matrix[W] {
	b := a.Clone()
	for i, x := range b.Data {
		b.Data[i] = dense.FromParts[W](math.Ldexp(dense.Real(x), exponent), math.Ldexp(dense.Imag(x), exponent))
	}
	return b
}

// poisoned returns a copy of a with NaN in the strict triangle that must not be read.
func poisoned[T dense.Scalar](a dense.Matrix[T], upper bool) dense.Matrix[T] {
	b := a.Clone()
	for i := range a.Rows {
		for j := range i {
			if upper {
				b.Set(i, j, dense.FromParts[T](math.NaN(), math.NaN()))
			} else {
				b.Set(j, i, dense.FromParts[T](math.NaN(), math.NaN()))
			}
		}
	}
	return b
}
