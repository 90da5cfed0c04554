package schur

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/numtest"
	"trnsci/core/quasi"
	"trnsci/core/scratch"
)

// layout is a way to place an n x n matrix in memory: the strides of its rows and columns for a given n.
type layout struct {
	name    string
	strides func(n int) (row, col int)
}

func layouts() []layout {
	return []layout{
		{"row-major", func(n int) (int, int) { return n, 1 }},
		{"row-major, padded", func(n int) (int, int) { return n + 3, 1 }},
		{"column-major", func(n int) (int, int) { return 1, n }},
		{"column-major, padded", func(n int) (int, int) { return 1, n + 2 }},
		{"strided", func(n int) (int, int) { return 3*n + 1, 2 }},
		{"rows reversed", func(n int) (int, int) { return -n, 1 }},
		{"both reversed", func(n int) (int, int) { return -2 * n, -1 }},
		{"transposed and reversed", func(n int) (int, int) { return -1, -n - 1 }},
	}
}

// guard is the value around and between the elements of a placed matrix.
const guard = -12345.678

// place returns an n x n view in memory of its own whose elements are x; everything else in that memory is guard.
func place(l layout, n int, x float64) dense.View[float64] {
	const margin = 5
	row, col := l.strides(n)
	last := max(0, n-1)
	low, high := min(0, row)*last+min(0, col)*last, max(0, row)*last+max(0, col)*last
	v := dense.View[float64]{
		Rows: n, Cols: n, Offset: margin - low, RowStride: row, ColStride: col,
		Data: make([]float64, high-low+1+2*margin),
	}
	for i := range v.Data {
		v.Data[i] = guard
	}
	v.Fill(x)
	return v
}

// guardsIntact reports whether everything outside v's elements still is guard.
func guardsIntact(v dense.View[float64]) bool {
	rest := slices.Clone(v.Data)
	v.Data = rest
	v.Fill(guard)
	return !slices.ContainsFunc(rest, func(x float64) bool { return x != guard })
}

func contents(v dense.View[float64]) []float64 {
	m := dense.New[float64](v.Rows, v.Cols)
	dense.Copy(m.View(), v)
	return m.Data
}

func TestLayouts(t *testing.T) {
	for name, f := range map[string]solver{"Schur": Decompose[float64], "Hessenberg": hessenbergForm[float64]} {
		for _, n := range []int{1, 2, 7, 33} {
			a := numtest.Random[float64](rand.New(rand.NewPCG(21, uint64(n))), n, n)
			wantForm, wantFactor := (&judge{T: t}).solve(name, f, a)
			for _, la := range layouts() {
				for _, lf := range layouts() {
					for _, overwrite := range []bool{false, true} {
						in, form, factor := place(la, n, 0), place(lf, n, math.NaN()), place(la, n, math.NaN())
						dense.Copy(in, a.View())
						before := slices.Clone(in.Data)
						if err := f(in, form, factor, Options{Overwrite: overwrite}); err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(contents(form), wantForm.Data) || !slices.Equal(contents(factor), wantFactor.Data) {
							t.Errorf("%s, n = %d, a and factor %s, form %s: other results than row-major", name, n, la.name, lf.name)
						}
						if !guardsIntact(in) || !guardsIntact(form) || !guardsIntact(factor) {
							t.Errorf("%s, n = %d, a and factor %s, form %s: wrote outside its memory", name, n, la.name, lf.name)
						}
						if !overwrite && !slices.Equal(in.Data, before) {
							t.Errorf("%s, n = %d, a %s: the input was changed", name, n, la.name)
						}
					}
				}
			}
		}
	}
}

