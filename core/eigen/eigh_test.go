package eigen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/tridiag"
	"trnsci/core/tridiag/reduce"
)

func TestEighFamilies(t *testing.T) {
	t.Run("float32", testFamilies[float32, float64, float32])
	t.Run("float64", testFamilies[float64, float64, float64])
	t.Run("complex64", testFamilies[complex64, complex128, float32])
	t.Run("complex128", testFamilies[complex128, complex128, float64])
}

func testFamilies[T dense.Scalar, W dense.Wide, R dense.Float](t *testing.T) {
	const largeOrder = 500
	rng := rand.New(rand.NewPCG(1, 2))
	families, worst := numtest.HermitianFamilies[W](), &numtest.WorstResiduals{}
	for _, n := range numtest.Sizes {
		if testing.Short() && n > 65 {
			break
		}
		for _, family := range families {
			if n > 0 {
				testFamily[T, W, R](t, worst, rng, family, n)
			}
		}
	}
	if !testing.Short() {
		testFamily[T, W, R](t, worst, rng, families[0], largeOrder)
	}
	t.Log(worst)
}

func testFamily[T dense.Scalar, W dense.Wide, R dense.Float](t *testing.T, worst *numtest.WorstResiduals,
	rng *rand.Rand, family numtest.HermitianFamily[W], n int) {
	name := fmt.Sprintf("%s, n = %d", family.Name, n)
	a := rounded[T](family.Make(rng, n))
	w, v := mustEigh[W, R](t, a.View(), Options{})
	checkPairs(t, worst, name, widened[W](a), w, v, dense.Eps[T]())
	if family.Spectrum != nil {
		want := family.Spectrum(n)
		norm := max(math.Abs(want[0]), math.Abs(want[n-1]))
		// By Weyl's inequality, the residual and the rounding of the elements bound the errors of the eigenvalues.
		checkValues(t, name, w, want, residualLimit*float64(max(n, 8))*dense.Eps[T]()*norm)
	}
	valuesOnly := make([]R, n)
	if _, err := Eigh(a.View(), valuesOnly, dense.View[T]{}, Options{ValuesOnly: true}); err != nil {
		t.Fatal(err)
	}
	checkEighValues(t, name, n, valuesOnly, w)
}

func TestEighExtremeScales(t *testing.T) {
	// The products of single precision matrices with these powers of two stay in the range of their dtype.
	single, double := []int{-100, 110}, []int{-1000, -990, -341, 341, 996}
	t.Run("float32", func(t *testing.T) { testScales[float32, float64, float32](t, single) })
	t.Run("float64", func(t *testing.T) { testScales[float64, float64, float64](t, double) })
	t.Run("complex64", func(t *testing.T) { testScales[complex64, complex128, float32](t, single) })
	t.Run("complex128", func(t *testing.T) { testScales[complex128, complex128, float64](t, double) })
}

func testScales[T dense.Scalar, W dense.Wide, R dense.Float](t *testing.T, exponents []int) {
	rng := rand.New(rand.NewPCG(3, 4))
	worst := &numtest.WorstResiduals{}
	orders := []int{33}
	if dense.IsSingle[T]() {
		orders = append(orders, 70) // large enough to be solved in single precision
	}
	for _, exponent := range exponents {
		for _, family := range numtest.HermitianFamilies[W]() {
			for _, n := range orders {
				a := rounded[T](times2(family.Make(rng, n), exponent))
				w, v := mustEigh[W, R](t, a.View(), Options{})
				for i := range w {
					w[i] = math.Ldexp(w[i], -exponent)
				}
				name := fmt.Sprintf("2^%d %s, n = %d", exponent, family.Name, n)
				checkPairs(t, worst, name, times2(widened[W](a), -exponent), w, v, dense.Eps[T]())
			}
		}
	}
	t.Log(worst)
}

// Subnormal elements and eigenvalues have few significant digits, so errors are measured in units of the smallest
// subnormal number.
func TestEighSubnormal(t *testing.T) {
	t.Run("complex128", func(t *testing.T) { testSubnormal[complex128, float64](t, -1060, -1074) })
	t.Run("complex64", func(t *testing.T) { testSubnormal[complex64, float32](t, -135, -149) })
	t.Run("float32", func(t *testing.T) { testSubnormal[float32, float32](t, -135, -149) })
}

