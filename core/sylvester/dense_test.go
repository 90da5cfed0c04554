package sylvester

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

func TestPublishedExamples(t *testing.T) {
	// The examples in the documentation of SciPy's solve_sylvester, solve_continuous_lyapunov and
	// solve_discrete_lyapunov.
	a := dense.FromRows([]float64{-3, -2, 0}, []float64{-1, -1, 3}, []float64{3, -5, -1})
	b := dense.FromRows([]float64{1})
	q := dense.FromRows([]float64{1}, []float64{2}, []float64{3})
	x := dense.New[float64](3, 1)
	if _, err := Sylvester(a.View(), b.View(), q.View(), x.View(), Options{}); err != nil {
		t.Fatal(err)
	}
	near(t, "Sylvester", x, dense.FromRows([]float64{0.0625}, []float64{-0.5625}, []float64{0.6875}), 1e-14)

	a = dense.FromRows([]float64{-3, -2, 0}, []float64{-1, -1, 0}, []float64{0, -5, -1})
	eye := dense.New[float64](3, 3)
	eye.SetIdentity()
	x = dense.New[float64](3, 3)
	if _, err := Lyapunov(a.View(), eye.View(), x.View(), Options{}); err != nil {
		t.Fatal(err)
	}
	near(t, "Lyapunov", x, dense.FromRows(
		[]float64{-0.75, 0.875, -3.75}, []float64{0.875, -1.375, 5.3125}, []float64{-3.75, 5.3125, -27.0625}), 1e-13)

	a = dense.FromRows([]float64{0.2, 0.5}, []float64{0.7, -0.9})
	x, eye = dense.New[float64](2, 2), eye.Slice(0, 2, 0, 2)
	if _, err := DiscreteLyapunov(a.View(), eye.View(), x.View(), Options{}); err != nil {
		t.Fatal(err)
	}
	near(t, "DiscreteLyapunov", x, dense.FromRows([]float64{0.70872893, 1.43518822}, []float64{1.43518822, -2.4266315}),
		1e-8)
}

