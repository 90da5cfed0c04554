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

func TestLU(t *testing.T) {
	t.Run("float32", testLU[float32])
	t.Run("float64", testLU[float64])
	t.Run("complex64", testLU[complex64])
	t.Run("complex128", testLU[complex128])
}

func testLU[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	team := sched.NewTeam(context.Background(), 2, nil)
	for _, n := range numtest.Sizes {
		a := numtest.Random[T](rng, n, n)
		lu, pivots := a.Clone(), make([]int, n)
		if zero, err := LU(team, lu, pivots); err != nil || zero != 0 {
			t.Fatalf("n = %d: zero pivot %d, %v", n, zero, err)
		}
		l, u := factorsOf(lu)
		product, size := dense.New[T](n, n), dense.New[float64](n, n)
		blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, l, u, 0, product)
		blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, moduli(l), moduli(u), 0, size)
		permuted := a.Clone()
		exchangeColumns(permuted, pivots)
		for i := range n {
			for j := range n {
				if x := lu.At(i, j); j > i && math.Abs(dense.Real(x))+math.Abs(dense.Imag(x)) > 2+1e-6 {
					t.Fatalf("n = %d: element (%d,%d) of U is %v", n, i, j, x)
				}
				// Higham, Accuracy and Stability, theorem 9.3: |A - L U| <= n eps |L| |U| entry by entry; the product
				// that is compared has errors of the same size, and complex numbers cost a factor of two.
				limit := 4 * float64(n) * dense.Eps[T]() * size.At(i, j)
				if r := dense.Abs(product.At(i, j) - permuted.At(i, j)); !(r <= limit) {
					t.Fatalf("n = %d: residual %g in (%d,%d), limit %g", n, r, i, j, limit)
				}
			}
		}
		b := numtest.Random[T](rng, n, widths[rng.IntN(len(widths))])
		x := b.Clone()
		if err := LUSolve(team, blas.NoTrans, lu, pivots, x); err != nil {
			t.Fatal(err)
		}
		expectLUSolved(t, a, x, b, size)
	}
}

// factorsOf returns L and U with their zeros and ones.
func factorsOf[T dense.Scalar](lu dense.Matrix[T]) (l, u dense.Matrix[T]) {
	n := lu.Rows
	l, u = dense.New[T](n, n), dense.New[T](n, n)
	u.SetIdentity()
	for i := range n {
		copy(l.Row(i)[:i+1], lu.Row(i)[:i+1])
		copy(u.Row(i)[i+1:], lu.Row(i)[i+1:])
	}
	return l, u
}

func moduli[T dense.Scalar](a dense.Matrix[T]) dense.Matrix[float64] {
	m := dense.New[float64](a.Rows, a.Cols)
	for i, x := range a.Data {
		m.Data[i] = dense.Abs(x)
	}
	return m
}

// expectLUSolved judges columns by |A x - b| <= 3 n eps |L| |U| |x| (Higham, theorem 9.4) in maximum norms, with the
// product of moduli given, and twice that for complex numbers.
func expectLUSolved[T dense.Scalar](t *testing.T, a, x, b dense.Matrix[T], product dense.Matrix[float64]) {
	t.Helper()
	n := a.Rows
	norm := 0.0
	for i := range n {
		norm = max(norm, blas.Asum(dense.Vec(product.Row(i))))
	}
	residual := b.Clone()
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, a, x, -1, residual)
	for j := range b.Cols {
		largest, size := 0.0, 0.0
		for i := range n {
			largest, size = max(largest, dense.Abs(residual.At(i, j))), max(size, dense.Abs(x.At(i, j)))
		}
		if limit := 6 * float64(n) * dense.Eps[T]() * norm * size; !(largest <= limit) {
			t.Fatalf("n = %d, column %d: residual %g, limit %g", n, j, largest, limit)
		}
	}
}

