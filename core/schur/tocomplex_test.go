package schur

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/internal/formtest"
	"trnsci/core/numtest"
	"trnsci/core/quasi"
)

func testToComplex[T dense.Complex, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, n := range []int{0, 1, 2, 3, 10, 60} {
		name := fmt.Sprintf("n = %d", n)
		a, form, z := numtest.Random[R](rng, n, n), dense.New[R](n, n), dense.New[R](n, n)
		if err := Decompose(a.View(), form.View(), z.View(), Options{}); err != nil {
			t.Fatal(err)
		}
		given, tc, zc := dense.New[T](n, n), dense.New[T](n, n), dense.New[T](n, n)
		dense.Copy(given.View(), a.View())
		dense.Copy(tc.View(), form.View())
		dense.Copy(zc.View(), z.View())
		if err := ToComplex(nil, tc.View(), zc.View()); err != nil {
			t.Fatal(err)
		}
		if err := formtest.CheckForm(tc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		similarity, unitarity := formtest.SimilarityError(given, tc, formtest.Adjoint(zc))
		if !(similarity <= formtest.ResidualLimit && unitarity <= formtest.ResidualLimit) {
			t.Errorf("%s: similarity residual %g, unitarity residual %g", name, similarity, unitarity)
		}
		got := quasi.Eigenvalues(tc.View())
		for i, w := range quasi.Eigenvalues(form.View()) { // a pair in its order, from its standard block
			if got[i] != complex128(T(w)) {
				t.Errorf("%s: eigenvalue %d is %v, want %v", name, i, got[i], w)
			}
		}
	}
}

func TestToComplex(t *testing.T) {
	t.Run("complex128", testToComplex[complex128, float64])
	t.Run("complex64", testToComplex[complex64, float32])
}

// Blocks that no Schur form has: real eigenvalues, unequal diagonals, complex elements, any size.
func TestToComplexOfAnyBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for trial := range 300 {
		before := numtest.Random[complex128](rng, 2, 2)
		if trial%3 == 0 {
			for i, x := range before.Data {
				before.Data[i] = complex(real(x), 0)
			}
		}
		formtest.ShiftExponents(before, 900*(trial%5-2)/2)
		after, z := before.Clone(), dense.New[complex128](2, 2)
		z.SetIdentity()
		if err := ToComplex(nil, after.View(), z.View()); err != nil {
			t.Fatal(err)
		}
		similarity, unitarity := formtest.SimilarityError(before, after, formtest.Adjoint(z))
		if !(similarity <= formtest.ResidualLimit && unitarity <= formtest.ResidualLimit) {
			t.Errorf("%v: similarity residual %g, unitarity residual %g", before.Data, similarity, unitarity)
		}
	}
}

func TestToComplexOfNaNs(t *testing.T) {
	for _, at := range [][2]int{{0, 0}, {1, 2}, {3, 0}, {3, 3}} {
		form, z := dense.New[complex128](4, 4), dense.New[complex128](4, 4)
		form.SetIdentity()
		z.SetIdentity()
		form.Set(at[0], at[1], complex(math.NaN(), 0))
		if err := ToComplex(nil, form.View(), z.View()); err != nil {
			t.Fatal(err)
		}
		for i := range form.Data {
			if !cmplx.IsNaN(form.Data[i]) || !cmplx.IsNaN(z.Data[i]) {
				t.Fatalf("NaN at %v: element %d is %v, of the factor %v", at, i, form.Data[i], z.Data[i])
			}
		}
	}
}
