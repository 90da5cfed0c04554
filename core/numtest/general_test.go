package numtest

import (
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
)

func TestResidualsSeeErrorsAndNothingElse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 10, 40} {
		q, b := Orthogonal(rng, n), QuasiTriangular(rng, n)
		a := multiply(multiply(q, b), transposed(q))
		for _, shift := range []int{-900, 0, 900} {
			large, form := scaled(a, shift), scaled(b, shift)
			if r := SimilarityResidual(large, q, form, 0x1p-52); !(r < 10) {
				t.Errorf("n = %d, scale 2^%d: residual %g of a correct decomposition", n, shift, r)
			}
			form.Set(n-1, n-1, form.At(n-1, n-1)+math.Ldexp(1e-10*SpectralNorm(a), shift))
			if r := SimilarityResidual(large, q, form, 0x1p-52); !(r > 100) {
				t.Errorf("n = %d, scale 2^%d: residual %g of a wrong decomposition", n, shift, r)
			}
		}
		if r := UnitaryResidual(q, 0x1p-52); !(r < 10) {
			t.Errorf("n = %d: residual %g of an orthogonal matrix", n, r)
		}
		q.Set(0, 0, q.At(0, 0)+1e-10)
		if r := UnitaryResidual(q, 0x1p-52); !(r > 100) && math.Abs(q.At(0, 0)) > 1e-3 {
			t.Errorf("n = %d: residual %g of a matrix that is not orthogonal", n, r)
		}
		q.Set(0, 0, math.NaN())
		if r := UnitaryResidual(q, 0x1p-52); r <= math.MaxFloat64 {
			t.Errorf("n = %d: residual %g of a matrix with a NaN", n, r)
		}
	}
}

func multiply(a, b dense.Matrix[float64]) dense.Matrix[float64] {
	return byElement(a.Rows, func(i, j int) float64 {
		sum := 0.0
		for k := range a.Cols {
			sum += a.At(i, k) * b.At(k, j)
		}
		return sum
	})
}

func TestChecksNameTheFault(t *testing.T) {
	good := dense.FromRows([]float64{1, 2, 3, 4}, []float64{-1, 1, 5, 6}, []float64{0, 0, 7, 8}, []float64{0, 0, 0, 9})
	if err := CheckQuasiTriangular(good); err != nil {
		t.Error(err)
	}
	faults := map[string]struct {
		i, j int
		x    float64
	}{
		"diagonal elements differ":      {0, 0, 1 + 0x1p-52},
		"off-diagonal elements agree":   {1, 0, 1},
		"super element is zero":         {0, 1, 0},
		"blocks overlap":                {2, 1, -1},
		"real pair is not split":        {3, 2, 1},
		"element below the subdiagonal": {3, 0, 5e-324},
		"NaN":                           {1, 0, math.NaN()},
	}
	for name, f := range faults {
		bad := good.Clone()
		bad.Set(f.i, f.j, f.x)
		if CheckQuasiTriangular(bad) == nil {
			t.Errorf("%s: not found", name)
		}
	}
}

func TestSpectralNorm(t *testing.T) {
	// The norm of diag(3, -5) and of [0 7; 0 0], and that of the matrix of ones, which is its order.
	for want, a := range map[float64]dense.Matrix[float64]{
		5:  dense.FromRows([]float64{3, 0}, []float64{0, -5}),
		7:  dense.FromRows([]float64{0, 7}, []float64{0, 0}),
		20: byElement(20, func(_, _ int) float64 { return 1 }),
	} {
		if got := SpectralNorm(a); !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("got %g, want %g", got, want)
		}
	}
	if got := SpectralNorm(dense.New[float64](3, 3)); got != 0 {
		t.Errorf("zero matrix: %g", got)
	}
}
