package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func TestArgumentErrors(t *testing.T) {
	square := func(n int) dense.View[float64] {
		return numtest.RandomSPD[float64](rand.New(rand.NewPCG(1, 1)), n).View()
	}
	notFinite := square(3)
	notFinite.Set(0, 2, math.Inf(-1)) // above the diagonal
	rectangle := dense.New[float64](3, 4).View()
	cases := []struct {
		name, arg, detail string
		problem           Problem // of the generalized call
		a, b              dense.View[float64]
		wLength           int
		v                 dense.View[float64]
		opt               Options
	}{
		{name: "rectangle", arg: "a", detail: "(3, 4)", problem: 1, a: rectangle, b: square(3), wLength: 3, v: square(3)},
		{name: "other order", arg: "b", detail: "(2, 2)", problem: 1, a: square(3), b: square(2), wLength: 3, v: square(3)},
		{name: "rectangle", arg: "b", detail: "(3, 4)", problem: 1, a: square(3), b: rectangle, wLength: 3, v: square(3)},
		{name: "w too short", arg: "w", detail: "2", problem: 1, a: square(3), b: square(3), wLength: 2, v: square(3)},
		{name: "v too small", arg: "v", detail: "(2, 2)", problem: 1, a: square(3), b: square(3), wLength: 3, v: square(2)},
		{name: "infinity", arg: "a", detail: "infinities or NaNs", problem: 1, a: notFinite, b: square(3), wLength: 3, v: square(3)},
		{name: "infinity", arg: "b", detail: "infinities or NaNs", problem: 1, a: square(3), b: notFinite, wLength: 3, v: square(3)},
		{name: "type 0", arg: "type", detail: "0", problem: 0, a: square(3), b: square(3), wLength: 3, v: square(3)},
		{name: "type 4", arg: "type", detail: "4", problem: 4, a: square(3), b: square(3), wLength: 3, v: square(3)},
	}
	for _, s := range []Subset{ByIndex(-1, 1), ByIndex(2, 1), ByIndex(0, 3)} {
		detail := fmt.Sprintf("(%d, %d)", s.first, s.last)
		cases = append(cases, cases[0])
		c := &cases[len(cases)-1]
		c.name, c.arg, c.detail, c.a, c.opt.Subset = "indices", "subset_by_index", detail, square(3), s
	}
	for _, s := range []Subset{ByValue(1, 1), ByValue(2, 1), ByValue(math.NaN(), 1), ByValue(0, math.NaN())} {
		cases = append(cases, cases[0])
		c := &cases[len(cases)-1]
		c.name, c.arg, c.detail, c.a, c.opt.Subset = "values", "subset_by_value", fmt.Sprintf("(%g, %g)", s.above, s.upTo), square(3), s
	}
	for _, c := range cases {
		check := func(err error) {
			t.Helper()
			var e *dense.ArgumentError
			if !errors.As(err, &e) || e.Arg != c.arg || !strings.Contains(e.Reason, c.detail) {
				t.Errorf("%s of %s: %v", c.name, c.arg, err)
			}
		}
		w := make([]float64, c.wLength)
		_, err := EighGeneralized(c.problem, c.a, c.b, w, c.v, c.opt)
		check(err)
		if c.arg != "b" && c.arg != "type" {
			_, err = Eigh(c.a, w, c.v, c.opt)
			check(err)
		}
	}
}

func TestRealTypeMustFit(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for float32 eigenvalues of a complex128 matrix")
		}
	}()
	a := dense.New[complex128](1, 1).View()
	_, _ = Eigh(a, make([]float32, 1), a, Options{})
}

func TestOtherTriangleIsNotRead(t *testing.T) {
	t.Run("float32", testOtherTriangle[float32, float32])
	t.Run("float64", testOtherTriangle[float64, float64])
	t.Run("complex64", testOtherTriangle[complex64, float32])
	t.Run("complex128", testOtherTriangle[complex128, float64])
}

