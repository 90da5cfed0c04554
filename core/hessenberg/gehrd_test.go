package hessenberg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/internal/formtest"
	"trnsci/core/internal/workspace"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// hessenbergOf returns the Hessenberg form of a and the adjoint of its unitary factor.
func hessenbergOf[T dense.Scalar](tb testing.TB, team *sched.Team, a dense.Matrix[T]) (h, qt dense.Matrix[T]) {
	tb.Helper()
	n := a.Rows
	nan := dense.FromParts[T](math.NaN(), math.NaN())
	h, q := dense.New[T](n, n), dense.New[T](n, n)
	h.Fill(nan)
	q.Fill(nan)
	if err := Reduce(a.View(), h.View(), q.View(), Options{Team: team}); err != nil {
		tb.Fatal(err)
	}
	return h, formtest.Adjoint(q)
}

func checkHessenberg[T dense.Scalar](t *testing.T, name string, a dense.Matrix[T]) {
	t.Helper()
	h, qt := hessenbergOf(t, nil, a)
	if err := numtest.CheckHessenberg(h); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if similarity, unitarity := formtest.SimilarityError(a, h, qt); !(similarity < 2) || !(unitarity < 2.5) {
		t.Errorf("%s: similarity residual %.2f, unitarity residual %.2f", name, similarity, unitarity)
	}
	without := dense.New[T](a.Rows, a.Rows)
	if err := Reduce(a.View(), without.View(), dense.View[T]{}, Options{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(without.Data, h.Data) {
		t.Errorf("%s: the form differs without Q", name)
	}
}

// testReduction tests the Hessenberg form in the type T: at orders where the work is divided differently, and for
// matrices of many kinds.
func testReduction[T dense.Scalar](t *testing.T) {
	for _, n := range []int{
		1, 2, 3, 4, 5, 8, 9, 10, 11, 17, 18, 19, 33, 39, 40, 41, 42, 43, 79, 80, 81, 82, 83, 98, 130, 159, 160, 161, 178, 206,
	} {
		checkHessenberg(t, fmt.Sprintf("n = %d", n), numtest.Random[T](rand.New(rand.NewPCG(61, uint64(n))), n, n))
	}
	for _, f := range numtest.GeneralFamilies() {
		for _, n := range []int{6, 50, 90, 170} {
			a := dense.New[T](n, n)
			dense.Copy(a.View(), f.Make(rand.New(rand.NewPCG(62, uint64(n))), n).View())
			if a.View().AllFinite() { // some kinds have elements that single precision cannot represent
				checkHessenberg(t, fmt.Sprintf("%s, n = %d", f.Name, n), a)
			}
		}
	}
}

func TestReduction(t *testing.T) {
	t.Run("float32", testReduction[float32])
	t.Run("float64", testReduction[float64])
	t.Run("complex64", testReduction[complex64])
	t.Run("complex128", testReduction[complex128])
}

// testExtremeReduction tests elements near both ends of T's range.
func testExtremeReduction[T dense.Scalar](t *testing.T) {
	least, most := -1022, 1023
	if dense.IsSingle[T]() {
		least, most = -126, 127
	}
	digits := int(math.Round(-math.Log2(dense.Eps[T]())))
	for _, n := range []int{5, 30, 90, 170} {
		for _, exponent := range []int{least, least + digits, least / 2, most / 2, most - 14} {
			a := numtest.Random[T](rand.New(rand.NewPCG(63, uint64(n))), n, n)
			formtest.ShiftExponents(a, exponent)
			checkHessenberg(t, fmt.Sprintf("n = %d, size 2^%d", n, exponent), a)
		}
	}
}

func TestReductionOfExtremeSizes(t *testing.T) {
	t.Run("float32", testExtremeReduction[float32])
	t.Run("float64", testExtremeReduction[float64])
	t.Run("complex64", testExtremeReduction[complex64])
	t.Run("complex128", testExtremeReduction[complex128])
}

// testReductionForAnyThreads tests that neither the number of threads nor the contents of kept memory change a bit.
func testReductionForAnyThreads[T dense.Scalar](t *testing.T) {
	for _, n := range []int{20, 90, 170, 333} {
		a := numtest.Random[T](rand.New(rand.NewPCG(64, uint64(n))), n, n)
		h, qt := hessenbergOf(t, nil, a)
		for _, threads := range []int{1, 2, 3, 7} {
			for from, count := range map[*scratch.Pool]int{
				&workspace.Matrices: 2 * n * workspace.PaddedStride[T](n),
				&workspace.Panels:   reductionElements[T](n),
			} {
				*from = scratch.Pool{MostBytes: workspace.MaxKeptBytes}
				lent := workspace.Borrow[T](from, count)
				for i := range lent.Numbers {
					lent.Numbers[i] = workspace.NaN[T]()
				}
				lent.GiveBack()
			}
			otherH, otherQt := hessenbergOf(t, sched.NewTeam(context.Background(), threads, nil), a)
			if !slices.Equal(otherH.Data, h.Data) || !slices.Equal(otherQt.Data, qt.Data) {
				t.Errorf("n = %d: %d threads give another result", n, threads)
			}
		}
	}
}

func TestReductionForAnyThreads(t *testing.T) {
	if testing.Short() { // also under the race detector
		t.Run("float64", testReductionForAnyThreads[float64])
		return
	}
	t.Run("float32", testReductionForAnyThreads[float32])
	t.Run("float64", testReductionForAnyThreads[float64])
	t.Run("complex64", testReductionForAnyThreads[complex64])
	t.Run("complex128", testReductionForAnyThreads[complex128])
}

// testHessenbergStays tests that a Hessenberg matrix comes back as it is, with Q = I.
func testHessenbergStays[T dense.Scalar](t *testing.T) {
	for _, n := range []int{5, 50, 90, 170} {
		a := numtest.Random[T](rand.New(rand.NewPCG(65, uint64(n))), n, n)
		for i := 2; i < n; i++ {
			clear(a.Row(i)[:i-1])
		}
		identity := dense.New[T](n, n)
		identity.SetIdentity()
		if h, qt := hessenbergOf(t, nil, a); !slices.Equal(h.Data, a.Data) || !slices.Equal(qt.Data, identity.Data) {
			t.Errorf("n = %d: a Hessenberg matrix was changed", n)
		}
	}
}

func TestHessenbergStays(t *testing.T) {
	t.Run("float32", testHessenbergStays[float32])
	t.Run("float64", testHessenbergStays[float64])
	t.Run("complex64", testHessenbergStays[complex64])
	t.Run("complex128", testHessenbergStays[complex128])
}

// TestReductionOfPartsOfMatrices reduces blocks of larger matrices, which are worked on in copies: nothing around them
// changes.
func TestReductionOfPartsOfMatrices(t *testing.T) {
	const n, more = 21, 6
	rng := rand.New(rand.NewPCG(67, 0))
	whole, factors := numtest.Random[complex128](rng, n+more, n+more), numtest.Random[complex128](rng, n+more, n+more)
	before, beforeFactors := whole.Clone(), factors.Clone()
	block := func(m dense.Matrix[complex128]) dense.Matrix[complex128] { return m.Slice(2, 2+n, 3, 3+n) }
	h, qt := workspace.NewPadded[complex128](n), workspace.NewPadded[complex128](n)
	h.CopyFrom(block(whole))
	if err := InPlace(nil, h, qt); err != nil {
		t.Fatal(err)
	}
	if err := InPlace(nil, block(whole), block(factors)); err != nil {
		t.Fatal(err)
	}
	block(before).CopyFrom(h)
	block(beforeFactors).CopyFrom(qt)
	if !slices.Equal(whole.Data, before.Data) || !slices.Equal(factors.Data, beforeFactors.Data) {
		t.Error("the reduction of a block differs from that of the same matrix alone, or changes elements around it")
	}
}
