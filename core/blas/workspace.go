package blas

import (
	"trnsci/core/dense"
	"trnsci/core/scratch"
)

// workspace is memory for the vectors of level 2 and small blocks of level 3.
type workspace[T dense.Scalar] struct {
	scratch.Memory
	rest []T
}

// Only the limit of all pools bounds what is kept: the largest workspace is a copy of the right-hand sides of a system.
var workspaces = scratch.Pool{MostBytes: scratch.DefaultLimit}

// borrow returns memory for n elements.
func borrow[T dense.Scalar](n int) workspace[T] {
	memory := workspaces.Borrow(scratch.WordsOf[T](n))
	return workspace[T]{memory, scratch.Numbers[T](memory.Words, n)}
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

// matrix takes the memory of a matrix of unknown values.
func (w *workspace[T]) matrix(rows, cols int) dense.Matrix[T] {
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: w.take(rows * cols)}
}
