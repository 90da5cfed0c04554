package schur

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/internal/formtest"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

func TestDecomposeObeysCancellation(t *testing.T) {
	t.Run("float64", testCancellation[float64])
	t.Run("complex128", testCancellation[complex128])
}

func testCancellation[T dense.Scalar](t *testing.T) {
	const n = 400
	a := numtest.Random[T](rand.New(rand.NewPCG(31, 32)), n, n)
	form, factor := dense.New[T](n, n), dense.New[T](n, n)
	for _, valuesOnly := range []bool{false, true} {
		t.Run(fmt.Sprintf("valuesOnly=%v", valuesOnly), func(t *testing.T) {
			schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
				z := factor.View()
				if valuesOnly {
					z = dense.View[T]{}
				}
				return Decompose(a.View(), form.View(), z, Options{Team: team, ValuesOnly: valuesOnly})
			})
		})
	}
}

// ToComplex reports no progress, so that its looks at the context are counted instead.
func TestToComplexObeysCancellation(t *testing.T) {
	const n = 300
	form := numtest.QuasiTriangular(rand.New(rand.NewPCG(32, 33)), n)
	formtest.CancelAtEachLook(t, n/64, func(team *sched.Team) error {
		tc, zc := dense.New[complex128](n, n), dense.New[complex128](n, n)
		for i, x := range form.Data {
			tc.Data[i] = complex(x, 0)
		}
		zc.SetIdentity()
		return ToComplex(team, tc.View(), zc.View())
	})
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
