package eigen

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

func TestArgumentErrors(t *testing.T) {
	square := func(n int) dense.View[float64] {
		return numtest.RandomSPD[float64](rand.New(rand.NewPCG(1, 1)), n).View()
	}
	notFinite := square(3)
	notFinite.Set(0, 2, math.Inf(-1)) // above the diagonal
	rectangle := dense.New[float64](3, 4).View()
	cases := []struct {
		name, arg, detail string
		problem           Problem // of the generalized call
		a, b              dense.View[float64]
		wLength           int
		v                 dense.View[float64]
		opt               Options
	}{
		{name: "rectangle", arg: "a", detail: "(3, 4)", problem: 1, a: rectangle, b: square(3), wLength: 3, v: square(3)},
		{name: "other order", arg: "b", detail: "(2, 2)", problem: 1, a: square(3), b: square(2), wLength: 3, v: square(3)},
		{name: "rectangle", arg: "b", detail: "(3, 4)", problem: 1, a: square(3), b: rectangle, wLength: 3, v: square(3)},
		{name: "w too short", arg: "w", detail: "2", problem: 1, a: square(3), b: square(3), wLength: 2, v: square(3)},
		{name: "v too small", arg: "v", detail: "(2, 2)", problem: 1, a: square(3), b: square(3), wLength: 3, v: square(2)},
		{name: "infinity", arg: "a", detail: "infinities or NaNs", problem: 1, a: notFinite, b: square(3), wLength: 3,
			v: square(3)},
		{name: "infinity", arg: "b", detail: "infinities or NaNs", problem: 1, a: square(3), b: notFinite, wLength: 3,
			v: square(3)},
		{name: "type 0", arg: "type", detail: "0", problem: 0, a: square(3), b: square(3), wLength: 3, v: square(3)},
		{name: "type 4", arg: "type", detail: "4", problem: 4, a: square(3), b: square(3), wLength: 3, v: square(3)},
	}
	for _, s := range []Subset{ByIndex(-1, 1), ByIndex(2, 1), ByIndex(0, 3)} {
		detail := fmt.Sprintf("(%d, %d)", s.first, s.last)
		cases = append(cases, cases[0])
		c := &cases[len(cases)-1]
		c.name, c.arg, c.detail, c.a, c.opt.Subset = "indices", "subset_by_index", detail, square(3), s
	}
	for _, s := range []Subset{ByValue(1, 1), ByValue(2, 1), ByValue(math.NaN(), 1), ByValue(0, math.NaN())} {
		cases = append(cases, cases[0])
		c := &cases[len(cases)-1]
		c.name, c.arg, c.detail, c.a, c.opt.Subset = "values", "subset_by_value",
			fmt.Sprintf("(%g, %g)", s.above, s.upTo), square(3), s
	}
	for _, c := range cases {
		check := func(err error) {
			t.Helper()
			var e *dense.ArgumentError
			if !errors.As(err, &e) || e.Arg != c.arg || !strings.Contains(e.Reason, c.detail) {
				t.Errorf("%s of %s: %v", c.name, c.arg, err)
			}
		}
		w := make([]float64, c.wLength)
		_, err := EighGeneralized(c.problem, c.a, c.b, w, c.v, c.opt)
		check(err)
		if c.arg != "b" && c.arg != "type" {
			_, err = Eigh(c.a, w, c.v, c.opt)
			check(err)
		}
	}
}

func TestRealTypeMustFit(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for float32 eigenvalues of a complex128 matrix")
		}
	}()
	a := dense.New[complex128](1, 1).View()
	_, _ = Eigh(a, make([]float32, 1), a, Options{})
}

func TestOtherTriangleIsNotRead(t *testing.T) {
	t.Run("float32", testOtherTriangle[float32, float32])
	t.Run("float64", testOtherTriangle[float64, float64])
	t.Run("complex64", testOtherTriangle[complex64, float32])
	t.Run("complex128", testOtherTriangle[complex128, float64])
}

