package factor

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// Residuals in units of max(m, n) eps |A| are at most this; typical ones are below 1.
const qrLimit = 6

var qrShapes = [][2]int{
	{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 5}, {5, 1}, {2, 2}, {7, 7}, {8, 9}, {17, 16}, {16, 33}, {40, 40}, {100, 30},
	{30, 100}, {193, 193}, {210, 200}, {200, 230}, {70, 1}, {1, 70},
}

func TestQR(t *testing.T) {
	t.Run("float32", testQR[float32])
	t.Run("float64", testQR[float64])
	t.Run("complex64", testQR[complex64])
	t.Run("complex128", testQR[complex128])
}

func testQR[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, shape := range qrShapes {
		for _, kind := range []string{"random", "zero", "zero columns", "rank one", "equal columns"} {
			for _, pivoting := range []bool{false, true} {
				a := qrMatrix[T](rng, shape[0], shape[1], kind)
				for _, cols := range []int{min(shape[0], shape[1]), shape[0]} {
					checkQR(t, fmt.Sprintf("%v %s, %d columns", shape, kind, cols), a, cols, pivoting, 1)
				}
			}
		}
	}
}

// qrMatrix returns a test matrix of a kind.
func qrMatrix[T dense.Scalar](rng *rand.Rand, m, n int, kind string) dense.Matrix[T] {
	a := numtest.Random[T](rng, m, n)
	for i := range m {
		for j := range n {
			switch {
			case kind == "zero" || kind == "zero columns" && j%3 == 0:
				a.Set(i, j, 0)
			case kind == "rank one" && j > 0:
				a.Set(i, j, a.At(i, 0)*dense.FromReal[T](float64(j%5)-2))
			case kind == "equal columns" && j > 0:
				a.Set(i, j, a.At(i, 0))
			}
		}
	}
	return a
}

// byColumns returns a matrix of NaNs with contiguous columns.
func byColumns[T dense.Scalar](rows, cols int) dense.View[T] {
	stored := dense.New[T](cols, rows)
	stored.Fill(dense.FromReal[T](math.NaN()))
	return stored.View().T()
}

func rowsOf[T dense.Scalar](v dense.View[T]) dense.Matrix[T] {
	m := dense.New[T](v.Rows, v.Cols)
	dense.Copy(m.View(), v)
	return m
}

// checkQR checks residual, orthogonality and structure of the factorization of a/scale with a Q of the given number of
// columns, for a power of two as scale.
func checkQR[T dense.Scalar](t *testing.T, name string, a dense.Matrix[T], cols int, pivoting bool, scale float64) {
	t.Helper()
	m, n := a.Rows, a.Cols
	out := QRResults[T]{Q: byColumns[T](m, cols), R: byColumns[T](cols, n), Tau: make([]T, min(m, n))}
	if pivoting {
		name += ", pivots"
		out.Pivots = make([]int64, n)
	}
	if err := QRView(sched.NewTeam(context.Background(), 2, nil), a.View(), out, false); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	q, r := rowsOf(out.Q), rowsOf(out.R)
	residual := a.Clone()
	if pivoting {
		permuteColumns(t, name, residual, a, out.Pivots)
	}
	for _, x := range [][]T{residual.Data, r.Data} {
		for i := range x {
			x[i] *= dense.FromReal[T](scale)
		}
	}
	norm := numtest.FrobeniusNorm(residual)
	checkTriangle(t, name, r, pivoting)
	unit := float64(max(m, n, 1)) * dense.Eps[T]()
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, -1, q, r, 1, residual)
	if got := numtest.FrobeniusNorm(residual); !(got <= qrLimit*unit*norm) {
		t.Errorf("%s: residual %g, norm %g", name, got, norm)
	}
	checkUnitaryColumns(t, name, q, unit)
}

func permuteColumns[T dense.Scalar](t *testing.T, name string, to, a dense.Matrix[T], pivots []int64) {
	t.Helper()
	seen := make([]bool, a.Cols)
	for j, p := range pivots {
		if p < 0 || p >= int64(a.Cols) || seen[p] {
			t.Fatalf("%s: %v is no permutation", name, pivots)
		}
		seen[p] = true
		for i := range a.Rows {
			to.Set(i, j, a.At(i, int(p)))
		}
	}
}

// checkTriangle checks that r is upper triangular with a real diagonal, which does not increase after pivoting.
func checkTriangle[T dense.Scalar](t *testing.T, name string, r dense.Matrix[T], pivoting bool) {
	t.Helper()
	for i := range r.Rows {
		for j := range min(i, r.Cols) {
			if r.At(i, j) != 0 {
				t.Fatalf("%s: element (%d,%d) of R is %v", name, i, j, r.At(i, j))
			}
		}
		if i >= r.Cols {
			continue
		}
		if dense.Imag(r.At(i, i)) != 0 {
			t.Fatalf("%s: diagonal element %d of R is %v", name, i, r.At(i, i))
		}
		if pivoting && i > 0 {
			// Norms of the columns that are left are known to a few roundings of those of R's columns.
			slack := float64(r.Cols) * dense.Eps[T]() * dense.Abs(r.At(0, 0))
			if before, here := dense.Abs(r.At(i-1, i-1)), dense.Abs(r.At(i, i)); here > before*(1+1e-5)+slack {
				t.Fatalf("%s: diagonal elements %d and %d of R are %g and %g", name, i-1, i, before, here)
			}
		}
	}
}

func checkUnitaryColumns[T dense.Scalar](t *testing.T, name string, q dense.Matrix[T], unit float64) {
	t.Helper()
	gram := dense.New[T](q.Cols, q.Cols)
	gram.SetIdentity()
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, -1, q, q, 1, gram)
	if got := numtest.FrobeniusNorm(gram); !(got <= qrLimit*unit*math.Sqrt(float64(max(q.Cols, 1)))) {
		t.Errorf("%s: |Q^H Q - I| = %g", name, got)
	}
}
