package blas

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
)

func TestCopyViewTransposes(t *testing.T) {
	t.Run("float32", testCopyView[float32])
	t.Run("float64", testCopyView[float64])
	t.Run("complex64", testCopyView[complex64])
	t.Run("complex128", testCopyView[complex128])
}

// testCopyView copies between every two of: by rows, by columns, strided both ways. Nothing beside the target is written.
func testCopyView[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, shape := range [][2]int{{0, 3}, {1, 1}, {1, 9}, {9, 1}, {5, 7}, {33, 17}, {70, 129}} {
		m, n := shape[0], shape[1]
		for from, source := range layouts[T](m, n) {
			for i := range source.Data {
				source.Data[i] = dense.FromReal[T](rng.NormFloat64())
			}
			for to, target := range layouts[T](m, n) {
				if err := CopyView(nil, target, source); err != nil {
					t.Fatal(err)
				}
				for i := range m {
					for j := range n {
						if target.At(i, j) != source.At(i, j) {
							t.Fatalf("%dx%d from layout %d to %d: element (%d, %d) differs", m, n, from, to, i, j)
						}
						target.Set(i, j, 0)
					}
				}
				for i, x := range target.Data {
					if x != 0 {
						t.Fatalf("%dx%d from layout %d to %d: %v is left at %d", m, n, from, to, x, i)
					}
				}
			}
		}
	}
}

func layouts[T dense.Scalar](m, n int) []dense.View[T] {
	data := func(size int) []T { return make([]T, size) }
	return []dense.View[T]{
		{Rows: m, Cols: n, RowStride: n + 2, ColStride: 1, Data: data(m * (n + 2))},
		{Rows: m, Cols: n, RowStride: 1, ColStride: m + 3, Data: data((m + 3) * n)},
		{Rows: m, Cols: n, RowStride: 2 * n, ColStride: 2, Data: data(2 * m * n)},
		{Rows: m, Cols: n, Offset: max(0, m*n-1), RowStride: -n, ColStride: -1, Data: data(m * n)},
	}
}

func TestCheckFiniteFindsEveryElement(t *testing.T) {
	const m, n = 7, 19
	for layout, v := range layouts[float64](m, n) {
		for i := range v.Data {
			v.Data[i] = math.MaxFloat64 // the sum overflows
		}
		if err := CheckFinite(nil, v, "v"); err != nil {
			t.Fatalf("layout %d: %v", layout, err)
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for i := range m {
				for j := range n {
					v.Set(i, j, bad)
					var argument *dense.ArgumentError
					if err := CheckFinite(nil, v, "v"); !errors.As(err, &argument) || argument.Arg != "v" {
						t.Fatalf("layout %d: %v at (%d, %d) gives %v", layout, bad, i, j, err)
					}
					v.Set(i, j, 1)
				}
			}
		}
	}
	if err := CheckFinite(nil, dense.View[complex64]{}, "v"); err != nil {
		t.Fatal(err)
	}
	imaginary := dense.View[complex64]{Rows: 1, Cols: 1, RowStride: 1, ColStride: 1, Data: []complex64{complex(0, float32(math.Inf(1)))}}
	if CheckFinite(nil, imaginary, "v") == nil {
		t.Fatal("an infinite imaginary part is finite")
	}
}
