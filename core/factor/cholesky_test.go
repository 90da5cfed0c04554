package factor

import (
	"context"
	"errors"
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

func TestCholesky(t *testing.T) {
	t.Run("float32", testCholesky[float32])
	t.Run("float64", testCholesky[float64])
	t.Run("complex64", testCholesky[complex64])
	t.Run("complex128", testCholesky[complex128])
}

func testCholesky[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range numtest.Sizes {
		a := numtest.RandomSPD[T](rng, n)
		l := a.Clone()
		poisonAbove(l)
		if err := Cholesky(sched.NewTeam(context.Background(), 2, nil), l); err != nil {
			t.Fatalf("n = %d: %v", n, err)
		}
		for i := range n {
			if dense.Imag(l.At(i, i)) != 0 || !(dense.Real(l.At(i, i)) > 0) {
				t.Fatalf("n = %d: diagonal element %d is %v", n, i, l.At(i, i))
			}
			for j := i + 1; j < n; j++ {
				if l.At(i, j) != 0 {
					t.Fatalf("n = %d: element (%d,%d) above the diagonal is %v", n, i, j, l.At(i, j))
				}
			}
		}
		residual := a.Clone()
		blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, -1, l, l, 1, residual)
		// Higham, Accuracy and Stability, theorem 10.3: |A - L L^H| <= (n+1) eps |L| |L^H| entry by entry.
		limit := float64(n+1) * dense.Eps[T]() * numtest.FrobeniusNorm(a)
		if r := numtest.FrobeniusNorm(residual); r > limit {
			t.Errorf("n = %d: residual %g, limit %g", n, r, limit)
		}
	}
}

// poisonAbove fills what Cholesky must not read.
func poisonAbove[T dense.Scalar](a dense.Matrix[T]) {
	for i := range a.Rows {
		for j := i + 1; j < a.Cols; j++ {
			a.Set(i, j, dense.FromReal[T](math.NaN()))
		}
	}
}

func TestCholeskyNamesTheFailingMinor(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 64, 65, 130} {
		for _, order := range []int{1, n/2 + 1, n} {
			for _, bad := range []float64{-1, 0, math.NaN(), math.Inf(1)} {
				a := numtest.RandomSPD[float64](rng, n)
				// A zero row and column with a bad diagonal element make exactly the minor of this order fail.
				for j := range n {
					a.Set(order-1, j, 0)
					a.Set(j, order-1, 0)
				}
				a.Set(order-1, order-1, bad)
				var e *NotPositiveDefiniteError
				if err := Cholesky(nil, a); !errors.As(err, &e) || e.Order != order {
					t.Errorf("n = %d, bad pivot %v in row %d: %v", n, bad, order, err)
				}
			}
		}
	}
}

// Orders that are factored by block columns and by halves.
func TestCholeskyObeysCancellation(t *testing.T) {
	for _, n := range []int{800, 1200} {
		a := numtest.RandomSPD[float64](rand.New(rand.NewPCG(5, 6)), n)
		// Two BLAS routines, which report progress, run between two looks at the context. The update of the second half
		// takes 3/8 of the work.
		schedtest.Cancel(t, schedtest.Limits{Reports: 6, Gap: 0.4},
			func(team *sched.Team) error { return Cholesky(team, a.Clone()) })
	}
}

// The number of threads changes no bit, and a minor that is not positive is found in any block column.
func TestCholeskyColumns(t *testing.T) {
	t.Run("float32", testCholeskyColumns[float32])
	t.Run("float64", testCholeskyColumns[float64])
	t.Run("complex64", testCholeskyColumns[complex64])
	t.Run("complex128", testCholeskyColumns[complex128])
}

func testCholeskyColumns[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{129, 200, 333, 512} {
		a := numtest.RandomSPD[T](rng, n)
		want := a.Clone()
		if err := Cholesky(nil, want); err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{2, 3, 7} {
			got := a.Clone()
			if err := Cholesky(sched.NewTeam(context.Background(), threads, nil), got); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Data, want.Data) {
				t.Errorf("n = %d: %d threads change the bits", n, threads)
			}
		}
		for _, order := range []int{1, 64, 65, n / 2, n - 1, n} {
			bad := a.Clone()
			bad.Set(order-1, order-1, -bad.At(order-1, order-1))
			var e *NotPositiveDefiniteError
			err := Cholesky(sched.NewTeam(context.Background(), 2, nil), bad)
			if !errors.As(err, &e) || e.Order != order {
				t.Errorf("n = %d, negative pivot in row %d: %v", n, order, err)
			}
		}
	}
}

// Whatever the layout, a factor that replaces its matrix has the bits of one in memory of its own.
func TestCholeskyViewInPlace(t *testing.T) {
	t.Run("float32", testInPlace[float32])
	t.Run("float64", testInPlace[float64])
	t.Run("complex64", testInPlace[complex64])
	t.Run("complex128", testInPlace[complex128])
}

func testInPlace[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	team := sched.NewTeam(context.Background(), 2, nil)
	for _, n := range []int{1, 2, 31, 33, 70, 150} {
		a, want := numtest.RandomSPD[T](rng, n), dense.New[T](n, n)
		if err := CholeskyView(team, a.View(), want.View(), true); err != nil {
			t.Fatal(err)
		}
		for name, strides := range map[string][2]int{"rows": {n + 3, 1}, "columns": {1, n + 3}, "gaps": {2 * n, 2},
			"reverse": {-n, -1}} {
			v := dense.View[T]{Rows: n, Cols: n, RowStride: strides[0], ColStride: strides[1], Data: make([]T, 2*n*(n+3))}
			if strides[0] < 0 {
				v.Offset = n*n - 1
			}
			dense.Copy(v, a.View())
			if err := CholeskyView(team, v, v, true); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for j := range n {
					if v.At(i, j) != want.At(i, j) {
						t.Fatalf("n = %d, %s: element (%d,%d) is %v, want %v", n, name, i, j, v.At(i, j), want.At(i, j))
					}
				}
			}
		}
	}
}
