package stream

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/sched"
)

// Memory is an array in memory with arbitrary element strides, negative ones included: element (i, j, ...) is
//
//	Data[Offset + i*Strides[0] + j*Strides[1] + ...]
//
// Blocks run along the first axis; the elements of a slice are packed in C order of the other axes. It has two axes at
// least.
type Memory[T dense.Scalar] struct {
	Shape, Strides []int
	Offset         int
	Data           []T
}

// Slices returns the length of the first axis and the product of the others.
func (m Memory[T]) Slices() (count, size int) {
	size = 1
	for _, n := range m.Shape[1:] {
		size *= n
	}
	return m.Shape[0], size
}

// Kind returns the kind of T.
func (m Memory[T]) Kind() npy.Kind { return npy.KindOf[T]() }

// Check returns a *dense.ArgumentError for the argument of the given name if a size is negative or strides leave Data.
func (m Memory[T]) Check(name string) error {
	if err := CheckShape(name, m.Shape...); err != nil || slices.Contains(m.Shape, 0) {
		return err
	}
	lowest, highest := m.Offset, m.Offset
	fits := m.Offset >= 0 && m.Offset < len(m.Data)
	for axis, n := range m.Shape {
		if !fits {
			break
		}
		reach := distance(n-1, m.Strides[axis], len(m.Data))
		if m.Strides[axis] < 0 {
			lowest -= reach
		} else {
			highest += reach
		}
		fits = lowest >= 0 && highest < len(m.Data)
	}
	if !fits {
		return dense.BadArgument(name, "shape %s with strides %s from %d on leaves the %d elements given",
			Tuple(m.Shape), Tuple(m.Strides), m.Offset, len(m.Data))
	}
	return nil
}

// CheckShape returns a *dense.ArgumentError for the argument of the given name if a size is negative.
func CheckShape(name string, shape ...int) error {
	if slices.Min(shape) < 0 {
		return dense.BadArgument(name, "expected a shape without negative numbers, got %s", Tuple(shape))
	}
	return nil
}

// Tuple writes a shape as Python does.
func Tuple(shape []int) string {
	text := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
	if len(shape) == 1 {
		text += ","
	}
	return "(" + text + ")"
}

// distance returns n*|stride|, or limit where that is less.
func distance(n, stride, limit int) int {
	magnitude := uint64(stride)
	if stride < 0 {
		magnitude = -magnitude
	}
	high, low := bits.Mul64(uint64(n), magnitude)
	if high != 0 || low > uint64(limit) {
		return limit
	}
	return int(low)
}

// memoryReader packs strided slices, converting them. The threads take a slice each, or parts of a matrix's rows.
type memoryReader[T, S dense.Scalar] struct{ m Memory[S] }

func (r memoryReader[T, S]) Read(team *sched.Team, first, end int, dst []T) error {
	m := r.m
	_, size := m.Slices()
	if len(m.Shape) == 2 {
		rows := dense.View[S]{
			Rows: end - first, Cols: size, Offset: m.Offset + first*m.Strides[0],
			RowStride: m.Strides[0], ColStride: m.Strides[1], Data: m.Data,
		}
		return blas.CopyView(team, dense.Matrix[T]{Rows: rows.Rows, Cols: size, Stride: size, Data: dst}.View(), rows)
	}
	return team.For(end-first, func(_, k int) error {
		return packAxes(team, dst[k*size:(k+1)*size], m.Data, m.Offset+(first+k)*m.Strides[0], m.Shape[1:],
			m.Strides[1:])
	})
}

// packAxes sets dst to the elements of src from at on over axes of some lengths and strides, in C order.
func packAxes[T, S dense.Scalar](team *sched.Team, dst []T, src []S, at int, shape, strides []int) error {
	if len(shape) == 1 {
		if err := team.Err(); err != nil {
			return err
		}
		convert(dst, src, at, strides[0])
		return nil
	}
	each := len(dst) / max(1, shape[0])
	for n := range shape[0] {
		if err := packAxes(team, dst[n*each:(n+1)*each], src, at+n*strides[0], shape[1:], strides[1:]); err != nil {
			return err
		}
	}
	return nil
}

func (r memoryReader[T, S]) BytesRead(first, end int) int64 {
	_, size := r.m.Slices()
	return int64(end-first) * int64(size) * int64(r.m.Kind().Size())
}

func (r memoryReader[T, S]) Workspace() int64 { return 0 }
