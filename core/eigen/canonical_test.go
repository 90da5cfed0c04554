package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// dependentMetric returns Q diag(values) Q^H and Q, a random unitary matrix.
func dependentMetric[W dense.Wide](rng *rand.Rand, values []float64) (b, q dense.Matrix[W]) {
	q = numtest.RandomUnitary[W](rng, len(values))
	scaled := q.Clone()
	for j, x := range values {
		for i := range scaled.Rows {
			scaled.Set(i, j, scaled.At(i, j)*dense.FromReal[W](x))
		}
	}
	return times(scaled, adjoint(q)), q
}

// withSmallest returns n eigenvalues from 1 to 2, the first of which are replaced by small.
func withSmallest(n int, small ...float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = 1 + float64(i)/float64(n)
	}
	copy(values, small)
	return values
}

func TestEighCanonical(t *testing.T) {
	t.Run("float32", testCanonical[float32, float64, float32])
	t.Run("float64", testCanonical[float64, float64, float64])
	t.Run("complex64", testCanonical[complex64, complex128, float32])
	t.Run("complex128", testCanonical[complex128, complex128, float64])
}

// testCanonical has the first two eigenvectors of a metric dropped. The columns of V must be orthogonal to them and
// satisfy V^H B V = I and V^H A V = diag(w).
func testCanonical[T dense.Scalar, W dense.Wide, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const lindep = 1e-3
	for _, n := range []int{3, 10, 33, 64, 130} {
		metric, q := dependentMetric[W](rng, withSmallest(n, -1e-9, 1e-4))
		a, b := rounded[T](numtest.RandomHermitian[W](rng, n)), rounded[T](metric)
		for _, opt := range []Options{{}, {Upper: true}, {Overwrite: true}, {Subset: ByIndex(0, n-3)},
			{Subset: ByValue(math.Inf(-1), math.Inf(1))}} {
			name := fmt.Sprintf("n = %d, %+v", n, opt)
			ca, cb, o := a.Clone(), b.Clone(), newOutputs[T, R](n)
			count, dropped, err := EighCanonical(ca.View(), cb.View(), lindep, o.w, o.v, opt)
			if err != nil || dropped != 2 || count != n-2 {
				t.Fatalf("%s: %d eigenpairs, %d dropped, %v", name, count, dropped, err)
			}
			if !opt.Overwrite && (!numtest.SameBits(ca.Data, a.Data) || !numtest.SameBits(cb.Data, b.Data)) {
				t.Errorf("%s: changed its input", name)
			}
			w, v := pairs[W](o, count)
			unit, normV := float64(max(n, 8))*dense.Eps[T](), numtest.FrobeniusNorm(v)
			identity, values := dense.New[W](count, count), dense.New[W](count, count)
			identity.SetIdentity()
			for i, x := range w {
				values.Set(i, i, dense.FromReal[W](x))
			}
			wideA, wideB := widened[W](a), widened[W](b)
			gram := numtest.FrobeniusNorm(minus(times(adjoint(v), times(wideB, v)),
				identity)) / (unit * numtest.HermitianNorm(wideB) * normV)
			diagonal := numtest.FrobeniusNorm(minus(times(adjoint(v), times(wideA, v)),
				values)) / (unit * numtest.HermitianNorm(wideA) * normV)
			along := numtest.FrobeniusNorm(times(adjoint(q.Slice(0, n, 0, 2).Clone()), v)) / (unit * normV)
			if !(gram < residualLimit) || !(diagonal < residualLimit) || !(along < residualLimit) {
				t.Errorf("%s: |V^H B V - I| %g, |V^H A V - w| %g, along dropped vectors %g", name, gram, diagonal, along)
			}
			checkPhase(t, name, v)
			only := make([]R, n)
			opt.ValuesOnly, opt.Overwrite = true, false
			if k, _, err := EighCanonical(a.View(), b.View(), lindep, only, dense.View[T]{}, opt); err != nil || k != count {
				t.Fatalf("%s: %d eigenvalues without vectors, %v", name, k, err)
			}
			checkSameValues(t, name, only[:count], w)
		}
	}
}

// For a well-conditioned metric EighCanonical agrees with EighGeneralized, whatever the scales of A and B.
func TestEighCanonicalOfRegularMetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 20
	a, b := numtest.RandomHermitian[complex128](rng, n), numtest.RandomSPD[complex128](rng, n)
	for _, exponents := range [][2]int{{0, 0}, {500, 400}, {-600, -500}} {
		ca, cb := times2(a, exponents[0]), times2(b, exponents[1])
		want, got := newOutputs[complex128, float64](n), newOutputs[complex128, float64](n)
		if _, err := EighGeneralized(AXEqualsLambdaBX, ca.View(), cb.View(), want.w, want.v, Options{}); err != nil {
			t.Fatal(err)
		}
		if count, dropped, err := EighCanonical(ca.View(), cb.View(), 0, got.w, got.v, Options{}); err != nil || count != n ||
			dropped != 0 {
			t.Fatalf("%d eigenpairs, %d dropped, %v", count, dropped, err)
		}
		for j := range n {
			if !(math.Abs(got.w[j]-want.w[j]) <= 1e-13*math.Abs(want.w[n-1])) {
				t.Errorf("2^%v: eigenvalue %d is %v, want %v", exponents, j, got.w[j], want.w[j])
			}
			for i := range n {
				if !(dense.Abs(got.v.At(i, j)-want.v.At(i, j)) <= 1e-11*math.Ldexp(1, -exponents[1]/2)) {
					t.Fatalf("2^%v: vector %d differs", exponents, j)
				}
			}
		}
	}
}

func TestEighCanonicalErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	const n = 6
	a := numtest.RandomHermitian[float64](rng, n)
	metric := func(small ...float64) dense.View[float64] {
		b, _ := dependentMetric[float64](rng, withSmallest(n, small...))
		return b.View()
	}
	for _, c := range []struct {
		b      dense.View[float64]
		lindep float64
		opt    Options
		want   string
	}{
		{metric(), -1, Options{}, "lindep: expected a finite number that is not negative, got -1"},
		{metric(), math.NaN(), Options{}, "lindep: expected a finite number that is not negative, got NaN"},
		{metric(), math.Inf(1), Options{}, "lindep: expected"},
		{metric(), 3, Options{}, "b: none of its eigenvalues is above lindep = 3, the largest is 1.83333"},
		{metric(-0.1), 1e-3, Options{}, "b: not positive definite: the smallest eigenvalue is -0.1, below -0.001"},
		{metric(1e-9), 1e-3, Options{Subset: ByIndex(0, n-1)},
			"subset_by_index: expected 0 <= first <= last < 5, got (0, 5); " +
				"1 of 6 eigenvectors of b were dropped, whose eigenvalues are not above lindep = 0.001"},
		{dense.New[float64](n, n+1).View(), 0, Options{}, "b: expected the shape of a"},
	} {
		o := newOutputs[float64, float64](n)
		if _, _, err := EighCanonical(a.View(), c.b, c.lindep, o.w, o.v, c.opt); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	var indefinite *IndefiniteError
	o := newOutputs[float64, float64](n)
	if _, _, err := EighCanonical(a.View(), metric(-1e-3), 0, o.w, o.v, Options{}); !errors.As(err, &indefinite) ||
		indefinite.Arg != "b" {
		t.Errorf("an indefinite metric: %v", err)
	}
	var minor *factor.NotPositiveDefiniteError
	zero := dense.New[float64](n, n).View()
	if _, _, err := EighCanonical(a.View(), zero, 1e-8, o.w, o.v, Options{}); !errors.As(err, &minor) ||
		minor.Arg != "b" || minor.Order != 1 {
		t.Errorf("a metric of zeros: %v", err)
	}
}

// Eigenvalues of the metric that are zero up to rounding errors are dropped even if lindep is 0; EighGeneralized
// refuses such a metric.
func TestEighCanonicalOfSingularMetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, n := range []int{2, 12, 50} {
		g := numtest.Random[float64](rng, n, n-1)
		a, b, o := numtest.RandomHermitian[float64](rng, n), times(g, adjoint(g)), newOutputs[float64, float64](n)
		if count, dropped, err := EighCanonical(a.View(), b.View(), 0, o.w, o.v, Options{}); err != nil || count != n-1 ||
			dropped != 1 {
			t.Errorf("n = %d: %d eigenpairs, %d dropped, %v", n, count, dropped, err)
		}
		var e *factor.NotPositiveDefiniteError
		if _, err := EighGeneralized(AXEqualsLambdaBX, a.View(), b.View(), o.w, o.v, Options{}); !errors.As(err, &e) ||
			e.Order != n {
			t.Errorf("n = %d: %v", n, err)
		}
	}
}

func TestEighCanonicalWorkspaceAndThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	const n = 200
	metric, _ := dependentMetric[complex128](rng, withSmallest(n, 1e-12))
	a, b := numtest.RandomHermitian[complex128](rng, n).View(), metric.View()
	var first outputs[complex128, float64]
	for _, threads := range []int{1, 3} {
		o := newOutputs[complex128, float64](n)
		opt := Options{Team: sched.NewTeam(context.Background(), threads, nil)}
		bound := uint64(WorkspaceCanonical[complex128](n, opt))
		got := allocated(func() {
			if _, _, err := EighCanonical(a, b, 1e-8, o.w, o.v, opt); err != nil {
				t.Fatal(err)
			}
		})
		if got > bound || got < bound/4 {
			t.Errorf("%d threads: allocated %d, bound %d", threads, got, bound)
		}
		if threads == 1 {
			first = o
		} else if !numtest.SameBits(first.w, o.w) || !numtest.SameBits(first.v.Data, o.v.Data) {
			t.Error("1 and 3 threads differ")
		}
	}
	if WorkspaceCanonical[float64](math.MaxInt, Options{}) != math.MaxInt64 {
		t.Error("the workspace of order MaxInt does not saturate")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := EighCanonical(a, b, 0, first.w, first.v, Options{Team: sched.NewTeam(ctx, 2, nil)}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
