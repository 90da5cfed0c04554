package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/tridiag"
)

// limited returns a with zeros where row and column differ by more than width.
func limited[T dense.Scalar](a dense.Matrix[T], width int) dense.Matrix[T] {
	b := a.Clone()
	for i := range a.Rows {
		for j := range a.Cols {
			if max(i, j)-min(i, j) > width {
				b.Set(i, j, 0)
			}
		}
	}
	return b
}

// packed returns a in LAPACK's band storage with rows-1 off-diagonals. Entries that hold no element of a are NaN.
func packed[T dense.Scalar](a dense.Matrix[T], rows int, upper bool) dense.Matrix[T] {
	b := dense.New[T](rows, a.Cols)
	b.Fill(dense.FromParts[T](math.NaN(), math.NaN()))
	for k := range min(rows, a.Rows) {
		for j := range a.Cols - k {
			if upper {
				b.Set(rows-1-k, j+k, a.At(j, j+k))
			} else {
				b.Set(k, j, a.At(j+k, j))
			}
		}
	}
	return b
}

// widths are numbers of subdiagonals: none, one, few enough for the reduction of narrow bands at the larger orders, too
// many for it, and more than the matrix has.
var widths = []int{0, 1, 2, 3, 7, 300}

func TestEighBanded(t *testing.T) {
	t.Run("float32", testBanded[float32, float64, float32])
	t.Run("float64", testBanded[float64, float64, float64])
	t.Run("complex64", testBanded[complex64, complex128, float32])
	t.Run("complex128", testBanded[complex128, complex128, float64])
}

func testBanded[T dense.Scalar, W dense.Wide, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	worst := &numtest.WorstResiduals{}
	for _, n := range []int{1, 2, 3, 5, 33, 100, 210} {
		for _, family := range numtest.HermitianFamilies[W]() {
			if n > 100 && family.Name != "random" && family.Name != "graded up" {
				continue
			}
			whole := rounded[T](family.Make(rng, n))
			for _, width := range widths {
				a := limited(whole, width)
				for _, upper := range []bool{false, true} {
					name := fmt.Sprintf("%s, n = %d, width %d, upper %v", family.Name, n, width, upper)
					band := packed(a, width+1, upper)
					opt := Options{Upper: upper, SkipFiniteCheck: true}
					o := newOutputs[T, R](n)
					if count, err := EighBanded(band.View(), o.w, o.v, opt); err != nil || count != n {
						t.Fatalf("%s: %d, %v", name, count, err)
					}
					w, v := pairs[W](o, n)
					checkPairs(t, worst, name, widened[W](a), w, v, dense.Eps[T]())
					opt.ValuesOnly = true
					if _, err := EighBanded(band.View(), o.w, dense.View[T]{}, opt); err != nil {
						t.Fatal(err)
					}
					checkSameValues(t, name, o.w, w)
				}
			}
		}
	}
	t.Log(worst)
}

// The reduction of narrow bands is correct for every bandwidth and order, also where the dense reduction is faster.
func TestChase(t *testing.T) {
	t.Run("float64", testChase[float64])
	t.Run("complex128", testChase[complex128])
}

func testChase[W dense.Wide](t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for _, family := range numtest.HermitianFamilies[W]() {
		for _, n := range []int{3, 4, 5, 8, 17, 40} {
			for _, width := range []int{2, 3, 4, 9, 39} {
				if width >= n {
					continue
				}
				name := fmt.Sprintf("%s, n = %d, width %d", family.Name, n, width)
				a := limited(family.Make(rng, n), width)
				want, _ := mustEigh[W, float64](t, a.View(), Options{})
				band := newHermitianBand[W](packed(a, width+1, false).View(), false)
				m := tridiag.New(n)
				if err := band.reducible().Tridiagonalize(nil, m); err != nil {
					t.Fatal(err)
				}
				if err := tridiag.Eigenvalues(nil, m); err != nil {
					t.Fatal(err)
				}
				blas.Ldexp(m.D, -band.exponent)
				checkSameValues(t, name, m.D, want)
			}
		}
	}
}

func TestBandedAndTridiagonalScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	worst := &numtest.WorstResiduals{}
	for _, exponent := range []int{-1010, -996, -341, 0, 341, 996, 1018} {
		for _, width := range []int{1, 2} {
			const n = 220
			a := limited(numtest.RandomHermitian[complex128](rng, n), width)
			back := func(w []float64) []float64 {
				for i := range w {
					w[i] = math.Ldexp(w[i], -exponent)
				}
				return w
			}
			name := fmt.Sprintf("2^%d, width %d", exponent, width)
			o := newOutputs[complex128, float64](n)
			band := packed(times2(a, exponent), width+1, false).View()
			if _, err := EighBanded(band, o.w, o.v, Options{SkipFiniteCheck: true}); err != nil {
				t.Fatal(err)
			}
			w, v := pairs[complex128](o, n)
			checkPairs(t, worst, name, a, back(w), v, 0x1p-52)
			if _, err := EighBanded(band, o.w, o.v, Options{SkipFiniteCheck: true, ValuesOnly: true}); err != nil {
				t.Fatal(err)
			}
			checkSameValues(t, name, back(o.w), w)
		}
	}
	t.Log(worst)
}

// couplings returns the diagonal and the subdiagonal of a.
func couplings[T dense.Float](a dense.Matrix[T]) (d, e []T) {
	for i := range a.Rows {
		d = append(d, a.At(i, i))
		if i > 0 {
			e = append(e, a.At(i, i-1))
		}
	}
	return d, e
}

func TestEighTridiagonal(t *testing.T) {
	t.Run("float32", testTridiagonal[float32])
	t.Run("float64", testTridiagonal[float64])
}

func testTridiagonal[R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	worst := &numtest.WorstResiduals{}
	for _, n := range numtest.Sizes {
		for _, family := range numtest.HermitianFamilies[float64]() {
			if n == 0 {
				continue
			}
			name := fmt.Sprintf("%s, n = %d", family.Name, n)
			a := limited(rounded[R](family.Make(rng, n)), 1)
			if family.Name == "weakly coupled" {
				a.Set(0, 0, 1) // so that not all elements are subnormal in float32
			}
			d, e := couplings(a)
			o := newOutputs[R, R](n)
			if count, err := EighTridiagonal(d, e, o.w, o.v, Options{}); err != nil || count != n {
				t.Fatalf("%s: %d, %v", name, count, err)
			}
			w, v := pairs[float64](o, n)
			checkPairs(t, worst, name, widened[float64](a), w, v, dense.Eps[R]())
			values := make([]R, n)
			if _, err := EighTridiagonal(d, e, values, dense.View[R]{}, Options{ValuesOnly: true}); err != nil {
				t.Fatal(err)
			}
			checkSameValues(t, name, values, w)
			if n > 4 {
				checkTridiagonalSubset(t, name, d, e, o)
			}
		}
	}
	t.Log(worst)
}

// checkTridiagonalSubset fails the test unless the eigenvalues of subsets agree with those in all.
func checkTridiagonalSubset[R dense.Float](t *testing.T, name string, d, e []R, all outputs[R, R]) {
	t.Helper()
	n := len(d)
	largest := max(math.Abs(float64(all.w[0])), math.Abs(float64(all.w[n-1])))
	for _, s := range []Subset{ByIndex(1, 3), ByIndex(n-1, n-1), ByValue(float64(all.w[1]), float64(all.w[n-2])+1)} {
		o := newOutputs[R, R](n)
		count, err := EighTridiagonal(d, e, o.w, o.v, Options{Subset: s})
		if err != nil {
			t.Fatal(err)
		}
		first, want := 0, 0
		for i, x := range all.w {
			if s.holds(i, float64(x)) {
				if want == 0 {
					first = i
				}
				want++
			}
		}
		if s.kind == pairsByIndex && count != want {
			t.Fatalf("%s: %+v: %d eigenvalues, want %d", name, s, count, want)
		}
		for i := range min(count, want) {
			if !(math.Abs(float64(o.w[i]-all.w[first+i])) <= residualLimit*float64(max(n, 8))*dense.Eps[R]()*largest) {
				t.Errorf("%s: %+v: eigenvalue %d is %v, want %v", name, s, i, o.w[i], all.w[first+i])
			}
		}
	}
}

