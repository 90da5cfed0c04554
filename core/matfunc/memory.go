package matfunc

import (
	"trnsci/core/dense"
	"trnsci/core/scratch"
)

// Memory up to this size, that of the exponential of a real matrix of order 700, is kept: the pages of new memory take as long as some of the products that
// are computed in it.
const keptBytes = 32 << 20

var kept = scratch.Pool{MostBytes: keptBytes}

// memory is what a call works in, taken part by part.
type memory[T dense.Scalar] struct {
	scratch.Memory
	rest []T
}

// borrow returns memory for n elements of unknown values, which is to be given back.
func borrow[T dense.Scalar](n int) memory[T] {
	lent := kept.Borrow(scratch.WordsOf[T](n))
	return memory[T]{lent, scratch.Numbers[T](lent.Words, n)}
}

// matrix takes a matrix.
func (m *memory[T]) matrix(rows, cols int) dense.Matrix[T] {
	part := m.rest[: rows*cols : rows*cols]
	m.rest = m.rest[rows*cols:]
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: part}
}
