package schur

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func TestCancellation(t *testing.T) {
	const n = 600
	a := numtest.Random[float64](rand.New(rand.NewPCG(31, 32)), n, n)
	for _, c := range []struct {
		name  string
		f     solver
		share float64 // of the work after which to cancel
	}{
		{"Hessenberg", hessenbergForm[float64], 0.01},
		{"Schur, reduction", Decompose[float64], 0.05},
		{"Schur, iteration", Decompose[float64], 0.6},
	} {
		t.Logf("%s: back %v after the cancellation", c.name, cancelAfter(t, c.f, a, c.share))
	}
}

// cancelAfter cancels f once it has done the given share of its work and returns how long it took to come back.
func cancelAfter(t *testing.T, f solver, a dense.Matrix[float64], share float64) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	progress := &sched.Progress{}
	form, factor := poisoned(a.Rows), poisoned(a.Rows)
	result := make(chan error, 1)
	go func() {
		result <- f(a.View(), form.View(), factor.View(), Options{Team: sched.NewTeam(ctx, 1, progress)})
	}()
	for done, total := int64(0), int64(0); total == 0 || float64(done) < share*float64(total); done,
		total = progress.Read() {
		time.Sleep(time.Millisecond)
	}
	start := time.Now()
	cancel()
	err := <-result
	elapsed := time.Since(start)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	return elapsed
}

func TestProgressReachesItsTotal(t *testing.T) {
	for _, n := range []int{1, 2, 3, 20, 130, 300} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(33, uint64(n))), n, n)
		for _, c := range []struct {
			name string
			f    solver
		}{{"Hessenberg", hessenbergForm[float64]}, {"Schur", Decompose[float64]}} {
			progress := &sched.Progress{}
			team := sched.NewTeam(context.Background(), 1, progress)
			if err := c.f(a.View(), poisoned(n).View(), poisoned(n).View(), Options{Team: team}); err != nil {
				t.Fatal(err)
			}
			if done, total := progress.Read(); done != total || total == 0 {
				t.Errorf("%s, n = %d: %d of %d steps", c.name, n, done, total)
			}
		}
	}
}

func TestFailureToConvergeSaysWhere(t *testing.T) {
	// Rows 2 to 6 are a dense block between triangular rows; three eigenvalues below it need no iteration.
	const lo, hi, n = 2, 6, 10
	rng := rand.New(rand.NewPCG(34, 35))
	a := numtest.Random[float64](rng, n, n)
	for i := range n {
		for j := range i {
			if j < lo || i > hi {
				a.Set(i, j, 0)
			}
		}
	}
	var e *ConvergenceError
	err := Decompose(a.View(), poisoned(n).View(), poisoned(n).View(), Options{MaxIterations: 1})
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	if want := (ConvergenceError{Lo: lo, Hi: hi, Found: n - 1 - hi, N: n, Sweeps: 1}); *e != want {
		t.Errorf("got %+v, want %+v", *e, want)
	}
	const message = "schur: the block of rows 2 to 6 did not split after 1 QR sweeps; 3 of 10 eigenvalues were found"
	if err.Error() != message {
		t.Errorf("message %q", err)
	}
	if err := Decompose(a.View(), poisoned(n).View(), poisoned(n).View(), Options{MaxIterations: 100}); err != nil {
		t.Errorf("with 100 sweeps: %v", err)
	}
}