func testOtherTriangle[T dense.Scalar, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 2, 33, 70} {
		a, b := rounded[T](numtest.RandomHermitian[complex128](rng, n)), numtest.RandomSPD[T](rng, n)
		for _, upper := range []bool{false, true} {
			opt := Options{Upper: upper, SkipFiniteCheck: true}
			clean, dirty := newOutputs[T, R](n), newOutputs[T, R](n)
			// The imaginary parts of the diagonal are ignored, too.
			pa, pb := poisoned(a, upper), poisoned(b, upper)
			for i := range n {
				pa.Set(i, i, dense.FromParts[T](dense.Real(a.At(i, i)), math.NaN()))
				pb.Set(i, i, dense.FromParts[T](dense.Real(b.At(i, i)), math.NaN()))
			}
			for problem := range BAXEqualsLambdaX + 1 {
				solve := func(a, b dense.Matrix[T], o outputs[T, R]) {
					var err error
					if problem == 0 {
						_, err = Eigh(a.View(), o.w, o.v, opt)
					} else {
						_, err = EighGeneralized(problem, a.View(), b.View(), o.w, o.v, opt)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				solve(a, b, clean)
				solve(pa, pb, dirty)
				if !sameBits(clean.w, dirty.w) || !sameBits(clean.v.Data, dirty.v.Data) {
					t.Errorf("n = %d, upper %v, problem %d: results differ", n, upper, problem)
				}
			}
		}
	}
}

func TestNaNInTheTriangle(t *testing.T) {
	t.Run("float32", testNaN[float32, float32])
	t.Run("complex128", testNaN[complex128, float64])
}

func testNaN[T dense.Scalar, R dense.Float](t *testing.T) {
	const n = 4
	isNaN := func(x T) bool { return x != x }
	subsets := map[string]struct {
		subset Subset
		count  int
	}{"all": {Subset{}, n}, "by index": {ByIndex(1, 2), 2}, "by value": {ByValue(-1, 1), 0}}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, want := range subsets {
			for i := range n {
				for j := range i + 1 {
					good, wrong := numtest.RandomSPD[T](rand.New(rand.NewPCG(1, 1)), n), numtest.RandomSPD[T](rand.New(rand.NewPCG(1, 1)), n)
					wrong.Set(i, j, dense.FromReal[T](bad))
					opt := Options{SkipFiniteCheck: true, Subset: want.subset}
					check := func(solve func(o outputs[T, R]) (int, error)) {
						t.Helper()
						o := newOutputs[T, R](n)
						count, err := solve(o)
						if err != nil || count != want.count {
							t.Fatalf("%v at (%d,%d), %s: count %d, error %v", bad, i, j, name, count, err)
						}
						for k := range n {
							if (o.w[k] != o.w[k]) != (k < count) || isNaN(o.v.At(n-1, k)) != (k < count) {
								t.Fatalf("%v at (%d,%d), %s: w %v, v %v", bad, i, j, name, o.w, o.v.Data)
							}
						}
					}
					check(func(o outputs[T, R]) (int, error) { return Eigh(wrong.View(), o.w, o.v, opt) })
					check(func(o outputs[T, R]) (int, error) {
						return EighGeneralized(1, wrong.View(), good.View(), o.w, o.v, opt)
					})
					check(func(o outputs[T, R]) (int, error) {
						return EighGeneralized(1, good.View(), wrong.View(), o.w, o.v, opt)
					})
				}
			}
		}
	}
}

func TestSubsetsAgreeWithAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 60
	a := rounded[complex64](numtest.RandomHermitian[complex128](rng, n))
	all, v := mustEigh[complex128, float32](t, a.View(), Options{})
	// Without vectors eigenvalues may be rounded in another way, so that intervals end at their own.
	values, ownValues := make([]float32, n), make([]float64, n)
	if _, err := Eigh(a.View(), values, dense.View[complex64]{}, Options{ValuesOnly: true}); err != nil {
		t.Fatal(err)
	}
	for i, x := range values {
		ownValues[i] = float64(x)
	}
	check := func(of func(all []float64) Subset, first, count int) {
		t.Helper()
		subset := of(all)
		w, u := mustEigh[complex128, float32](t, a.View(), Options{Subset: subset})
		values := make([]float32, n)
		valueCount, err := Eigh(a.View(), values, dense.View[complex64]{}, Options{Subset: of(ownValues), ValuesOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(w) != count || valueCount != count {
			t.Fatalf("%+v: %d and %d eigenpairs, want %d", subset, len(w), valueCount, count)
		}
		checkEighValues(t, fmt.Sprintf("%+v", subset), n, values[:count], w)
		for i := range w {
			if w[i] != all[first+i] {
				t.Errorf("%+v: eigenvalue %d", subset, i)
			}
			for k := range n {
				if dense.Abs(u.At(k, i)-v.At(k, first+i)) > 1e-6 {
					t.Fatalf("%+v: eigenvector %d", subset, i)
				}
			}
		}
	}
	byIndex := func(lo, hi int) { check(func([]float64) Subset { return ByIndex(lo, hi) }, lo, hi-lo+1) }
	byIndex(0, 0)
	byIndex(n-1, n-1)
	byIndex(7, 50)
	byIndex(0, n-1)
	check(func([]float64) Subset { return ByValue(math.Inf(-1), math.Inf(1)) }, 0, n)
	check(func(all []float64) Subset { return ByValue(all[9], all[29]) }, 10, 20) // the lower end is open, the upper end is closed
	check(func(all []float64) Subset { return ByValue(all[n-1], all[n-1]+1) }, n, 0)
	check(func(all []float64) Subset { return ByValue(all[0]-1, all[0]) }, 0, 1)
}

func TestThreadsDoNotChangeBits(t *testing.T) {
	t.Run("float64", testThreads[float64, float64])
	t.Run("complex64", testThreads[complex64, float32])
}

func testThreads[T dense.Scalar, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{40, 400} { // 400: rotations are shared, too
		a, b := rounded[T](numtest.RandomHermitian[complex128](rng, n)), numtest.RandomSPD[T](rng, n)
		for problem := range BAXEqualsLambdaX + 1 {
			if n == 400 && problem > 1 {
				continue
			}
			var first outputs[T, R]
			for _, threads := range []int{1, 3} {
				o := newOutputs[T, R](n)
				opt := Options{Team: sched.NewTeam(context.Background(), threads, nil)}
				var err error
				if problem == 0 {
					_, err = Eigh(a.View(), o.w, o.v, opt)
				} else {
					_, err = EighGeneralized(problem, a.View(), b.View(), o.w, o.v, opt)
				}
				if err != nil {
					t.Fatal(err)
				}
				if threads == 1 {
					first = o
				} else if !sameBits(first.w, o.w) || !sameBits(first.v.Data, o.v.Data) {
					t.Errorf("n = %d, problem %d: 1 and %d threads differ", n, problem, threads)
				}
			}
		}
	}
}

func TestCancellation(t *testing.T) {
	const n = 1200
	rng := rand.New(rand.NewPCG(6, 6))
	a, b := numtest.RandomHermitian[complex128](rng, n).View(), numtest.RandomSPD[complex128](rng, n).View()
	for _, wait := range []time.Duration{0, 5, 40, 100} {
		ctx, cancel := context.WithCancel(context.Background())
		o := newOutputs[complex128, float64](n)
		done := make(chan error)
		opt := Options{Team: sched.NewTeam(ctx, 2, nil)}
		go func() {
			var err error
			if wait%40 == 0 {
				_, err = EighGeneralized(AXEqualsLambdaBX, a, b, o.w, o.v, opt)
			} else {
				_, err = Eigh(a, o.w, o.v, opt)
			}
			done <- err
		}()
		time.Sleep(wait * time.Millisecond)
		cancel()
		start := time.Now()
		err := <-done
		t.Logf("cancelled after %d ms: returned %v later", wait, time.Since(start))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d ms: %v", wait, err)
		}
	}
}

func TestProgressIsComplete(t *testing.T) {
	const n = 70
	a := numtest.RandomHermitian[float64](rand.New(rand.NewPCG(7, 7)), n).View()
	for _, opt := range []Options{{}, {ValuesOnly: true}, {Subset: ByIndex(3, 5)}, {Subset: ByValue(0, 1)}} {
		var progress sched.Progress
		opt.Team = sched.NewTeam(context.Background(), 2, &progress)
		o := newOutputs[float64, float64](n)
		if _, err := Eigh(a, o.w, o.v, opt); err != nil {
			t.Fatal(err)
		}
		if done, total := progress.Read(); done != total || total < 2*n {
			t.Errorf("%+v: %d of %d steps", opt.Subset, done, total)
		}
	}
}

