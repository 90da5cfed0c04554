package blas

import (
	"sync"
	"unsafe"

	"trnsci/core/dense"
)

// scratch is memory that is kept between calls until the garbage collector wants it.
type scratch[T dense.Scalar] struct{ data []T }

var scratches32, scratches64, scratchesC64, scratchesC128 sync.Pool

func scratchesOf[T dense.Scalar]() *sync.Pool {
	switch any(*new(T)).(type) {
	case float32:
		return &scratches32
	case float64:
		return &scratches64
	case complex64:
		return &scratchesC64
	}
	return &scratchesC128
}

// takeScratch returns memory for n elements, whose values are not defined.
func takeScratch[T dense.Scalar](n int) *scratch[T] {
	s, _ := scratchesOf[T]().Get().(*scratch[T])
	if s == nil {
		s = &scratch[T]{}
	}
	if len(s.data) < n {
		s.data = newAligned[T](n)
	}
	return s
}

func (s *scratch[T]) giveBack() { scratchesOf[T]().Put(s) }

// matrix returns the memory as a matrix.
func (s *scratch[T]) matrix(rows, cols int) dense.Matrix[T] {
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: s.data[:rows*cols]}
}

// newAligned returns n zeros that begin on a line of the cache, as every row of a packed block then does.
func newAligned[T dense.Scalar](n int) []T {
	size := int(unsafe.Sizeof(*new(T)))
	memory := make([]T, n+lineBytes/size)
	skip := int(-uintptr(unsafe.Pointer(&memory[0]))%lineBytes) / size
	return memory[skip : skip+n : skip+n]
}
