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

// Orders and diagonals on both sides of the sizes of blocks, and bands that are wider than the matrix.
var shapes = []struct{ n, below, above int }{
	{1, 0, 0}, {1, 2, 1}, {2, 1, 1}, {3, 1, 1}, {5, 0, 3}, {5, 3, 0}, {6, 0, 0}, {7, 1, 2}, {7, 2, 1}, {9, 12, 10},
	{40, 1, 1}, {50, 3, 20}, {64, 20, 2}, {100, 31, 5}, {100, 32, 5}, {100, 33, 0}, {130, 40, 40}, {97, 96, 96},
	{33, 32, 32}, {70, 64, 1}, {200, 65, 90},
}

// randomBand returns a band with NaNs in places that belong to no element, and the dense matrix.
func randomBand[T dense.Scalar](rng *rand.Rand, n, below, above int) (band, full dense.Matrix[T]) {
	band, full = numtest.Random[T](rng, below+above+1, n), dense.New[T](n, n)
	for r := range band.Rows {
		for j := range n {
			if i := j + r - above; i >= 0 && i < n {
				full.Set(i, j, band.At(r, j))
			} else {
				band.Set(r, j, dense.FromReal[T](math.NaN()))
			}
		}
	}
	return band, full
}

// expectSolved judges by |op(A) X - B| <= limit eps |A| |X| in Frobenius norms.
func expectSolved[T dense.Scalar](t *testing.T, trans blas.Transpose, a, x, b dense.Matrix[T], limit float64) {
	t.Helper()
	residual := b.Clone()
	blas.Gemm(nil, trans, blas.NoTrans, 1, a, x, -1, residual)
	size := numtest.FrobeniusNorm(a) * numtest.FrobeniusNorm(x)
	if r := numtest.FrobeniusNorm(residual); !(r <= limit*dense.Eps[T]()*size) {
		t.Fatalf("n = %d, k = %d: residual %g, in units %g", a.Rows, b.Cols, r, r/dense.Eps[T]()/size)
	}
}

// limitOf bounds residuals: a row has so many terms, and the growth of random matrices is that of partial pivoting.
func limitOf(below, above int) float64 { return 4 * float64(below+above+8) }

func TestSolve(t *testing.T) {
	t.Run("float32", testSolve[float32])
	t.Run("float64", testSolve[float64])
	t.Run("complex64", testSolve[complex64])
	t.Run("complex128", testSolve[complex128])
}

func testSolve[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, s := range shapes {
		for _, k := range []int{1, 3, groupColumns + 1} {
			band, a := randomBand[T](rng, s.n, s.below, s.above)
			b := numtest.Random[T](rng, s.n, k)
			for _, view := range []dense.View[T]{band.View(), columnsOf(band)} {
				x := b.Clone()
				if err := Solve(nil, view, s.below, x); err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
				expectSolved(t, blas.NoTrans, a, x, b, limitOf(s.below, s.above))
			}
			f := newSource(band.View(), s.below).factors()
			if err := f.factor(nil); err != nil {
				t.Fatal(err)
			}
			x := b.Clone()
			if err := f.solve(nil, true, x); err != nil {
				t.Fatal(err)
			}
			expectSolved(t, blas.Trans, a, x, b, limitOf(s.below, s.above))
		}
	}
}

// columnsOf returns a view of a that is stored by columns.
func columnsOf[T dense.Scalar](a dense.Matrix[T]) dense.View[T] {
	v := dense.New[T](a.Cols, a.Rows).View().T()
	dense.Copy(v, a.View())
	return v
}

// The pivots of dense LU factorizations are those of a band, and with them U.
func TestFactorsAreThoseOfADenseMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, s := range shapes {
		band, a := randomBand[complex128](rng, s.n, s.below, s.above)
		f := newLU(newSource(band.View(), s.below))
		if err := f.factor(nil); err != nil {
			t.Fatal(err)
		}
		lu, pivots := dense.New[complex128](s.n, s.n), make([]int, s.n)
		dense.Copy(lu.View(), a.View().T())
		if _, err := factor.LU(nil, lu, pivots); err != nil {
			t.Fatal(err)
		}
		for j := range s.n {
			if first := j / f.block * f.block; first+f.pivots[j] != pivots[j] {
				t.Fatalf("%+v: pivot %d is row %d, want %d", s, j, first+f.pivots[j], pivots[j])
			}
			for i := max(0, j-f.reach); i <= j; i++ {
				got, want := f.data[j*f.stride+f.top+i], lu.At(j, i)
				if d := dense.Abs(got - want); !(d <= 1e-12*(1+dense.Abs(want))) {
					t.Fatalf("%+v: U(%d, %d) = %v, want %v", s, i, j, got, want)
				}
			}
		}
	}
}

