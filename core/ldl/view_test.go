package ldl

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
)

func TestView(t *testing.T) {
	t.Run("float32", testView[float32])
	t.Run("float64", testView[float64])
	t.Run("complex64", testView[complex64])
	t.Run("complex128", testView[complex128])
}

func testView[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	for _, n := range []int{0, 1, 2, 3, 30, 33, 67} {
		for _, hermitian := range forms[T]() {
			for _, lower := range []bool{false, true} {
				for _, byColumns := range []bool{false, true} {
					a := random[T](rng, n, hermitian)
					stored := a.Clone().View()
					if byColumns {
						stored = dense.New[T](n, n).View().T()
						dense.Copy(stored, a.View())
					}
					for i := range n {
						for j := range n {
							if i != j && i > j != lower {
								stored.Set(i, j, dense.FromReal[T](math.NaN()))
							}
						}
					}
					expectView(t, a, stored, Options{Lower: lower, Hermitian: hermitian, SkipFiniteCheck: true})
				}
			}
		}
	}
}

// expectView judges L D L^H - A in units of max(n, 8) eps |L| |D| |L|^T in Frobenius norms.
func expectView[T dense.Scalar](t *testing.T, a dense.Matrix[T], stored dense.View[T], opt Options) {
	t.Helper()
	n := a.Rows
	l, d, perm := dense.New[T](n, n), dense.New[T](n, n), make([]int64, n)
	d.Fill(5)
	if err := View(nil, stored, l.View(), d.View(), perm, opt); err != nil {
		t.Fatal(err)
	}
	for i, p := range perm {
		for j, x := range l.Row(int(p)) {
			if i == j && x != 1 || i != j && i < j == opt.Lower && x != 0 {
				t.Fatalf("n = %d: row %d of L has %v in column %d", n, p, x, j)
			}
		}
	}
	trans := blas.Trans
	if opt.Hermitian {
		trans = blas.ConjTrans
	}
	residual, ld := a.Clone(), dense.New[T](n, n)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, l, d, 0, ld)
	blas.Gemm(nil, blas.NoTrans, trans, 1, ld, l, -1, residual)
	limit := float64(max(n, 8)) * dense.Eps[T]() * numtest.FrobeniusNorm(ld) * numtest.FrobeniusNorm(l)
	if r := numtest.FrobeniusNorm(residual); !(r <= limit) {
		t.Fatalf("n = %d, %+v: residual %g, limit %g", n, opt, r, limit)
	}
}

// Of equal elements the first one of a column below the diagonal, or above it, becomes the pivot, as in LAPACK.
func TestViewOrder(t *testing.T) {
	a := dense.FromRows([]float64{0, 1, 1, 1}, []float64{1, 0, 1, 1}, []float64{1, 1, 0, 1}, []float64{1, 1, 1, 0})
	for _, c := range []struct {
		lower bool
		want  [4]int64
	}{{true, [4]int64{0, 1, 2, 3}}, {false, [4]int64{2, 1, 0, 3}}} {
		l, d, perm := dense.New[float64](4, 4), dense.New[float64](4, 4), make([]int64, 4)
		if err := View(nil, a.View(), l.View(), d.View(), perm, Options{Lower: c.lower}); err != nil {
			t.Fatal(err)
		}
		if [4]int64(perm) != c.want {
			t.Errorf("lower %v: %v, want %v", c.lower, perm, c.want)
		}
	}
}

func TestViewErrors(t *testing.T) {
	var bad *dense.ArgumentError
	square := dense.New[float64](2, 2)
	perm := make([]int64, 2)
	err := View(nil, dense.New[float64](2, 3).View(), square.View(), square.View(), perm, Options{})
	if !errors.As(err, &bad) {
		t.Errorf("a matrix that is not square gives %v", err)
	}
	if err := View(nil, square.View(), square.View(), square.View(), perm[:1], Options{}); !errors.As(err, &bad) {
		t.Errorf("a short permutation gives %v", err)
	}
	square.Set(0, 1, math.Inf(1))
	if err := View(nil, square.View(), dense.New[float64](2, 2).View(), dense.New[float64](2, 2).View(), perm,
		Options{}); !errors.As(err, &bad) || bad.Arg != "A" {
		t.Errorf("an infinity gives %v", err)
	}
	if _, err := Factor(nil, dense.New[float64](2, 3), false); !errors.As(err, &bad) {
		t.Errorf("a matrix that is not square gives %v", err)
	}
}