func testOtherTriangle[T dense.Scalar, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 2, 33, 70} {
		a, b := rounded[T](numtest.RandomHermitian[complex128](rng, n)), numtest.RandomSPD[T](rng, n)
		for _, upper := range []bool{false, true} {
			opt := Options{Upper: upper, SkipFiniteCheck: true}
			clean, dirty := newOutputs[T, R](n), newOutputs[T, R](n)
			// The imaginary parts of the diagonal are ignored, too.
			pa, pb := poisoned(a, upper), poisoned(b, upper)
			for i := range n {
				pa.Set(i, i, dense.FromParts[T](dense.Real(a.At(i, i)), math.NaN()))
				pb.Set(i, i, dense.FromParts[T](dense.Real(b.At(i, i)), math.NaN()))
			}
			for problem := range BAXEqualsLambdaX + 1 {
				solve := func(a, b dense.Matrix[T], o outputs[T, R]) {
					var err error
					if problem == 0 {
						_, err = Eigh(a.View(), o.w, o.v, opt)
					} else {
						_, err = EighGeneralized(problem, a.View(), b.View(), o.w, o.v, opt)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				solve(a, b, clean)
				solve(pa, pb, dirty)
				if !numtest.SameBits(clean.w, dirty.w) || !numtest.SameBits(clean.v.Data, dirty.v.Data) {
					t.Errorf("n = %d, upper %v, problem %d: results differ", n, upper, problem)
				}
			}
		}
	}
}

func TestNaNInTheTriangle(t *testing.T) {
	t.Run("float32", testNaN[float32, float32])
	t.Run("complex128", testNaN[complex128, float64])
}

func testNaN[T dense.Scalar, R dense.Float](t *testing.T) {
	const n = 4
	isNaN := func(x T) bool { return x != x }
	subsets := map[string]struct {
		subset Subset
		count  int
	}{"all": {Subset{}, n}, "by index": {ByIndex(1, 2), 2}, "by value": {ByValue(-1, 1), 0}}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, want := range subsets {
			for i := range n {
				for j := range i + 1 {
					good, wrong := numtest.RandomSPD[T](rand.New(rand.NewPCG(1, 1)), n),
						numtest.RandomSPD[T](rand.New(rand.NewPCG(1, 1)), n)
					wrong.Set(i, j, dense.FromReal[T](bad))
					opt := Options{SkipFiniteCheck: true, Subset: want.subset}
					check := func(solve func(o outputs[T, R]) (int, error)) {
						t.Helper()
						o := newOutputs[T, R](n)
						count, err := solve(o)
						if err != nil || count != want.count {
							t.Fatalf("%v at (%d,%d), %s: count %d, error %v", bad, i, j, name, count, err)
						}
						for k := range n {
							if (o.w[k] != o.w[k]) != (k < count) || isNaN(o.v.At(n-1, k)) != (k < count) {
								t.Fatalf("%v at (%d,%d), %s: w %v, v %v", bad, i, j, name, o.w, o.v.Data)
							}
						}
					}
					check(func(o outputs[T, R]) (int, error) { return Eigh(wrong.View(), o.w, o.v, opt) })
					check(func(o outputs[T, R]) (int, error) {
						return EighGeneralized(1, wrong.View(), good.View(), o.w, o.v, opt)
					})
					check(func(o outputs[T, R]) (int, error) {
						return EighGeneralized(1, good.View(), wrong.View(), o.w, o.v, opt)
					})
				}
			}
		}
	}
}

func TestSubsetsAgreeWithAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 60
	a := rounded[complex64](numtest.RandomHermitian[complex128](rng, n))
	all, v := mustEigh[complex128, float32](t, a.View(), Options{})
	// Eigenvalues computed without vectors may differ by rounding errors, so intervals for them end at ownValues.
	values, ownValues := make([]float32, n), make([]float64, n)
	if _, err := Eigh(a.View(), values, dense.View[complex64]{}, Options{ValuesOnly: true}); err != nil {
		t.Fatal(err)
	}
	for i, x := range values {
		ownValues[i] = float64(x)
	}
	check := func(of func(all []float64) Subset, first, count int) {
		t.Helper()
		subset := of(all)
		w, u := mustEigh[complex128, float32](t, a.View(), Options{Subset: subset})
		values := make([]float32, n)
		valueCount, err := Eigh(a.View(), values, dense.View[complex64]{}, Options{Subset: of(ownValues), ValuesOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(w) != count || valueCount != count {
			t.Fatalf("%+v: %d and %d eigenpairs, want %d", subset, len(w), valueCount, count)
		}
		checkEighValues(t, fmt.Sprintf("%+v", subset), n, values[:count], w)
		for i := range w {
			if w[i] != all[first+i] {
				t.Errorf("%+v: eigenvalue %d differs", subset, i)
			}
			for k := range n {
				if dense.Abs(u.At(k, i)-v.At(k, first+i)) > 1e-6 {
					t.Fatalf("%+v: eigenvector %d differs", subset, i)
				}
			}
		}
	}
	byIndex := func(lo, hi int) { check(func([]float64) Subset { return ByIndex(lo, hi) }, lo, hi-lo+1) }
	byIndex(0, 0)
	byIndex(n-1, n-1)
	byIndex(7, 50)
	byIndex(0, n-1)
	check(func([]float64) Subset { return ByValue(math.Inf(-1), math.Inf(1)) }, 0, n)
	// the lower end is open, the upper end is closed
	check(func(all []float64) Subset { return ByValue(all[9], all[29]) }, 10, 20)
	check(func(all []float64) Subset { return ByValue(all[n-1], all[n-1]+1) }, n, 0)
	check(func(all []float64) Subset { return ByValue(all[0]-1, all[0]) }, 0, 1)
}

// With DoublePrecision the results for a single precision matrix are the rounded results for the same matrix in double
// precision.
func TestDoublePrecision(t *testing.T) {
	const n = 90
	a := numtest.RandomHermitian[complex64](rand.New(rand.NewPCG(9, 9)), n)
	single, double := newOutputs[complex64, float32](n), newOutputs[complex128, float64](n)
	if _, err := Eigh(a.View(), single.w, single.v, Options{DoublePrecision: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := Eigh(widened[complex128](a).View(), double.w, double.v, Options{}); err != nil {
		t.Fatal(err)
	}
	for i, x := range double.w {
		if single.w[i] != float32(x) {
			t.Errorf("eigenvalue %d is %v, want %v", i, single.w[i], x)
		}
	}
	for i, x := range double.v.Data {
		if single.v.Data[i] != complex64(x) {
			t.Fatalf("element %d of the vectors is %v, want %v", i, single.v.Data[i], x)
		}
	}
}

// layouts returns views of copies of a in several memory layouts.
func layouts[T dense.Scalar](a dense.Matrix[T]) map[string]dense.View[T] {
	n := a.Rows
	views := map[string]dense.View[T]{
		"rows":           {RowStride: n, ColStride: 1},
		"columns":        {RowStride: 1, ColStride: n},
		"padded rows":    {Offset: 3, RowStride: n + 2, ColStride: 1},
		"padded columns": {Offset: 3, RowStride: 1, ColStride: n + 5},
		"strided":        {Offset: 1, RowStride: 2, ColStride: 2*n + 3},
		"reversed":       {Offset: n*n - 1, RowStride: -n, ColStride: -1},
		"half reversed":  {Offset: 5 + 2*(n-1)*n, RowStride: -2 * n, ColStride: 2},
	}
	for name, v := range views {
		v.Rows, v.Cols, v.Data = n, n, make([]T, 3*n*n+6*n+10)
		for i := range v.Data {
			v.Data[i] = dense.FromReal[T](guard)
		}
		dense.Copy(v, a.View())
		views[name] = v
	}
	return views
}

// guard fills the memory that no result may be written to.
const guard = -12345

// guardsHold reports whether every element of v.Data outside v is still a guard.
func guardsHold[T dense.Scalar](v dense.View[T]) bool {
	own := make(map[int]bool)
	for i := range v.Rows {
		for j := range v.Cols {
			own[v.Offset+i*v.RowStride+j*v.ColStride] = true
		}
	}
	for i, x := range v.Data {
		if !own[i] && x != dense.FromReal[T](guard) {
			return false
		}
	}
	return true
}

func TestLayouts(t *testing.T) {
	t.Run("float32", testLayouts[float32, float64, float32])
	t.Run("float64", testLayouts[float64, float64, float64])
	t.Run("complex64", testLayouts[complex64, complex128, float32])
	t.Run("complex128", testLayouts[complex128, complex128, float64])
}

func testLayouts[T dense.Scalar, W dense.Wide, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	worst := &numtest.WorstResiduals{}
	for _, n := range []int{1, 5, 66} {
		a := rounded[T](numtest.RandomHermitian[W](rng, n))
		last := n - 1
		for _, opt := range []Options{
			{}, {Upper: true}, {Overwrite: true}, {Upper: true, Overwrite: true},
			{Subset: ByIndex(last/2, last)}, {Overwrite: true, Subset: ByValue(0, math.Inf(1))},
		} {
			for inName, in := range layouts(poisoned(a, opt.Upper)) {
				before := slices.Clone(in.Data)
				for outName, out := range layouts(dense.New[T](n, n)) {
					name := fmt.Sprintf("n = %d, %s to %s, %+v", n, inName, outName, opt)
					if opt.Overwrite {
						copy(in.Data, before)
					}
					out = columns(out, opt.Subset.maxCount(n))
					for i := range out.Data {
						out.Data[i] = dense.FromReal[T](guard)
					}
					w := make([]R, n+2)
					for i := range w {
						w[i] = guard
					}
					opt.SkipFiniteCheck = true
					count, err := Eigh(in, w[1:n+1], out, opt)
					if err != nil {
						t.Fatal(err)
					}
					got := columns(out, count)
					if !guardsHold(got) || w[0] != guard || slices.ContainsFunc(w[count+1:], func(x R) bool { return x != guard }) {
						t.Errorf("%s: wrote outside its outputs", name)
					}
					if !guardsHold(in) {
						t.Errorf("%s: wrote outside its input", name)
					}
					if !opt.Overwrite && !numtest.SameBits(in.Data, before) {
						t.Errorf("%s: changed its input", name)
					}
					v, wide := dense.New[W](n, count), make([]float64, count)
					dense.Copy(v.View(), got)
					for i := range wide {
						wide[i] = float64(w[i+1])
					}
					checkPairs(t, worst, name, widened[W](a), wide, v, dense.Eps[T]())
				}
			}
		}
	}
}
