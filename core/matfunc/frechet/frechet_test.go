package frechet_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/matfunc"
	"trnsci/core/matfunc/frechet"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

// scaledTo returns a random matrix of the given Frobenius norm.
func scaledTo[W dense.Wide](rng *rand.Rand, n int, norm float64) dense.Matrix[W] {
	a := numtest.Random[W](rng, n, n)
	factor := dense.FromReal[W](norm / numtest.FrobeniusNorm(a))
	for i := range a.Data {
		a.Data[i] *= factor
	}
	return a
}

// The exponential of (A E; 0 A) has L as its upper right block (Higham, Functions of Matrices, theorem 3.6).
func TestBlockTriangular(t *testing.T) {
	t.Run("float64", testBlockTriangular[float64])
	t.Run("complex128", testBlockTriangular[complex128])
}

func testBlockTriangular[W dense.Wide](t *testing.T) {
	const bound = 40 // in units of eps (1 + |A|) |L|
	rng := rand.New(rand.NewPCG(1, 2))
	// Norms for every degree, and with squarings.
	for _, norm := range []float64{0, 1e-300, 1e-9, 1e-3, 0.1, 0.4, 1, 3, 20, 100} {
		for _, n := range []int{1, 2, 3, 7, 20} {
			a, e := scaledTo[W](rng, n, norm), scaledTo[W](rng, n, 1)
			block, want := dense.New[W](2*n, 2*n), dense.New[W](2*n, 2*n)
			block.Slice(0, n, 0, n).CopyFrom(a)
			block.Slice(n, 2*n, n, 2*n).CopyFrom(a)
			block.Slice(0, n, n, 2*n).CopyFrom(e)
			if err := matfunc.Expm(nil, block.View(), want.View()); err != nil {
				t.Fatal(err)
			}
			l, exact := dense.New[W](n, n), want.Slice(0, n, n, 2*n).Clone()
			if err := frechet.Expm(nil, a.View(), e.View(), l.View()); err != nil {
				t.Fatal(err)
			}
			size := numtest.FrobeniusNorm(exact)
			if r := distance(l, exact) / (dense.Eps[W]() * (1 + norm) * size); !(r <= bound) {
				t.Errorf("n = %d, norm %g: L has an error of %.1f", n, norm, r)
			}
		}
	}
}

func distance[W dense.Wide](a, b dense.Matrix[W]) float64 {
	sum := 0.0
	for i := range a.Rows {
		for j := range a.Cols {
			sum = math.Hypot(sum, dense.Abs(a.At(i, j)-b.At(i, j)))
		}
	}
	return sum
}

// spectralNorm returns the root of the largest eigenvalue of K^H K.
func spectralNorm[W dense.Wide](t *testing.T, k dense.Matrix[W]) float64 {
	n := k.Rows
	square, w := dense.New[W](n, n), make([]float64, n)
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, 1, k, k, 0, square)
	if _, err := eigen.Eigh(square.View(), w, dense.View[W]{}, eigen.Options{ValuesOnly: true}); err != nil {
		t.Fatal(err)
	}
	return math.Sqrt(w[n-1])
}

// kronecker returns the matrix of the derivative as a map of rows of matrices, one behind the other.
func kronecker[W dense.Wide](t *testing.T, a dense.Matrix[W]) dense.Matrix[W] {
	n := a.Rows
	k, e, l := dense.New[W](n*n, n*n), dense.New[W](n, n), dense.New[W](n, n)
	for j := range n * n {
		e.Clear()
		e.Data[j] = 1
		if err := frechet.Expm(nil, a.View(), e.View(), l.View()); err != nil {
			t.Fatal(err)
		}
		for i, v := range l.Data {
			k.Set(i, j, v)
		}
	}
	return k
}

func TestConditionIsNormOfKroneckerForm(t *testing.T) {
	t.Run("float64", testCondition[float64])
	t.Run("complex128", testCondition[complex128])
}

