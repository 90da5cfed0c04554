package svd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

// residualLimit is a residual in units of max(m, n) eps |A| that no correct result reaches.
const residualLimit = 4

var shapes = [][2]int{
	{1, 1}, {2, 1}, {1, 3}, {2, 2}, {3, 2}, {5, 5}, {8, 5}, {5, 8}, {24, 24}, {25, 25}, {47, 33}, {33, 47}, {48, 48},
	{49, 49}, {64, 64}, {65, 65}, {90, 30}, {30, 90}, {130, 100}, {100, 100}, {161, 100}, {100, 161}, {300, 7},
}

// results allocates results of a decomposition.
func results[T dense.Scalar](m, n int, full, byColumns bool) Results[T] {
	k := min(m, n)
	ku, kv := k, k
	if full {
		ku, kv = m, n
	}
	u, vh := dense.New[T](m, ku).View(), dense.New[T](kv, n).View()
	if byColumns {
		u, vh = dense.New[T](ku, m).View().T(), dense.New[T](n, kv).View().T()
	}
	u.Fill(dense.FromReal[T](math.NaN()))
	vh.Fill(dense.FromReal[T](math.NaN()))
	return Results[T]{Values: make([]float64, k), U: u, Vh: vh}
}

func matrixOf[T dense.Scalar](v dense.View[T]) dense.Matrix[T] {
	m := dense.New[T](v.Rows, v.Cols)
	dense.Copy(m.View(), v)
	return m
}

// largestError returns the largest modulus of X - diag(values).
func largestError[T dense.Scalar](x dense.Matrix[T], values []float64) float64 {
	largest := 0.0
	for i := range x.Rows {
		for j, y := range x.Row(i) {
			if i == j && i < len(values) {
				y -= dense.FromReal[T](values[i])
			}
			largest = max(largest, dense.Abs(y))
		}
	}
	return largest
}

// expectDecomposition judges U^H A V = S and the orthogonality of U and V.
func expectDecomposition[T dense.Scalar](t *testing.T, name string, a dense.Matrix[T], out Results[T]) {
	t.Helper()
	m, n := a.Rows, a.Cols
	u, vh := matrixOf(out.U), matrixOf(out.Vh)
	eps := dense.Eps[T]() * float64(max(m, n, 8))
	norm := max(out.Values[0], dense.SmallestNormal[T]()/dense.Eps[T]())
	half, product := dense.New[T](u.Cols, n), dense.New[T](u.Cols, vh.Rows)
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, 1, u, a, 0, half)
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, half, vh, 0, product)
	if x := largestError(product, out.Values) / (eps * norm); !(x < residualLimit) {
		t.Errorf("%s: the residual is %.3g n eps |A|", name, x)
	}
	ones := slices.Repeat([]float64{1}, max(m, n))
	gramU, gramV := dense.New[T](u.Cols, u.Cols), dense.New[T](vh.Rows, vh.Rows)
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, 1, u, u, 0, gramU)
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, vh, vh, 0, gramV)
	for _, gram := range []dense.Matrix[T]{gramU, gramV} {
		if x := largestError(gram, ones) / eps; !(x < residualLimit) {
			t.Errorf("%s: the error of orthogonality is %.3g n eps", name, x)
		}
	}
	for i, s := range out.Values {
		if s < 0 || i > 0 && s > out.Values[i-1] {
			t.Errorf("%s: the singular values do not descend: %v", name, out.Values)
			break
		}
	}
	only := make([]float64, len(out.Values))
	if err := Decompose(nil, a.View(), Results[T]{Values: only}, false); err != nil {
		t.Fatal(err)
	}
	if err := numtest.CompareValues(only, out.Values, residualLimit*eps*norm); err != nil {
		t.Errorf("%s: without vectors: %v", name, err)
	}
}

func TestDecompose(t *testing.T) {
	t.Run("float32", testDecompose[float32])
	t.Run("float64", testDecompose[float64])
	t.Run("complex64", testDecompose[complex64])
	t.Run("complex128", testDecompose[complex128])
}

func testDecompose[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, shape := range shapes {
		m, n := shape[0], shape[1]
		a := numtest.Random[T](rng, m, n)
		for _, exponent := range []int{0, dense.MaxExponent[T]() - 8, -dense.MaxExponent[T]() + 40} {
			scaled := a.Clone()
			blas.Ldexp(scaled.Data, exponent)
			for _, full := range []bool{false, true} {
				for _, byColumns := range []bool{false, true} {
					name := fmt.Sprintf("%d x %d, 2^%d, full %v, by columns %v", m, n, exponent, full, byColumns)
					out := results[T](m, n, full, byColumns)
					if err := Decompose(nil, scaled.View(), out, false); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					expectScaled(t, name, a, exponent, out)
				}
			}
		}
	}
}

// expectScaled is expectDecomposition for 2^exponent a, whose products might overflow.
func expectScaled[T dense.Scalar](t *testing.T, name string, a dense.Matrix[T], exponent int, out Results[T]) {
	t.Helper()
	blas.Ldexp(out.Values, -exponent)
	expectDecomposition(t, name, a, out)
}

func TestDecomposeOfFamilies(t *testing.T) {
	for _, family := range numtest.GeneralFamilies() {
		for _, n := range []int{1, 2, 7, 30, 60, 101} {
			a := family.Make(rand.New(rand.NewPCG(8, uint64(n))), n)
			exponent := 0
			for _, x := range a.Data {
				if x != 0 {
					_, e := math.Frexp(x)
					exponent = max(exponent, e)
				}
			}
			blas.Ldexp(a.Data, -exponent)
			out := results[float64](n, n, false, false)
			if err := Decompose(nil, a.View(), out, false); err != nil {
				t.Fatalf("%s, n = %d: %v", family.Name, n, err)
			}
			expectDecomposition(t, fmt.Sprintf("%s, n = %d", family.Name, n), a, out)
		}
	}
}

func TestDecomposeDoesNotDependOnThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, shape := range [][2]int{{130, 120}, {400, 100}, {260, 260}} {
		a := numtest.Random[complex128](rng, shape[0], shape[1])
		want := results[complex128](shape[0], shape[1], false, false)
		if err := Decompose(nil, a.View(), want, false); err != nil {
			t.Fatal(err)
		}
		for threads := 2; threads <= 3; threads++ {
			got := results[complex128](shape[0], shape[1], false, false)
			if err := Decompose(sched.NewTeam(context.Background(), threads, nil), a.View(), got, false); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Values, want.Values) || !slices.Equal(got.U.Data, want.U.Data) ||
				!slices.Equal(got.Vh.Data, want.Vh.Data) {
				t.Errorf("%v: other bits with %d threads", shape, threads)
			}
		}
	}
}

func TestDecomposeObeysCancellation(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	for _, shape := range [][2]int{{700, 700}, {900, 400}} {
		a := numtest.Random[float64](rng, shape[0], shape[1])
		schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
			return Decompose(team, a.View(), results[float64](shape[0], shape[1], false, false), false)
		})
		schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
			values := make([]float64, shape[1])
			return Decompose(team, a.View(), Results[float64]{Values: values}, false)
		})
	}
}
