package schur

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

func TestComplexFamiliesInSweepsOfManyBulges(t *testing.T) {
	for _, n := range []int{plainComplexOrder + 1, 210} {
		for _, f := range numtest.GeneralFamilies() {
			checkComplex(t, fmt.Sprintf("%s, n = %d", f.Name, n), withPhases(f.Make(rand.New(rand.NewPCG(51, uint64(n))), n)))
		}
	}
}

// TestComplexCyclicPermutations asks for the roots of x^n = 1. Without exceptional shifts, a matrix that moves every element to the next place comes out of
// every sweep as it went in.
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
		if err := Schur(withPhases(a).View(), form.View(), dense.View[complex128]{}, Options{}); err != nil {
			t.Fatalf("n = %d: %v", n, err)
		}
		for _, value := range Eigenvalues(form.View()) {
			if root := cmplx.Pow(value, complex(float64(n), 0)); !(cmplx.Abs(root-1) <= 50*float64(n*n)*eps) {
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
		form, factor := newPadded[complex64](n), newPadded[complex64](n)
		form.CopyFrom(a)
		if err := reduce(nil, form, factor); err != nil {
			t.Fatal(err)
		}
		if err := triangularizeComplex(form, factor, Options{}); err != nil {
			t.Fatal(err)
		}
		conjugate(factor)
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
		similarity, unitarity := numtest.SimilarityResidual(wide[0], wide[1], wide[2], epsSingle), numtest.UnitaryResidual(wide[1], epsSingle)
		if !(similarity <= residualLimit) || !(unitarity <= residualLimit) {
			t.Errorf("n = %d: similarity residual %g, unitarity residual %g", n, similarity, unitarity)
		}
	}
}

func TestReflectorsOfTwoRowsEliminate(t *testing.T) {
	for _, c := range [][2]complex128{{1, 1}, {0, 1i}, {1e-300, 1e-300i}, {1e300i, 1e300}, {5e-324, 1}, {1, 5e-324}, {5e-324i, 5e-324}, {3 + 4i, -2 + 1i}} {
		r, beta := newTwoRows(c[0], c[1])
		scale := complex(safeScale(max(cmplx.Abs(c[0]), cmplx.Abs(c[1]))), 0)
		x, y := c[0]*scale, c[1]*scale
		sum := x + cmplx.Conj(r.V)*y
		size := max(cmplx.Abs(x), cmplx.Abs(y))
		rounded := math.SmallestNonzeroFloat64 * real(scale) // beta may be subnormal
		if first, second := x-r.T0*sum, y-r.T1*sum; !(cmplx.Abs(second) <= 8*eps*size) || !(cmplx.Abs(first-beta*scale) <= 8*eps*size+rounded) {
			t.Errorf("(%v, %v) becomes (%v, %v)", c[0], c[1], first/scale, second/scale)
		}
		if tau := real(r.T0); !(cmplx.Abs(complex(tau, 0)*r.V-r.T1) <= 8*eps) || !(cmplx.Abs(complex(tau*(1+real(r.V*cmplx.Conj(r.V)))-2, 0)) <= 8*eps) {
			t.Errorf("(%v, %v): the reflector %v is not unitary", c[0], c[1], r)
		}
	}
}
