package factor

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

// Right-hand sides on both sides of the width of a chunk.
var widths = []int{0, 1, 3, solveColumns, solveColumns + 1}

func TestSolveTriangular(t *testing.T) {
	t.Run("float32", testSolveTriangular[float32])
	t.Run("float64", testSolveTriangular[float64])
	t.Run("complex64", testSolveTriangular[complex64])
	t.Run("complex128", testSolveTriangular[complex128])
}

func testSolveTriangular[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	team := sched.NewTeam(context.Background(), 2, nil)
	for _, n := range []int{0, 1, 2, 17, 65} {
		for _, uplo := range []blas.Uplo{blas.Lower, blas.Upper} {
			for _, trans := range []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans} {
				for _, diag := range []blas.Diag{blas.NonUnit, blas.Unit} {
					a, used := triangle[T](rng, n, uplo, diag)
					b := numtest.Random[T](rng, n, widths[rng.IntN(len(widths))])
					x := b.Clone()
					if err := SolveTriangular(team, uplo, trans, diag, a, x); err != nil {
						t.Fatalf("n = %d: %v", n, err)
					}
					expectSolved(t, trans, used, x, b)
				}
			}
		}
	}
}

// triangle returns a well-conditioned triangular matrix with NaNs in all places that must not be read, and what is
// meant.
func triangle[T dense.Scalar](rng *rand.Rand, n int, uplo blas.Uplo, diag blas.Diag) (a, used dense.Matrix[T]) {
	a = numtest.Random[T](rng, n, n)
	used = dense.New[T](n, n)
	scale := dense.FromReal[T](1 / float64(max(1, n)))
	for i := range n {
		for j := range n {
			switch {
			case i == j && diag == blas.Unit:
				used.Set(i, j, 1)
				a.Set(i, j, dense.FromReal[T](math.NaN()))
			case i == j:
				a.Set(i, j, a.At(i, j)*scale+2)
				used.Set(i, j, a.At(i, j))
			case (i > j) == (uplo == blas.Lower):
				a.Set(i, j, a.At(i, j)*scale)
				used.Set(i, j, a.At(i, j))
			default:
				a.Set(i, j, dense.FromReal[T](math.NaN()))
			}
		}
	}
	return a, used
}

// expectSolved judges every column by |op(A) x - b| <= (n + 2) eps |op(A)| |x| (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., theorem 8.5), with a factor of 2 for complex arithmetic.
func expectSolved[T dense.Scalar](t *testing.T, trans blas.Transpose, a, x, b dense.Matrix[T]) {
	t.Helper()
	limit := 2 * float64(a.Rows+2) * dense.Eps[T]()
	for i := range b.Rows {
		for j := range b.Cols {
			residual, size := -dense.Convert[complex128](b.At(i, j)), 0.0
			for p := range a.Rows {
				product := element(trans, a, i, p) * dense.Convert[complex128](x.At(p, j))
				residual += product
				size += dense.Abs(product)
			}
			if r := dense.Abs(residual); !(r <= limit*size) {
				t.Fatalf("n = %d, k = %d, %c: residual %g in (%d,%d), limit %g", a.Rows, b.Cols, trans, r, i, j, limit*size)
			}
		}
	}
}

// element returns element (i, j) of op(A) in double precision.
func element[T dense.Scalar](trans blas.Transpose, a dense.Matrix[T], i, j int) complex128 {
	switch trans {
	case blas.Trans:
		return dense.Convert[complex128](a.At(j, i))
	case blas.ConjTrans:
		return dense.Conj(dense.Convert[complex128](a.At(j, i)))
	}
	return dense.Convert[complex128](a.At(i, j))
}

func TestSolveTriangularNamesTheZeroPivot(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, pivot := range []int{1, 4, 7} {
		a, _ := triangle[complex64](rng, 7, blas.Upper, blas.NonUnit)
		a.Set(pivot-1, pivot-1, 0)
		b := numtest.Random[complex64](rng, 7, 2)
		before := b.Clone()
		var e *SingularError
		if err := SolveTriangular(nil, blas.Upper, blas.NoTrans, blas.NonUnit, a, b); !errors.As(err, &e) ||
			e.Pivot != pivot || e.Arg != "a" {
			t.Errorf("pivot %d: %v", pivot, err)
		}
		for i, x := range b.Data {
			if x != before.Data[i] {
				t.Errorf("pivot %d: element %d of b was changed", pivot, i)
			}
		}
		if err := SolveTriangular(nil, blas.Upper, blas.NoTrans, blas.Unit, a, b); err != nil {
			t.Errorf("unit diagonal: %v", err)
		}
	}
}

