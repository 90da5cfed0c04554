package banded

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

// toeplitz returns the matrix with the given first column and row.
func toeplitz[T dense.Scalar](column, row []T) dense.Matrix[T] {
	a := dense.New[T](len(column), len(column))
	for i := range column {
		for j := range column {
			if i >= j {
				a.Set(i, j, column[i-j])
			} else {
				a.Set(i, j, row[j-i])
			}
		}
	}
	return a
}

// dominant returns the first column and row of a random Toeplitz matrix whose leading submatrices are well-conditioned.
func dominant[T dense.Scalar](rng *rand.Rand, n int) (column, row []T) {
	column, row = numtest.Random[T](rng, 1, n).Data, numtest.Random[T](rng, 1, n).Data
	column[0] = dense.FromReal[T](6 + 2*float64(n))
	row[0] = dense.FromReal[T](math.NaN()) // not to be used
	return column, row
}

func TestSolveToeplitz(t *testing.T) {
	t.Run("float32", testSolveToeplitz[float32])
	t.Run("float64", testSolveToeplitz[float64])
	t.Run("complex64", testSolveToeplitz[complex64])
	t.Run("complex128", testSolveToeplitz[complex128])
}

func testSolveToeplitz[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for _, n := range numtest.Sizes {
		for _, k := range []int{0, 1, 4} {
			column, row := dominant[T](rng, max(1, n))
			column, row = column[:n], row[:n]
			b := numtest.Random[T](rng, n, k)
			x := b.Clone()
			if err := SolveToeplitz(nil, column, row, x); err != nil {
				t.Fatal(err)
			}
			expectSolved(t, blas.NoTrans, toeplitz(column, row), x, b, 8)
		}
	}
}

// The inverse of the Kac-Murdock-Szego matrix with elements r^|i-j| is tridiagonal (Trench, SIAM J. Matrix Anal. Appl.
// 10, 1989): 1 and then 1 + r^2 on the diagonal, -r next to it, divided by 1 - r^2.
func TestAnInverseByFormula(t *testing.T) {
	const n, r = 60, 0.5
	column := make([]float64, n)
	for i := range column {
		column[i] = math.Pow(r, float64(i))
	}
	x := dense.New[float64](n, n)
	x.SetIdentity()
	if err := SolveToeplitz(nil, column, column, x); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j := range n {
			want := 0.0
			switch {
			case i == j && i > 0 && i < n-1:
				want = (1 + r*r) / (1 - r*r)
			case i == j:
				want = 1 / (1 - r*r)
			case i-j == 1 || j-i == 1:
				want = -r / (1 - r*r)
			}
			if d := math.Abs(x.At(i, j) - want); !(d <= 8*dense.EpsDouble) {
				t.Errorf("element (%d, %d) is %g, want %g", i, j, x.At(i, j), want)
			}
		}
	}
}

func TestSingularMinors(t *testing.T) {
	for _, c := range []struct {
		column, row []float64
		order       int
	}{
		{[]float64{0, 1}, []float64{0, 1}, 1},
		{[]float64{2, 2, 1}, []float64{2, 2, 1}, 2}, // not singular as a whole
		{[]float64{1, 0, 1}, []float64{1, 0, 1}, 3},
	} {
		b := dense.New[float64](len(c.column), 1)
		b.Fill(1)
		err := SolveToeplitz(nil, c.column, c.row, b)
		var minor *MinorError
		if !errors.As(err, &minor) || minor.Order != c.order {
			t.Errorf("%v: %v", c.column, err)
		}
		for _, x := range b.Data {
			if x != 1 {
				t.Errorf("%v: right-hand sides are overwritten", c.column)
			}
		}
	}
}

func TestScalingOfToeplitzMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	column, row := dominant[float64](rng, 50)
	b := numtest.Random[float64](rng, 50, 2)
	want := b.Clone()
	if err := SolveToeplitz(nil, column, row, want); err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{-900, 900} {
		x := b.Clone()
		scaledColumn, scaledRow := append([]float64{}, column...), append([]float64{}, row...)
		blas.Ldexp(scaledColumn, k)
		blas.Ldexp(scaledRow, k)
		blas.Ldexp(x.Data, k)
		if err := SolveToeplitz(nil, scaledColumn, scaledRow, x); err != nil {
			t.Fatal(err)
		}
		if !numtest.SameBits(x.Data, want.Data) {
			t.Errorf("2^%d changes the solution", k)
		}
	}
}

func TestThreadsDoNotChangeTheBitsOfAToeplitzSolution(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	column, row := dominant[complex128](rng, 150)
	b := numtest.Random[complex128](rng, 150, 9)
	want := b.Clone()
	if err := SolveToeplitz(nil, column, row, want); err != nil {
		t.Fatal(err)
	}
	for threads := 2; threads <= 3; threads++ {
		x := b.Clone()
		if err := SolveToeplitz(sched.NewTeam(context.Background(), threads, nil), column, row, x); err != nil {
			t.Fatal(err)
		}
		if !numtest.SameBits(x.Data, want.Data) {
			t.Errorf("%d threads change bits", threads)
		}
	}
}

func TestSolveToeplitzIsCancelled(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	column, row := dominant[float64](rng, 3000)
	for _, k := range []int{1, 5} {
		b := numtest.Random[float64](rng, 3000, k)
		schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
			return SolveToeplitz(team, column, row, b.Clone())
		})
	}
}

func TestArgumentsOfSolveToeplitz(t *testing.T) {
	three := []float64{1, 2, 3}
	for want, err := range map[string]error{
		"r: expected 3 elements, got 2":        SolveToeplitz(nil, three, three[:2], dense.New[float64](3, 1)),
		"b: expected 3 rows, got shape (2, 1)": SolveToeplitz(nil, three, three, dense.New[float64](2, 1)),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
