package schur

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/hessenberg"
	"trnsci/core/internal/formtest"
	"trnsci/core/internal/workspace"
	"trnsci/core/numtest"
	"trnsci/core/quasi"
)

func TestComplexFamiliesInSweepsOfManyBulges(t *testing.T) {
	for _, n := range []int{plainComplexOrder + 1, 210} {
		for _, f := range numtest.GeneralFamilies() {
			checkComplex(t, fmt.Sprintf("%s, n = %d", f.Name, n),
				formtest.WithPhases(f.Make(rand.New(rand.NewPCG(51, uint64(n))), n)))
		}
	}
}

// TestComplexCyclicPermutations computes the roots of x^n = 1. Without exceptional shifts, a matrix that moves every
// element to the next place comes out of every sweep as it went in.
func TestComplexCyclicPermutations(t *testing.T) {
	const allUpTo, step, largest = 40, 13, 200
	for n := 4; n <= largest; n++ {
		if n > allUpTo && n%step != 0 {
			continue
		}
		a := dense.New[float64](n, n)
		for i := range n {
			a.Set((i+1)%n, i, 1)
		}
		form := dense.New[complex128](n, n)
		if err := Decompose(formtest.WithPhases(a).View(), form.View(), dense.View[complex128]{}, Options{}); err != nil {
			t.Fatalf("n = %d: %v", n, err)
		}
		for _, value := range quasi.Eigenvalues(form.View()) {
			if root := cmplx.Pow(value, complex(float64(n), 0)); !(cmplx.Abs(root-1) <= 50*float64(n*n)*dense.EpsDouble) {
				t.Errorf("n = %d: %v is not a root of 1", n, value)
			}
		}
	}
}

// TestComplexSinglePrecision iterates in single precision.
func TestComplexSinglePrecision(t *testing.T) {
	const epsSingle = 0x1p-23
	for _, n := range []int{2, 3, 16, 33, 64, 170} {
		a := numtest.Random[complex64](rand.New(rand.NewPCG(53, uint64(n))), n, n)
		form, factor := workspace.NewPadded[complex64](n), workspace.NewPadded[complex64](n)
		form.CopyFrom(a)
		if err := hessenberg.InPlace(nil, form, factor); err != nil {
			t.Fatal(err)
		}
		if err := iterate(form, factor, Options{}); err != nil {
			t.Fatal(err)
		}
		workspace.Conjugate(factor)
		var wide [3]dense.Matrix[complex128]
		for i, v := range []dense.View[complex64]{a.View(), factor.View().T(), form.View()} {
			wide[i] = dense.New[complex128](n, n)
			for j := range n {
				for k := range n {
					wide[i].Set(j, k, complex128(v.At(j, k)))
				}
			}
		}
		if err := numtest.CheckTriangular(wide[2]); err != nil {
			t.Errorf("n = %d: %v", n, err)
		}
		similarity, unitarity := numtest.SimilarityResidual(wide[0], wide[1], wide[2], epsSingle),
			numtest.UnitaryResidual(wide[1], epsSingle)
		if !(similarity <= formtest.ResidualLimit) || !(unitarity <= formtest.ResidualLimit) {
			t.Errorf("n = %d: similarity residual %g, unitarity residual %g", n, similarity, unitarity)
		}
	}
}
