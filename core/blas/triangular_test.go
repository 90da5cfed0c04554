package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

func TestTriangularFactor(t *testing.T) {
	forSetsAndDtypes(t, testTriangularFactor[float32], testTriangularFactor[float64], testTriangularFactor[complex64],
		testTriangularFactor[complex128])
}

// testTriangularFactor checks products by the definition, and solutions by their residuals.
func testTriangularFactor[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(33, uint64(s)))
	for round := range rounds(90) {
		m, n := someOrder(rng, round), someOrder(rng, round+round/10)
		side, uplo, trans, diag := pick(rng, Left, Right), pick(rng, Lower, Upper), pick(rng, NoTrans, Trans,
			ConjTrans), pick(rng, NonUnit, Unit)
		order := m
		if side == Right {
			order = n
		}
		a, triangle := triangleOf[T](rng, order, uplo, diag)
		b, alpha := random[T](rng, m, n), pick(rng, 1, number[T](rng))
		op := newTriangular("", side, uplo, trans, diag, a, b)
		u := level3Case[T]{name: fmt.Sprintf("Trmm %c%c%c%c %dx%d", side, uplo, trans, diag, m, n), c: b.Clone()}
		u.start(1, false)
		u.exact.Fill(0)
		expectProduct := func(x dense.Matrix[T]) {
			if side == Left {
				u.add(alpha, opOf(trans, triangle), plain(x))
			} else {
				u.add(alpha, plain(x), opOf(trans, triangle))
			}
		}
		expectProduct(b)
		u.run = func(team *sched.Team, c dense.Matrix[T]) error { return op.overwrite(s, team, false, side, alpha, c) }
		u.check(t)

		// The residual of op(A) X = alpha B, or X op(A) = alpha B, is compared with |op(A)| |X|.
		var x dense.Matrix[T]
		for _, threads := range []int{1, 2, 3} {
			y := b.Clone()
			if err := op.overwrite(s, startedTeam(threads), true, side, alpha,
				y); err != nil {
				t.Fatal(err)
			}
			for i := range y.Data {
				if x.Data != nil && y.Data[i] != x.Data[i] {
					t.Fatalf("Trsm %c%c%c%c %dx%d: different bits with %d threads", side, uplo, trans, diag, m, n, threads)
				}
			}
			x = y
		}
		u.start(1, false)
		u.exact.Fill(0)
		saved := alpha
		alpha = 1
		expectProduct(x)
		for i := range m {
			for j := range n {
				want := dense.Convert[complex128](saved) * dense.Convert[complex128](b.At(i, j))
				limit := 4 * float64(order+4) * dense.Eps[T]() * real(u.size.At(i, j))
				if e := dense.Abs(u.exact.At(i, j) - want); !(e <= limit) {
					t.Fatalf("Trsm %c%c%c%c %dx%d: (%d,%d) of the product is %v, want %v within %.2g", side, uplo, trans,
						diag, m, n, i, j, u.exact.At(i, j), want, limit)
				}
			}
		}
	}
}

func TestSolvesWithTinyAndHugeDiagonals(t *testing.T) {
	forDtypes(t, testExtremeDiagonal[float32], testExtremeDiagonal[float64], testExtremeDiagonal[complex64],
		testExtremeDiagonal[complex128])
}

// testExtremeDiagonal solves with diagonal elements whose reciprocals overflow or are subnormal.
func testExtremeDiagonal[T dense.Scalar](t *testing.T) {
	extremes := []float64{0x1p-1074, 0x1p-1072, 0x1p+1022}
	if dense.Eps[T]() == dense.Eps[float32]() {
		extremes = []float64{0x1p-149, 0x1p-147, 0x1p+126}
	}
	for _, d := range extremes {
		for _, uplo := range []Uplo{Lower, Upper} {
			a, x := dense.New[T](3, 3), dense.New[T](3, 2)
			a.SetIdentity()
			a.Set(1, 1, dense.FromReal[T](d))
			for i := range 3 {
				x.Set(i, 0, dense.FromReal[T](d))
				x.Set(i, 1, dense.FromReal[T](-d))
			}
			Trsm(nil, Left, uplo, NoTrans, NonUnit, 1, a, x)
			if x.At(1, 0) != 1 || x.At(1, 1) != -1 || dense.Real(x.At(0, 0)) != d || dense.Real(x.At(2, 1)) != -d {
				t.Errorf("d = %g, %c: %v", d, uplo, x.Data)
			}
		}
	}
}

func TestNothingOutsideOfATriangleIsMultiplied(t *testing.T) {
	// Row 9 of B is infinite: the rows of the result that do not depend on it must stay finite.
	const n, row = 20, 9
	for _, uplo := range []Uplo{Lower, Upper} {
		for _, solve := range []bool{false, true} {
			a, b := dense.New[float64](n, n), dense.New[float64](n, 3)
			a.Fill(0.25)
			b.Fill(1)
			for j := range 3 {
				b.Set(row, j, math.Inf(1))
			}
			if solve {
				Trsm(nil, Left, uplo, NoTrans, NonUnit, 1, a, b)
			} else {
				Trmm(nil, Left, uplo, NoTrans, NonUnit, 1, a, b)
			}
			for i := range n {
				reached := i == row || (i > row) == (uplo == Lower)
				if dense.IsFinite(b.At(i, 0)) == reached {
					t.Errorf("%c solve=%v: row %d is %v", uplo, solve, i, b.At(i, 0))
				}
			}
		}
	}
}

// The operations of level 3 stop when they are cancelled.
func TestLevel3ObeysCancellation(t *testing.T) {
	t.Run("float64", testLevel3Cancel[float64])
	t.Run("complex64", func(t *testing.T) {
		if testing.Short() {
			t.Skip("the loops are those of float64; without assembly, complex products take long")
		}
		testLevel3Cancel[complex64](t)
	})
}

func testLevel3Cancel[T dense.Scalar](t *testing.T) {
	const n = 600
	a, b, c := dense.New[T](n, n), dense.New[T](n, n), dense.New[T](n, n)
	a.SetIdentity()
	// Hemm reports progress only once for each block of rows of its Hermitian factor.
	const order, columns = 12 * symmBlock, 16
	large, thin, result := dense.New[T](order, order), dense.New[T](order, columns), dense.New[T](order, columns)
	for name, call := range map[string]func(team *sched.Team){
		"Gemm":                func(team *sched.Team) { Gemm(team, NoTrans, Trans, 1, a, b, 0, c) },
		"Gemmt":               func(team *sched.Team) { Gemmt(team, Lower, NoTrans, ConjTrans, 1, a, b, 0, c) },
		"Herk":                func(team *sched.Team) { Herk(team, Lower, NoTrans, 1, b, 0, c) },
		"Her2k":               func(team *sched.Team) { Her2k(team, Upper, NoTrans, 1, a, b, 0, c) },
		"Hemm":                func(team *sched.Team) { Hemm(team, Left, Lower, 1, large, thin, 0, result) },
		"Trmm":                func(team *sched.Team) { Trmm(team, Left, Lower, NoTrans, NonUnit, 1, a, b) },
		"Trsm":                func(team *sched.Team) { Trsm(team, Left, Lower, NoTrans, NonUnit, 1, a, b) },
		"Trsm from the right": func(team *sched.Team) { Trsm(team, Right, Upper, Trans, NonUnit, 1, a, b) },
	} {
		t.Run(name, func(t *testing.T) {
			schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
				call(team)
				return team.Err()
			})
		})
	}
}