func near(t *testing.T, name string, got, want dense.Matrix[float64], tolerance float64) {
	t.Helper()
	for i := range want.Rows {
		for j := range want.Cols {
			if !(math.Abs(got.At(i, j)-want.At(i, j)) <= tolerance*math.Abs(want.At(i, j))) {
				t.Errorf("%s: element (%d,%d) is %v, want %v", name, i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
}

// shifted returns a random matrix plus a multiple of the identity.
func shifted[T dense.Scalar](rng *rand.Rand, n int, shift float64) dense.Matrix[T] {
	a := numtest.Random[T](rng, n, n)
	for i := range n {
		a.Set(i, i, a.At(i, i)+dense.FromReal[T](shift))
	}
	return a
}

// schurUnits is the factor by which the errors of two Schur forms may enlarge the residual.
const schurUnits = 4

func testDense[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	worst := 0.0
	check := func(name string, r float64, perturbed bool, err error) {
		t.Helper()
		worst = max(worst, r)
		if err != nil || perturbed || !(r <= schurUnits*residualLimit) {
			t.Errorf("%s: perturbed %v, %v, residual %g", name, perturbed, err, r)
		}
	}
	for _, size := range [][2]int{{1, 1}, {2, 3}, {7, 7}, {20, 9}, {9, 40}, {70, 66}} {
		m, n := size[0], size[1]
		a, b, c, x := shifted[T](rng, m, 3), shifted[T](rng, n, 3), numtest.Random[T](rng, m, n), dense.New[T](m, n)
		perturbed, err := Sylvester(a.View(), b.View(), c.View(), x.View(), Options{})
		check("Sylvester", residual(Form{}, a, b, c, x, 0), perturbed, err)

		q, y := numtest.Random[T](rng, m, m), dense.New[T](m, m)
		perturbed, err = Lyapunov(a.View(), q.View(), y.View().T(), Options{})
		check("Lyapunov", residual(Form{AdjointB: true}, a, a, q, transposed(y), 0), perturbed, err)

		perturbed, err = DiscreteLyapunov(a.View(), q.View(), y.View(), Options{})
		negative := q.Clone()
		for i := range negative.Data {
			negative.Data[i] *= -1
		}
		check("DiscreteLyapunov", steinResidual(a, a, 1, negative, y, 0), perturbed, err)
	}
	t.Logf("largest residual %.3f", worst)
}

func transposed[T dense.Scalar](m dense.Matrix[T]) dense.Matrix[T] {
	r := dense.New[T](m.Cols, m.Rows)
	dense.Copy(r.View(), m.View().T())
	return r
}

func TestDense(t *testing.T) {
	t.Run("float64", testDense[float64])
	t.Run("float32", testDense[float32])
	t.Run("complex128", testDense[complex128])
	t.Run("complex64", testDense[complex64])
}

func TestHermitianSolutions(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	a, q, x := shifted[complex128](rng, 30, 4), numtest.RandomHermitian[complex128](rng, 30), dense.New[complex128](30, 30)
	for name, solve := range map[string]func(a, q, x dense.View[complex128], opt Options) (bool, error){
		"Lyapunov": Lyapunov[complex128], "DiscreteLyapunov": DiscreteLyapunov[complex128],
	} {
		if _, err := solve(a.View(), q.View(), x.View(), Options{}); err != nil {
			t.Fatal(err)
		}
		if !isHermitian(x.View()) {
			t.Errorf("%s: X is not Hermitian", name)
		}
	}
}

func TestSameBitsForAnyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	a, b, c := shifted[float64](rng, 120, 3), shifted[float64](rng, 90, 3), numtest.Random[float64](rng, 120, 90)
	one, four := dense.New[float64](120, 90), dense.New[float64](120, 90)
	for threads, x := range map[int]dense.Matrix[float64]{1: one, 4: four} {
		opt := Options{Team: sched.NewTeam(context.Background(), threads, nil)}
		if _, err := Sylvester(a.View(), b.View(), c.View(), x.View(), opt); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(one.Data, four.Data) {
		t.Error("the result of 4 threads differs from that of one")
	}
}

func TestSingularEquationsAreReported(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	a := numtest.Random[float64](rng, 12, 12)
	negative := a.Clone()
	for i := range negative.Data {
		negative.Data[i] *= -1
	}
	q, x := numtest.Random[float64](rng, 12, 12), dense.New[float64](12, 12)
	triangle := dense.FromRows([]float64{1, 5}, []float64{0, -1})
	if perturbed, err := Lyapunov(triangle.View(), q.Slice(0, 2, 0, 2).View(), x.Slice(0, 2, 0, 2).View(),
		Options{}); !perturbed || err != nil {
		t.Errorf("Lyapunov: perturbed %v, %v", perturbed, err)
	}
	if perturbed, err := DiscreteLyapunov(triangle.View(), q.Slice(0, 2, 0, 2).View(), x.Slice(0, 2, 0, 2).View(),
		Options{}); !perturbed || err != nil {
		t.Errorf("DiscreteLyapunov: perturbed %v, %v", perturbed, err)
	}
	// A and -B have the same eigenvalues, up to the rounding errors of two Schur forms.
	if _, err := Sylvester(a.View(), negative.View(), q.View(), x.View(), Options{}); err != nil {
		t.Error(err)
	}
	if r := residual(Form{}, a, negative, q, x, 0); !(r <= schurUnits*residualLimit) {
		t.Errorf("Sylvester: residual %g", r)
	}
}

func TestOverflowIsReported(t *testing.T) {
	one := dense.FromRows([]float64{1e-300})
	huge, x := dense.FromRows([]float64{1e300}), dense.New[float64](1, 1)
	_, err := Lyapunov(one.View(), huge.View(), x.View(), Options{})
	var overflow *OverflowError
	if !errors.As(err, &overflow) || overflow.Exponent != 1993 { // 1e600 / 2 is 2^1992.1
		t.Errorf("got %v", err)
	}
	// Intermediate results would overflow, but the solution does not.
	a := dense.FromRows([]float64{1e300, 1e300}, []float64{0, 1e300})
	q, y := dense.FromRows([]float64{1e300, 1.5e308}, []float64{1.5e308, -1.5e308}), dense.New[float64](2, 2)
	if _, err := Lyapunov(a.View(), q.View(), y.View(), Options{}); err != nil {
		t.Fatal(err)
	}
	scale(a, -1000)
	scale(q, -1000)
	if r := residual(Form{AdjointB: true}, a, a, q, y, 0); !(r <= residualLimit) {
		t.Errorf("residual %g", r)
	}
}

func TestBadArguments(t *testing.T) {
	m := func(rows, cols int) dense.View[float64] { return dense.New[float64](rows, cols).View() }
	withNaN := m(2, 2)
	withNaN.Set(0, 1, math.NaN())
	cases := []struct {
		arg        string
		a, b, q, x dense.View[float64]
	}{
		{"a", m(2, 3), m(3, 3), m(2, 3), m(2, 3)},
		{"b", m(2, 2), m(2, 3), m(2, 3), m(2, 3)},
		{"q", m(2, 2), m(3, 3), m(3, 2), m(2, 3)},
		{"x", m(2, 2), m(3, 3), m(2, 3), m(2, 2)},
		{"a", withNaN, m(2, 2), m(2, 2), m(2, 2)},
		{"b", m(2, 2), withNaN, m(2, 2), m(2, 2)},
		{"q", m(2, 2), m(2, 2), withNaN, m(2, 2)},
	}
	for i, c := range cases {
		_, err := Sylvester(c.a, c.b, c.q, c.x, Options{})
		var argument *dense.ArgumentError
		if !errors.As(err, &argument) || argument.Arg != c.arg {
			t.Errorf("case %d: got %v, want an error about %s", i, err, c.arg)
		}
	}
	if _, err := Lyapunov(m(2, 2), m(3, 3), m(2, 2), Options{}); err == nil {
		t.Error("Lyapunov accepts a right-hand side of another order")
	}
	if _, err := Sylvester(m(0, 0), m(3, 3), m(0, 3), m(0, 3), Options{}); err != nil {
		t.Errorf("empty: %v", err)
	}
}

func TestCancellation(t *testing.T) {
	const n = 300
	rng := rand.New(rand.NewPCG(41, 1))
	a, b, c := numtest.Random[float64](rng, n, n), numtest.Random[float64](rng, n, n), numtest.Random[float64](rng, n, n)
	upper := func(m dense.Matrix[float64]) dense.Matrix[float64] {
		u := m.Clone()
		for i := range n {
			clear(u.Row(i)[:i])
			u.Set(i, i, 2+u.At(i, i))
		}
		return u
	}
	t1, t2, x := upper(a), upper(b), dense.New[float64](n, n)
	for name, call := range map[string]func(team *sched.Team) error{
		"Sylvester": func(team *sched.Team) error {
			_, err := Sylvester(a.View(), b.View(), c.View(), x.View(), Options{Team: team})
			return err
		},
		"Lyapunov": func(team *sched.Team) error {
			_, err := Lyapunov(a.View(), c.View(), x.View(), Options{Team: team})
			return err
		},
		"DiscreteLyapunov": func(team *sched.Team) error {
			_, err := DiscreteLyapunov(a.View(), c.View(), x.View(), Options{Team: team})
			return err
		},
		"Triangular":      func(team *sched.Team) error { _, err := Triangular(team, Form{}, t1, t2, c.Clone()); return err },
		"TriangularStein": func(team *sched.Team) error { _, err := TriangularStein(team, t1, t2, c.Clone()); return err },
		"ClusterCondition": func(team *sched.Team) error {
			_, _, err := ClusterCondition(t1.View(), n/2, Options{Team: team})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { schedtest.Cancel(t, schedtest.Limits{}, call) })
	}
}
