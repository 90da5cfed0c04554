package stream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/sched"
)

func team(threads int) *sched.Team { return sched.NewTeam(context.Background(), threads, nil) }

// written returns an open .npy file of float64 numbers in C order.
func written(t *testing.T, data []float64, shape ...int) *npy.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "array.npy")
	w, err := npy.Create(path, shape)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := npy.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// consecutive returns 0, 1, 2, ...
func consecutive(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

func product(shape []int) int {
	n := 1
	for _, size := range shape {
		n *= size
	}
	return n
}

// stridesOf returns the strides of a shape in C order.
func stridesOf(shape []int) []int {
	strides := make([]int, len(shape))
	for axis := range shape {
		strides[axis] = product(shape[axis+1:])
	}
	return strides
}

// sliced returns the slices first <= i < end along an axis of an array in C order, the other axes in their order.
func sliced(data []float64, shape []int, axis, first, end int) []float64 {
	var out []float64
	inner := product(shape[axis+1:])
	for i := first; i < end; i++ {
		for outer := range product(shape[:axis]) {
			at := (outer*shape[axis] + i) * inner
			out = append(out, data[at:at+inner]...)
		}
	}
	return out
}

// moved returns the sizes of an axis and then of the others.
func moved(x []int, axis int) []int {
	return append([]int{x[axis]}, slices.Delete(slices.Clone(x), axis, axis+1)...)
}

// Arrays of two to four axes along each of these, from every source, whole and in part, to both precisions.
func TestReadersPackTheSlices(t *testing.T) {
	for _, shape := range [][]int{{5, 7}, {7, 1}, {4, 3, 6}, {3, 1, 5}, {2, 3, 4, 5}} {
		data := consecutive(product(shape))
		single := make([]float32, len(data))
		for n, x := range data {
			single[n] = float32(x)
		}
		file := written(t, data, shape...)
		for axis := range shape {
			count := shape[axis]
			sizes, strides := moved(shape, axis), moved(stridesOf(shape), axis)
			function := &Function[float64]{Count: count, Size: len(data) / count,
				Load: func(_ *sched.Team, first, end int, dst []float64) error {
					copy(dst, sliced(data, shape, axis, first, end))
					return nil
				}}
			arrays := map[string]Array{
				"memory":   Memory[float64]{Shape: sizes, Strides: strides, Data: data},
				"float32":  Memory[float32]{Shape: sizes, Strides: strides, Data: single},
				"file":     NewFile(file, count, product(shape[axis+1:])),
				"function": function,
			}
			for name, a := range arrays {
				where := fmt.Sprintf("%v along %d, %s", shape, axis, name)
				if n, size := a.Slices(); n != count || size != len(data)/count {
					t.Errorf("%s: %d slices of %d elements", where, n, size)
				}
				for first := range count {
					for end := first + 1; end <= count; end++ {
						want := sliced(data, shape, axis, first, end)
						requireRead[float64](t, where, a, first, end, want)
						requireRead[float32](t, where, a, first, end, want)
					}
				}
			}
		}
	}
}

func requireRead[T dense.Float](t *testing.T, name string, a Array, first, end int, want []float64) {
	t.Helper()
	got := make([]T, len(want))
	if err := NewReader[T](a).Read(team(2), first, end, got); err != nil {
		t.Fatal(err)
	}
	for n, x := range got {
		if float64(x) != want[n] {
			t.Fatalf("%s, slices %d to %d: element %d is %g, want %g", name, first, end, n, float64(x), want[n])
		}
	}
}

func TestMemoryWithNegativeStrides(t *testing.T) {
	data := consecutive(24)
	m := Memory[float64]{Shape: []int{2, 3, 4}, Strides: []int{-12, -4, -1}, Offset: 23, Data: data}
	if err := m.Check("T"); err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(data)
	slices.Reverse(want)
	requireRead[float64](t, "reversed", m, 0, 2, want)
}

func TestComplexNumbersAreCopied(t *testing.T) {
	m := Memory[complex64]{Shape: []int{1, 2}, Strides: []int{2, 1}, Data: []complex64{1 + 2i, 3 - 4i}}
	got := make([]complex64, 2)
	if err := NewReader[complex64](m).Read(nil, 0, 1, got); err != nil || !slices.Equal(got, m.Data) {
		t.Errorf("%v, %v", got, err)
	}
	if m.Kind() != npy.Complex64 || Rounds[complex64](m) || !Rounds[float32](Memory[float64]{}) {
		t.Errorf("kind %v", m.Kind())
	}
}

func TestMemoryMustLieInItsData(t *testing.T) {
	data := make([]float32, 24)
	good := Memory[float32]{Shape: []int{2, 3, 4}, Strides: []int{12, 4, 1}, Data: data}
	if err := good.Check("T"); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Memory[float32]){
		"too short":      func(m *Memory[float32]) { m.Data = data[:23] },
		"no data":        func(m *Memory[float32]) { m.Data = nil },
		"offset":         func(m *Memory[float32]) { m.Offset = 1 },
		"before":         func(m *Memory[float32]) { m.Offset = -1 },
		"negative":       func(m *Memory[float32]) { m.Strides[0] = -12 },
		"product wraps":  func(m *Memory[float32]) { m.Strides[1] = math.MaxInt },
		"minimal stride": func(m *Memory[float32]) { m.Strides[2] = math.MinInt },
		"negative size":  func(m *Memory[float32]) { m.Shape[1] = -3 },
		"huge size":      func(m *Memory[float32]) { m.Shape[2] = math.MaxInt },
	} {
		bad := good
		bad.Shape, bad.Strides = slices.Clone(good.Shape), slices.Clone(good.Strides)
		change(&bad)
		var argument *dense.ArgumentError
		if err := bad.Check("T"); !errors.As(err, &argument) || argument.Arg != "T" {
			t.Errorf("%s: %v", name, err)
		}
	}
	empty := Memory[float32]{Shape: []int{2, 0, 4}, Strides: []int{math.MaxInt, 1, 1}}
	if err := empty.Check("T"); err != nil {
		t.Error(err)
	}
}

