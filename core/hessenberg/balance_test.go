package hessenberg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// sparseGraded returns a matrix with many zeros and other elements of sizes from 2^-span to 2^span.
func sparseGraded[T dense.Scalar](rng *rand.Rand, n, span int, density float64) dense.Matrix[T] {
	a := numtest.Random[T](rng, n, n)
	for i := range n {
		row := a.Row(i)
		for j := range row {
			if rng.Float64() > density {
				row[j] = 0
			}
			row[j] *= dense.FromReal[T](math.Ldexp(1, rng.IntN(2*span+1)-span))
		}
	}
	return a
}

// checkBalanced tests that b is the similarity from a to balanced, that the isolated rows are triangular, and that
// nothing is left to do.
func checkBalanced[T dense.Scalar](
	t *testing.T, name string, a, balanced dense.Matrix[T], b *Balancing, opt BalanceOptions,
) {
	t.Helper()
	n := a.Rows
	for i := range n {
		for j := range n {
			want := a.At(b.Order[i], b.Order[j]) * dense.FromReal[T](b.Scale[j]) / dense.FromReal[T](b.Scale[i])
			if balanced.At(i, j) != want {
				t.Fatalf("%s: element (%d, %d) is %v, not %v", name, i, j, balanced.At(i, j), want)
			}
			if outside := i >= b.Hi || j < b.Lo; outside && i > j && balanced.At(i, j) != 0 {
				t.Fatalf("%s: element (%d, %d) is not zero, rows %d to %d are left", name, i, j, b.Lo, b.Hi)
			}
		}
		if fraction, _ := math.Frexp(b.Scale[i]); fraction != .5 || (i < b.Lo || i >= b.Hi) && b.Scale[i] != 1 {
			t.Errorf("%s: scale %d is %g", name, i, b.Scale[i])
		}
	}
	order := slices.Sorted(slices.Values(b.Order))
	for i, x := range order {
		if x != i {
			t.Fatalf("%s: %v is no permutation", name, b.Order)
		}
	}
	again, err := Balance(balanced.Clone(), opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range again.Scale {
		if x != 1 {
			t.Errorf("%s: another call scales column %d by %g", name, i, x)
		}
	}
	if opt.Permute && again.Hi-again.Lo != b.Hi-b.Lo {
		t.Errorf("%s: another call leaves rows %d to %d, the first one %d to %d", name, again.Lo, again.Hi, b.Lo, b.Hi)
	}
}

func testBalance[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	for _, n := range []int{0, 1, 2, 3, 5, 10, 40} {
		for _, density := range []float64{.05, .2, .6, 1} {
			for _, opt := range []BalanceOptions{{}, {Permute: true}, {Scale: true}, {Permute: true, Scale: true}} {
				a := sparseGraded[T](rng, n, 20, density)
				balanced := a.Clone()
				b, err := Balance(balanced, opt)
				if err != nil {
					t.Fatal(err)
				}
				checkBalanced(t, fmt.Sprintf("n = %d, density %g, %+v", n, density, opt), a, balanced, b, opt)
			}
		}
	}
}

func TestBalance(t *testing.T) {
	t.Run("float32", testBalance[float32])
	t.Run("float64", testBalance[float64])
	t.Run("complex64", testBalance[complex64])
	t.Run("complex128", testBalance[complex128])
}

func TestBalanceIsolatesEigenvaluesOfPermutedTriangles(t *testing.T) {
	const n = 30
	rng := rand.New(rand.NewPCG(72, 1))
	order := rng.Perm(n)
	a := dense.New[float64](n, n)
	for i := range n {
		for j := i; j < n; j++ {
			a.Set(order[i], order[j], 1+rng.Float64())
		}
	}
	b, err := Balance(a, BalanceOptions{Permute: true, Scale: true})
	if err != nil {
		t.Fatal(err)
	}
	if b.Hi-b.Lo > 1 {
		t.Errorf("rows %d to %d are left", b.Lo, b.Hi)
	}
	if err := numtest.CheckTriangular(a); err != nil {
		t.Error(err)
	}
}

func TestBalanceMakesNormsAlike(t *testing.T) {
	const n, span = 20, 30
	rng := rand.New(rand.NewPCG(73, 1))
	a := numtest.Random[float64](rng, n, n)
	for i := range n {
		size := math.Ldexp(1, rng.IntN(2*span)-span)
		for j := range n {
			a.Set(i, j, a.At(i, j)*size)
			a.Set(j, i, a.At(j, i)/size)
		}
	}
	if _, err := Balance(a, BalanceOptions{Permute: true, Scale: true}); err != nil {
		t.Fatal(err)
	}
	const alike = 2 // the scales are powers of it
	for i := range n {
		var row, column float64
		for j := range n {
			row, column = math.Hypot(row, a.At(i, j)), math.Hypot(column, a.At(j, i))
		}
		if ratio := row / column; ratio > alike || ratio < 1./alike {
			t.Errorf("row %d has norm %g, column %g", i, row, column)
		}
	}
}

func TestBalanceOfExtremeSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(75, 1))
	for range 20 {
		a := sparseGraded[float64](rng, 8, 1000, .7)
		balanced := a.Clone()
		b, err := Balance(balanced, BalanceOptions{Permute: true, Scale: true})
		if err != nil {
			t.Fatal(err)
		}
		if !balanced.View().AllFinite() {
			t.Fatalf("elements overflow: scales %v", b.Scale)
		}
	}
}

func TestBalanceChecksItsArguments(t *testing.T) {
	var e *dense.ArgumentError
	if _, err := Balance(dense.New[float64](2, 3), BalanceOptions{}); !errors.As(err, &e) || e.Arg != "a" {
		t.Errorf("a matrix that is not square gives %v", err)
	}
	a := dense.New[float64](3, 3)
	a.Set(1, 1, math.Inf(1))
	if _, err := Balance(a, BalanceOptions{}); !errors.As(err, &e) || *e != *dense.NotFinite("a") {
		t.Errorf("an infinity gives %v", err)
	}
}

// If the quick look finds that nothing is to be scaled, then balancing scales nothing.
func TestEvenMatricesNeedNoBalancing(t *testing.T) {
	rng := rand.New(rand.NewPCG(94, 1))
	quick := 0
	for range 300 {
		n := 2 + rng.IntN(8)
		a := sparseGraded[complex128](rng, n, rng.IntN(3), .9)
		whole := balancer[complex128]{Balancing: &Balancing{Hi: n}, a: a}
		even := !whole.canIsolate() && evenlyScaled(a)
		b, err := Balance(a, BalanceOptions{Permute: true, Scale: true})
		if err != nil {
			t.Fatal(err)
		}
		changed := slices.ContainsFunc(b.Scale, func(x float64) bool { return x != 1 }) || b.Lo > 0 || b.Hi < n
		if even && changed {
			t.Errorf("the quick look finds nothing, scales %v, rows %d to %d", b.Scale, b.Lo, b.Hi)
		}
		if even {
			quick++
		}
	}
	if quick < 30 {
		t.Errorf("only %d matrices of 300 are even", quick)
	}
}