func TestFormMayReplaceTheInput(t *testing.T) {
	a := numtest.Random[float64](rand.New(rand.NewPCG(22, 23)), 12, 12)
	for name, f := range map[string]solver{"Schur": Decompose[float64], "Hessenberg": hessenbergForm[float64]} {
		want, _ := (&judge{T: t}).solve(name, f, a)
		for _, l := range layouts() {
			v := place(l, 12, 0)
			dense.Copy(v, a.View())
			if err := f(v, v, place(l, 12, 0), Options{Overwrite: true}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(contents(v), want.Data) {
				t.Errorf("%s, %s: another result in place", name, l.name)
			}
		}
	}
}

func TestArgumentErrors(t *testing.T) {
	square, wide, small := poisoned(3).View(), dense.New[float64](2, 3).View(), dense.New[float64](2, 2).View()
	square.Fill(1)
	for name, f := range map[string]solver{"Schur t z": Decompose[float64], "Hessenberg h q": hessenbergForm[float64]} {
		words := strings.Fields(name)
		cases := []struct {
			a, form, factor dense.View[float64]
			arg, shape      string
		}{
			{wide, square, square, "a", "(2, 3)"},
			{wide.T(), square, square, "a", "(3, 2)"},
			{square, small, square, words[1], "(2, 2)"},
			{square, wide, square, words[1], "(2, 3)"},
			{square, dense.View[float64]{}, square, words[1], "(0, 0)"},
			{square, square, small, words[2], "(2, 2)"},
			{square, square, wide.T(), words[2], "(3, 2)"},
		}
		for _, c := range cases {
			var e *dense.ArgumentError
			err := f(c.a, c.form, c.factor, Options{})
			if !errors.As(err, &e) || e.Arg != c.arg || !strings.Contains(e.Reason, c.shape) {
				t.Errorf("%s: got %v, want an error about %s of shape %s", words[0], err, c.arg, c.shape)
			}
		}
	}
}

func TestEmptyMatrix(t *testing.T) {
	empty := dense.View[float64]{}
	for name, f := range map[string]solver{"Schur": Decompose[float64], "Hessenberg": hessenbergForm[float64]} {
		if err := f(empty, empty, empty, Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if values := quasi.Eigenvalues(empty); len(values) != 0 {
		t.Errorf("eigenvalues %v", values)
	}
}

func TestInputsThatAreNotFinite(t *testing.T) {
	for name, f := range map[string]solver{"Schur": Decompose[float64], "Hessenberg": hessenbergForm[float64]} {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for position := range 16 {
				a := numtest.Random[float64](rand.New(rand.NewPCG(24, 25)), 4, 4)
				a.Data[position] = bad
				form, factor := dense.New[float64](4, 4), dense.New[float64](4, 4)
				var e *dense.ArgumentError
				if err := f(a.View(), form.View(), factor.View(), Options{}); !errors.As(err, &e) || *e != *dense.NotFinite("a") {
					t.Fatalf("%s: %v at %d gives %v", name, bad, position, err)
				}
				if err := f(a.View(), form.View(), factor.View(), Options{SkipFiniteCheck: true}); err != nil {
					t.Fatalf("%s without check: %v at %d gives %v", name, bad, position, err)
				}
				for i := range form.Data {
					if !math.IsNaN(form.Data[i]) || !math.IsNaN(factor.Data[i]) {
						t.Fatalf("%s without check: %v at %d leaves numbers", name, bad, position)
					}
				}
			}
		}
	}
}

func TestWorkspaceIsAnUpperBound(t *testing.T) {
	for _, n := range []int{1, 10, 60, 150, 200} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(26, 27)), n, n)
		for name, f := range map[string]solver{"Schur": Decompose[float64], "Hessenberg": hessenbergForm[float64]} {
			strided := layouts()[4]
			form, factor := place(strided, n, 0), place(strided, n, 0)
			var before, after runtime.MemStats
			if err := f(a.View(), form, factor, Options{}); err != nil { // makes what package blas keeps
				t.Fatal(err)
			}
			// but not the matrices and panels of this one
			workspace.Matrices = scratch.Pool{MostBytes: workspace.MaxKeptBytes}
			workspace.Panels = scratch.Pool{MostBytes: workspace.MaxKeptBytes}
			runtime.ReadMemStats(&before)
			err := f(a.View(), form, factor, Options{})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			used, bound := int64(after.TotalAlloc-before.TotalAlloc), Workspace[float64](n)
			if used > bound || n <= plainRealOrder && bound > used+1<<17 {
				t.Errorf("%s, n = %d: allocated %d bytes, Workspace says %d", name, n, used, bound)
			}
		}
	}
}
