package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// reduced is what tridiagonalize makes of a matrix.
type reduced[W dense.Scalar] struct {
	h   dense.Matrix[W]
	t   *tridiagonal
	tau []W
}

func mustTridiagonalize[W dense.Scalar](t *testing.T, team *sched.Team, a dense.Matrix[W]) reduced[W] {
	t.Helper()
	h, err := loadLower[W](nil, poisoned(a, false).View(), false, false)
	if err != nil {
		t.Fatal(err)
	}
	m := newTridiagonal(a.Rows)
	tau, err := tridiagonalize(team, h, m.d, m.e)
	if err != nil {
		t.Fatal(err)
	}
	return reduced[W]{h, m, tau}
}

// restored returns Q T Q^H, each reflection applied to both sides of a full matrix as its definition says.
func (r *reduced[W]) restored() dense.Matrix[W] {
	n := len(r.tau)
	a := dense.New[W](n, n)
	for i := range n {
		a.Set(i, i, dense.FromReal[W](r.t.d[i]))
		if i > 0 {
			a.Set(i, i-1, dense.FromReal[W](r.t.e[i-1]))
			a.Set(i-1, i, dense.FromReal[W](r.t.e[i-1]))
		}
	}
	product, scaled := make([]W, n), make([]W, n)
	for i := 1; i < n; i++ {
		v := r.h.Row(i)[:i]
		clear(product)
		for k, x := range v { // A - tau v (v^H A)
			for j, y := range a.Row(k) {
				product[j] += dense.Conj(x) * y
			}
		}
		for k, x := range v {
			row, factor := a.Row(k), r.tau[i]*x
			for j, y := range product {
				row[j] -= factor * y
			}
		}
		for j, x := range v {
			scaled[j] = dense.Conj(r.tau[i] * x)
		}
		for k := range n { // A - (A v) (tau v)^H
			row, sum := a.Row(k)[:i], W(0)
			for j, x := range v {
				sum += row[j] * x
			}
			for j, x := range scaled[:i] {
				row[j] -= sum * x
			}
		}
	}
	return a
}

// check fails the test unless the reflections are unitary and lead from T back to a, within rounding errors.
func (r *reduced[W]) check(t *testing.T, name string, a dense.Matrix[W]) {
	t.Helper()
	n := a.Rows
	const limit = 4
	eps := dense.Eps[W]()
	for i := 1; i < n; i++ {
		v, tau := r.h.Row(i)[:i], r.tau[i]
		if v[i-1] != 1 {
			t.Fatalf("%s: v_%d ends with %v", name, i, v[i-1])
		}
		squares := 0.0
		for _, x := range v {
			squares += dense.Abs(x) * dense.Abs(x)
		}
		// P^H P = I - (tau + conj(tau) - |tau|^2 v^H v) v v^H; the two terms are as large as 4.
		if off := math.Abs(2*dense.Real(tau) - dense.Abs(tau)*dense.Abs(tau)*squares); !(off <= 2*float64(max(n, 8))*eps) {
			t.Fatalf("%s: tau_%d is off by %g", name, i, off)
		}
	}
	back, difference, size := r.restored(), 0.0, 0.0
	for i := range n {
		for j := range n {
			difference += math.Pow(dense.Abs(back.At(i, j)-a.At(i, j)), 2)
			size += math.Pow(dense.Abs(a.At(i, j)), 2)
		}
	}
	if got := math.Sqrt(difference); !(got <= limit*float64(max(n, 8))*eps*math.Sqrt(size)) {
		t.Errorf("%s: |Q T Q^H - A| is %g, |A| is %g", name, got, math.Sqrt(size))
	}
}

func TestTridiagonalizeIsASimilarity(t *testing.T) {
	t.Run("float32", testTridiagonalize[float32])
	t.Run("float64", testTridiagonalize[float64])
	t.Run("complex64", testTridiagonalize[complex64])
	t.Run("complex128", testTridiagonalize[complex128])
}

func testTridiagonalize[W dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 31))
	orders := []int{63, 64, 65, 100, minCutOrder - 1, minCutOrder + 9, minSharedOrder + 1}
	for n := 1; n <= 34; n++ {
		orders = append(orders, n)
	}
	for _, n := range orders {
		if testing.Short() && n > minCutOrder {
			continue // a second in the plain products of restored
		}
		a := numtest.RandomHermitian[W](rng, n)
		r := mustTridiagonalize(t, nil, a)
		r.check(t, fmt.Sprintf("n = %d", n), a)
	}
}

// Matrices with rows that need no reflection: the update by an earlier one is still due then.
func TestTridiagonalizeSkipsReflections(t *testing.T) {
	t.Run("float32", testSkippedReflections[float32])
	t.Run("float64", testSkippedReflections[float64])
	t.Run("complex64", testSkippedReflections[complex64])
	t.Run("complex128", testSkippedReflections[complex128])
}

