package schur

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/internal/formtest"
	"trnsci/core/numtest"
)

// checkComplex computes both decompositions of a and judges their residuals.
func checkComplex(t *testing.T, name string, a dense.Matrix[complex128]) {
	t.Helper()
	n := a.Rows
	for _, c := range []struct {
		name  string
		f     func(a, form, factor dense.View[complex128], opt Options) error
		check func(dense.Matrix[complex128]) error
	}{
		{"Schur", Decompose[complex128], numtest.CheckTriangular[complex128]},
		{"Hessenberg", hessenbergForm[complex128], numtest.CheckHessenberg[complex128]},
	} {
		form, factor := dense.New[complex128](n, n), dense.New[complex128](n, n)
		form.Fill(complex(math.NaN(), math.NaN()))
		factor.Fill(complex(math.NaN(), math.NaN()))
		if err := c.f(a.View(), form.View(), factor.View(), Options{}); err != nil {
			t.Fatalf("%s, %s: %v", name, c.name, err)
		}
		if err := c.check(form); err != nil {
			t.Errorf("%s, %s: %v", name, c.name, err)
		}
		similarity, unitarity := numtest.SimilarityResidual(a, factor, form, dense.EpsDouble),
			numtest.UnitaryResidual(factor, dense.EpsDouble)
		if !(similarity <= formtest.ResidualLimit) || !(unitarity <= formtest.ResidualLimit) {
			t.Errorf("%s, %s: similarity residual %g, unitarity residual %g", name, c.name, similarity, unitarity)
		}
	}
}

func TestComplexRandom(t *testing.T) {
	for _, n := range numtest.Sizes {
		checkComplex(t, fmt.Sprintf("n = %d", n), numtest.Random[complex128](rand.New(rand.NewPCG(41, uint64(n))), n, n))
	}
}

func TestComplexFamilies(t *testing.T) {
	for _, f := range numtest.GeneralFamilies() {
		for _, n := range []int{1, 2, 3, 4, 5, 8, 9, 33, 64} {
			a := f.Make(rand.New(rand.NewPCG(42, uint64(n))), n)
			checkComplex(t, fmt.Sprintf("%s, n = %d", f.Name, n), formtest.WithPhases(a))
			plain := dense.New[complex128](n, n)
			dense.Copy(plain.View(), a.View())
			checkComplex(t, fmt.Sprintf("%s with imaginary parts 0, n = %d", f.Name, n), plain)
		}
	}
}

func TestComplexNormsFromTinyToHuge(t *testing.T) {
	for _, size := range []float64{1e-300, 1e-150, 1e150, 1e300} {
		a := formtest.WithPhases(numtest.Random[float64](rand.New(rand.NewPCG(43, 1)), 20, 20))
		for i := range a.Data {
			a.Data[i] *= complex(size, 0)
		}
		checkComplex(t, fmt.Sprintf("size %g", size), a)
	}
}

func TestComplexTriangularMatricesComeBackUnchanged(t *testing.T) {
	a := numtest.Random[complex128](rand.New(rand.NewPCG(44, 1)), 20, 20)
	for i := range 20 {
		clear(a.Row(i)[:i])
	}
	identity, form, factor := dense.New[complex128](20, 20), dense.New[complex128](20, 20), dense.New[complex128](20, 20)
	identity.SetIdentity()
	if err := Decompose(a.View(), form.View(), factor.View(), Options{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(form.Data, a.Data) || !slices.Equal(factor.Data, identity.Data) {
		t.Error("a triangular matrix was changed")
	}
}

func TestSinglePrecision(t *testing.T) {
	const n = 40
	a := numtest.Random[float32](rand.New(rand.NewPCG(45, 1)), n, n)
	form, factor := dense.New[float32](n, n), dense.New[float32](n, n)
	if err := Decompose(a.View(), form.View(), factor.View(), Options{}); err != nil {
		t.Fatal(err)
	}
	wide := [3]dense.Matrix[float64]{}
	for i, m := range []dense.Matrix[float32]{a, factor, form} {
		wide[i] = dense.New[float64](n, n)
		dense.Copy(wide[i].View(), m.View())
	}
	if err := numtest.CheckQuasiTriangular(wide[2]); err != nil {
		t.Error(err)
	}
	r, q := numtest.SimilarityResidual(wide[0], wide[1], wide[2], 0x1p-23), numtest.UnitaryResidual(wide[1], 0x1p-23)
	if !(r <= 2 && q <= 2.5) {
		t.Errorf("similarity residual %g, orthogonality residual %g", r, q)
	}
}
