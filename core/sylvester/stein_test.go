package sylvester

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// steinResidual returns |A X B^H - delta X - 2^-shift C|_F / (m eps (|A|_F |B|_F + delta) |X|_F), m = max(rows,
// columns, 8), with the eps of T.
func steinResidual[T dense.Scalar](a, b dense.Matrix[T], delta float64, c, x dense.Matrix[T], shift int) float64 {
	wa, wb, r, wx := wide(a), wide(b), wide(c), wide(x)
	scale(r, -shift)
	ax := dense.New[complex128](c.Rows, c.Cols)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, wa, wx, 0, ax)
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, ax, wb, -1, r)
	for i := range r.Data {
		r.Data[i] -= complex(delta, 0) * wx.Data[i]
	}
	size := (numtest.FrobeniusNorm(wa)*numtest.FrobeniusNorm(wb) + delta) * numtest.FrobeniusNorm(wx)
	if size == 0 {
		return 0
	}
	return numtest.FrobeniusNorm(r) / (float64(max(c.Rows, c.Cols, 8)) * dense.Eps[T]() * size)
}

func testStein[W dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	worst := 0.0
	for _, size := range [][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {5, 3}, {16, 16}, {17, 15}, {33, 70},
		{64, 65}, {120, 90}} {
		for _, center := range []float64{0.2, 3} {
			m, n := size[0], size[1]
			a, b, c := triangle[W](rng, m, center), triangle[W](rng, n, center), numtest.Random[W](rng, m, n)
			x := c.Clone()
			outcome, err := TriangularStein(nil, a, b, x)
			if err != nil || outcome.Perturbed {
				t.Errorf("%d x %d, eigenvalues about %g: %+v, %v", m, n, center, outcome, err)
			}
			r := steinResidual(a, b, 1, c, x, outcome.Shift)
			worst = max(worst, r)
			if !(r <= residualLimit) {
				t.Errorf("%d x %d, eigenvalues about %g: residual %g", m, n, center, r)
			}
		}
	}
	t.Logf("largest residual %.3f", worst)
}

func TestTriangularStein(t *testing.T) {
	t.Run("float64", testStein[float64])
	t.Run("float32", testStein[float32])
	t.Run("complex128", testStein[complex128])
	t.Run("complex64", testStein[complex64])
}

func TestTriangularSteinForAnyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	a, b, c := triangle[float64](rng, 130, 0.3), triangle[float64](rng, 111, 0.3), numtest.Random[float64](rng, 130, 111)
	want, got := c.Clone(), c.Clone()
	if _, err := TriangularStein(nil, a, b, want); err != nil {
		t.Fatal(err)
	}
	if _, err := TriangularStein(sched.NewTeam(context.Background(), 3, nil), a, b, got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Data, want.Data) {
		t.Error("the result of 3 threads differs from that of one")
	}
}

// With unit diagonals every pivot is zero; with large coefficients the term X is negligible.
func testSteinExtremes[W dense.Scalar](t *testing.T, top int) {
	rng := rand.New(rand.NewPCG(15, 16))
	unit := triangle[W](rng, 90, 0)
	for i := range 90 {
		unit.Set(i, i, 1)
		if i > 0 {
			unit.Set(i, i-1, 0)
		}
	}
	c := numtest.Random[W](rng, 90, 90)
	x := c.Clone()
	outcome, err := TriangularStein(nil, unit, unit, x)
	if err != nil || !outcome.Perturbed || outcome.Shift == 0 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	if r := steinResidual(unit, unit, 1, c, x, outcome.Shift); !(r <= residualLimit) || !x.View().AllFinite() {
		t.Errorf("singular equation: residual %g", r)
	}
	a, b, c := triangle[W](rng, 30, 2), triangle[W](rng, 20, 2), numtest.Random[W](rng, 30, 20)
	largeA, largeC := a.Clone(), c.Clone()
	scale(largeA, top-10)
	scale(largeC, top-10)
	if outcome, err = TriangularStein(nil, largeA, b, largeC); err != nil || outcome.Perturbed {
		t.Fatalf("%+v, %v", outcome, err)
	}
	// Division by 2^(top-10) restores A and C, and makes delta 2^(10-top).
	if r := steinResidual(a, b, math.Ldexp(1, 10-top), c, largeC, outcome.Shift); !(r <= residualLimit) {
		t.Errorf("large coefficients: residual %g", r)
	}
}

func TestSteinExtremes(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testSteinExtremes[float64](t, 1000) })
	t.Run("float32", func(t *testing.T) { testSteinExtremes[float32](t, 120) })
	t.Run("complex128", func(t *testing.T) { testSteinExtremes[complex128](t, 1000) })
}
