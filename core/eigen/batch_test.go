package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel/batch"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// groupMember returns a Hermitian matrix of one of several kinds: random, zero, diagonal, with clustered eigenvalues,
// huge, tiny, graded, or block diagonal with one tiny block.
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

// membersOf returns problems for the matrices, with memory for the results.
func membersOf[T dense.Scalar, R dense.Float](a []dense.Matrix[T]) (members []Member[T, R], out []outputs[T, R]) {
	for _, m := range a {
		o := newOutputs[T, R](m.Rows)
		out = append(out, o)
		members = append(members, Member[T, R]{m.View(), o.w, o.v})
	}
	return members, out
}

// group calls eighGroup for the matrices and returns the number of eigenvalues of the last one.
func group[T dense.Scalar, R dense.Float](a []dense.Matrix[T],
	opt Options) (out []outputs[T, R], count, failed int, err error) {
	members, out := membersOf[T, R](a)
	counts := make([]int, len(a))
	failed, err = eighGroup(members, counts, opt)
	return out, counts[len(a)-1], failed, err
}

func TestGroupsOfAllOrders(t *testing.T) {
	worst := &numtest.WorstResiduals{}
	for n := 1; n <= maxLaneOrder; n++ {
		testGroup[float64, float64](t, worst, n)
		testGroup[complex128, complex128](t, worst, n)
	}
	for _, n := range []int{1, 2, 3, 8, 17, 33, minSingleOrder - 1} {
		testGroup[float64, float32](t, worst, n)
		testGroup[complex128, complex64](t, worst, n)
	}
	t.Log(worst)
}