func TestWorkspaceIsAnUpperBound(t *testing.T) {
	t.Run("float32", testWorkspace[float32, float32])
	t.Run("float64", testWorkspace[float64, float64])
	t.Run("complex64", testWorkspace[complex64, float32])
	t.Run("complex128", testWorkspace[complex128, float64])
}

func testWorkspace[T dense.Scalar, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{1, 8, 200} {
		a, b := numtest.RandomSPD[T](rng, n).View(), numtest.RandomSPD[T](rng, n).View()
		rows := outputs[T, R]{w: make([]R, n), v: dense.New[T](n, n).View()} // vectors that must be copied
		for _, opt := range []Options{{}, {ValuesOnly: true}, {Subset: ByIndex(0, n-1)}} {
			for _, threads := range []int{1, 3} {
				opt.Team = sched.NewTeam(context.Background(), threads, nil)
				check := func(generalized bool, solve func()) {
					t.Helper()
					bound := uint64(Workspace[T](n, generalized, opt))
					excess := uint64(3)
					if generalized && worksInSingle[T](n, opt) {
						excess += 2 // the bound is for both precisions, one after the other
					}
					if got := allocated(solve); got > bound || n >= 200 && threads == 1 && got < bound/excess {
						t.Errorf("n = %d, %+v, generalized %v: allocated %d, bound %d", n, opt, generalized, got, bound)
					}
				}
				check(false, func() { _, _ = Eigh(a, rows.w, rows.v, opt) })
				check(true, func() { _, _ = EighGeneralized(1, a, b, rows.w, rows.v, opt) })
			}
		}
	}
	if Workspace[T](math.MaxInt, false, Options{}) != math.MaxInt64 {
		t.Error("an absurd order does not saturate")
	}
}

// What a kept workspace holds changes nothing.
func TestWorkspaceMayHoldAnything(t *testing.T) {
	t.Run("float32", testDirtyWorkspace[float32, float32])
	t.Run("float64", testDirtyWorkspace[float64, float64])
	t.Run("complex64", testDirtyWorkspace[complex64, float32])
	t.Run("complex128", testDirtyWorkspace[complex128, float64])
}

func testDirtyWorkspace[T dense.Scalar, R dense.Float](t *testing.T) {
	const words = 1 << 20
	rng := rand.New(rand.NewPCG(8, 9))
	for _, n := range []int{1, 7, 33, 100, 131} {
		a := numtest.RandomHermitian[T](rng, n).View()
		for _, opt := range []Options{{}, {ValuesOnly: true}, {Subset: ByIndex(0, n/2)}} {
			var first outputs[T, R]
			for round, x := range []float64{0, math.NaN()} {
				memory := borrowWorkspace(words)
				for i := range memory.Words {
					memory.Words[i] = x
				}
				memory.GiveBack()
				o := newOutputs[T, R](n)
				if _, err := Eigh(a, o.w, o.v, opt); err != nil {
					t.Fatal(err)
				}
				if round == 0 {
					first = o
				} else if !sameBits(first.w, o.w) || !sameBits(first.v.Data, o.v.Data) {
					t.Errorf("n = %d, %+v: NaNs in the workspace change the result", n, opt)
				}
			}
		}
	}
}

// allocated returns the bytes that f allocates when nothing is kept from earlier calls, the least of a few runs: the runtime and other
// tests allocate, too.
func allocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 3 {
		for range 2 { // a sync.Pool forgets what it has at the second collection
			runtime.GC()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// With DoublePrecision the results of a single precision matrix are those of the same matrix in double precision, rounded.
func TestDoublePrecision(t *testing.T) {
	const n = 90
	a := numtest.RandomHermitian[complex64](rand.New(rand.NewPCG(9, 9)), n)
	single, double := newOutputs[complex64, float32](n), newOutputs[complex128, float64](n)
	if _, err := Eigh(a.View(), single.w, single.v, Options{DoublePrecision: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := Eigh(widened[complex128](a).View(), double.w, double.v, Options{}); err != nil {
		t.Fatal(err)
	}
	for i, x := range double.w {
		if single.w[i] != float32(x) {
			t.Errorf("eigenvalue %d is %v, want %v", i, single.w[i], x)
		}
	}
	for i, x := range double.v.Data {
		if single.v.Data[i] != complex64(x) {
			t.Fatalf("element %d of the vectors is %v, want %v", i, single.v.Data[i], x)
		}
	}
}
