package quasi

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

func testSwappedBlocks[W dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	worst, refused, tried := 0.0, 0, 0
	for _, closeness := range []float64{10, 1, 1e-1, 1e-3, 1e-6, 1e-12} {
		for _, exponent := range []int{0, -120, 120} {
			for trial := range 80 {
				first, second := 1+trial%2, 1+trial/2%2
				before := formtest.BlockMatrix[W](rng, closeness, 1, 2, first, second, 2, 1)
				formtest.ShiftExponents(before, exponent)
				after, zt := before.Clone(), dense.New[W](before.Rows, before.Rows)
				zt.SetIdentity()
				name := fmt.Sprintf("blocks %d and %d, closeness %g, size 2^%d", first, second, closeness, exponent)
				tried++
				if !Swap(after, zt, 3, first, second) {
					refused++
					checkUntouched(t, name, before, after)
					continue
				}
				similarity, unitarity := formtest.SimilarityError(before, after, zt)
				worst = max(worst, similarity, unitarity)
				if !(similarity <= formtest.ResidualLimit && unitarity <= formtest.ResidualLimit) {
					t.Errorf("%s: similarity residual %g, orthogonality residual %g", name, similarity, unitarity)
				}
				if err := numtest.CheckQuasiTriangular(formtest.Doubled(after)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if second == 1 && after.At(3, 3) != before.At(3+first, 3+first) {
					t.Errorf("%s: the eigenvalue that moved up has changed", name)
				}
				if first == 1 && after.At(3+second, 3+second) != before.At(3, 3) {
					t.Errorf("%s: the eigenvalue that moved down has changed", name)
				}
			}
		}
	}
	t.Logf("largest residual %.2f, %d of %d exchanges refused", worst, refused, tried)
	if refused > tried/20 {
		t.Errorf("%d of %d exchanges were refused", refused, tried)
	}
}

func checkUntouched[T dense.Scalar](t *testing.T, name string, before, after dense.Matrix[T]) {
	t.Helper()
	if !slices.Equal(before.Data, after.Data) {
		t.Errorf("%s: a refused exchange has changed the matrix", name)
	}
}

func TestSwappedBlocks(t *testing.T) {
	t.Run("float64", testSwappedBlocks[float64])
	t.Run("float32", testSwappedBlocks[float32])
}

// Blocks with the same eigenvalues may be refused, but never come out wrong.
func TestSwapOfEqualBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	refused := 0
	for range 200 {
		before := formtest.BlockMatrix[float64](rng, 0, 2, 2, 1)
		after, zt := before.Clone(), dense.New[float64](5, 5)
		zt.SetIdentity()
		if !Swap(after, zt, 0, 2, 2) {
			refused++
			checkUntouched(t, "equal blocks", before, after)
			continue
		}
		similarity, unitarity := formtest.SimilarityError(before, after, zt)
		if !(similarity <= formtest.ResidualLimit && unitarity <= formtest.ResidualLimit) {
			t.Errorf("similarity residual %g, orthogonality residual %g", similarity, unitarity)
		}
	}
	t.Logf("%d of 200 exchanges refused", refused)
}

func testSwappedElements[W dense.Complex](t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	worst := 0.0
	for _, closeness := range []float64{1, 1e-6, 1e-12, 1e-30, 0} {
		for _, exponent := range []int{0, -120, 120} {
			for range 40 {
				before := numtest.Random[W](rng, 7, 7)
				for i := range 7 {
					clear(before.Row(i)[:i])
				}
				before.Set(4, 4, before.At(3, 3)+dense.FromParts[W](closeness*rng.NormFloat64(), closeness*rng.NormFloat64()))
				before.Set(3, 4, before.At(3, 4)*dense.FromReal[W](math.Pow(10, -40*rng.Float64())))
				formtest.ShiftExponents(before, exponent)
				after, zt := before.Clone(), dense.New[W](7, 7)
				zt.SetIdentity()
				SwapElements(after, zt, 3)
				similarity, unitarity := formtest.SimilarityError(before, after, zt)
				worst = max(worst, similarity, unitarity)
				if !(similarity <= formtest.ResidualLimit && unitarity <= formtest.ResidualLimit) {
					t.Errorf("closeness %g, size 2^%d: similarity residual %g, unitarity residual %g",
						closeness, exponent, similarity, unitarity)
				}
				if after.At(3, 3) != before.At(4, 4) || after.At(4, 4) != before.At(3, 3) || after.At(4, 3) != 0 {
					t.Errorf("closeness %g: the block is [%v . %v %v]", closeness, after.At(3, 3), after.At(4, 3), after.At(4, 4))
				}
			}
		}
	}
	t.Logf("largest residual %.2f", worst)
}

func TestSwappedElements(t *testing.T) {
	t.Run("complex128", testSwappedElements[complex128])
	t.Run("complex64", testSwappedElements[complex64])
}

// The rotation of an exchange is unitary whatever the sizes of the elements.
func TestExchangeIsUnitary(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	number := func() complex128 {
		return complex(math.Ldexp(rng.NormFloat64(), rng.IntN(2090)-1070), math.Ldexp(rng.NormFloat64(), rng.IntN(2090)-1070))
	}
	for range 20000 {
		a, b, d := number(), number(), number()
		c, s := ExchangeRotation(a, b, d)
		if !(math.Abs(c*c+real(s)*real(s)+imag(s)*imag(s)-1) <= 8*dense.EpsDouble) {
			t.Fatalf("%v, %v, %v: the rotation %v, %v is not unitary", a, b, d, c, s)
		}
	}
}
