package df

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func team(threads int) *sched.Team { return sched.NewTeam(context.Background(), threads, nil) }

func random[T dense.Float](rng *rand.Rand, rows, cols int) dense.Matrix[T] {
	m := dense.New[T](rows, cols)
	for n := range m.Data {
		m.Data[n] = T(rng.NormFloat64())
	}
	return m
}

// spectrum returns n eigenvalues from least to 1, evenly spaced on a logarithmic scale.
func spectrum(n int, least float64) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = math.Pow(least, 1-float64(i)/math.Max(1, float64(n-1)))
	}
	return w
}

// narrowed returns a matrix in T, to which its elements are rounded.
func narrowed[T dense.Float](a dense.Matrix[float64]) dense.Matrix[T] {
	m := dense.New[T](a.Rows, a.Cols)
	dense.Copy(m.View(), a.View())
	return m
}

func product(a, b dense.View[float64]) dense.Matrix[float64] {
	c := dense.New[float64](a.Rows, b.Cols)
	for i := range a.Rows {
		for j := range b.Cols {
			for k := range a.Cols {
				c.Set(i, j, c.At(i, j)+a.At(i, k)*b.At(k, j))
			}
		}
	}
	return c
}

func norm(a dense.Matrix[float64]) float64 {
	sum := 0.0
	for _, x := range a.Data {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// fitted returns Fit's result for integrals, naux x pairs, which are stored by columns if so said.
func fitted[T dense.Float](t *testing.T, m *Metric[T], integrals dense.Matrix[T], byColumns bool,
	threads int) dense.Matrix[float64] {
	t.Helper()
	memory := dense.New[T](integrals.Cols, integrals.Rows)
	x := memory.View().T()
	if !byColumns {
		memory = dense.New[T](integrals.Rows, integrals.Cols)
		x = memory.View()
	}
	dense.Copy(x, integrals.View())
	if err := m.Fit(team(threads), x, false); err != nil {
		t.Fatal(err)
	}
	for i := m.Functions(); i < x.Rows; i++ {
		for j := range x.Cols {
			if x.At(i, j) != integrals.At(i, j) {
				t.Fatalf("row %d behind the last function was written to", i)
			}
		}
	}
	result := dense.New[float64](m.Functions(), integrals.Cols)
	dense.Copy(result.View(), x.SliceRows(0, m.Functions()))
	return result
}

// With integrals J the fitted ones, Y = W J, make Y^T Y = J W^T W J = J, or the part of J in the space of the
// eigenvectors that are kept. A backward stable solve with L, or a product with eigenvectors, has that to some eps
// times the condition of the metric's part.
func checkFit[T dense.Float](t *testing.T, w []float64, kept int, byCholesky bool) {
	t.Helper()
	n := len(w)
	rng := rand.New(rand.NewPCG(uint64(n), uint64(kept)))
	q := numtest.Orthogonal(rng, n)
	part := func(first int) dense.Matrix[float64] {
		scaled := q.Clone()
		for i := range n {
			for j := range n {
				if j < first {
					scaled.Set(i, j, 0)
				} else {
					scaled.Set(i, j, q.At(i, j)*w[j])
				}
			}
		}
		return product(scaled.View(), q.View().T())
	}
	metric := narrowed[T](part(0))
	m, err := DecomposeMetric(nil, metric.View(), DefaultDependence)
	if err != nil {
		t.Fatal(err)
	}
	if m.Functions() != kept || m.ByCholesky() != byCholesky {
		t.Fatalf("%d functions, Cholesky %v, want %d and %v", m.Functions(), m.ByCholesky(), kept, byCholesky)
	}
	eps := 0x1p-52
	if dense.IsSingle[T]() {
		eps = 0x1p-23
	}
	want := part(n - kept)
	condition := w[n-1] / w[n-kept]
	for _, byColumns := range []bool{false, true} {
		y := fitted(t, m, metric, byColumns, 1)
		got := product(y.View().T(), y.View())
		for k := range got.Data {
			got.Data[k] -= want.Data[k]
		}
		if size, limit := norm(got), 4*float64(n)*eps*condition*norm(want); size > limit {
			t.Errorf("%T, n = %d, by columns %v: residual %g, limit %g", T(0), n, byColumns, size, limit)
		}
		again := fitted(t, m, metric, byColumns, 3)
		for k := range y.Data {
			if y.Data[k] != again.Data[k] {
				t.Fatal("other bits with three threads")
			}
		}
	}
}

func TestFitByCholesky(t *testing.T) {
	for _, n := range []int{1, 2, 7, 64, 65, 150} {
		checkFit[float64](t, spectrum(n, 1e-6), n, true)
		checkFit[float32](t, spectrum(n, 1e-3), n, true)
	}
}

func TestFitByEigenvalues(t *testing.T) {
	for _, n := range []int{3, 40, 130} {
		for _, bad := range [][]float64{{-0.5, -1e-3}, {-1e-9, 3e-8}} {
			w := append(bad, spectrum(n, 1e-4)...)
			checkFit[float64](t, w, n, false)
		}
		checkFit[float32](t, append([]float64{-0.25, -0.125}, spectrum(n, 1e-2)...), n, false)
	}
}

// A metric of rank one, exactly: J = u u^T with the eigenvalue u^T u, so that W J has one row, whose squares are the
// diagonal of J.
func TestSingularMetric(t *testing.T) {
	u := []float64{1, 2, -2}
	j := dense.New[float64](3, 3)
	for i := range u {
		for k := range u {
			j.Set(i, k, u[i]*u[k])
		}
	}
	m, err := DecomposeMetric(nil, j.View(), DefaultDependence)
	if err != nil {
		t.Fatal(err)
	}
	y := fitted(t, m, j, false, 1)
	if y.Rows != 1 || m.ByCholesky() {
		t.Fatalf("%d functions", y.Rows)
	}
	for k := range u {
		if got := y.At(0, k) * y.At(0, k); math.Abs(got-u[k]*u[k]) > 1e-14 {
			t.Errorf("%g, want %g", got, u[k]*u[k])
		}
	}
}

// More pairs than a block has, and a triangle above the diagonal that does not count.
func TestBlocksOfPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, pairs = 6, 2*fitPairs + 17
	for _, least := range []float64{0.1, -0.1} {
		w := spectrum(n, 0.2)
		w[0] = least
		metric := numtest.WithSpectrum[float64](rng, w)
		integrals := random[float64](rng, n, pairs)
		whole, err := DecomposeMetric(nil, metric.View(), DefaultDependence)
		if err != nil {
			t.Fatal(err)
		}
		metric.Set(0, n-1, 1e3)
		m, err := DecomposeMetric(nil, metric.View(), DefaultDependence)
		if err != nil {
			t.Fatal(err)
		}
		for _, byColumns := range []bool{false, true} {
			all := fitted(t, m, integrals, byColumns, 2)
			for _, j := range []int{0, fitPairs - 1, fitPairs, 2 * fitPairs, pairs - 1} {
				one := fitted(t, whole, integrals.Slice(0, n, j, j+1).Clone(), byColumns, 1)
				for i := range one.Rows {
					if math.Abs(all.At(i, j)-one.At(i, 0)) > 1e-13*norm(one) {
						t.Errorf("pair %d, function %d: %g, want %g", j, i, all.At(i, j), one.At(i, 0))
					}
				}
			}
		}
	}
}

func TestErrorsOfMetricsAndIntegrals(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	good := numtest.WithSpectrum[float64](rng, spectrum(4, 0.1))
	nan := good.Clone()
	nan.Set(0, 3, math.NaN())
	for _, c := range []struct {
		metric     dense.Matrix[float64]
		dependence float64
		want       string
	}{
		{random[float64](rng, 3, 4), 0, "metric: expected a square matrix"},
		{nan, 0, "metric: contains infinities or NaNs"},
		{good, -1, "lindep: expected a number that is not negative, got -1"},
		{good, math.NaN(), "lindep: expected"},
		{good, math.Inf(1), "lindep: expected"},
		{numtest.WithSpectrum[float64](rng, []float64{-3, -2, 1e-3}), 0.5,
			"metric: none of its eigenvalues is above lindep = 0.5"},
	} {
		requireArgument(t, errorOf(DecomposeMetric(nil, c.metric.View(), c.dependence)), c.want)
	}
	m, err := DecomposeMetric(nil, good.View(), DefaultDependence)
	if err != nil {
		t.Fatal(err)
	}
	x := random[float64](rng, 8, 10)
	requireArgument(t, m.Fit(nil, x.View(), false), "integrals: have 8 auxiliary functions, the metric has 4")
	apart := dense.View[float64]{Rows: 4, Cols: 5, RowStride: 20, ColStride: 2, Data: x.Data}
	requireArgument(t, m.Fit(nil, apart, false), "integrals: neither")
	bad := random[float64](rng, 4, 10)
	bad.Set(3, 9, math.Inf(1))
	before := bad.Clone()
	requireArgument(t, m.Fit(nil, bad.View(), false), "integrals: contains infinities or NaNs")
	if fmt.Sprint(before) != fmt.Sprint(bad) {
		t.Error("integrals that were refused have been written to")
	}
	if err := m.Fit(nil, bad.View(), true); err != nil || dense.IsFinite(bad.At(3, 9)) {
		t.Errorf("%v, %g", err, bad.At(3, 9))
	}
}

func errorOf[T any](_ T, err error) error { return err }

func requireArgument(t *testing.T, err error, want string) {
	t.Helper()
	var argument *dense.ArgumentError
	if !errors.As(err, &argument) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestNothingToFit(t *testing.T) {
	m, err := DecomposeMetric(nil, dense.New[float64](0, 0).View(), DefaultDependence)
	if err != nil || m.Functions() != 0 {
		t.Fatal(err)
	}
	if err := m.Fit(nil, dense.New[float64](0, 3).View(), false); err != nil {
		t.Error(err)
	}
	one, err := DecomposeMetric(nil, dense.FromRows([]float64{4}).View(), DefaultDependence)
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Fit(nil, dense.New[float64](1, 0).View(), false); err != nil {
		t.Error(err)
	}
}

func TestFitIsCancelledAndReportsProgress(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, least := range []float64{0.1, -0.1} {
		w := spectrum(5, 0.2)
		w[0] = least
		metric := numtest.WithSpectrum[float64](rng, w)
		m, err := DecomposeMetric(nil, metric.View(), DefaultDependence)
		if err != nil {
			t.Fatal(err)
		}
		var progress sched.Progress
		x := random[float64](rng, 5, 2*fitPairs+1)
		if err := m.Fit(sched.NewTeam(context.Background(), 2, &progress), x.View(), false); err != nil {
			t.Fatal(err)
		}
		if done, total := progress.Read(); done != 2*fitPairs+1 || total != done {
			t.Errorf("%d of %d steps", done, total)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := m.Fit(sched.NewTeam(ctx, 2, nil), x.View(), true); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if _, err := DecomposeMetric(sched.NewTeam(ctx, 2, nil), metric.View(), DefaultDependence); !errors.Is(err,
			context.Canceled) {
			t.Error(err)
		}
	}
}