// A diagonally dominant matrix needs no exchanges, so that U has no more diagonals than A.
func TestRowsThatAreNotExchangedFillNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, below := range []int{2, 40} {
		band, _ := randomBand[float64](rng, 150, below, 5)
		for j := range band.Cols {
			band.Set(5, j, 1000)
		}
		f := newLU(newSource(band.View(), below))
		if err := f.factor(nil); err != nil || f.reach != 5 {
			t.Errorf("%d diagonals below: %d above, %v", below, f.reach, err)
		}
	}
}

func TestSingularMatrices(t *testing.T) {
	for _, s := range []struct{ n, below, above, zero int }{
		{1, 0, 0, 0}, {5, 1, 1, 2}, {6, 1, 1, 5}, {4, 2, 1, 3}, {90, 40, 3, 50}, {90, 40, 3, 0}, {3, 0, 2, 1},
	} {
		band := dense.New[float64](s.below+s.above+1, s.n)
		for j := range s.n {
			if j != s.zero {
				band.Set(s.above, j, 2)
			}
		}
		err := Solve(nil, band.View(), s.below, dense.New[float64](s.n, 1))
		var zero *factor.SingularError
		if !errors.As(err, &zero) || *zero != (factor.SingularError{Arg: "ab", Pivot: s.zero + 1, Factors: "LU"}) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// Powers of two change no bit of the pivots and of the solution, up to the ends of the range.
func TestScaling(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, s := range shapes {
		band, _ := randomBand[float64](rng, s.n, s.below, s.above)
		b := numtest.Random[float64](rng, s.n, 2)
		want := b.Clone()
		if err := Solve(nil, band.View(), s.below, want); err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{-900, 900} {
			scaled, x := band.Clone(), b.Clone()
			blas.Ldexp(scaled.Data, k)
			blas.Ldexp(x.Data, k)
			if err := Solve(nil, scaled.View(), s.below, x); err != nil {
				t.Fatal(err)
			}
			if !numtest.SameBits(x.Data, want.Data) {
				t.Fatalf("%+v: 2^%d changes the solution", s, k)
			}
		}
	}
}

func TestInfinitiesAndNaNsPropagate(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, s := range shapes {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			band, _ := randomBand[float64](rng, s.n, s.below, s.above)
			band.Set(s.above, s.n/2, bad)
			x := numtest.Random[float64](rng, s.n, 1)
			err := Solve(nil, band.View(), s.below, x)
			if err == nil && math.IsNaN(bad) && x.View().AllFinite() {
				t.Errorf("%+v: a NaN does not show", s)
			}
		}
	}
}

func TestThreadsDoNotChangeTheBitsOfABandSolution(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, s := range []struct{ n, below, above, k int }{
		{300, 1, 1, 40}, {300, 5, 7, 40}, {400, 70, 80, 40}, {400, 90, 90, 1},
	} {
		band, _ := randomBand[float64](rng, s.n, s.below, s.above)
		b := numtest.Random[float64](rng, s.n, s.k)
		want := b.Clone()
		if err := Solve(nil, band.View(), s.below, want); err != nil {
			t.Fatal(err)
		}
		for threads := 2; threads <= 3; threads++ {
			x := b.Clone()
			if err := Solve(sched.NewTeam(context.Background(), threads, nil), band.View(), s.below, x); err != nil {
				t.Fatal(err)
			}
			if !numtest.SameBits(x.Data, want.Data) {
				t.Fatalf("%+v: %d threads change bits", s, threads)
			}
		}
	}
}

func TestSolveIsCancelled(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, s := range []struct{ n, below, above, k int }{
		{200000, 1, 1, 1}, {20000, 5, 5, 20}, {20000, 0, 0, 100}, {2000, 60, 60, 5}, {2000, 100, 100, 100},
	} {
		band := numtest.Random[float64](rng, s.below+s.above+1, s.n)
		b := numtest.Random[float64](rng, s.n, s.k)
		schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
			return Solve(team, band.View(), s.below, b.Clone())
		})
	}
}

func TestArgumentsOfSolve(t *testing.T) {
	ab := dense.New[float64](3, 4).View()
	for want, err := range map[string]error{
		"ab: 3 rows are not enough for 3 diagonals below the main one":  Solve(nil, ab, 3, dense.New[float64](4, 1)),
		"ab: 3 rows are not enough for -1 diagonals below the main one": Solve(nil, ab, -1, dense.New[float64](4, 1)),
		"b: expected 4 rows, got shape (3, 1)":                          Solve(nil, ab, 1, dense.New[float64](3, 1)),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := Solve(nil, dense.New[float64](3, 0).View(), 1, dense.New[float64](0, 2)); err != nil {
		t.Error(err)
	}
}
