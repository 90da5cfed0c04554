package eigen

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/numtest"
)

// groupMember returns a Hermitian matrix of one of several kinds: random, zero, diagonal, clustered, huge, tiny, graded, or with a tiny block of
// its own.
func groupMember[W dense.Wide](rng *rand.Rand, n, kind int) dense.Matrix[W] {
	a := numtest.RandomHermitian[W](rng, n)
	each := func(change func(i, j int, x W) W) {
		for i := range n {
			for j := range n {
				a.Set(i, j, change(i, j, a.At(i, j)))
			}
		}
	}
	times := func(x W, factor float64) W { return x * dense.FromReal[W](factor) }
	switch kind % 8 {
	case 1:
		each(func(int, int, W) W { return 0 })
	case 2:
		each(func(i, j int, x W) W {
			if i != j {
				return 0
			}
			return x
		})
	case 3:
		each(func(i, j int, x W) W {
			if i == j {
				return 1
			}
			return times(x, 1e-12)
		})
	case 4:
		return times2(a, 990)
	case 5:
		return times2(a, -1000)
	case 6:
		each(func(i, j int, x W) W { return times(x, math.Pow(10, -float64(i+j)/2)) })
	case 7:
		each(func(i, j int, x W) W {
			if (i < 2) != (j < 2) {
				return 0
			}
			if i < 2 {
				return times(x, 1e-200)
			}
			return x
		})
	}
	return a
}

// group calls EighGroup for the matrices.
func group[T dense.Scalar, R dense.Float](a []dense.Matrix[T], opt Options) (out []outputs[T, R], count, failed int, err error) {
	var views, v []dense.View[T]
	var w [][]R
	for _, m := range a {
		o := newOutputs[T, R](m.Rows)
		out = append(out, o)
		views, w, v = append(views, m.View()), append(w, o.w), append(v, o.v)
	}
	count, failed, err = EighGroup(views, w, v, opt)
	return out, count, failed, err
}

func TestGroupsOfAllOrders(t *testing.T) {
	worst := &numtest.WorstResiduals{}
	for n := 1; n <= laneOrder; n++ {
		testGroup[float64, float64](t, worst, n)
		testGroup[complex128, complex128](t, worst, n)
	}
	for _, n := range []int{1, 2, 3, 8, 17, 33, leastSingleOrder - 1} {
		testGroup[float64, float32](t, worst, n)
		testGroup[complex128, complex64](t, worst, n)
	}
	t.Log(worst)
}

// testGroup checks the eigenpairs of groups of all sizes whose members are of different kinds.
func testGroup[W dense.Wide, T dense.Scalar](t *testing.T, worst *numtest.WorstResiduals, n int) {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	for _, count := range []int{1, 2, 3, kernel.Lanes} {
		var a []dense.Matrix[T]
		for k := range count {
			kind := k + n + count
			if dense.IsSingle[T]() && kind%8 > 3 {
				kind = 0 // the others are beyond the range of single precision
			}
			a = append(a, rounded[T](groupMember[W](rng, n, kind)))
		}
		switch a := any(a).(type) {
		case []dense.Matrix[float32]:
			checkGroup[W, float32, float32](t, worst, a)
		case []dense.Matrix[float64]:
			checkGroup[W, float64, float64](t, worst, a)
		case []dense.Matrix[complex64]:
			checkGroup[W, complex64, float32](t, worst, a)
		case []dense.Matrix[complex128]:
			checkGroup[W, complex128, float64](t, worst, a)
		}
	}
}

func checkGroup[W dense.Wide, T dense.Scalar, R dense.Float](t *testing.T, worst *numtest.WorstResiduals, a []dense.Matrix[T]) {
	n := a[0].Rows
	out, found, _, err := group[T, R](a, Options{})
	if err != nil || found != n {
		t.Fatalf("order %d, %d matrices: %d eigenvalues, %v", n, len(a), found, err)
	}
	for k := range a {
		// Scaled by a power of two, the residuals of the largest and smallest numbers are numbers.
		exponent := scalingExponent[float64](largestInLower(widened[W](a[k])))
		w, v := pairs[W](out[k], n)
		for i := range w {
			w[i] = math.Ldexp(w[i], exponent)
		}
		name := fmt.Sprintf("%T, order %d, matrix %d of %d", a[k].Data, n, k, len(a))
		checkPairs(t, worst, name, times2(widened[W](a[k]), exponent), w, v, dense.Eps[R]())
	}
}

func TestGroupMembersDoNotDependOnOthers(t *testing.T) {
	for _, n := range []int{1, 2, 5, 8, 13, singleLaneOrder} {
		testAlone[float64, float64](t, n)
		testAlone[complex128, float64](t, n)
	}
}

func TestValuesOfGroupMembersDoNotDependOnOthers(t *testing.T) {
	testValuesAlone[float64](t, singleValueOrder)
	testValuesAlone[complex128](t, complexValueOrder)
}

