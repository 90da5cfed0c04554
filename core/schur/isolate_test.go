package schur

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/hessenberg"
	"trnsci/core/internal/formtest"
	"trnsci/core/numtest"
)

// shuffled returns a random matrix of order n that is triangular but for the rows and columns from lo to before hi, its
// rows and columns in random order.
func shuffled[T dense.Scalar](rng *rand.Rand, n, lo, hi int) dense.Matrix[T] {
	a, order := dense.New[T](n, n), rng.Perm(n)
	elements := numtest.Random[T](rng, n, n)
	for i := range n {
		for j := range n {
			if j >= i || i < hi && j >= lo {
				a.Set(order[i], order[j], elements.At(i, j))
			}
		}
	}
	return a
}

// schurOf returns the Schur form and its factor.
func schurOf[T dense.Scalar](t *testing.T, a dense.Matrix[T]) (form, z dense.Matrix[T]) {
	t.Helper()
	form, z = dense.New[T](a.Rows, a.Rows), dense.New[T](a.Rows, a.Rows)
	if err := Decompose(a.View(), form.View(), z.View(), Options{}); err != nil {
		t.Fatal(err)
	}
	return form, z
}

// testPermutedTriangular tests that the form of a matrix whose rows and columns can be permuted to a triangle is that
// triangle.
func testPermutedTriangular[T dense.Scalar](t *testing.T) {
	for _, n := range []int{2, 3, 10, 50, 200} {
		a := shuffled[T](rand.New(rand.NewPCG(81, uint64(n))), n, 0, 0)
		form, z := schurOf(t, a)
		order := make([]int, n)
		for j := range n {
			ones := 0
			for i := range n {
				switch z.At(i, j) {
				case 0:
				case 1:
					order[j] = i
					ones++
				default:
					t.Fatalf("n = %d: the factor is no permutation", n)
				}
			}
			if ones != 1 {
				t.Fatalf("n = %d: column %d of the factor has %d ones", n, j, ones)
			}
		}
		for i := range n {
			for j := range n {
				if form.At(i, j) != a.At(order[i], order[j]) || i > j && form.At(i, j) != 0 {
					t.Fatalf("n = %d: element (%d, %d) is %v, not %v", n, i, j, form.At(i, j), a.At(order[i], order[j]))
				}
			}
		}
	}
}

func TestPermutedTriangularMatricesHaveExactForms(t *testing.T) {
	t.Run("float32", testPermutedTriangular[float32])
	t.Run("float64", testPermutedTriangular[float64])
	t.Run("complex64", testPermutedTriangular[complex64])
	t.Run("complex128", testPermutedTriangular[complex128])
}

// testPartlyIsolated tests that eigenvalues which can be read off come out exactly, and that the others are right.
func testPartlyIsolated[W dense.Wide](t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 1))
	for _, c := range []struct{ n, lo, hi int }{{5, 1, 3}, {12, 0, 8}, {12, 4, 12}, {60, 10, 50}, {190, 5, 185}} {
		a := shuffled[W](rng, c.n, c.lo, c.hi)
		form, z := schurOf(t, a)
		for i := range c.n {
			if i >= c.lo && i < c.hi {
				continue
			}
			if found := form.At(i, i); !hasOnDiagonal(a, found) {
				t.Errorf("%v: eigenvalue %d, %v, is not an element of the matrix", c, i, found)
			}
		}
		similarity, unitarity := numtest.SimilarityResidual(a, z, form, dense.EpsDouble),
			numtest.UnitaryResidual(z, dense.EpsDouble)
		if !(similarity <= formtest.ResidualLimit) || !(unitarity <= formtest.ResidualLimit) {
			t.Errorf("%v: similarity residual %g, unitarity residual %g", c, similarity, unitarity)
		}
	}
}

func hasOnDiagonal[W dense.Scalar](a dense.Matrix[W], x W) bool {
	for i := range a.Rows {
		if a.At(i, i) == x {
			return true
		}
	}
	return false
}

func TestEigenvaluesThatCanBeReadOffAreExact(t *testing.T) {
	t.Run("float64", testPartlyIsolated[float64])
	t.Run("complex128", testPartlyIsolated[complex128])
}

func TestMatricesWithoutIsolatedEigenvaluesAreNotPermuted(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 1))
	for name, a := range map[string]dense.Matrix[float64]{
		"random":           numtest.Random[float64](rng, 20, 20),
		"cyclic":           numtest.Cyclic(20),
		"quasi-triangular": numtest.QuasiTriangular(rng, 20),
		"empty":            dense.New[float64](0, 0),
		"one number":       numtest.Random[float64](rng, 1, 1),
	} {
		before := fmt.Sprint(a)
		order, err := hessenberg.Isolate(nil, a)
		if err != nil || order != nil {
			t.Errorf("%s: %v, %v", name, order, err)
		}
		if fmt.Sprint(a) != before {
			t.Errorf("%s: the matrix was changed", name)
		}
	}
}
