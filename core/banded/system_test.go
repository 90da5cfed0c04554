package banded

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

func TestSolveSystem(t *testing.T) {
	t.Run("float32", testSolveSystem[float32])
	t.Run("float64", testSolveSystem[float64])
	t.Run("complex64", testSolveSystem[complex64])
	t.Run("complex128", testSolveSystem[complex128])
}

func testSolveSystem[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for _, s := range shapes {
		_, a := randomBand[T](rng, s.n, s.below, s.above)
		structures := []factor.Structure{factor.Unknown, factor.Banded}
		if s.below == 1 && s.above == 1 {
			structures = append(structures, factor.Tridiagonal)
		}
		for _, of := range structures {
			for _, transposed := range []bool{false, true} {
				trans := blas.NoTrans
				if transposed {
					trans = blas.Trans
				}
				b := numtest.Random[T](rng, s.n, 3)
				for _, view := range []dense.View[T]{a.View(), columnsOf(a)} {
					x := b.Clone()
					rcond, err := SolveSystem(nil, view, x, factor.SystemOptions{Structure: of, Transposed: transposed})
					if err != nil {
						t.Fatal(err)
					}
					expectSolved(t, trans, a, x, b, limitOf(s.below, s.above))
					exact := conditionOf(t, a)
					if exact > 100*dense.Eps[T]() && !(rcond > exact/1.1 && rcond < 4*exact) {
						t.Errorf("%+v, structure %d: reciprocal condition number %g, want %g", s, of, rcond, exact)
					}
				}
			}
		}
	}
}

// conditionOf returns 1 / (|A|_1 |A^-1|_1), computed in double precision.
func conditionOf[T dense.Scalar](t *testing.T, a dense.Matrix[T]) float64 {
	wide, inverse := dense.New[complex128](a.Rows, a.Rows), dense.New[complex128](a.Rows, a.Rows)
	dense.Copy(wide.View(), a.View())
	if _, err := factor.InverseTransposed(nil, wide.View(), inverse, factor.SystemOptions{Transposed: true}); err != nil {
		t.Fatal(err)
	}
	norm := func(m dense.Matrix[complex128]) (norm float64) {
		for j := range m.Cols {
			sum := 0.0
			for i := range m.Rows {
				sum += dense.Abs(m.At(i, j))
			}
			norm = max(norm, sum)
		}
		return norm
	}
	return 1 / (norm(wide) * norm(inverse))
}

// Elements outside of the diagonals that are said to be all are not read.
func TestOtherElementsOfATridiagonalMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	_, meant := randomBand[float64](rng, 30, 1, 1)
	stored, b := meant.Clone(), numtest.Random[float64](rng, 30, 1)
	for i := range stored.Rows {
		for j := range stored.Cols {
			if i-j > 1 || j-i > 1 {
				stored.Set(i, j, math.NaN())
			}
		}
	}
	x := b.Clone()
	if _, err := SolveSystem(nil, stored.View(), x, factor.SystemOptions{Structure: factor.Tridiagonal}); err != nil {
		t.Fatal(err)
	}
	expectSolved(t, blas.NoTrans, meant, x, b, limitOf(1, 1))
}

func TestBandwidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	for _, s := range shapes {
		_, a := randomBand[complex64](rng, s.n, s.below, s.above)
		for _, view := range []dense.View[complex64]{a.View(), columnsOf(a)} {
			below, above, err := bandwidth(nil, view, s.n)
			if err != nil || below != min(s.below, s.n-1) || above != min(s.above, s.n-1) {
				t.Errorf("%+v: %d below, %d above, %v", s, below, above, err)
			}
		}
	}
}

func TestSingularSystems(t *testing.T) {
	for _, of := range []factor.Structure{factor.Unknown, factor.Banded, factor.Tridiagonal} {
		a := dense.FromRows([]float64{1, 1, 0, 0}, []float64{1, 1, 0, 0}, []float64{0, 0, 1, 2}, []float64{0, 0, 3, 4})
		_, err := SolveSystem(nil, a.View(), dense.New[float64](4, 1), factor.SystemOptions{Structure: of})
		var zero *factor.SingularError
		if !errors.As(err, &zero) || zero.Arg != "a" || zero.Pivot != 2 {
			t.Errorf("structure %d: %v", of, err)
		}
		a.Set(1, 1, math.NaN())
		rcond, err := SolveSystem(nil, a.View(), dense.New[float64](4, 1), factor.SystemOptions{Structure: of})
		if err != nil || rcond != 0 {
			t.Errorf("structure %d: condition %g of a NaN, %v", of, rcond, err)
		}
	}
}

func TestSolveSystemIsCancelled(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	_, a := randomBand[float64](rng, 1500, 20, 20)
	b := numtest.Random[float64](rng, 1500, 30)
	schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
		_, err := SolveSystem(team, a.View(), b.Clone(), factor.SystemOptions{Structure: factor.Banded})
		return err
	})
}

func TestArgumentsOfSolveSystem(t *testing.T) {
	b := dense.New[float64](3, 1)
	for want, a := range map[string]dense.Matrix[float64]{
		"a: expected a square matrix, got shape (2, 3)": dense.New[float64](2, 3),
		"b: expected 2 rows, got shape (3, 1)":          dense.New[float64](2, 2),
	} {
		if _, err := SolveSystem(nil, a.View(), b, factor.SystemOptions{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	rcond, err := SolveSystem(nil, dense.New[float64](0, 0).View(), dense.New[float64](0, 2), factor.SystemOptions{})
	if rcond != 1 || err != nil {
		t.Error(rcond, err)
	}
}