// testSubnormal multiplies matrices by 2^exponent; the smallest subnormal number of R is 2^last.
func testSubnormal[T dense.Scalar, R dense.Float](t *testing.T, exponent, last int) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{2, 8, 33, 70} {
		a := rounded[T](times2(widened[complex128](numtest.RandomHermitian[T](rng, n)), exponent))
		w, v := mustEigh[complex128, R](t, a.View(), Options{})
		for i := range w {
			w[i] = math.Ldexp(w[i], -exponent)
		}
		// n eigenvalues, each rounded to a multiple of the smallest subnormal number.
		halfUnit := math.Ldexp(1, last-exponent-1)
		if r := numtest.EigenResidual(times2(widened[complex128](a), -exponent), w, v, halfUnit); !(r < 1) {
			t.Errorf("n = %d: |AV - VW| is %g units of the smallest subnormal number", n, r)
		}
		if r := numtest.UnitaryResidual(v, dense.Eps[T]()); !(r < residualLimit) {
			t.Errorf("n = %d: |V^H V - I| is %g", n, r)
		}
	}
}

func TestEighLargestNumbers(t *testing.T) {
	const huge = math.MaxFloat64 * (1 - 0x1p-40) // so that rounding errors cause no overflow
	w, _ := mustEigh[float64, float64](t, dense.FromRows([]float64{0, huge}, []float64{huge, 0}).View(), Options{})
	checkValues(t, "w", w, []float64{-huge, huge}, 4*0x1p-52*huge)
	w, _ = mustEigh[float64, float64](t, dense.FromRows([]float64{huge, huge}, []float64{huge, huge}).View(), Options{})
	if math.Abs(w[0]) > 4*0x1p-52*huge || !math.IsInf(w[1], 1) {
		t.Errorf("eigenvalues 0 and about twice the largest number: %v", w)
	}
	z := complex(huge, huge) // its modulus is not representable
	w, v := mustEigh[complex128, float64](t, dense.FromRows([]complex128{0, 0}, []complex128{z, 0}).View(), Options{})
	if !math.IsInf(w[0], -1) || !math.IsInf(w[1], 1) || !(numtest.UnitaryResidual(v, 0x1p-52) < residualLimit) {
		t.Errorf("eigenvalues of a modulus beyond the range: %v, vectors %v", w, v)
	}
}

// The eigenvalues of a tiny decoupled block are accurate relative to the norm of that block.
func TestEighDetachedTinyBlocks(t *testing.T) {
	for _, tiny := range []float64{1e-30, 1e-200, 1e-280} {
		a := dense.FromRows(
			[]float64{1, 0, 0, 0},
			[]float64{0, 0, 0, 0},
			[]float64{0, 0, 0, 0},
			[]float64{0, tiny, tiny, 0},
		)
		w, _ := mustEigh[float64, float64](t, a.View(), Options{})
		s := tiny * math.Sqrt2
		checkValues(t, fmt.Sprint(tiny), w, []float64{-s, 0, s, 1}, 1e-15*tiny)
	}
}

func TestEighAgreesWithGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, family := range numtest.HermitianFamilies[float64]() {
		if family.Name == "weakly coupled" {
			continue // gonum's eigenvalues exceed every norm of the matrix
		}
		const n = 40
		a := family.Make(rng, n)
		var oracle mat.EigenSym
		if !oracle.Factorize(mat.NewSymDense(n, a.Data), true) {
			t.Fatal("gonum did not converge")
		}
		want := oracle.Values(nil)
		w, _ := mustEigh[float64, float64](t, a.View(), Options{})
		checkValues(t, family.Name, w, want, residualLimit*n*0x1p-52*max(-want[0], want[n-1]))
	}
}

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
		checkPairs(t, &numtest.WorstResiduals{}, "pairs", a, w, v, 0x1p-52)
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

// One scaling by an even power of two brings a matrix with very large or very small elements, subnormal ones included,
// into the range that needs no scaling.
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
				t.Errorf("2^%d, n = %d: scaled by 2^%d, needs 2^%d more", exponent, n, k, again)
			}
		}
	}
}

// largestInLower finds large elements, infinities and NaNs everywhere in the lower triangle and reads no other.
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

// With Overwrite the reduction works in the matrix's own memory if the layout suits it, and changes nothing outside.
func TestOverwriteStaysInsideOfTheMatrix(t *testing.T) {
	const n, stride = 40, 48
	rng := rand.New(rand.NewPCG(35, 35))
	whole := numtest.RandomHermitian[float64](rng, stride)
	before := whole.Clone()
	a := whole.Slice(0, n, 0, n)
	h, err := lowerCopy[float64](nil, a.View(), false, true)
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
