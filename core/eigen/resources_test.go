package eigen

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

func TestThreadsDoNotChangeBits(t *testing.T) {
	t.Run("float64", testThreads[float64, float64])
	t.Run("complex64", func(t *testing.T) {
		if testing.Short() {
			t.Skip("the loops are those of float64; without assembly, complex products take long")
		}
		testThreads[complex64, float32](t)
	})
}

func testThreads[T dense.Scalar, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{40, 400} { // at 400, threads also share divide and conquer
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
				} else if !numtest.SameBits(first.w, o.w) || !numtest.SameBits(first.v.Data, o.v.Data) {
					t.Errorf("n = %d, problem %d: 1 and %d threads differ", n, problem, threads)
				}
			}
		}
	}
}

// Every driver checks its context often enough, and does almost no work after a cancellation.
func TestCancellation(t *testing.T) {
	const n = 300
	rng := rand.New(rand.NewPCG(6, 6))
	a, b := numtest.RandomHermitian[float64](rng, n).View(), numtest.RandomSPD[float64](rng, n).View()
	c := numtest.RandomHermitian[complex128](rng, n).View()
	smallMatrix := numtest.RandomHermitian[complex128](rng, 60)
	small := smallMatrix.View()
	definite := numtest.RandomSPD[float64](rng, 60).View()
	narrow, wide := packed(limited(numtest.RandomHermitian[float64](rng, n), 3), 4, false).View(), a
	o, oc := newOutputs[float64, float64](n), newOutputs[complex128, float64](n)
	const nt = 3 * n // eigenvalues of smaller ones are found before a cancellation half way is noticed
	d, e := couplings(limited(numtest.RandomHermitian[float64](rng, nt), 1))
	ot := newOutputs[float64, float64](nt)
	members, _ := membersOf[complex128, float64](slices.Repeat([]dense.Matrix[complex128]{smallMatrix}, 500))
	batch := func(n, count int) func(opt Options) error {
		return func(opt Options) error {
			return EighBatch(count, func(k int) Member[complex128, float64] {
				m := members[k]
				m.A.Rows, m.A.Cols, m.V.Rows, m.V.Cols, m.W = n, n, n, n, m.W[:n]
				return m
			}, nil, opt)
		}
	}
	calls := map[string]func(opt Options) error{
		"Eigh":            func(opt Options) error { _, err := Eigh(a, o.w, o.v, opt); return err },
		"Eigh complex":    func(opt Options) error { _, err := Eigh(c, oc.w, oc.v, opt); return err },
		"EighGeneralized": func(opt Options) error { _, err := EighGeneralized(1, a, b, o.w, o.v, opt); return err },
		"EighCanonical":   func(opt Options) error { _, _, err := EighCanonical(a, b, 0, o.w, o.v, opt); return err },
		"EighBanded":      func(opt Options) error { _, err := EighBanded(narrow, o.w, o.v, opt); return err },
		"wide band": func(opt Options) error {
			opt.SkipFiniteCheck = true
			_, err := EighBanded(wide, o.w, o.v, opt)
			return err
		},
		"EighTridiagonal": func(opt Options) error { _, err := EighTridiagonal(d, e, ot.w, ot.v, opt); return err },
		"Jacobi": func(opt Options) error {
			opt.Jacobi = true
			_, err := Eigh(small, oc.w, columns(oc.v.SliceRows(0, 60), 60), opt)
			return err
		},
		"Jacobi, positive definite": func(opt Options) error {
			opt.Jacobi = true
			_, err := Eigh(definite, o.w, columns(o.v.SliceRows(0, 60), 60), opt)
			return err
		},
		"EighBatch, groups":   batch(8, 500),
		"EighBatch, one each": batch(60, 500),
	}
	for name, call := range calls {
		for _, valuesOnly := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, values only %v", name, valuesOnly), func(t *testing.T) {
				limits := schedtest.Limits{}
				if name == "EighGeneralized" {
					limits.Reports = 6 // Cholesky calls two routines that report between checks of the context
				}
				schedtest.Cancel(t, limits, func(team *sched.Team) error {
					return call(Options{Team: team, ValuesOnly: valuesOnly, SkipFiniteCheck: true})
				})
			})
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
		rows := outputs[T, R]{w: make([]R, n), v: dense.New[T](n, n).View()} // row-major, so that vectors must be copied
		for _, opt := range []Options{{}, {ValuesOnly: true}, {Subset: ByIndex(0, n-1)}} {
			for _, threads := range []int{1, 3} {
				opt.Team = sched.NewTeam(context.Background(), threads, nil)
				check := func(generalized bool, solve func()) {
					t.Helper()
					bound := uint64(Workspace[T](n, generalized, opt))
					excess := uint64(3)
					if generalized && worksInSingle[T](n, opt) {
						excess += 2 // the bound includes a second solution in double precision
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
		t.Error("the workspace of order MaxInt does not saturate")
	}
}

// The contents of a reused workspace do not affect results.
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
				memory := workspaces.Borrow(words)
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
				} else if !numtest.SameBits(first.w, o.w) || !numtest.SameBits(first.v.Data, o.v.Data) {
					t.Errorf("n = %d, %+v: NaNs in the workspace change the result", n, opt)
				}
			}
		}
	}
}

// allocated returns the bytes that f allocates if no memory is kept from earlier calls. It takes the minimum of a few
// runs, since the runtime and other tests allocate, too.
func allocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 3 {
		for range 2 { // a sync.Pool is empty after the second collection
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
