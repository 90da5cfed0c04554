package schur

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// wide returns m in double precision.
func wide[T dense.Scalar](m dense.Matrix[T]) dense.Matrix[complex128] {
	w := dense.New[complex128](m.Rows, m.Cols)
	dense.Copy(w.View(), m.View())
	return w
}

// similarityError returns |before - Q after Q^H|_F / (m eps |before|_F) and |Q^H Q - I|_F / (m eps), m = max(n, 8), with the eps of
// T, for the adjoint zt of Q.
func similarityError[T dense.Scalar](before, after, zt dense.Matrix[T]) (similarity, unitarity float64) {
	n := before.Rows
	a, b, q := wide(before), wide(after), wide(zt)
	size := numtest.FrobeniusNorm(a)
	if largest := largestPart(a); largest > 0 {
		_, exponent := math.Frexp(largest)
		shiftExponents(a, -exponent)
		shiftExponents(b, -exponent)
		size = numtest.FrobeniusNorm(a)
	}
	product := dense.New[complex128](n, n)
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, 1, q, b, 0, product)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, -1, product, q, 1, a)
	unit := float64(max(n, 8)) * dense.Eps[T]()
	if size > 0 {
		similarity = numtest.FrobeniusNorm(a) / (unit * size)
	}
	product.SetIdentity()
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, -1, q, q, 1, product)
	return similarity, numtest.FrobeniusNorm(product) / unit
}

func largestPart[T dense.Scalar](m dense.Matrix[T]) (largest float64) {
	for i := range m.Rows {
		for _, x := range m.Row(i) {
			largest = max(largest, math.Abs(dense.Real(x)), math.Abs(dense.Imag(x)))
		}
	}
	return largest
}

// blockMatrix returns a random quasi-triangular matrix with diagonal blocks of the given orders. closeness is the distance of the
// eigenvalues of different blocks.
func blockMatrix[W dense.Float](rng *rand.Rand, closeness float64, orders ...int) dense.Matrix[W] {
	n := 0
	for _, order := range orders {
		n += order
	}
	t := dense.New[W](n, n)
	for i := range n {
		for j := i; j < n; j++ {
			t.Set(i, j, W(rng.NormFloat64()))
		}
	}
	at := 0
	for _, order := range orders {
		x := W(0.3 + closeness*rng.NormFloat64())
		t.Set(at, at, x)
		if order == 2 {
			t.Set(at+1, at+1, x)
			t.Set(at, at+1, W(1+closeness*rng.Float64()))
			t.Set(at+1, at, W(-1-closeness*rng.Float64()))
		}
		at += order
	}
	return t
}

func testSwappedBlocks[W dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	worst, refused, tried := 0.0, 0, 0
	for _, closeness := range []float64{10, 1, 1e-1, 1e-3, 1e-6, 1e-12} {
		for _, exponent := range []int{0, -120, 120} {
			for trial := range 80 {
				first, second := 1+trial%2, 1+trial/2%2
				before := blockMatrix[W](rng, closeness, 1, 2, first, second, 2, 1)
				shiftExponents(before, exponent)
				after, zt := before.Clone(), dense.New[W](before.Rows, before.Rows)
				zt.SetIdentity()
				name := fmt.Sprintf("blocks %d and %d, closeness %g, size 2^%d", first, second, closeness, exponent)
				tried++
				if !swapBlocks(after, zt, 3, first, second) {
					refused++
					checkUntouched(t, name, before, after)
					continue
				}
				similarity, unitarity := similarityError(before, after, zt)
				worst = max(worst, similarity, unitarity)
				if !(similarity <= residualLimit && unitarity <= residualLimit) {
					t.Errorf("%s: similarity residual %g, orthogonality residual %g", name, similarity, unitarity)
				}
				if err := numtest.CheckQuasiTriangular(doubled(after)); err != nil {
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

// shiftExponents multiplies m by 2^shift.
func shiftExponents[T dense.Scalar](m dense.Matrix[T], shift int) {
	factor := dense.FromReal[T](math.Ldexp(1, shift))
	for i := range m.Data {
		m.Data[i] *= factor
	}
}

func doubled[W dense.Float](m dense.Matrix[W]) dense.Matrix[float64] {
	d := dense.New[float64](m.Rows, m.Cols)
	dense.Copy(d.View(), m.View())
	return d
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
		before := blockMatrix[float64](rng, 0, 2, 2, 1)
		after, zt := before.Clone(), dense.New[float64](5, 5)
		zt.SetIdentity()
		if !swapBlocks(after, zt, 0, 2, 2) {
			refused++
			checkUntouched(t, "equal blocks", before, after)
			continue
		}
		if similarity, unitarity := similarityError(before, after, zt); !(similarity <= residualLimit && unitarity <= residualLimit) {
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
				shiftExponents(before, exponent)
				after, zt := before.Clone(), dense.New[W](7, 7)
				zt.SetIdentity()
				swapRotated(after, zt, 3)
				similarity, unitarity := similarityError(before, after, zt)
				worst = max(worst, similarity, unitarity)
				if !(similarity <= residualLimit && unitarity <= residualLimit) {
					t.Errorf("closeness %g, size 2^%d: similarity residual %g, unitarity residual %g", closeness, exponent, similarity, unitarity)
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
		c, s := exchange(a, b, d)
		if !(math.Abs(c*c+real(s)*real(s)+imag(s)*imag(s)-1) <= 8*eps) {
			t.Fatalf("%v, %v, %v: the rotation %v, %v is not unitary", a, b, d, c, s)
		}
	}
}
