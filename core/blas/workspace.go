package blas

import (
	"sync"
	"unsafe"

	"trnsci/core/dense"
)

// workspace is memory for vectors of level 2. It is kept between calls.
type workspace[T dense.Scalar] struct {
	whole *[]float64
	rest  []T
}

var workspaces sync.Pool

// borrow returns memory for n elements.
func borrow[T dense.Scalar](n int) workspace[T] {
	words := ceilDiv(n*dense.Bytes[T](), dense.Bytes[float64]())
	whole, _ := workspaces.Get().(*[]float64)
	if whole == nil {
		whole = new([]float64)
	}
	if len(*whole) < words {
		*whole = dense.NewAligned[float64](words)
	}
	return workspace[T]{whole, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(*whole))), n)}
}

// take returns n elements of unknown values.
func (w *workspace[T]) take(n int) []T {
	part := w.rest[:n:n]
	w.rest = w.rest[n:]
	return part
}

// zeros is take(n) with zeros.
func (w *workspace[T]) zeros(n int) []T {
	part := w.take(n)
	clear(part)
	return part
}

func (w *workspace[T]) giveBack() { workspaces.Put(w.whole) }

// matrix takes the memory of a matrix of unknown values.
func (w *workspace[T]) matrix(rows, cols int) dense.Matrix[T] {
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: w.take(rows * cols)}
}
