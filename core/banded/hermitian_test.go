package banded

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

// Orders and numbers of diagonals, on both sides of the sizes of blocks.
var hermitianShapes = []struct{ n, rows int }{
	{1, 1}, {1, 3}, {2, 2}, {3, 2}, {3, 3}, {5, 8}, {6, 1}, {40, 2}, {40, 6}, {64, 20}, {100, 32}, {100, 33}, {97, 97},
	{33, 33}, {200, 70}, {130, 129},
}

// definiteBand returns a positive definite band with NaNs in places that belong to no element, and the dense matrix.
// Imaginary parts of its diagonal are not zero, but do not count.
func definiteBand[T dense.Scalar](rng *rand.Rand, n, rows int, upper bool) (band, full dense.Matrix[T]) {
	band, full = dense.New[T](rows, n), dense.New[T](n, n)
	band.Fill(dense.FromReal[T](math.NaN()))
	h := hermitian[T]{band: band.View(), upper: upper}
	random := numtest.Random[T](rng, rows, n)
	for j := range n {
		for k := range min(rows, n-j) {
			x := random.At(k, j)
			if k == 0 {
				d := 4*float64(rows) + dense.Real(x)
				h.set(j, 0, dense.FromParts[T](d, dense.Imag(x)))
				full.Set(j, j, dense.FromReal[T](d))
				continue
			}
			h.set(j, k, x)
			full.Set(j+k, j, x)
			full.Set(j, j+k, dense.Conj(x))
		}
	}
	return band, full
}

func TestHermitian(t *testing.T) {
	t.Run("float32", testHermitian[float32])
	t.Run("float64", testHermitian[float64])
	t.Run("complex64", testHermitian[complex64])
	t.Run("complex128", testHermitian[complex128])
}

func testHermitian[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, s := range hermitianShapes {
		for _, upper := range []bool{false, true} {
			band, a := definiteBand[T](rng, s.n, s.rows, upper)
			out := dense.New[T](s.rows, s.n)
			if err := Cholesky(nil, columnsOf(band), out.View(), upper); err != nil {
				t.Fatal(err)
			}
			expectFactor(t, out, a, upper)
			b := numtest.Random[T](rng, s.n, 1+rng.IntN(20))
			x, y := b.Clone(), b.Clone()
			if err := CholeskySolve(nil, out.View(), upper, x); err != nil {
				t.Fatal(err)
			}
			expectSolved(t, blas.NoTrans, a, x, b, limitOf(s.rows, s.rows))
			if err := SolveHermitian(nil, band.View(), upper, y); err != nil {
				t.Fatal(err)
			}
			expectSolved(t, blas.NoTrans, a, y, b, limitOf(s.rows, s.rows))
		}
	}
}

// expectFactor judges by |L L^H - A| <= limit eps |A|, and checks that the diagonal is real and positive.
func expectFactor[T dense.Scalar](t *testing.T, out, a dense.Matrix[T], upper bool) {
	t.Helper()
	n := a.Rows
	h, l, product := hermitian[T]{band: out.View(), upper: upper}, dense.New[T](n, n), a.Clone()
	for j := range n {
		if d := h.at(j, 0); !(dense.Real(d) > 0) || dense.Imag(d) != 0 {
			t.Fatalf("diagonal element %d is %v", j, d)
		}
		for k := range min(out.Rows, n-j) {
			l.Set(j+k, j, h.at(j, k))
		}
	}
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, l, l, -1, product)
	limit := 4 * float64(out.Rows+8) * dense.Eps[T]() * numtest.FrobeniusNorm(a)
	if r := numtest.FrobeniusNorm(product); !(r <= limit) {
		t.Fatalf("n = %d, %d rows: L L^H - A is %g, the limit is %g", n, out.Rows, r, limit)
	}
}

func TestMatricesThatAreNotPositiveDefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for _, s := range hermitianShapes {
		for _, bad := range []float64{0, -1e3, math.NaN()} {
			order := 1 + rng.IntN(s.n)
			band, _ := definiteBand[complex128](rng, s.n, s.rows, true)
			band.Set(s.rows-1, order-1, complex(bad, 0))
			b := dense.New[complex128](s.n, 1)
			for name, err := range map[string]error{
				"Cholesky":       Cholesky(nil, band.View(), band.Clone().View(), true),
				"SolveHermitian": SolveHermitian(nil, band.View(), true, b),
			} {
				var minor *factor.NotPositiveDefiniteError
				if !errors.As(err, &minor) || minor.Arg != "ab" || minor.Order != order {
					t.Errorf("%s, %+v: %v, want order %d", name, s, err, order)
				}
			}
		}
	}
}

// Powers of four change no bit of the factor but its exponents.
func TestScalingOfDefiniteMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for _, s := range hermitianShapes {
		band, _ := definiteBand[float64](rng, s.n, s.rows, false)
		b := numtest.Random[float64](rng, s.n, 2)
		want := b.Clone()
		if err := SolveHermitian(nil, band.View(), false, want); err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{-900, 900} {
			scaled, x := band.Clone(), b.Clone()
			blas.Ldexp(scaled.Data, k)
			blas.Ldexp(x.Data, k)
			if err := SolveHermitian(nil, scaled.View(), false, x); err != nil {
				t.Fatal(err)
			}
			if !numtest.SameBits(x.Data, want.Data) {
				t.Fatalf("%+v: 2^%d changes the solution", s, k)
			}
		}
	}
}

func TestThreadsDoNotChangeTheBitsOfDefiniteSolutions(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, s := range []struct{ n, rows, k int }{{300, 2, 40}, {300, 8, 40}, {400, 90, 40}, {400, 120, 1}} {
		band, _ := definiteBand[complex128](rng, s.n, s.rows, false)
		b := numtest.Random[complex128](rng, s.n, s.k)
		want := b.Clone()
		if err := SolveHermitian(nil, band.View(), false, want); err != nil {
			t.Fatal(err)
		}
		for threads := 2; threads <= 3; threads++ {
			x := b.Clone()
			team := sched.NewTeam(context.Background(), threads, nil)
			if err := SolveHermitian(team, band.View(), false, x); err != nil {
				t.Fatal(err)
			}
			if !numtest.SameBits(x.Data, want.Data) {
				t.Fatalf("%+v: %d threads change bits", s, threads)
			}
		}
	}
}

func TestDefiniteSolversAreCancelled(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	for _, s := range []struct{ n, rows, k int }{{200000, 2, 1}, {30000, 8, 20}, {6000, 100, 1}, {2000, 100, 100}} {
		band := numtest.Random[float64](rng, s.rows, s.n)
		for j := range s.n {
			band.Set(0, j, 10*float64(s.rows))
		}
		b := numtest.Random[float64](rng, s.n, s.k)
		schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
			return SolveHermitian(team, band.View(), false, b.Clone())
		})
		if s.rows == 2 {
			continue
		}
		schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
			return Cholesky(team, band.View(), band.Clone().View(), false)
		})
		schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
			return CholeskySolve(team, band.View(), false, b.Clone())
		})
	}
}

func TestArgumentsOfDefiniteSolvers(t *testing.T) {
	none, two := dense.New[float64](0, 2).View(), dense.New[float64](2, 2).View()
	b := dense.New[float64](3, 1)
	for _, c := range []struct {
		want string
		err  error
	}{
		{"ab: expected the main diagonal at least, got shape (0, 2)", Cholesky(nil, none, none, false)},
		{"ab: expected the main diagonal at least, got shape (0, 2)", CholeskySolve(nil, none, false, b)},
		{"ab: expected the main diagonal at least, got shape (0, 2)", SolveHermitian(nil, none, false, b)},
		{"out: expected shape (2, 2), got (0, 2)", Cholesky(nil, two, none, false)},
		{"b: expected 2 rows, got shape (3, 1)", CholeskySolve(nil, two, false, b)},
		{"b: expected 2 rows, got shape (3, 1)", SolveHermitian(nil, two, false, b)},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
	empty := dense.New[float64](2, 0).View()
	noRows := dense.New[float64](0, 3)
	for _, err := range []error{Cholesky(nil, empty, empty, true), SolveHermitian(nil, empty, true, noRows)} {
		if err != nil {
			t.Error(err)
		}
	}
}
