// Package formtest holds what tests of Hessenberg and Schur forms share: residuals of similarities in units of eps, and
// random matrices with given diagonal blocks. It is imported by tests only.
package formtest

import (
	"math"
	"math/rand/v2"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// ResidualLimit is the largest residual that is not a failure, in the units of numtest and SimilarityError.
const ResidualLimit = 10

// Wide returns m in double precision.
func Wide[T dense.Scalar](m dense.Matrix[T]) dense.Matrix[complex128] {
	w := dense.New[complex128](m.Rows, m.Cols)
	dense.Copy(w.View(), m.View())
	return w
}

// Doubled returns a real m in double precision.
func Doubled[W dense.Float](m dense.Matrix[W]) dense.Matrix[float64] {
	d := dense.New[float64](m.Rows, m.Cols)
	dense.Copy(d.View(), m.View())
	return d
}

// SimilarityError returns |before - Q after Q^H|_F / (m eps |before|_F) and |Q^H Q - I|_F / (m eps), m = max(n, 8),
// with the eps of T, for the adjoint zt of Q.
func SimilarityError[T dense.Scalar](before, after, zt dense.Matrix[T]) (similarity, unitarity float64) {
	n := before.Rows
	a, b, q := Wide(before), Wide(after), Wide(zt)
	size := numtest.FrobeniusNorm(a)
	if largest := largestPart(a); largest > 0 {
		_, exponent := math.Frexp(largest)
		ShiftExponents(a, -exponent)
		ShiftExponents(b, -exponent)
		size = numtest.FrobeniusNorm(a)
	}
	product := dense.New[complex128](n, n)
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, 1, q, b, 0, product)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, -1, product, q, 1, a)
	unit := float64(max(n, 8)) * dense.Eps[T]()
	if size > 0 {
		similarity = numtest.FrobeniusNorm(a) / (unit * size)
	}
	product.SetIdentity()
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, -1, q, q, 1, product)
	return similarity, numtest.FrobeniusNorm(product) / unit
}

func largestPart[T dense.Scalar](m dense.Matrix[T]) (largest float64) {
	for i := range m.Rows {
		for _, x := range m.Row(i) {
			largest = max(largest, math.Abs(dense.Real(x)), math.Abs(dense.Imag(x)))
		}
	}
	return largest
}

// ShiftExponents multiplies m by 2^shift.
func ShiftExponents[T dense.Scalar](m dense.Matrix[T], shift int) {
	factor := dense.FromReal[T](math.Ldexp(1, shift))
	for i := range m.Data {
		m.Data[i] *= factor
	}
}

// Adjoint returns the adjoint of z.
func Adjoint[T dense.Scalar](z dense.Matrix[T]) dense.Matrix[T] {
	zt := dense.New[T](z.Cols, z.Rows)
	dense.Copy(zt.View(), z.View().T())
	dense.Conjugate(zt.Data)
	return zt
}

// CheckForm returns an error unless the form is triangular or, if it is real, quasi-triangular with standardized
// blocks.
func CheckForm[T dense.Scalar](form dense.Matrix[T]) error {
	if dense.IsComplex[T]() {
		return numtest.CheckTriangular(form)
	}
	d := dense.New[float64](form.Rows, form.Cols)
	dense.Copy(d.View(), form.View())
	return numtest.CheckQuasiTriangular(d)
}

// BlockMatrix returns a random quasi-triangular matrix with diagonal blocks of the given orders. closeness is the
// distance of the eigenvalues of different blocks.
func BlockMatrix[W dense.Float](rng *rand.Rand, closeness float64, orders ...int) dense.Matrix[W] {
	n := 0
	for _, order := range orders {
		n += order
	}
	t := dense.New[W](n, n)
	for i := range n {
		for j := i; j < n; j++ {
			t.Set(i, j, W(rng.NormFloat64()))
		}
	}
	at := 0
	for _, order := range orders {
		x := W(0.3 + closeness*rng.NormFloat64())
		t.Set(at, at, x)
		if order == 2 {
			t.Set(at+1, at+1, x)
			t.Set(at, at+1, W(1+closeness*rng.Float64()))
			t.Set(at+1, at, W(-1-closeness*rng.Float64()))
		}
		at += order
	}
	return t
}

// WithPhases returns D A D^H for D = diag(1, e^i, e^2i, ...): a complex matrix with the eigenvalues of A.
func WithPhases(a dense.Matrix[float64]) dense.Matrix[complex128] {
	z := dense.New[complex128](a.Rows, a.Cols)
	for j := range a.Rows {
		for k := range a.Cols {
			sin, cos := math.Sincos(float64(j - k))
			z.Set(j, k, complex(a.At(j, k)*cos, a.At(j, k)*sin))
		}
	}
	return z
}

// CompareDistance orders p and q by their distances from x.
func CompareDistance(x, p, q complex128) int {
	dp, dq := math.Hypot(real(p-x), imag(p-x)), math.Hypot(real(q-x), imag(q-x))
	switch {
	case dp < dq:
		return -1
	case dp > dq:
		return 1
	}
	return 0
}
