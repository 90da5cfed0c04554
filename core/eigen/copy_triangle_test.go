package eigen

import (
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/tridiag"
	"trnsci/core/tridiag/reduce"
)

// Matrices near the ends of their dtype's range, and those whose elements are all subnormal, are scaled by an even power of
// two into the range that needs no scaling.
func TestScalingExponent(t *testing.T) {
	single, double := []int{-140, -120, -30, 50, 124}, []int{-1060, -1010, -400, 400, 1020}
	t.Run("float32", func(t *testing.T) { testScalingExponent[float32](t, single) })
	t.Run("float64", func(t *testing.T) { testScalingExponent[float64](t, double) })
	t.Run("complex64", func(t *testing.T) { testScalingExponent[complex64](t, single) })
	t.Run("complex128", func(t *testing.T) { testScalingExponent[complex128](t, double) })
}

func testScalingExponent[W dense.Scalar](t *testing.T, exponents []int) {
	rng := rand.New(rand.NewPCG(36, 36))
	for _, exponent := range exponents {
		for _, n := range []int{1, 2, 9, 33} {
			a := numtest.RandomHermitian[W](rng, n)
			for i, x := range a.Data {
				a.Data[i] = dense.FromParts[W](math.Ldexp(dense.Real(x), exponent), math.Ldexp(dense.Imag(x), exponent))
			}
			k := scalingExponent[W](largestInLower(a))
			if k == 0 || k%2 != 0 {
				t.Fatalf("2^%d, n = %d: scaled by 2^%d", exponent, n, k)
			}
			scaleLower(a, k)
			if again := scalingExponent[W](largestInLower(a)); again != 0 {
				t.Errorf("2^%d, n = %d: 2^%d is not enough, 2^%d is missing", exponent, n, k, again)
			}
		}
	}
}

// Infinities and NaNs are found everywhere in the lower triangle, and nowhere else.
func TestLargestInLower(t *testing.T) {
	t.Run("float32", testLargestInLower[float32])
	t.Run("float64", testLargestInLower[float64])
	t.Run("complex64", testLargestInLower[complex64])
	t.Run("complex128", testLargestInLower[complex128])
}

func testLargestInLower[W dense.Scalar](t *testing.T) {
	const n = 9
	nan, inf := math.NaN(), math.Inf(-1)
	for i := range n {
		for j := range n {
			a := numtest.RandomHermitian[W](rand.New(rand.NewPCG(37, 37)), n)
			a.Set(i, j, dense.FromReal[W](-100))
			if got := largestInLower(a); (got == 100) != (j <= i) {
				t.Errorf("-100 at (%d,%d): largest %v", i, j, got)
			}
			a.Set(i, j, dense.FromReal[W](inf))
			if got := largestInLower(a); math.IsInf(got, 1) != (j <= i) {
				t.Errorf("infinity at (%d,%d): largest %v", i, j, got)
			}
			a.Set(n-1, 0, dense.FromReal[W](inf))
			a.Set(i, j, dense.FromParts[W](nan, nan))
			if got := largestInLower(a); math.IsNaN(got) != (j <= i) {
				t.Errorf("NaN at (%d,%d): largest %v", i, j, got)
			}
		}
	}
}

// With Overwrite the reduction works in memory that suits it, and nothing outside of the matrix changes.
func TestOverwriteStaysInsideOfTheMatrix(t *testing.T) {
	const n, stride = 40, 48
	rng := rand.New(rand.NewPCG(35, 35))
	whole := numtest.RandomHermitian[float64](rng, stride)
	before := whole.Clone()
	a := whole.Slice(0, n, 0, n)
	h, err := loadLower[float64](nil, a.View(), false, true)
	if err != nil || &h.Data[0] != &whole.Data[0] {
		t.Fatalf("the matrix is not reduced in its own memory (error %v)", err)
	}
	if _, err := reduce.Hermitian(nil, h, tridiag.New(n)); err != nil {
		t.Fatal(err)
	}
	for i := range stride {
		for j := range stride {
			if (i >= n || j >= n) && whole.At(i, j) != before.At(i, j) {
				t.Fatalf("element (%d,%d) outside of the matrix changed", i, j)
			}
		}
	}
}