func TestBandedArguments(t *testing.T) {
	band, v := dense.New[float64](2, 3), dense.New[float64](3, 3).View()
	w := make([]float64, 3)
	infinite := band.Clone()
	infinite.Set(1, 2, math.Inf(1)) // an unused entry of the band storage
	run := func(band dense.View[float64], w []float64, v dense.View[float64], opt Options) error {
		_, err := EighBanded(band, w, v, opt)
		return err
	}
	tridiagonal := func(d, e []float64) error {
		_, err := EighTridiagonal(d, e, w, v, Options{})
		return err
	}
	nan := math.NaN()
	for _, c := range []struct {
		arg, detail string
		err         error
	}{
		{"a_band", "(0, 3)", run(dense.View[float64]{Cols: 3}, w, v, Options{})},
		{"w", "got 2", run(band.View(), w[:2], v, Options{})},
		{"v", "(3, 3)", run(band.View(), w, dense.View[float64]{}, Options{})},
		{"subset_by_index", "(0, 3)", run(band.View(), w, v, Options{Subset: ByIndex(0, 3)})},
		{"a_band", "infinities or NaNs", run(infinite.View(), w, v, Options{})},
		{"e", "got 3", tridiagonal(w, w)},
		{"d", "infinities or NaNs", tridiagonal([]float64{0, nan, 0}, []float64{0, 0})},
		{"e", "infinities or NaNs", tridiagonal([]float64{0, 0, 0}, []float64{0, nan})},
	} {
		var e *dense.ArgumentError
		if !errors.As(c.err, &e) || e.Arg != c.arg || !strings.Contains(e.Reason, c.detail) {
			t.Errorf("%s, %s: %v", c.arg, c.detail, c.err)
		}
	}
	if err := run(infinite.View(), w, v, Options{SkipFiniteCheck: true}); err != nil || w[0] != 0 {
		t.Errorf("an infinity in an unused entry: %v, %v", w, err)
	}
	if err := run(dense.View[float64]{}, nil, dense.View[float64]{}, Options{}); err != nil {
		t.Error(err)
	}
}

func TestBandedNotFinite(t *testing.T) {
	skip := Options{SkipFiniteCheck: true}
	w, v := make([]float64, 3), dense.New[float64](3, 3).View()
	for name, solve := range map[string]func() (int, error){
		"tridiagonal": func() (int, error) {
			return EighTridiagonal([]float64{0, 1, 2}, []float64{math.Inf(1), 0}, w, v, skip)
		},
		"banded": func() (int, error) {
			return EighBanded(dense.FromRows([]float64{0, 1, math.NaN()}).View(), w, v, skip)
		},
	} {
		clear(w)
		if count, err := solve(); count != 3 || err != nil || w[0] == w[0] || v.At(2, 2) == v.At(2, 2) {
			t.Errorf("%s: %d, %v, %v", name, count, err, w)
		}
	}
}

func TestBandedThreadsProgressAndWorkspace(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(5, 3))
	widths := []int{3, 1, 20}
	if testing.Short() { // as under the race detector
		widths = widths[:1]
	}
	for _, width := range widths {
		band := packed(numtest.RandomHermitian[complex128](rng, n), width+1, false).View()
		for _, only := range []bool{false, true} {
			var first outputs[complex128, float64]
			for _, threads := range []int{1, 3} {
				var progress sched.Progress
				opt := Options{Team: sched.NewTeam(context.Background(), threads, &progress), ValuesOnly: only,
					SkipFiniteCheck: true}
				o := newOutputs[complex128, float64](n)
				got := allocated(func() {
					if _, err := EighBanded(band, o.w, o.v, opt); err != nil {
						t.Fatal(err)
					}
				})
				if bound := uint64(BandWorkspace[complex128](width+1, n, opt)); got > bound {
					t.Errorf("width %d, values only %v: allocated %d, bound %d", width, only, got, bound)
				}
				if done, total := progress.Read(); done != total || total < n {
					t.Errorf("width %d, values only %v: %d of %d steps", width, only, done, total)
				}
				if threads == 1 {
					first = o
				} else if !numtest.SameBits(first.w, o.w) || !numtest.SameBits(first.v.Data, o.v.Data) {
					t.Errorf("width %d: 1 and %d threads differ", width, threads)
				}
			}
		}
	}
}
