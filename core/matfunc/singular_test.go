package matfunc

import (
	"context"
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Up to rounding errors, the estimate of a known smallest singular value is within half of it, whatever 2 x 2 blocks
// the quasi-triangular matrix has.
func TestSmallestSingularValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 1))
	for _, n := range []int{2, 3, 7, 20} {
		for _, small := range []float64{1e-3, 1e-9, 1e-15} {
			// A Schur form of Q diag(1, ..., 1, small) P^T with orthogonal Q and P.
			m := orthogonal(rng, n)
			for j := range n {
				m.Set(n-1, j, m.At(n-1, j)*small)
			}
			a := dense.New[float64](n, n)
			q := orthogonal(rng, n)
			for i := range n {
				for j := range n {
					for k := range n {
						a.Set(i, j, a.At(i, j)+q.At(i, k)*m.At(k, j))
					}
				}
			}
			form, err := schurFormOf[float64](nil, a.View())
			if err != nil {
				t.Fatal(err)
			}
			if got := smallestSingularValue(form.t); math.Abs(got-small) > small/2+roundingLimit(form.t) {
				t.Errorf("n = %d: %g, expected %g", n, got, small)
			}
		}
	}
}

// orthogonal returns the orthogonal factor of a random matrix.
func orthogonal(rng *rand.Rand, n int) dense.Matrix[float64] {
	reduced, _ := pivotedLQ(nil, shifted[float64](rng, n, 1, 0), 0)
	return reduced.u
}

func TestReduceRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(92, 1))
	for _, n := range []int{1, 2, 5, 12} {
		for rank := 0; rank <= n; rank++ {
			left, right := shifted[complex128](rng, n, 1, 0), shifted[complex128](rng, n, 1, 0)
			for i := range n {
				clear(left.Row(i)[rank:])
			}
			a := product(left, right)
			d, _ := pivotedLQ(nil, a.Clone(), roundingLimit(a))
			if d.rank != rank {
				t.Errorf("n = %d: rank %d, expected %d", n, d.rank, rank)
			}
			identity := dense.New[complex128](n, n)
			identity.SetIdentity()
			adjoint := dense.New[complex128](n, n)
			dense.Copy(adjoint.View(), d.u.View().T())
			conjugate(adjoint)
			if e := distanceOf(product(adjoint, d.u), identity); e > 1e-14*float64(n) {
				t.Errorf("n = %d: |U^H U - I| is %g", n, e)
			}
			null := product(a, d.u).Slice(0, n, rank, n)
			if e := infinityNorm(null.Clone()); e > 1e-13*float64(n) {
				t.Errorf("n = %d, rank %d: A times the null space has norm %g", n, rank, e)
			}
		}
	}
}

func TestCoupledRows(t *testing.T) {
	a := dense.New[float64](6, 6)
	a.Set(0, 3, 1)
	a.Set(5, 3, 1)
	a.Set(2, 1, 1)
	got := connectedComponents(a)
	expected := [][]int{{0, 3, 5}, {1, 2}, {4}}
	if len(got) != len(expected) {
		t.Fatalf("%v", got)
	}
	for k := range expected {
		for i := range expected[k] {
			if got[k][i] != expected[k][i] {
				t.Errorf("%v", got)
			}
		}
	}
}

// Grading causes no rounding errors, and leaves no element larger than the largest one on the diagonal.
func TestGrading(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 1))
	a := dense.New[float64](7, 7)
	for i := range 7 {
		a.Set(i, i, 1+rng.Float64())
		for j := i + 1; j < 7; j++ {
			a.Set(i, j, rng.NormFloat64()*math.Pow(10, 12*rng.Float64()))
		}
	}
	graded, scales := a.Clone(), gradingFor(a)
	regrade(graded, scales, 1)
	if norm := infinityNorm(graded); norm > 2*7 {
		t.Errorf("norm %g", norm)
	}
	regrade(graded, scales, -1)
	for i, v := range graded.Data {
		if v != a.Data[i] {
			t.Errorf("element %d: %g, expected %g", i, v, a.Data[i])
		}
	}
}

// A projector whose zero eigenvalues are not adjacent equals its positive powers. If zero is a defective eigenvalue,
// powers below 1 do not exist.
func TestPowersOfTriangularProjectors(t *testing.T) {
	a := dense.FromRows([]float64{0, 1, 1}, []float64{0, 1, 1}, []float64{0, 0, 0})
	for _, p := range []float64{0.3, 1.5} {
		x, o := evaluate(t, powerOf[float64, complex128](p), a)
		if distanceOf(x, widened(a)) != 0 || o.Missing || !o.Singular {
			t.Errorf("power %g: %v, %+v", p, x.Data, o)
		}
	}
	a.Set(0, 2, 2) // zero is no longer semisimple
	x, o := evaluate(t, powerOf[float64, complex128](0.3), a)
	if !o.Missing || !cmplx.IsNaN(x.At(0, 0)) {
		t.Errorf("%v, %+v", x.Data, o)
	}
	if x, o = evaluate(t, powerOf[float64, complex128](1.5), a); o.Missing || cmplx.Abs(x.At(0, 2)-1) > 1e-15 {
		// A = P + N with a projector P and a nilpotent N whose power is zero: the power of A is P
		t.Errorf("%v, %+v", x.Data, o)
	}
}

func TestIntegerPowersOfSingularMatrices(t *testing.T) {
	a := dense.FromRows([]float64{1, 2, 3}, []float64{4, 5, 6}, []float64{7, 8, 9})
	if err := IntegerPower(nil, a.View(), -1, a.Clone().View()); err == nil {
		t.Error("no error for a singular matrix")
	}
	exact := dense.FromRows([]float64{1e-30, 0, 0}, []float64{1, 2, 0}, []float64{0, 3, 1e20})
	if err := IntegerPower(nil, exact.View(), -1, exact.Clone().View()); err != nil {
		t.Error(err)
	}
}

// The algorithms for singular matrices obey cancellation, and their results do not depend on the number of threads.
func TestSingularMatricesOfTeams(t *testing.T) {
	const n = 150
	rng := rand.New(rand.NewPCG(92, 1))
	a := shifted[float64](rng, n, 1, 0.3)
	for i := range n / 3 { // copies of other rows make it singular
		copy(a.Row(n-1-i), a.Row(i))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	canceled := sched.NewTeam(ctx, 1, nil)
	if _, err := pivotedLQ(canceled, a.Clone(), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("reduction: %v", err)
	}
	if _, err := decouple(canceled, a.Clone()); !errors.Is(err, context.Canceled) {
		t.Errorf("decoupling: %v", err)
	}
	one := dense.New[complex128](n, n)
	o, err := Sqrtm(nil, a.View(), one.View())
	if err != nil || !o.Singular {
		t.Fatalf("%+v, %v", o, err)
	}
	for _, threads := range []int{2, 3} {
		team, x := sched.NewTeam(context.Background(), threads, nil), dense.New[complex128](n, n)
		if _, err := Sqrtm(team, a.View(), x.View()); err != nil {
			t.Fatal(err)
		}
		team.ReleaseWorkers()
		if !slices.Equal(x.Data, one.Data) {
			t.Errorf("%d threads change the root of a singular matrix", threads)
		}
	}
}