func TestLUNamesTheZeroPivot(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for _, n := range []int{1, 2, 8, 9, 40} {
		for _, order := range []int{1, n/2 + 1, n} {
			a := dense.New[float64](n, n)
			a.SetIdentity()
			for i := range n { // L of integers: all pivots but one are 1, so that nothing is rounded
				for j := range i {
					a.Set(i, j, float64(rng.IntN(2)))
				}
			}
			for j := range order {
				a.Set(order-1, j, 0)
			}
			lu, pivots := a.Clone(), make([]int, n)
			if zero, err := LU(nil, lu, pivots); err != nil || zero != order {
				t.Errorf("n = %d, row %d is zero: pivot %d, %v", n, order, zero, err)
			}
		}
	}
}

func TestLUOfTinyAndHugeNumbers(t *testing.T) {
	for _, size := range []float64{0x1p-1070, 0x1p-1021, 0x1p1020} {
		a := dense.FromRows([]float64{2 * size, 4 * size}, []float64{size, size})
		lu, pivots := a.Clone(), make([]int, 2)
		if zero, err := LU(nil, lu, pivots); err != nil || zero != 0 {
			t.Fatal(zero, err)
		}
		// 4 is the pivot; the columns are exchanged: [4 2; 1 1] = [4 0; 1 1/2] [1 1/2; 0 1].
		want := []float64{4 * size, 0.5, size, size / 2}
		if !slices.Equal(lu.Data, want) || !slices.Equal(pivots, []int{1, 1}) {
			t.Errorf("size %g: %v, pivots %v", size, lu.Data, pivots)
		}
	}
}

func TestLUThreadsDoNotChangeBits(t *testing.T) {
	const n = 300
	a, b := numtest.Random[complex128](rand.New(rand.NewPCG(33, 1)), n, n),
		numtest.Random[complex128](rand.New(rand.NewPCG(33, 2)), n, n)
	solve := func(team *sched.Team) []complex128 {
		lu, x, pivots := a.Clone(), b.Clone(), make([]int, n)
		if _, err := LU(team, lu, pivots); err != nil {
			t.Fatal(err)
		}
		if err := LUSolve(team, blas.NoTrans, lu, pivots, x); err != nil {
			t.Fatal(err)
		}
		return x.Data
	}
	one := solve(nil)
	for _, threads := range []int{2, 3} {
		if !slices.Equal(one, solve(sched.NewTeam(context.Background(), threads, nil))) {
			t.Errorf("%d threads change the solution", threads)
		}
	}
}

func TestLURefusesShapesThatDoNotFit(t *testing.T) {
	square, wide := dense.New[float64](3, 3), dense.New[float64](3, 4)
	_, fewPivots := LU(nil, square, make([]int, 2))
	for _, c := range []struct {
		want string
		err  error
	}{
		{"pivots", fewPivots},
		{"lu", LUSolve(nil, blas.NoTrans, wide, make([]int, 3), square)},
		{"pivots", LUSolve(nil, blas.NoTrans, square, make([]int, 4), square)},
		{"b", LUSolve(nil, blas.NoTrans, square, make([]int, 3), dense.New[float64](2, 3))},
	} {
		var e *dense.ArgumentError
		if !errors.As(c.err, &e) || e.Arg != c.want {
			t.Errorf("%s: %v", c.want, c.err)
		}
	}
}

func TestLUObeysCancellation(t *testing.T) {
	const n = 400
	a := numtest.Random[float64](rand.New(rand.NewPCG(34, 1)), n, n)
	// Two BLAS routines, which report progress, run between two looks at the context. The update of the second half takes
	// 3/8 of the work.
	schedtest.Cancel(t, schedtest.Limits{Reports: 6, Gap: 0.4}, func(team *sched.Team) error {
		_, err := LU(team, a.Clone(), make([]int, n))
		return err
	})
	lu, pivots, b := a.Clone(), make([]int, n), numtest.Random[float64](rand.New(rand.NewPCG(34, 2)), n, 20*solveColumns)
	if _, err := LU(nil, lu, pivots); err != nil {
		t.Fatal(err)
	}
	schedtest.Cancel(t, schedtest.Limits{Reports: 6},
		func(team *sched.Team) error { return LUSolve(team, blas.NoTrans, lu, pivots, b.Clone()) })
}