func testCondition[W dense.Wide](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, norm := range []float64{1e-3, 0.5, 2, 30} {
		for _, n := range []int{1, 2, 3, 5, 8} {
			random := scaledTo[W](rng, n, norm)
			symmetric, triangular, jordan := random.Clone(), random.Clone(), random.Clone()
			for i := range n {
				for j := range n {
					symmetric.Set(i, j, random.At(i, j)+dense.Conj(random.At(j, i)))
					if j < i {
						triangular.Set(i, j, 0)
					}
					jordan.Set(i, j, 0)
				}
				jordan.Set(i, i, dense.FromReal[W](norm))
				if i > 0 {
					jordan.Set(i-1, i, 1)
				}
			}
			for name, a := range map[string]dense.Matrix[W]{
				"random": random, "symmetric": symmetric, "triangular": triangular, "Jordan block": jordan,
			} {
				x := dense.New[W](n, n)
				if err := matfunc.Expm(nil, a.View(), x.View()); err != nil {
					t.Fatal(err)
				}
				want := spectralNorm(t, kronecker(t, a)) * numtest.FrobeniusNorm(a) / numtest.FrobeniusNorm(x)
				got, err := frechet.Condition(nil, a.View())
				if !(math.Abs(got-want) <= 1e-12*(1+norm)*want) || err != nil {
					t.Errorf("%s, n = %d, norm %g: %.16g (%v), want %.16g", name, n, norm, got, err, want)
				}
			}
		}
	}
}

func TestThreadsGiveTheSameDerivatives(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(5, 6))
	a, e := scaledTo[float64](rng, n, 20), scaledTo[float64](rng, n, 1)
	var first []float64
	for _, threads := range []int{1, 2, 3} {
		team := sched.NewTeam(context.Background(), threads, nil)
		l := dense.New[float64](n, n)
		if err := frechet.Expm(team, a.View(), e.View(), l.View()); err != nil {
			t.Fatal(err)
		}
		condition, err := frechet.Condition(team, a.View())
		if err != nil {
			t.Fatal(err)
		}
		team.ReleaseWorkers()
		all := append(slices.Clone(l.Data), condition)
		if first == nil {
			first = all
		}
		if !slices.Equal(all, first) {
			t.Errorf("%d threads give other bits", threads)
		}
	}
}

func TestSpecialArguments(t *testing.T) {
	a, zero, l := dense.New[float64](2, 2), dense.New[float64](2, 2), dense.New[float64](2, 2)
	a.Set(0, 1, math.Inf(1))
	if err := frechet.Expm(nil, a.View(), zero.View(), l.View()); err != nil || !math.IsNaN(l.At(1, 0)) {
		t.Errorf("infinity: %v, error %v", l, err)
	}
	if c, err := frechet.Condition(nil, a.View()); err != nil || !math.IsNaN(c) {
		t.Errorf("condition with an infinity: %v, error %v", c, err)
	}
	if c, err := frechet.Condition(nil, dense.New[float64](3, 3).View()); err != nil || c != 0 {
		t.Errorf("condition at zero: %v, error %v", c, err)
	}
	var bad *dense.ArgumentError
	one, slope := dense.FromRows([]float32{1}), dense.New[float32](1, 1)
	if err := frechet.Expm(nil, one.View(), one.View(), slope.View()); err != nil || slope.At(0, 0) != math.E {
		t.Errorf("order 1 in single precision: %v, error %v", slope, err)
	}
	if err := frechet.Expm(nil, a.View(), dense.New[float64](2, 3).View(), l.View()); !errors.As(err, &bad) ||
		bad.Arg != "E" {
		t.Errorf("shapes: error %v", err)
	}
}

func TestCancel(t *testing.T) {
	const n = 120
	rng := rand.New(rand.NewPCG(7, 8))
	a, e := scaledTo[float64](rng, n, 50), scaledTo[float64](rng, n, 1)
	l := dense.New[float64](n, n)
	schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
		return frechet.Expm(team, a.View(), e.View(), l.View())
	})
	schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
		_, err := frechet.Condition(team, a.View())
		return err
	})
}
