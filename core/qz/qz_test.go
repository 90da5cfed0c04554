package qz

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func TestRandomPairs(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 10, 31, 32, 33, 34, 35, 36, 64, 65, 66, 67, 97, 130} {
		randomPairs[float32](t, n)
		randomPairs[float64](t, n)
		randomPairs[complex64](t, n)
		randomPairs[complex128](t, n)
	}
}

func randomPairs[T dense.Scalar](t *testing.T, n int) {
	var w worst
	for seed := range uint64(max(1, 60/max(n, 1))) {
		rng := rand.New(rand.NewPCG(seed, uint64(n)))
		a, b := numtest.Random[T](rng, n, n), numtest.Random[T](rng, n, n)
		_, one := solve(t, fmt.Sprintf("%T, n = %d", *new(T), n), a, b)
		w.add(one)
	}
	t.Logf("%T, n = %d: residuals %.2f of A, %.2f of B, %.2f of Q, %.2f of Z", *new(T), n, w.a, w.b, w.q, w.z)
}

func TestFamiliesOfPairs(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 12, 40} {
		familiesOfPairs[float32](t, n)
		familiesOfPairs[float64](t, n)
		familiesOfPairs[complex64](t, n)
		familiesOfPairs[complex128](t, n)
	}
}

func familiesOfPairs[T dense.Scalar](t *testing.T, n int) {
	names, matrices := families[T](7, n)
	var w worst
	for i, a := range matrices {
		for j, b := range matrices {
			if n >= 12 && (i+j)%n > 1 {
				continue // only some of the larger matrices
			}
			_, one := solve(t, fmt.Sprintf("%T, n = %d, %s and %s", *new(T), n, names[i], names[j]), a, b)
			w.add(one)
		}
	}
	t.Logf("%T, n = %d: residuals %.2f of A, %.2f of B, %.2f of Q, %.2f of Z", *new(T), n, w.a, w.b, w.q, w.z)
}

func TestSizesFromSubnormalToNearOverflow(t *testing.T) {
	const n = 12
	rng := rand.New(rand.NewPCG(3, 4))
	a, b := numtest.Random[float64](rng, n, n), numtest.Random[float64](rng, n, n)
	base, _ := solve(t, "of size 1", a, b)
	for _, sizeA := range []int{-1065, -1000, -300, 0, 300, 1000, 1018} {
		for _, sizeB := range []int{-1065, -1000, -300, 0, 300, 1000, 1018} {
			sa, sb := a.Clone(), b.Clone()
			workspace.Scale(sa, sizeA)
			workspace.Scale(sb, sizeB)
			r := newResult[float64](n)
			if err := Decompose(sa.View(), sb.View(), r.form(), Options{}); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("of the sizes 2^%d and 2^%d", sizeA, sizeB)
			checkForm(t, name, sa, sb, r, false)
			for i, x := range base.s.Data {
				isNormal := sizeA > -1000 && sizeB > -1000
				if isNormal && (r.s.Data[i] != math.Ldexp(x, sizeA) || r.q.Data[i] != base.q.Data[i]) {
					t.Fatalf("%s: scaling by powers of two changes more than the size", name)
				}
			}
		}
	}
}

func TestOverflowOfTheForm(t *testing.T) {
	const huge = math.MaxFloat64
	ones := dense.FromRows([]float64{huge, huge}, []float64{huge, huge})
	unit := dense.FromRows([]float64{1, 0}, []float64{0, 1})
	r := newResult[float64](2)
	if err := Decompose(ones.View(), unit.View(), r.form(), Options{}); !isArgument(err, "a") {
		t.Errorf("overflow of S: got %v", err)
	}
	if err := Decompose(unit.View(), ones.View(), r.form(), Options{}); !isArgument(err, "b") {
		t.Errorf("overflow of P: got %v", err)
	}
}

func TestFormComesBackUnchanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 5, 20} {
		a, b := numtest.Random[float64](rng, n, n), numtest.Random[float64](rng, n, n)
		first, _ := solve(t, "first", a, b)
		second, _ := solve(t, "second", first.s, first.p)
		for i := range first.s.Data {
			if first.s.Data[i] != second.s.Data[i] || first.p.Data[i] != second.p.Data[i] {
				t.Fatalf("n = %d: a generalized Schur form was changed", n)
			}
		}
	}
}

func TestInfiniteEigenvalues(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 8, 20} {
		for rank := range n {
			infinite[float64](t, n, rank)
			infinite[complex128](t, n, rank)
		}
	}
}

// infinite decomposes random pairs with a triangular B. Where n - rank rows of B are zero, there are that many infinite
// eigenvalues; where B has a single zero on its diagonal, there is one.
func infinite[T dense.Scalar](t *testing.T, n, rank int) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(rank)))
	a, b := numtest.Random[T](rng, n, n), numtest.Random[T](rng, n, n)
	for i := range n {
		for j := range i {
			b.Set(i, j, 0)
		}
	}
	for k := range n {
		if k >= rank {
			for j := range n {
				b.Set(k, j, 0)
			}
		}
	}
	name := fmt.Sprintf("%T, n = %d, rank %d", *new(T), n, rank)
	r, _ := solve(t, name, a, b)
	count := 0
	for k := range n {
		if r.beta[k] == 0 {
			count++
		}
	}
	// A Jordan block at infinity would need an A that is singular on the null space of B; a random A is not.
	if count != n-rank {
		t.Errorf("%s: %d infinite eigenvalues", name, count)
	}
	// A zero in the interior of the diagonal is chased to its end.
	c := numtest.Random[T](rng, n, n)
	for i := range n {
		for j := range i {
			c.Set(i, j, 0)
		}
	}
	c.Set(rank, rank, 0)
	r, _ = solve(t, name+", inside", a, c)
	count = 0
	for k := range n {
		if r.beta[k] == 0 {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%s, a zero inside: %d infinite eigenvalues", name, count)
	}
}

func TestFailureToConvergeSaysWhere(t *testing.T) {
	// Rows 2 to 6 are a dense block between triangular rows.
	const lo, hi, n = 2, 6, 10
	rng := rand.New(rand.NewPCG(34, 35))
	a, b := numtest.Random[float64](rng, n, n), numtest.Random[float64](rng, n, n)
	for i := range n {
		for j := range i {
			if j < lo || i > hi {
				a.Set(i, j, 0)
				b.Set(i, j, 0)
			}
		}
	}
	r := newResult[float64](n)
	var e *ConvergenceError
	if err := Decompose(a.View(), b.View(), r.form(), Options{MaxIterations: 1}); !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	if want := (ConvergenceError{Lo: lo, Hi: hi, Found: n - 1 - hi, N: n, Sweeps: 1}); *e != want {
		t.Errorf("got %+v, want %+v", *e, want)
	}
	const message = "qz: the block of rows 2 to 6 did not split after 1 QZ sweeps; 3 of 10 eigenvalues were found"
	if e.Error() != message {
		t.Errorf("message %q", e.Error())
	}
}

func TestArguments(t *testing.T) {
	square, wide2 := dense.New[float64](3, 3).View(), dense.New[float64](2, 3).View()
	good := func() Form[float64] { return newResult[float64](3).form() }
	for _, c := range []struct {
		arg    string
		a, b   dense.View[float64]
		change func(f *Form[float64])
	}{
		{"a", wide2, square, func(*Form[float64]) {}},
		{"b", square, wide2, func(*Form[float64]) {}},
		{"s", square, square, func(f *Form[float64]) { f.S = wide2 }},
		{"p", square, square, func(f *Form[float64]) { f.P = wide2 }},
		{"q", square, square, func(f *Form[float64]) { f.Q = wide2 }},
		{"z", square, square, func(f *Form[float64]) { f.Z = wide2 }},
		{"alpha", square, square, func(f *Form[float64]) { f.Alpha = nil }},
		{"beta", square, square, func(f *Form[float64]) { f.Beta = f.Beta[:2] }},
	} {
		f := good()
		c.change(&f)
		if err := Decompose(c.a, c.b, f, Options{}); !isArgument(err, c.arg) {
			t.Errorf("%s: got %v", c.arg, err)
		}
	}
}

func TestInputsThatAreNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		good, other := dense.New[float64](3, 3), dense.New[float64](3, 3)
		other.Set(1, 2, bad)
		r := newResult[float64](3)
		if err := Decompose(other.View(), good.View(), r.form(), Options{}); !isArgument(err, "a") {
			t.Errorf("a: got %v", err)
		}
		if err := Decompose(good.View(), other.View(), r.form(), Options{}); !isArgument(err, "b") {
			t.Errorf("b: got %v", err)
		}
		if err := Decompose(good.View(), other.View(), r.form(), Options{SkipFiniteCheck: true}); err != nil {
			t.Fatal(err)
		}
		for _, m := range []dense.Matrix[float64]{r.s, r.p, r.q, r.z} {
			for _, x := range m.Data {
				if !math.IsNaN(x) {
					t.Fatalf("a matrix with %v leaves numbers", bad)
				}
			}
		}
	}
}

func TestFactorsThatAreNotWanted(t *testing.T) {
	const n = 40
	rng := rand.New(rand.NewPCG(8, 9))
	a, b := numtest.Random[float64](rng, n, n), numtest.Random[float64](rng, n, n)
	all, _ := solve(t, "all", a, b)
	r := newResult[float64](n)
	f := Form[float64]{S: r.s.View(), P: r.p.View()}
	if err := Decompose(a.View(), b.View(), f, Options{}); err != nil {
		t.Fatal(err)
	}
	for i, x := range all.s.Data {
		if r.s.Data[i] != x {
			t.Fatal("S depends on whether Q and Z are wanted")
		}
	}
}

func TestThreadsDoNotChangeTheResult(t *testing.T) {
	threadsDoNotChangeTheResult[float64](t)
	if !testing.Short() { // also under the race detector, which takes long for complex products without assembly
		threadsDoNotChangeTheResult[complex128](t)
	}
}

func threadsDoNotChangeTheResult[T dense.Scalar](t *testing.T) {
	const n = 260
	rng := rand.New(rand.NewPCG(12, 13))
	a, b := numtest.Random[T](rng, n, n), numtest.Random[T](rng, n, n)
	one, three := newResult[T](n), newResult[T](n)
	for threads, r := range map[int]*result[T]{1: one, 3: three} {
		opt := Options{Team: sched.NewTeam(context.Background(), threads, nil)}
		if err := Decompose(a.View(), b.View(), r.form(), opt); err != nil {
			t.Fatal(err)
		}
	}
	for k, m := range []dense.Matrix[T]{one.s, one.p, one.q, one.z} {
		if !slices.Equal(m.Data, []dense.Matrix[T]{three.s, three.p, three.q, three.z}[k].Data) {
			t.Errorf("%T: %c depends on the number of threads", *new(T), "SPQZ"[k])
		}
	}
}

// The smaller element of a block of P of a complex pair, which must be positive, rounds to zero where B is subnormal.
func TestSubnormalBlockStaysRegular(t *testing.T) {
	const unit = 0x1p-1074
	a := dense.FromRows([]float64{0.7968847, 0.45729719}, []float64{-0.82929266, 0.10143431})
	b := dense.FromRows([]float64{unit, unit}, []float64{-50 * unit, -35 * unit})
	r := newResult[float64](2)
	if err := Decompose(a.View(), b.View(), r.form(), Options{}); err != nil {
		t.Fatal(err)
	}
	if r.s.At(1, 0) == 0 {
		t.Fatal("the eigenvalues are not a complex pair")
	}
	if problem := fault(r.s, r.p); problem != "" {
		t.Error(problem)
	}
}