// testGroup checks the eigenpairs of groups of all sizes whose members are of different kinds.
func testGroup[W dense.Wide, T dense.Scalar](t *testing.T, worst *numtest.WorstResiduals, n int) {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	for _, count := range []int{1, 2, 3, batch.Width} {
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

func checkGroup[W dense.Wide, T dense.Scalar, R dense.Float](t *testing.T, worst *numtest.WorstResiduals,
	a []dense.Matrix[T]) {
	n := a[0].Rows
	out, found, _, err := group[T, R](a, Options{})
	if err != nil || found != n {
		t.Fatalf("order %d, %d matrices: %d eigenvalues, %v", n, len(a), found, err)
	}
	for k := range a {
		// Without scaling, the residuals of huge and tiny matrices would overflow or underflow.
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
	for _, n := range []int{1, 2, 5, 8, 13, maxSingleOrder} {
		testAlone[float64, float64](t, n)
		testAlone[complex128, float64](t, n)
	}
}

func TestValuesOfGroupMembersDoNotDependOnOthers(t *testing.T) {
	testValuesAlone[float64](t, maxSingleRealValues)
	testValuesAlone[complex128](t, maxSingleComplexValues)
}

func testValuesAlone[W dense.Wide](t *testing.T, highest int) {
	rng := rand.New(rand.NewPCG(9, 8))
	opt := Options{ValuesOnly: true}
	for _, n := range []int{maxSingleOrder + 1, highest} {
		var a []dense.Matrix[W]
		for k := range batch.Width {
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

// testAlone checks that each member of a group has the same bits as the matrix alone, also for the upper triangle, for
// eigenvalues without eigenvectors, and for subsets.
func testAlone[W dense.Wide, R dense.Float](t *testing.T, n int) {
	rng := rand.New(rand.NewPCG(uint64(n), 8))
	var a []dense.Matrix[W]
	for k := range batch.Width {
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
		t.Errorf("without the finite check: %v", err)
	}
}

func TestGroupSize(t *testing.T) {
	for _, c := range []struct{ n, count, want int }{
		{0, 9, 0}, {1, 1, 1}, {8, 7, 7}, {8, 9, batch.Width}, {maxSingleOrder, 1, 1}, {maxSingleOrder + 1, 2, 0},
		{maxSingleOrder + 1, minGroup, minGroup}, {maxSingleRealValues, 2, 0}, {maxLaneOrder, 100, batch.Width},
		{maxLaneOrder + 1, 100, 0},
	} {
		if got := groupSize[float64](c.n, c.count, Options{}); got != c.want {
			t.Errorf("%d matrices of order %d in groups of %d, want %d", c.count, c.n, got, c.want)
		}
	}
	for n, want := range map[int]int{maxSingleRealValues: 1, maxSingleRealValues + 1: 0} {
		if got := groupSize[float64](n, 1, Options{ValuesOnly: true}); got != want {
			t.Errorf("values of a matrix of order %d in groups of %d, want %d", n, got, want)
		}
	}
	for n, want := range map[int]int{maxSingleComplexValues: 1, maxSingleComplexValues + 1: 0} {
		if got := groupSize[complex128](n, 1, Options{ValuesOnly: true}); got != want {
			t.Errorf("values of a complex matrix of order %d in groups of %d, want %d", n, got, want)
		}
	}
	// Single precision matrices are worked on in the same precision in a stack and alone.
	for n, want := range map[int]int{minSingleOrder - 1: batch.Width, minSingleOrder: 0} {
		if got := groupSize[complex64](n, 100, Options{}); got != want {
			t.Errorf("100 complex64 matrices of order %d in groups of %d, want %d", n, got, want)
		}
	}
	if got := groupSize[float32](minSingleOrder, 100, Options{DoublePrecision: true}); got != batch.Width {
		t.Errorf("100 float32 matrices in double precision in groups of %d, want %d", got, batch.Width)
	}
}

// EighBatch agrees with Eigh for each of its ways to solve a batch: eigenvalues up to rounding errors, and eigenvectors
// bit for bit unless SIMD lanes solve the group but not a single matrix.
func TestEighBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 8))
	for _, c := range []struct{ n, count int }{
		{3, 0}, {3, 1}, {70, 1}, {3, 2}, {8, 2*batch.Width + 1}, {maxSingleOrder + 2, 5}, {maxLaneOrder + 1, 3},
	} {
		var a []dense.Matrix[complex128]
		for range c.count {
			a = append(a, numtest.RandomHermitian[complex128](rng, c.n))
		}
		for _, opt := range []Options{{}, {ValuesOnly: true}, {Subset: ByIndex(1, 2)}, {Subset: ByValue(0, 1)}} {
			members, out := membersOf[complex128, float64](a)
			counts := make([]int, c.count)
			var progress sched.Progress
			opt.Team = sched.NewTeam(context.Background(), 3, &progress)
			member := func(k int) Member[complex128, float64] { return members[k] }
			if err := EighBatch(c.count, member, counts, opt); err != nil {
				t.Fatal(err)
			}
			if done, total := progress.Read(); done != total {
				t.Errorf("%d matrices of order %d, %+v: %d of %d steps", c.count, c.n, opt.Subset, done, total)
			}
			if err := EighBatch(c.count, member, nil, opt); err != nil {
				t.Error(err)
			}
			for k, m := range a {
				alone := newOutputs[complex128, float64](c.n)
				count, err := Eigh(m.View(), alone.w, alone.v, Options{ValuesOnly: opt.ValuesOnly, Subset: opt.Subset})
				if err != nil || counts[k] != count {
					t.Fatalf("%d of %d matrices of order %d: %d eigenvalues, want %d (error %v)", k, c.count, c.n,
						counts[k], count, err)
				}
				name := fmt.Sprintf("%d of %d matrices of order %d, %+v", k, c.count, c.n, opt.Subset)
				checkValues(t, name, out[k].w[:count], alone.w[:count], 1e-13*float64(c.n))
				if c.n != maxSingleOrder+2 && !numtest.SameBits(out[k].v.Data, alone.v.Data) {
					t.Errorf("%s: vectors differ from those of Eigh", name)
				}
			}
		}
	}
}

func TestEighBatchErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 8))
	for _, n := range []int{6, maxLaneOrder + 1} {
		for name, spoil := range map[string]func(m *Member[float64, float64]){
			"a": func(m *Member[float64, float64]) { m.A.Set(0, n-1, math.NaN()) },
			"w": func(m *Member[float64, float64]) { m.W = m.W[:n-1] },
			"v": func(m *Member[float64, float64]) { m.V.Cols-- },
			"one order": func(m *Member[float64, float64]) {
				m.A = m.A.SliceRows(0, n-1)
				m.A.Cols--
			},
		} {
			var a []dense.Matrix[float64]
			for range 11 {
				a = append(a, numtest.RandomHermitian[float64](rng, n))
			}
			members, _ := membersOf[float64, float64](a)
			spoil(&members[9])
			err := EighBatch(len(a), func(k int) Member[float64, float64] { return members[k] }, nil, Options{})
			var batch *BatchError
			var argument *dense.ArgumentError
			if !errors.As(err, &batch) || batch.Member != 9 || !errors.As(err, &argument) ||
				!strings.HasSuffix(err.Error(), "(batch member 9)") {
				t.Errorf("order %d, bad %s: %v", n, name, err)
			}
			err = EighBatch(1, func(int) Member[float64, float64] { return members[9] }, nil, Options{})
			if name != "one order" && (errors.As(err, &batch) && batch == nil || !errors.As(err, &argument)) {
				t.Errorf("order %d, a single bad %s: %v", n, name, err)
			}
		}
	}
}

func TestBatchWorkspace(t *testing.T) {
	team := sched.NewTeam(context.Background(), 2, nil)
	one := Workspace[float64](30, false, Options{})
	for count, want := range map[int]int64{
		1: Workspace[float64](30, false, Options{Team: team}), 2: 2 * one, 3: one, batch.Width: one, batch.Width + 1: 2 * one,
		100: 2 * one,
	} {
		if got := BatchWorkspace[float64](30, count, Options{Team: team}); got != want {
			t.Errorf("%d matrices: %d bytes, want %d", count, got, want)
		}
	}
	if got := BatchWorkspace[float64](maxOrder+1, 2, Options{Team: team}); got != math.MaxInt64 {
		t.Errorf("an absurd order: %d bytes", got)
	}
}
