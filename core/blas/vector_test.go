package blas

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
)

// strided is a vector among guard words.
type strided[T dense.Scalar] struct {
	dense.Vector[T]
	memory []T
	offset int
}

var increments = []int{1, 1, 2, -1, -3}

// newStrided returns a random vector of n elements; guard is the value of the elements between and around them.
func newStrided[T dense.Scalar](rng *rand.Rand, n int, guard T) *strided[T] {
	inc, offset := pick(rng, increments...), rng.IntN(5)
	length := 0
	if n > 0 {
		length = (n-1)*max(inc, -inc) + 1
	}
	v := &strided[T]{memory: make([]T, offset+length+5), offset: offset}
	for i := range v.memory {
		v.memory[i] = guard
	}
	v.Vector = dense.Vector[T]{N: n, Inc: inc, Data: v.memory[offset : offset+length]}
	for i := range n {
		v.set(i, number[T](rng))
	}
	return v
}

// rowOf returns a row of a matrix as a vector without a guard.
func rowOf[T dense.Scalar](m dense.Matrix[T], i int) *strided[T] {
	return &strided[T]{Vector: dense.Vec(m.Row(i)), memory: m.Row(i)}
}

// place returns the index in Data of element i, as the BLAS define it.
func (v *strided[T]) place(i int) int {
	if v.Inc < 0 {
		return (v.N - 1 - i) * -v.Inc
	}
	return i * v.Inc
}

func (v *strided[T]) at(i int) T     { return v.Data[v.place(i)] }
func (v *strided[T]) set(i int, x T) { v.Data[v.place(i)] = x }

func (v *strided[T]) fill(x T) {
	for i := range v.N {
		v.set(i, x)
	}
}

func (v *strided[T]) clone() *strided[T] {
	c := *v
	c.memory = slices.Clone(v.memory)
	c.Data = c.memory[v.offset : v.offset+len(v.Data)]
	return &c
}

// wide returns the elements in double precision.
func (v *strided[T]) wide() []complex128 {
	w := make([]complex128, v.N)
	for i := range w {
		w[i] = dense.Convert[complex128](v.at(i))
	}
	return w
}

// guarded reports whether all memory outside the vector still holds guardWord.
func (v *strided[T]) guarded() bool {
	around := slices.Clone(v.memory)
	for i := range v.N {
		around[v.offset+v.place(i)] = guardWord
	}
	return !slices.ContainsFunc(around, func(x T) bool { return x != guardWord })
}

// expected is a vector by definition, with the sums of moduli that errors are measured against.
type expected struct {
	value []complex128
	size  []float64
}

func newExpected(n int) *expected { return &expected{make([]complex128, n), make([]float64, n)} }

// add adds x y to element i.
func (e *expected) add(i int, x, y complex128) {
	e.value[i] += x * y
	e.size[i] += dense.Abs(x) * dense.Abs(y)
}

// addScaled adds beta y; it does not read y if beta is 0.
func (e *expected) addScaled(beta complex128, y []complex128) {
	for i := range y {
		if beta != 0 {
			e.add(i, beta, y[i])
		}
	}
}

// differs describes the first element of got that is further from want than rounding errors in sums of the given number
// of terms permit, with a complex product and two rounding errors for each term.
func differs[T dense.Scalar](got *strided[T], want *expected, terms int) error {
	for i := range got.N {
		limit := 2 * float64(terms+4) * dense.Eps[T]() * want.size[i]
		if x := dense.Convert[complex128](got.at(i)); !(dense.Abs(x-want.value[i]) <= limit) {
			return fmt.Errorf("element %d is %v, want %v within %.2g", i, x, want.value[i], limit)
		}
	}
	if !got.guarded() {
		return fmt.Errorf("memory around the vector was written")
	}
	return nil
}

func nanOf[T dense.Scalar]() T { return dense.FromReal[T](math.NaN()) }

func factorsOf[T dense.Scalar](rng *rand.Rand) []T { return []T{0, 1, -1, number[T](rng)} }

// someLength returns lengths of up to 70, now and then of up to 600.
func someLength(rng *rand.Rand, round int) int {
	if round%20 == 0 {
		return rng.IntN(600)
	}
	return rng.IntN(70)
}

func checkf(t *testing.T, err error, format string, values ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", fmt.Sprintf(format, values...), err)
	}
}

func TestCopyViewTransposes(t *testing.T) {
	t.Run("float32", testCopyView[float32])
	t.Run("float64", testCopyView[float64])
	t.Run("complex64", testCopyView[complex64])
	t.Run("complex128", testCopyView[complex128])
}

// testCopyView copies between every two layouts: by rows, by columns, strided in both directions, and reversed. Nothing
// outside the target is written.
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
						t.Fatalf("%dx%d from layout %d to %d: %v was written at %d", m, n, from, to, x, i)
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
			v.Data[i] = math.MaxFloat64 // so that a sum of the elements overflows
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
	imaginary := dense.View[complex64]{Rows: 1, Cols: 1, RowStride: 1, ColStride: 1,
		Data: []complex64{complex(0, float32(math.Inf(1)))}}
	if CheckFinite(nil, imaginary, "v") == nil {
		t.Fatal("an infinite imaginary part is not found")
	}
}
