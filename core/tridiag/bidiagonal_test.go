package tridiag

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// singularOrders are around the limits of leaves and trees.
var singularOrders = []int{1, 2, 3, 8, 24, 25, 26, 49, 50, 51, 100, 207}

// bidiagonalOf returns the matrix of a family whose diagonal and couplings are those of a tridiagonal one.
func bidiagonalOf(rng *rand.Rand, n int, element func(rng *rand.Rand, n, i int) (d, e float64)) Bidiagonal {
	b := NewBidiagonal(n)
	for i := range n {
		b.D[i], b.E[i] = element(rng, n, i)
	}
	b.E[n-1] = 0
	return b
}

// goldenValues returns the singular values of b in descending order: the eigenvalues that are not negative of the
// matrix of Golub and Kahan, with a zero diagonal and the elements of b beside it.
func goldenValues(t *testing.T, b Bidiagonal) []float64 {
	n := len(b.D)
	m := New(2 * n)
	for i := range n {
		m.E[2*i], m.E[2*i+1] = b.D[i], b.E[i]
	}
	if err := Eigenvalues(nil, m); err != nil {
		t.Fatal(err)
	}
	values := slices.Clone(m.D[n:])
	slices.Reverse(values)
	return values
}

// singularRows returns the singular values of b and the transposes of its singular vectors.
func singularRows[R dense.Float](b Bidiagonal, team *sched.Team) (values []float64, ut, vt dense.Matrix[R], err error) {
	n := len(b.D)
	memory := make([]float64, SingularElements[R](n, team.Threads()))
	for i := range memory {
		memory[i] = math.NaN()
	}
	ut, vt = dense.New[R](n, n), dense.New[R](n+1, n+1)
	ut.Fill(R(math.NaN()))
	vt.Fill(R(math.NaN()))
	b = Bidiagonal(copyOf(Matrix(b)))
	err = SingularPairs(team, b, ut, vt, memory)
	return b.D, ut, vt.Slice(0, n, 0, n), err
}

// orthogonality returns the largest element of X X^T - I.
func orthogonality[R dense.Float](x dense.Matrix[R]) float64 {
	product := dense.New[R](x.Rows, x.Rows)
	blas.Gemm(nil, blas.NoTrans, blas.Trans, 1, x, x, 0, product)
	largest := 0.0
	for i := range x.Rows {
		for j, y := range product.Row(i) {
			if i == j {
				y--
			}
			largest = max(largest, math.Abs(float64(y)))
		}
	}
	return largest
}

// singularResidual returns the largest element of U^T B V - diag(values).
func singularResidual[R dense.Float](b Bidiagonal, values []float64, ut, vt dense.Matrix[R]) float64 {
	n := len(b.D)
	full, product, inner := dense.New[R](n, n), dense.New[R](n, n), dense.New[R](n, n)
	for i := range n {
		full.Set(i, i, R(b.D[i]))
		if i+1 < n {
			full.Set(i, i+1, R(b.E[i]))
		}
	}
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, ut, full, 0, inner)
	blas.Gemm(nil, blas.NoTrans, blas.Trans, 1, inner, vt, 0, product)
	largest := 0.0
	for i := range n {
		for j, y := range product.Row(i) {
			x := float64(y)
			if i == j {
				x -= values[i]
			}
			largest = max(largest, math.Abs(x))
		}
	}
	return largest
}

func TestSingularPairs(t *testing.T) {
	for _, family := range tridiagonalFamilies {
		t.Run(family.name, func(t *testing.T) {
			t.Run("float64", func(t *testing.T) { testSingularPairs[float64](t, family.element) })
			t.Run("float32", func(t *testing.T) { testSingularPairs[float32](t, family.element) })
		})
	}
}

func testSingularPairs[R dense.Float](t *testing.T, element func(rng *rand.Rand, n, i int) (d, e float64)) {
	for _, n := range singularOrders {
		b := bidiagonalOf(rand.New(rand.NewPCG(1, uint64(n))), n, element)
		values, ut, vt, err := singularRows[R](b, nil)
		if err != nil {
			t.Fatalf("n = %d: %v", n, err)
		}
		eps := dense.Eps[R]() * float64(max(n, 8))
		norm := max(values[0], dense.SmallestNormal[R]()/dense.Eps[R]())
		if x := singularResidual(b, values, ut, vt) / (eps * norm); !(x < residualLimit) {
			t.Errorf("n = %d: the residual is %.3g n eps |B|", n, x)
		}
		for _, q := range []dense.Matrix[R]{ut, vt} {
			if x := orthogonality(q) / eps; !(x < residualLimit) {
				t.Errorf("n = %d: the error of orthogonality is %.3g n eps", n, x)
			}
		}
		checkValues(t, fmt.Sprintf("n = %d", n), values, goldenValues(t, b), residualLimit*eps*norm)
	}
}

func TestSingularValues(t *testing.T) {
	for _, family := range tridiagonalFamilies {
		for _, n := range singularOrders {
			b := bidiagonalOf(rand.New(rand.NewPCG(1, uint64(n))), n, family.element)
			want := goldenValues(t, b)
			if err := SingularValues(nil, b); err != nil {
				t.Fatalf("%s, n = %d: %v", family.name, n, err)
			}
			checkValues(t, fmt.Sprintf("%s, n = %d", family.name, n), b.D, want,
				residualLimit*dense.Eps[float64]()*float64(max(n, 8))*want[0])
		}
	}
}

// The singular values of a bidiagonal matrix of ones with a tiny diagonal element, and of one whose elements fall by
// hundreds of powers of ten, have small relative errors.
func TestSingularValuesHaveSmallRelativeErrors(t *testing.T) {
	const n = 40
	b := NewBidiagonal(n)
	product := 1.0
	for i := range n {
		b.D[i], b.E[i] = math.Pow(10, -float64(i)/4), math.Pow(10, -float64(i)/4-0.1)
		product *= b.D[i]
	}
	b.E[n-1] = 0
	if err := SingularValues(nil, b); err != nil {
		t.Fatal(err)
	}
	got := 1.0
	for _, d := range b.D {
		got *= d
	}
	// The product is the determinant.
	if x := math.Abs(got/product-1) / dense.Eps[float64](); !(x < 10*n) {
		t.Errorf("the product of the values has an error of %.3g eps", x)
	}
}

func TestSingularPairsDoNotDependOnThreads(t *testing.T) {
	for _, n := range []int{47, 100, 301} {
		b := bidiagonalOf(rand.New(rand.NewPCG(2, uint64(n))), n, tridiagonalFamilies[0].element)
		want, wantU, wantV, err := singularRows[float64](b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for threads := 2; threads <= 4; threads++ {
			team := sched.NewTeam(context.Background(), threads, nil)
			got, ut, vt, err := singularRows[float64](b, team)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) || !slices.Equal(ut.Data, wantU.Data) ||
				!slices.Equal(vt.Clone().Data, wantV.Clone().Data) {
				t.Errorf("n = %d: other bits with %d threads", n, threads)
			}
		}
	}
}