func TestCholeskySolve(t *testing.T) {
	t.Run("float32", testCholeskySolve[float32])
	t.Run("float64", testCholeskySolve[float64])
	t.Run("complex64", testCholeskySolve[complex64])
	t.Run("complex128", testCholeskySolve[complex128])
}

func testCholeskySolve[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{0, 1, 3, 64, 90} {
		for _, k := range widths[:3] {
			a, b := numtest.RandomSPD[T](rng, n), numtest.Random[T](rng, n, k)
			l := a.Clone()
			if err := Cholesky(nil, l); err != nil {
				t.Fatal(err)
			}
			u := dense.New[T](n, n)
			for i := range n {
				for j := range i + 1 {
					u.Set(j, i, dense.Conj(l.At(i, j)))
				}
				for j := range i { // what must not be read
					u.Set(i, j, dense.FromReal[T](math.NaN()))
					l.Set(j, i, dense.FromReal[T](math.NaN()))
				}
			}
			for uplo, factor := range map[blas.Uplo]dense.Matrix[T]{blas.Lower: l, blas.Upper: u} {
				x := b.Clone()
				if err := CholeskySolve(nil, uplo, factor, x); err != nil {
					t.Fatal(err)
				}
				expectBackwardStable(t, a, x, b)
			}
		}
	}
}

// expectBackwardStable judges columns by |A x - b| <= 4 n (3 n + 1) u |A| |x| in 2-norms (Higham, theorem 10.4), u =
// eps / 2, with the Frobenius norm of A as an upper bound and at least eight for n; complex arithmetic costs at most a
// factor of 4.
func expectBackwardStable[T dense.Scalar](t *testing.T, a, x, b dense.Matrix[T]) {
	t.Helper()
	n := float64(max(a.Rows, 8))
	limit := 4 * n * dense.Eps[T]() * numtest.FrobeniusNorm(a)
	for j := range b.Cols {
		residual, size := 0.0, 0.0
		for i := range b.Rows {
			sum := -dense.Convert[complex128](b.At(i, j))
			for p := range a.Cols {
				sum += dense.Convert[complex128](a.At(i, p)) * dense.Convert[complex128](x.At(p, j))
			}
			residual = math.Hypot(residual, dense.Abs(sum))
			size = math.Hypot(size, dense.Abs(x.At(i, j)))
		}
		if !(residual <= limit*size) {
			t.Fatalf("n = %d: residual %g in column %d, limit %g", a.Rows, residual, j, limit*size)
		}
	}
}

func TestSolversRefuseShapesThatDoNotFit(t *testing.T) {
	square, wide, short := dense.New[float64](3, 3), dense.New[float64](3, 4), dense.New[float64](2, 3)
	for want, err := range map[string]error{
		"a": SolveTriangular(nil, blas.Lower, blas.NoTrans, blas.Unit, wide, wide),
		"l": CholeskySolve(nil, blas.Lower, wide, wide),
		"b": CholeskySolve(nil, blas.Lower, square, short),
	} {
		var e *dense.ArgumentError
		if !errors.As(err, &e) || e.Arg != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestSolversObeyCancellation(t *testing.T) {
	const n = 100
	a := dense.New[float64](n, n)
	a.SetIdentity()
	b := numtest.Random[float64](rand.New(rand.NewPCG(35, 1)), n, 20*solveColumns)
	// Each chunk of columns is one or two BLAS routines, which report progress.
	limits := schedtest.Limits{Reports: 6}
	schedtest.Cancel(t, limits, func(team *sched.Team) error {
		return SolveTriangular(team, blas.Lower, blas.NoTrans, blas.NonUnit, a, b.Clone())
	})
	schedtest.Cancel(t, limits, func(team *sched.Team) error { return CholeskySolve(team, blas.Lower, a, b.Clone()) })
}
