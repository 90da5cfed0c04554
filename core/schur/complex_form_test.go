package schur

import (
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
)

func TestComplexForm(t *testing.T) {
	t.Run("float32", testComplexForm[complex64, float32])
	t.Run("float64", testComplexForm[complex128, float64])
}

// The form is triangular with the eigenvalues on its diagonal, the factor is unitary, and both belong to the matrix of the real form.
func testComplexForm[C dense.Complex, R dense.Float](t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 7, 30, 61} {
		wide := numtest.QuasiTriangular(rand.New(rand.NewPCG(71, uint64(n))), n)
		form, zt := dense.New[R](n, n), dense.New[R](n, n)
		dense.Copy(form.View(), wide.View())
		dense.Copy(zt.View(), numtest.Orthogonal(rand.New(rand.NewPCG(72, uint64(n))), n).View())
		tc, zhc := dense.New[C](n, n), dense.New[C](n, n)
		ComplexForm(form, zt, tc, zhc)
		values := Eigenvalues(form.View())
		for i := range n {
			for j := range i {
				if tc.At(i, j) != 0 {
					t.Fatalf("n = %d: element (%d,%d) is %v", n, i, j, tc.At(i, j))
				}
			}
			if v := dense.Convert[C](values[i]); tc.At(i, i) != v {
				t.Errorf("n = %d: diagonal element %d is %v, not %v", n, i, tc.At(i, i), v)
			}
		}
		// Zt^T T Zt = Zhc^H Tc Zhc
		left, right := congruent(toComplex[C](form), toComplex[C](zt)), congruent(tc, zhc)
		for i, x := range right.Data {
			left.Data[i] -= x
		}
		unit := float64(max(n, 8)) * dense.Eps[C]()
		if r := numtest.FrobeniusNorm(left) / (unit * numtest.FrobeniusNorm(wide)); !(r < 2) {
			t.Errorf("n = %d: the two forms differ by %g units", n, r)
		}
		identity := congruent(identityOf[C](n), zhc)
		for i := range n {
			identity.Set(i, i, identity.At(i, i)-1)
		}
		if r := numtest.FrobeniusNorm(identity) / unit; !(r < 2) {
			t.Errorf("n = %d: the factor is unitary up to %g units", n, r)
		}
		alone := dense.New[C](n, n)
		ComplexForm(form, dense.Matrix[R]{}, alone, dense.Matrix[C]{})
		for i, x := range alone.Data {
			if x != tc.Data[i] {
				t.Fatalf("n = %d: another form without a factor", n)
			}
		}
	}
}

func toComplex[C dense.Complex, R dense.Float](a dense.Matrix[R]) dense.Matrix[C] {
	c := dense.New[C](a.Rows, a.Cols)
	dense.Copy(c.View(), a.View())
	return c
}

func identityOf[C dense.Complex](n int) dense.Matrix[C] {
	m := dense.New[C](n, n)
	m.SetIdentity()
	return m
}

// congruent returns Q^H M Q.
func congruent[C dense.Complex](m, q dense.Matrix[C]) dense.Matrix[C] {
	n := m.Rows
	first, second := dense.New[C](n, n), dense.New[C](n, n)
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, 1, q, m, 0, first)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, first, q, 0, second)
	return second
}
