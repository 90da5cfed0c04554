package factor

import (
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
)

var rectangles = [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 5}, {5, 1}, {8, 3}, {3, 8}, {40, 17}, {17, 40}, {64, 64},
	{150, 70}, {70, 150}}

func TestLUView(t *testing.T) {
	t.Run("float32", testLUView[float32])
	t.Run("float64", testLUView[float64])
	t.Run("complex64", testLUView[complex64])
	t.Run("complex128", testLUView[complex128])
}

func testLUView[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	for _, shape := range rectangles {
		a := numtest.Random[T](rng, shape[0], shape[1])
		for _, grading := range []int{0, dense.MaxExponent[T]() / 2} {
			graded := a.Clone()
			for i := range graded.Rows { // from one end of the range nearly to the other
				exponent := 2*grading*i/max(1, graded.Rows-1) - grading
				blas.Ldexp(graded.Row(i), exponent)
			}
			for _, view := range []dense.View[T]{graded.View(), columnsOf(graded)} {
				out := columnsOf(dense.New[T](graded.Rows, graded.Cols))
				pivots := make([]int, min(graded.Rows, graded.Cols))
				if zero, err := LUView(nil, view, out, pivots, true); err != nil || zero != 0 {
					t.Fatalf("%v: pivot %d is zero, %v", shape, zero, err)
				}
				expectFactors(t, graded, out, pivots)
			}
		}
	}
}

// expectFactors judges P^T A = L U by |P^T A - L U| <= 4 k eps |L| |U|, entry by entry, as in testLU, and the elements
// of L by 2.
func expectFactors[T dense.Scalar](t *testing.T, a dense.Matrix[T], lu dense.View[T], pivots []int) {
	t.Helper()
	m, n, k := a.Rows, a.Cols, len(pivots)
	l, u, permuted := dense.New[T](m, k), dense.New[T](k, n), a.Clone()
	for i := range m {
		for j := range min(i, k) {
			l.Set(i, j, lu.At(i, j))
			if x := lu.At(i, j); math.Abs(dense.Real(x))+math.Abs(dense.Imag(x)) > 2+1e-6 {
				t.Fatalf("%d x %d: element (%d,%d) of L is %v", m, n, i, j, x)
			}
		}
		if i < k {
			l.Set(i, i, 1)
			for j := i; j < n; j++ {
				u.Set(i, j, lu.At(i, j))
			}
			swapRows(permuted, i, pivots[i])
		}
	}
	product, size := dense.New[T](m, n), dense.New[float64](m, n)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, l, u, 0, product)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, moduli(l), moduli(u), 0, size)
	for i := range m {
		for j := range n {
			limit := 4 * float64(k) * dense.Eps[T]() * size.At(i, j)
			if r := dense.Abs(product.At(i, j) - permuted.At(i, j)); !(r <= limit) {
				t.Fatalf("%d x %d: residual %g in (%d,%d), limit %g", m, n, r, i, j, limit)
			}
		}
	}
}

// The factors of Wilkinson's matrix grow by 2^(n-1), as partial pivoting has to.
func TestLUViewGrowth(t *testing.T) {
	const n = 40
	a := dense.New[float64](n, n)
	for i := range n {
		for j := range i {
			a.Set(i, j, -1)
		}
		a.Set(i, i, 1)
		a.Set(i, n-1, 1)
	}
	out, pivots := columnsOf(dense.New[float64](n, n)), make([]int, n)
	if zero, err := LUView(nil, a.View(), out, pivots, true); err != nil || zero != 0 {
		t.Fatal(zero, err)
	}
	if out.At(n-1, n-1) != 0x1p39 {
		t.Errorf("the last pivot is %g", out.At(n-1, n-1))
	}
}

func TestLUViewOfMatricesThatAreNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(52, 1)), 20, 20)
		a.Set(3, 4, bad)
		out, pivots := columnsOf(dense.New[float64](20, 20)), make([]int, 20)
		if _, err := LUView(nil, a.View(), out, pivots, true); err == nil {
			t.Error("no error")
		}
		if _, err := LUView(nil, a.View(), out, pivots, false); err != nil {
			t.Error(err)
		}
		for k, p := range pivots {
			if p < k || p >= 20 {
				t.Errorf("pivot %d is %d", k, p)
			}
		}
	}
}

func TestLUSolveTransposed(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 1))
	for _, n := range []int{1, 9, 50} {
		for _, k := range []int{1, 4} {
			a, b := numtest.Random[complex128](rng, n, n), numtest.Random[complex128](rng, n, k)
			lu, pivots := a.Clone(), make([]int, n)
			if _, err := LU(nil, lu, pivots); err != nil {
				t.Fatal(err)
			}
			for _, trans := range []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans} {
				x := b.Clone()
				if err := LUSolve(nil, trans, lu, pivots, x); err != nil {
					t.Fatal(err)
				}
				expectSystemSolved(t, trans, a, x, b)
			}
		}
	}
}

func TestDeterminant(t *testing.T) {
	infinity := math.Inf(1)
	for _, c := range []struct {
		a        dense.Matrix[float64]
		mantissa float64
		exponent int
	}{
		{dense.FromRows([]float64{0, 2}, []float64{3, 4}), -0.75, 3},
		{dense.FromRows([]float64{0x1p1000, 0}, []float64{0, 0x1p1000}), 0.5, 2001},
		{dense.FromRows([]float64{0x1p-1074, 0}, []float64{0, 0x1p-1000}), 0.5, -2073},
		{dense.New[float64](0, 0), 0.5, 1},
		{dense.New[float64](3, 3), 0, 0},
		{dense.FromRows([]float64{infinity, 0}, []float64{0, 2}), infinity, 0},
	} {
		m, e, err := Determinant(nil, c.a.View(), false)
		if err != nil || real(m) != c.mantissa || imag(m) != 0 || !math.IsInf(real(m), 0) && m != 0 && e != c.exponent {
			t.Errorf("%v: %v * 2^%d, %v", c.a, m, e, err)
		}
	}
	a := dense.FromRows([]complex128{1i, 2}, []complex128{0, 3}).View()
	if m, e, err := Determinant(nil, a, true); err != nil || m != 0.75i || e != 2 {
		t.Errorf("%v * 2^%d, %v", m, e, err)
	}
	a.Set(0, 1, complex(0, infinity))
	if _, _, err := Determinant(nil, a, true); err == nil {
		t.Error("an infinity is no error")
	}
}
