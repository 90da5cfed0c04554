package schur

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/internal/formtest"
	"trnsci/core/numtest"
	"trnsci/core/quasi"
)

// The diagonal blocks do not depend on whether the rest is computed, but for rounding errors; T's elements below them
// are zero in both cases.
func TestValuesOnlyGivesTheEigenvaluesOfSchur(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 75, plainRealOrder + 1, 200, 340} {
		t.Run(fmt.Sprintf("float64/%d", n), func(t *testing.T) { checkValues[float64](t, n) })
		t.Run(fmt.Sprintf("float32/%d", n), func(t *testing.T) { checkValues[float32](t, n) })
		t.Run(fmt.Sprintf("complex128/%d", n), func(t *testing.T) { checkValues[complex128](t, n) })
		t.Run(fmt.Sprintf("complex64/%d", n), func(t *testing.T) { checkValues[complex64](t, n) })
	}
}

func checkValues[T dense.Scalar](t *testing.T, n int) {
	rng := rand.New(rand.NewPCG(81, uint64(n)))
	a := numtest.Random[T](rng, n, n)
	for name, a := range map[string]dense.Matrix[T]{
		"random": a, "Hermitian": symmetrized(a), "two blocks": withoutCorner(a),
	} {
		full, only, z := dense.New[T](n, n), dense.New[T](n, n), dense.New[T](n, n)
		if err := Decompose(a.View(), full.View(), z.View(), Options{}); err != nil {
			t.Fatal(err)
		}
		if err := Decompose(a.View(), only.View(), dense.View[T]{}, Options{ValuesOnly: true}); err != nil {
			t.Fatal(err)
		}
		want, got := quasi.Eigenvalues(full.View()), quasi.Eigenvalues(only.View())
		// Most eigenvalues of such matrices are no more sensitive than this; nearly equal pairs are.
		const sensitivity = 2000
		tolerance := sensitivity * dense.Eps[T]() * math.Sqrt(float64(n))
		for _, x := range want {
			near := slices.MinFunc(got, func(p, q complex128) int { return formtest.CompareDistance(x, p, q) })
			if distance := math.Hypot(real(near-x), imag(near-x)); distance > tolerance {
				t.Errorf("%s: eigenvalue %v is %v off, the tolerance is %v", name, x, distance, tolerance)
			}
		}
		for i := range n {
			for j := range max(0, i-1) {
				if only.At(i, j) != 0 {
					t.Fatalf("%s: element %d, %d is %v", name, i, j, only.At(i, j))
				}
			}
		}
	}
}

// symmetrized returns the Hermitian matrix of the lower triangle of a.
func symmetrized[T dense.Scalar](a dense.Matrix[T]) dense.Matrix[T] {
	s := dense.New[T](a.Rows, a.Rows)
	for i := range a.Rows {
		for j := range i {
			s.Set(i, j, a.At(i, j))
			s.Set(j, i, dense.Conj(a.At(i, j)))
		}
		s.Set(i, i, dense.FromReal[T](dense.Real(a.At(i, i))))
	}
	return s
}

// withoutCorner returns a with zeros in its lower left quarter.
func withoutCorner[T dense.Scalar](a dense.Matrix[T]) dense.Matrix[T] {
	s := dense.New[T](a.Rows, a.Rows)
	s.CopyFrom(a)
	half := a.Rows / 2
	for i := half; i < a.Rows; i++ {
		clear(s.Row(i)[:half])
	}
	return s
}
