package eigen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// layouts returns views of the same matrix a in memory of different kinds.
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

// guard is in every element of memory that no result belongs to.
const guard = -12345

// guardsHold reports whether every element of v.Data that is not one of v's still is a guard.
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
	worst := &worstResiduals{}
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
					out = columns(out, opt.Subset.largestCount(n))
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
					if !opt.Overwrite && !sameBits(in.Data, before) {
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