func testSkippedReflections[W dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 32))
	digits := 300.0 // powers of ten that tiny elements go down
	if dense.IsSingle[W]() {
		digits = 36
	}
	for round := range 200 {
		n := 2 + rng.IntN(30)
		a := numtest.RandomHermitian[W](rng, n)
		// Blocks on the diagonal, some elements of which are tiny or zero.
		block, tiny := 1+rng.IntN(n), math.Pow(10, -digits*rng.Float64())
		for i := range n {
			for j := range i {
				x := a.At(i, j)
				switch {
				case i/block != j/block:
					x = 0
				case rng.IntN(3) == 0:
					x = 0
				case rng.IntN(10) == 0:
					x *= dense.FromReal[W](tiny)
				}
				a.Set(i, j, x)
				a.Set(j, i, dense.Conj(x))
			}
		}
		r := mustTridiagonalize(t, nil, a)
		r.check(t, fmt.Sprintf("round %d, n = %d, blocks of %d", round, n, block), a)
	}
}

// Matrices near the ends of their dtype's range, and those whose elements are all subnormal, are scaled and then reduced like others.
func TestTridiagonalizeAtTheEndsOfTheRange(t *testing.T) {
	single, double := []int{-140, -120, -30, 50, 124}, []int{-1060, -1010, -400, 400, 1020}
	t.Run("float32", func(t *testing.T) { testEndsOfTheRange[float32](t, single) })
	t.Run("float64", func(t *testing.T) { testEndsOfTheRange[float64](t, double) })
	t.Run("complex64", func(t *testing.T) { testEndsOfTheRange[complex64](t, single) })
	t.Run("complex128", func(t *testing.T) { testEndsOfTheRange[complex128](t, double) })
}

func testEndsOfTheRange[W dense.Scalar](t *testing.T, exponents []int) {
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
			for i := range n {
				for j := range i {
					a.Set(j, i, dense.Conj(a.At(i, j)))
				}
			}
			r := mustTridiagonalize(t, nil, a)
			r.check(t, fmt.Sprintf("2^%d, n = %d", exponent, n), a)
		}
	}
}

// What is not finite is found wherever it is in the lower triangle, and nowhere else.
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

// A real tridiagonal matrix comes out as it is, with no reflection at all.
func TestTridiagonalizeKeepsTridiagonalMatrices(t *testing.T) {
	const n = 37
	rng := rand.New(rand.NewPCG(33, 33))
	a := dense.New[float64](n, n)
	for i := range n {
		a.Set(i, i, rng.NormFloat64())
		if i > 0 {
			a.Set(i, i-1, rng.NormFloat64())
			a.Set(i-1, i, a.At(i, i-1))
		}
	}
	r := mustTridiagonalize(t, nil, a)
	for i := range n {
		if r.tau[i] != 0 || r.t.d[i] != a.At(i, i) || i > 0 && r.t.e[i-1] != a.At(i, i-1) {
			t.Errorf("row %d: tau %v, diagonal %v, want %v", i, r.tau[i], r.t.d[i], a.At(i, i))
		}
	}
}

// Orders at which threads share a pass, and at which they stop to.
func TestTridiagonalizeKeepsTheDiagonalOfOrderTwo(t *testing.T) {
	a := dense.FromRows([]complex128{9.1, 0.3 - 0.7i}, []complex128{0.3 + 0.7i, 10.3})
	r := mustTridiagonalize(t, nil, a)
	if r.t.d[0] != 9.1 || r.t.d[1] != 10.3 {
		t.Errorf("the diagonal is %v", r.t.d)
	}
	r.check(t, "order two", a)
}

func TestTridiagonalizeThreadsDoNotChangeBits(t *testing.T) {
	t.Run("float32", testTridiagonalizeThreads[float32])
	t.Run("float64", testTridiagonalizeThreads[float64])
	t.Run("complex64", testTridiagonalizeThreads[complex64])
	t.Run("complex128", testTridiagonalizeThreads[complex128])
}

func testTridiagonalizeThreads[W dense.Scalar](t *testing.T) {
	a := numtest.RandomHermitian[W](rand.New(rand.NewPCG(34, 34)), minSharedOrder+40)
	one := mustTridiagonalize(t, nil, a)
	for _, threads := range []int{2, 3, 2 * sharedParts} {
		other := mustTridiagonalize(t, sched.NewTeam(context.Background(), threads, nil), a)
		same := sameBits(one.t.d, other.t.d) && sameBits(one.t.e, other.t.e) && sameBits(one.tau, other.tau)
		for i := range a.Rows {
			same = same && sameBits(one.h.Row(i)[:i], other.h.Row(i)[:i])
		}
		if !same {
			t.Errorf("1 and %d threads differ", threads)
		}
	}
}

func TestTridiagonalizeIsCancelled(t *testing.T) {
	for _, n := range []int{5, minSharedOrder + 8} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		h := newLower[float64](n)
		if _, err := tridiagonalize(sched.NewTeam(ctx, 2, nil), h, make([]float64, n), make([]float64, n)); !errors.Is(err, context.Canceled) {
			t.Errorf("n = %d: %v", n, err)
		}
	}
}

// With Overwrite, memory that suits the reduction is used as it is, and nothing outside of the matrix is touched.
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
	if _, err := tridiagonalize(nil, h, make([]float64, n), make([]float64, n)); err != nil {
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