func testValuesAlone[W dense.Wide](t *testing.T, highest int) {
	rng := rand.New(rand.NewPCG(9, 8))
	opt := Options{ValuesOnly: true}
	for _, n := range []int{singleLaneOrder + 1, highest} {
		var a []dense.Matrix[W]
		for k := range kernel.Lanes {
			a = append(a, groupMember[W](rng, n, k))
		}
		out, _, _, err := group[W, float64](a, opt)
		if err != nil {
			t.Fatal(err)
		}
		for k := range a {
			w := make([]float64, n)
			if _, err := Eigh(a[k].View(), w, dense.View[W]{}, opt); err != nil {
				t.Fatal(err)
			}
			if !numtest.SameBits(out[k].w, w) {
				t.Errorf("order %d, matrix %d: the bits in a group and alone differ", n, k)
			}
		}
	}
}

// testAlone compares the bits of members of a group with those of each matrix alone, for values without vectors, subsets and the other triangle too.
func testAlone[W dense.Wide, R dense.Float](t *testing.T, n int) {
	rng := rand.New(rand.NewPCG(uint64(n), 8))
	var a []dense.Matrix[W]
	for k := range kernel.Lanes {
		a = append(a, groupMember[W](rng, n, k))
	}
	nan := a[5].Clone()
	nan.Set(n-1, 0, dense.FromReal[W](math.NaN()))
	a[5] = nan
	for _, opt := range []Options{
		{SkipFiniteCheck: true}, {SkipFiniteCheck: true, Upper: true}, {SkipFiniteCheck: true, ValuesOnly: true},
		{SkipFiniteCheck: true, Subset: ByIndex(n/3, n/2)}, {SkipFiniteCheck: true, Subset: ByValue(-1, 1)},
	} {
		out, _, _, err := group[W, R](a, opt)
		if err != nil {
			t.Fatal(err)
		}
		for k := range a {
			alone := newOutputs[W, R](n)
			if _, err := Eigh(a[k].View(), alone.w, alone.v, opt); err != nil {
				t.Fatal(err)
			}
			if !numtest.SameBits(out[k].w, alone.w) || !numtest.SameBits(out[k].v.Data, alone.v.Data) {
				t.Errorf("order %d, matrix %d, %+v: the bits in a group and alone differ", n, k, opt)
			}
		}
	}
}

func TestGroupNamesWhatFails(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var a []dense.Matrix[float64]
	for range 5 {
		a = append(a, numtest.RandomHermitian[float64](rng, 6))
	}
	a[3].Set(0, 5, math.Inf(1)) // in the triangle that is not read
	_, _, failed, err := group[float64, float64](a, Options{})
	var argument *dense.ArgumentError
	if failed != 3 || !errors.As(err, &argument) || argument.Arg != "a" {
		t.Errorf("an infinity in matrix 3: %v in matrix %d", err, failed)
	}
	if _, _, _, err := group[float64, float64](a, Options{SkipFiniteCheck: true}); err != nil {
		t.Errorf("with no check: %v", err)
	}
}

func TestGroupSize(t *testing.T) {
	for _, c := range []struct{ n, count, want int }{
		{0, 9, 0}, {1, 1, 1}, {8, 7, 7}, {8, 9, kernel.Lanes}, {singleLaneOrder, 1, 1}, {singleLaneOrder + 1, 2, 0},
		{singleLaneOrder + 1, leastGroup, leastGroup}, {singleValueOrder, 2, 0}, {laneOrder, 100, kernel.Lanes}, {laneOrder + 1, 100, 0},
	} {
		if got := GroupSize[float64](c.n, c.count, Options{}); got != c.want {
			t.Errorf("%d matrices of order %d in groups of %d, want %d", c.count, c.n, got, c.want)
		}
	}
	for n, want := range map[int]int{singleValueOrder: 1, singleValueOrder + 1: 0} {
		if got := GroupSize[float64](n, 1, Options{ValuesOnly: true}); got != want {
			t.Errorf("values of a matrix of order %d in groups of %d, want %d", n, got, want)
		}
	}
	for n, want := range map[int]int{complexValueOrder: 1, complexValueOrder + 1: 0} {
		if got := GroupSize[complex128](n, 1, Options{ValuesOnly: true}); got != want {
			t.Errorf("values of a complex matrix of order %d in groups of %d, want %d", n, got, want)
		}
	}
	// Single precision matrices are worked on in the same precision in a stack and alone.
	for n, want := range map[int]int{leastSingleOrder - 1: kernel.Lanes, leastSingleOrder: 0} {
		if got := GroupSize[complex64](n, 100, Options{}); got != want {
			t.Errorf("100 complex64 matrices of order %d in groups of %d, want %d", n, got, want)
		}
	}
	if got := GroupSize[float32](leastSingleOrder, 100, Options{DoublePrecision: true}); got != kernel.Lanes {
		t.Errorf("100 float32 matrices in double precision in groups of %d, want %d", got, kernel.Lanes)
	}
}
