package reduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
	"trnsci/core/tridiag"
)

// reduced is the result of Hermitian.
type reduced[W dense.Scalar] struct {
	h   dense.Matrix[W]
	t   tridiag.Matrix
	tau []W
}

func mustReduce[W dense.Scalar](t *testing.T, team *sched.Team, a dense.Matrix[W]) reduced[W] {
	t.Helper()
	h, m := NewLower[W](a.Rows), tridiag.New(a.Rows)
	for i := range a.Rows {
		row := h.Row(i)
		copy(row, a.Row(i)[:i+1])
		for j := i + 1; j < a.Rows; j++ { // not read, but part of the kernels' groups of columns
			row[j] = dense.FromReal[W](math.NaN())
		}
	}
	tau, err := Hermitian(team, h, m)
	if err != nil {
		t.Fatal(err)
	}
	return reduced[W]{h, m, tau}
}

// restored returns Q T Q^H. It applies each reflection to both sides of a full matrix, as defined.
func (r *reduced[W]) restored() dense.Matrix[W] {
	n := len(r.tau)
	a := dense.New[W](n, n)
	for i := range n {
		a.Set(i, i, dense.FromReal[W](r.t.D[i]))
		if i > 0 {
			a.Set(i, i-1, dense.FromReal[W](r.t.E[i-1]))
			a.Set(i-1, i, dense.FromReal[W](r.t.E[i-1]))
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

// check fails the test unless the reflections are unitary and Q T Q^H is a, within rounding errors.
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

func TestHermitianIsASimilarity(t *testing.T) {
	t.Run("float32", testHermitian[float32])
	t.Run("float64", testHermitian[float64])
	t.Run("complex64", testHermitian[complex64])
	t.Run("complex128", testHermitian[complex128])
}

func testHermitian[W dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 31))
	orders := []int{63, 64, 65, 100, minStripOrder - 1, minStripOrder + 9, minSharedOrder + 1}
	for n := 1; n <= 34; n++ {
		orders = append(orders, n)
	}
	for _, n := range orders {
		if testing.Short() && n > minStripOrder {
			continue // a second in the plain products of restored
		}
		a := numtest.RandomHermitian[W](rng, n)
		r := mustReduce(t, nil, a)
		r.check(t, fmt.Sprintf("n = %d", n), a)
	}
}

// Rows that need no reflection leave the update by an earlier one pending.
func TestHermitianSkipsReflections(t *testing.T) {
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
		r := mustReduce(t, nil, a)
		r.check(t, fmt.Sprintf("round %d, n = %d, blocks of %d", round, n, block), a)
	}
}

// A real tridiagonal matrix is returned unchanged, without any reflection.
func TestHermitianKeepsTridiagonalMatrices(t *testing.T) {
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
	r := mustReduce(t, nil, a)
	for i := range n {
		if r.tau[i] != 0 || r.t.D[i] != a.At(i, i) || i > 0 && r.t.E[i-1] != a.At(i, i-1) {
			t.Errorf("row %d: tau %v, diagonal %v, want %v", i, r.tau[i], r.t.D[i], a.At(i, i))
		}
	}
}

func TestHermitianKeepsTheDiagonalOfOrderTwo(t *testing.T) {
	a := dense.FromRows([]complex128{9.1, 0.3 - 0.7i}, []complex128{0.3 + 0.7i, 10.3})
	r := mustReduce(t, nil, a)
	if r.t.D[0] != 9.1 || r.t.D[1] != 10.3 {
		t.Errorf("the diagonal is %v", r.t.D)
	}
	r.check(t, "order two", a)
}

func TestHermitianThreadsDoNotChangeBits(t *testing.T) {
	t.Run("float32", testHermitianThreads[float32])
	t.Run("float64", testHermitianThreads[float64])
	t.Run("complex64", testHermitianThreads[complex64])
	t.Run("complex128", testHermitianThreads[complex128])
}

func testHermitianThreads[W dense.Scalar](t *testing.T) {
	a := numtest.RandomHermitian[W](rand.New(rand.NewPCG(34, 34)), minSharedOrder+40)
	one := mustReduce(t, nil, a)
	for _, threads := range []int{2, 3, 2 * sharedParts} {
		other := mustReduce(t, sched.NewTeam(context.Background(), threads, nil), a)
		same := numtest.SameBits(one.t.D, other.t.D) && numtest.SameBits(one.t.E, other.t.E) &&
			numtest.SameBits(one.tau, other.tau)
		for i := range a.Rows {
			same = same && numtest.SameBits(one.h.Row(i)[:i], other.h.Row(i)[:i])
		}
		if !same {
			t.Errorf("1 and %d threads differ", threads)
		}
	}
}

func TestHermitianObeysCancellation(t *testing.T) {
	a := numtest.RandomHermitian[float64](rand.New(rand.NewPCG(35, 36)), minSharedOrder+80)
	schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
		h := NewLower[float64](a.Rows)
		dense.Copy(h.View(), a.View())
		_, err := Hermitian(team, h, tridiag.New(a.Rows))
		return err
	})
}

func TestBandObeysCancellation(t *testing.T) {
	const n, width = 300, 4
	schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
		rng := rand.New(rand.NewPCG(35, 37))
		b := NewBand[complex128](n, width)
		for i := range n {
			for j := max(0, i-width); j <= i; j++ {
				b.Set(i, j, complex(rng.NormFloat64(), float64(min(i-j, 1))))
			}
		}
		return b.Tridiagonalize(team, tridiag.New(n))
	})
}

// Matrices at the ends of the range of sizes that callers do not scale.
func TestHermitianAtTheEndsOfTheRange(t *testing.T) {
	single, double := []int{-20, 38}, []int{-340, 338}
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
				a.Data[i] = x * dense.FromReal[W](math.Ldexp(1, exponent))
			}
			r := mustReduce(t, nil, a)
			r.check(t, fmt.Sprintf("2^%d, n = %d", exponent, n), a)
		}
	}
}