// Runs longer and shorter than those that are read one by one, and more periods than one read takes.
func TestFilesAreGathered(t *testing.T) {
	for _, shape := range [][]int{{700, 40, 20}, {3, 360_000}, {20_000, 9, 7}} {
		data := consecutive(product(shape))
		file := written(t, data, shape...)
		for axis := range shape {
			f := NewFile(file, shape[axis], product(shape[axis+1:]))
			first, end := shape[axis]/2, min(shape[axis], shape[axis]/2+3)
			requireRead[float64](t, fmt.Sprintf("%v along %d", shape, axis), f, first, end,
				sliced(data, shape, axis, first, end))
			bytes := NewReader[float64](f).BytesRead(first, end)
			least := int64(8 * (end - first) * f.size)
			if bytes < least || bytes > int64(8*len(data)) || axis == 0 && bytes != least {
				t.Errorf("%v along %d: %d bytes read for %d", shape, axis, bytes, least)
			}
		}
	}
}

// A reader asks the team before it reads anything, and returns the errors of its array as they are.
func TestErrorsOfReaders(t *testing.T) {
	data := consecutive(24)
	file := written(t, data, 2, 3, 4)
	failed := errors.New("the disk is gone")
	function := &Function[float64]{Count: 2, Size: 12, Load: func(*sched.Team, int, int,
		[]float64) error {
		return failed
	}}
	if err := NewReader[float64](function).Read(nil, 0, 1, make([]float64, 12)); err != failed {
		t.Error(err)
	}
	if err := NewReader[float32](function).Read(nil, 0, 1, make([]float32, 12)); err != failed {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, a := range map[string]Array{
		"memory": Memory[float64]{Shape: []int{2, 3, 4}, Strides: []int{12, 4, 1}, Data: data},
		"file":   NewFile(file, 2, 12), "gathered file": NewFile(file, 4, 1),
	} {
		count, size := a.Slices()
		dst := make([]float64, count*size)
		err := NewReader[float64](a).Read(sched.NewTeam(ctx, 1, nil), 0, count, dst)
		if !errors.Is(err, context.Canceled) || slices.Max(dst) != 0 {
			t.Errorf("%s: %v, %v", name, err, dst)
		}
	}
}

func TestShapesAreWrittenAsInPython(t *testing.T) {
	if got := Tuple([]int{3}) + Tuple([]int{2, 4}); got != "(3,)(2, 4)" {
		t.Error(got)
	}
	if err := CheckShape("L", 2, -1); err == nil || !strings.Contains(err.Error(), "(2, -1)") {
		t.Error(err)
	}
}
