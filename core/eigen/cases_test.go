package eigen

import (
	"math"
	"testing"

	"trnsci/core/dense"
)

// Inputs of public bug reports against other libraries. The eigenvalues follow from the characteristic polynomials.

func TestTriangleDecides(t *testing.T) {
	// numpy#8098
	a := dense.FromRows([]float64{0, 1}, []float64{2, 3})
	w, _ := mustEigh[float64, float64](t, a.View(), Options{})
	checkValues(t, "lower", w, []float64{-1, 4}, 1e-14)
	w, _ = mustEigh[float64, float64](t, a.View(), Options{Upper: true})
	root := math.Sqrt(13)
	checkValues(t, "upper", w, []float64{(3 - root) / 2, (3 + root) / 2}, 1e-14)
	// jax#9473: (x + 2) (x^2 - 5 x - 4)
	a = dense.FromRows([]float64{1, 0, 0}, []float64{2, 1, 0}, []float64{3, 2, 1})
	w, _ = mustEigh[float64, float64](t, a.View(), Options{})
	root = math.Sqrt(41)
	checkValues(t, "3x3", w, []float64{-2, (5 - root) / 2, (5 + root) / 2}, 1e-14)
}

func TestImaginaryCoupling(t *testing.T) {
	// numpy#24640
	a := dense.FromRows([]complex128{0, 1i}, []complex128{-1i, 0})
	for _, upper := range []bool{false, true} {
		w, v := mustEigh[complex128, float64](t, a.View(), Options{Upper: upper})
		checkValues(t, "w", w, []float64{-1, 1}, 1e-15)
		checkPairs(t, &worstResiduals{}, "pairs", a, w, v, 0x1p-52)
	}
}

func TestOneByOne(t *testing.T) {
	// scipy#20512
	w, v := mustEigh[float64, float64](t, dense.FromRows([]float64{1}).View(), Options{})
	if w[0] != 1 || v.At(0, 0) != 1 {
		t.Errorf("real: %v, %v", w, v)
	}
	w, v2 := mustEigh[complex128, float32](t, dense.FromRows([]complex64{-2 + 3i}).View(), Options{})
	if w[0] != -2 || v2.At(0, 0) != 1 {
		t.Errorf("complex: %v, %v", w, v2)
	}
}

func TestSubnormalFloat32Survives(t *testing.T) {
	// jax#37765
	a := dense.FromRows([]float32{1, 0, 0}, []float32{0, 0.01, 0}, []float32{0, 0, 1e-40})
	w, _ := mustEigh[float64, float32](t, a.View(), Options{})
	for i, want := range []float32{1e-40, 0.01, 1} {
		if w[i] != float64(want) {
			t.Errorf("eigenvalue %d is %g, want %g", i, w[i], want)
		}
	}
}

func TestPathLaplacian(t *testing.T) {
	// scipy#12515
	a := dense.FromRows([]float64{1, -1, 0}, []float64{-1, 2, -1}, []float64{0, -1, 1})
	w, _ := mustEigh[float64, float64](t, a.View(), Options{})
	checkValues(t, "w", w, []float64{0, 1, 3}, 1e-15)
}

func TestEmpty(t *testing.T) {
	for _, opt := range []Options{{}, {ValuesOnly: true}, {Subset: ByValue(0, 1)}} {
		if count, err := Eigh(dense.View[float64]{}, []float64{}, dense.View[float64]{}, opt); count != 0 || err != nil {
			t.Errorf("standard: %d, %v", count, err)
		}
		empty := dense.View[complex64]{}
		if count, err := EighGeneralized(AXEqualsLambdaBX, empty, empty, []float32{}, empty, opt); count != 0 || err != nil {
			t.Errorf("generalized: %d, %v", count, err)
		}
	}
}

func TestSubsetByIndex(t *testing.T) {
	// scipy#12441
	a := dense.New[float64](10, 10)
	for i := range 10 {
		a.Set(i, i, float64(i))
	}
	w, v := mustEigh[float64, float64](t, a.View(), Options{Subset: ByIndex(0, 3)})
	checkValues(t, "diagonal", w, []float64{0, 1, 2, 3}, 0)
	if v.Cols != 4 || v.At(3, 3) != 1 {
		t.Errorf("vectors: %v", v)
	}
}
