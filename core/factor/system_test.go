package factor

import (
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

func TestSolveSystem(t *testing.T) {
	t.Run("float32", testSolveSystem[float32])
	t.Run("float64", testSolveSystem[float64])
	t.Run("complex64", testSolveSystem[complex64])
	t.Run("complex128", testSolveSystem[complex128])
}

// shaped returns a matrix of a structure from a random one, and the same matrix with NaNs where nothing is to be read.
func shaped[T dense.Scalar](a dense.Matrix[T], of Structure, lower bool) (meant, stored dense.Matrix[T]) {
	n := a.Rows
	meant, stored = a.Clone(), a.Clone()
	nan := dense.FromReal[T](math.NaN())
	for i := range n {
		meant.Set(i, i, meant.At(i, i)+dense.FromReal[T](6+2*float64(n)))
		if of == PositiveDefinite || of == Hermitian {
			meant.Set(i, i, dense.FromReal[T](dense.Real(meant.At(i, i))))
		}
		stored.Set(i, i, meant.At(i, i))
		for j := range n {
			inside := map[Structure]bool{Diagonal: false, Tridiagonal: i-j == 1 || j-i == 1, UpperTriangular: i < j,
				LowerTriangular: i > j, PositiveDefinite: i > j == lower, Symmetric: i > j == lower,
				Hermitian: i > j == lower}
			if used, ok := inside[of]; i == j || !ok || used {
				continue
			}
			stored.Set(i, j, nan)
			switch of {
			case Symmetric:
				meant.Set(i, j, a.At(j, i))
			case PositiveDefinite, Hermitian:
				meant.Set(i, j, dense.Conj(a.At(j, i)))
			default:
				meant.Set(i, j, 0)
			}
		}
	}
	return meant, stored
}

func testSolveSystem[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	for _, n := range []int{1, 2, 7, 40} {
		for of := Unknown; of <= Hermitian; of++ {
			for option := range 4 {
				opt := SystemOptions{Structure: of, Lower: option&1 != 0, Transposed: option&2 != 0}
				meant, stored := shaped(numtest.Random[T](rng, n, n), of, opt.Lower)
				trans := blas.NoTrans
				if opt.Transposed {
					trans = blas.Trans
				}
				b := numtest.Random[T](rng, n, 1+2*(option&1))
				for _, view := range []dense.View[T]{stored.View(), columnsOf(stored)} {
					x := b.Clone()
					rcond, err := SolveSystem(nil, view, x, opt)
					if err != nil {
						t.Fatalf("n = %d, %+v: %v", n, opt, err)
					}
					expectSystemSolved(t, trans, meant, x, b)
					if exact := 1 / (norm1(meant) * norm1(inverse(meant))); !(rcond > exact/1.01 && rcond < 3*exact) {
						t.Errorf("n = %d, %+v: reciprocal condition number %g, want %g", n, opt, rcond, exact)
					}
					// What has a structure is solved in the same way when the structure is found out.
					y, detected := b.Clone(), SystemOptions{Transposed: opt.Transposed}
					if _, err := SolveSystem(nil, meant.View(), y, detected); err != nil {
						t.Fatal(err)
					}
					expectSystemSolved(t, trans, meant, y, b)
				}
			}
		}
	}
}

// columnsOf returns a view of a that is stored by columns.
func columnsOf[T dense.Scalar](a dense.Matrix[T]) dense.View[T] {
	v := dense.New[T](a.Cols, a.Rows).View().T()
	dense.Copy(v, a.View())
	return v
}

// expectSystemSolved judges op(A) X = B by |op(A) X - B| <= 4 max(n, 8) eps |A| |X| in Frobenius norms.
func expectSystemSolved[T dense.Scalar](t *testing.T, trans blas.Transpose, a, x, b dense.Matrix[T]) {
	t.Helper()
	residual := b.Clone()
	blas.Gemm(nil, trans, blas.NoTrans, 1, a, x, -1, residual)
	size := blas.Nrm2(dense.Vec(a.Data)) * blas.Nrm2(dense.Vec(x.Data))
	if r := blas.Nrm2(dense.Vec(residual.Data)); !(r <= 4*float64(max(8, a.Rows))*dense.Eps[T]()*size) {
		t.Fatalf("n = %d: residual %g of %g", a.Rows, r, size)
	}
}

func inverse[T dense.Scalar](a dense.Matrix[T]) dense.Matrix[T] {
	lu, x, pivots := a.Clone(), dense.New[T](a.Rows, a.Rows), make([]int, a.Rows)
	x.SetIdentity()
	if _, err := LU(nil, lu, pivots); err != nil {
		panic(err)
	}
	if err := LUSolve(nil, blas.NoTrans, lu, pivots, x); err != nil {
		panic(err)
	}
	return x
}

func TestInverseTransposed(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	for _, n := range []int{0, 1, 5, 64, solveColumns + 50} {
		for of := Unknown; of <= Hermitian; of++ {
			for _, transposed := range []bool{false, true} {
				opt := SystemOptions{Structure: of, Transposed: transposed}
				meant, stored := shaped(numtest.Random[complex128](rng, n, n), of, false)
				x, identity, trans := dense.New[complex128](n, n), dense.New[complex128](n, n), blas.Trans
				identity.SetIdentity()
				if transposed {
					trans = blas.NoTrans
				}
				if _, err := InverseTransposed(nil, stored.View(), x, opt); err != nil {
					t.Fatal(err)
				}
				expectSystemSolved(t, trans, meant, x, identity)
			}
		}
	}
}

func norm1[T dense.Scalar](a dense.Matrix[T]) (norm float64) {
	for j := range a.Cols {
		sum := 0.0
		for i := range a.Rows {
			sum += dense.Abs(a.At(i, j))
		}
		norm = max(norm, sum)
	}
	return norm
}

func TestSolveSystemFallsBackFromCholesky(t *testing.T) {
	a := dense.FromRows([]complex128{1, 2i}, []complex128{-2i, 1}) // Hermitian with the eigenvalues -1 and 3
	b := numtest.Random[complex128](rand.New(rand.NewPCG(42, 1)), 2, 3)
	x := b.Clone()
	if _, err := SolveSystem(nil, a.View(), x, SystemOptions{}); err != nil {
		t.Fatal(err)
	}
	expectSystemSolved(t, blas.NoTrans, a, x, b)
	var minor *NotPositiveDefiniteError
	if _, err := SolveSystem(nil, a.View(), x, SystemOptions{Structure: PositiveDefinite}); !errors.As(err, &minor) {
		t.Errorf("an indefinite matrix gives %v", err)
	}
}

func TestSolveSystemNamesTheZeroPivot(t *testing.T) {
	ones := dense.FromRows([]float64{1, 1, 1}, []float64{1, 1, 1}, []float64{1, 1, 2})
	triangle := dense.FromRows([]float64{1, 1, 1}, []float64{0, 1, 1}, []float64{0, 0, 0})
	for _, c := range []struct {
		a    dense.Matrix[float64]
		want SingularError
	}{{ones, SingularError{Arg: "a", Pivot: 2, Factors: "LU"}}, {triangle, SingularError{Arg: "a", Pivot: 3}}} {
		var singular *SingularError
		_, err := SolveSystem(nil, c.a.View(), dense.New[float64](3, 1), SystemOptions{})
		if !errors.As(err, &singular) || *singular != c.want {
			t.Errorf("%v", err)
		}
	}
	for structure, name := range map[Structure]string{Symmetric: "LDL^T", Hermitian: "LDL^H"} {
		var singular *SingularError
		_, err := SolveSystem(nil, ones.View(), dense.New[float64](3, 1), SystemOptions{Structure: structure})
		if want := (SingularError{Arg: "a", Pivot: 2, Factors: name}); !errors.As(err, &singular) || *singular != want {
			t.Errorf("%v, want %v", err, &want)
		}
	}
}

// The condition does not depend on the scale of the matrix, up to the ends of the range.
func TestConditionOfScaledMatrices(t *testing.T) {
	for _, size := range []float64{0x1p-1030, 0x1p-500, 1, 0x1p1000} {
		a := dense.FromRows([]float64{4 * size, 2 * size}, []float64{1 * size, 8 * size})
		rcond, err := SolveSystem(nil, a.View(), dense.New[float64](2, 1), SystemOptions{})
		if want := 1.0 / 3; err != nil || math.Abs(rcond-want) > 1e-9 { // 1 / (10 * 9/30)
			t.Errorf("size %g: %g, %v", size, rcond, err)
		}
	}
	singular := dense.FromRows([]float64{1, 1}, []float64{1, 1 + 0x1p-52})
	if rcond, err := SolveSystem(nil, singular.View(), dense.New[float64](2, 1), SystemOptions{}); err != nil ||
		!(rcond > 0 && rcond < 0x1p-52) {
		t.Errorf("a matrix close to a singular one: %g, %v", rcond, err)
	}
	notFinite := dense.FromRows([]float64{math.NaN(), 1}, []float64{1, 1})
	if rcond, err := SolveSystem(nil, notFinite.View(), dense.New[float64](2, 1), SystemOptions{}); err != nil ||
		rcond != 0 {
		t.Errorf("NaN: %g, %v", rcond, err)
	}
}

func TestSystemsObeyCancellation(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(44, 1))
	a, b := numtest.Random[float64](rng, n, n), numtest.Random[float64](rng, n, 2*solveColumns)
	schedtest.Cancel(t, schedtest.Limits{Reports: 6, Gap: 0.4}, func(team *sched.Team) error {
		_, err := SolveSystem(team, a.View(), b.Clone(), SystemOptions{})
		return err
	})
	schedtest.Cancel(t, schedtest.Limits{Reports: 6, Gap: 0.4}, func(team *sched.Team) error {
		_, err := InverseTransposed(team, a.View(), dense.New[float64](n, n), SystemOptions{})
		return err
	})
	schedtest.Cancel(t, schedtest.Limits{Reports: 6, Gap: 0.4}, func(team *sched.Team) error {
		_, err := SolveSystem(team, a.View(), b.Clone(), SystemOptions{Structure: Symmetric})
		return err
	})
}
