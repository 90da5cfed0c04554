package matfunc

import (
	"sync"
	"unsafe"

	"trnsci/core/dense"
)

// Memory up to this size, that of the exponential of a real matrix of order 700, is kept for later calls until the garbage collector wants it: the pages
// of new memory take as long as some of the products that are computed in it.
const keptBytes = 32 << 20

var kept sync.Pool

// memory is what a call works in, taken part by part.
type memory[T dense.Scalar] struct {
	whole *[]complex128
	rest  []T
}

// borrow returns memory for n elements of unknown values, which is to be given back.
func borrow[T dense.Scalar](n int) memory[T] {
	whole, _ := kept.Get().(*[]complex128)
	perElement := int(unsafe.Sizeof(complex128(0))) / int(sizeOf[T]())
	if words := (n + perElement - 1) / perElement; whole == nil || len(*whole) < words {
		whole = new([]complex128)
		*whole = make([]complex128, words)
	}
	return memory[T]{whole, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(*whole))), n)}
}

func (m *memory[T]) giveBack() {
	if len(*m.whole)*int(unsafe.Sizeof(complex128(0))) <= keptBytes {
		kept.Put(m.whole)
	}
}

// matrix takes a matrix.
func (m *memory[T]) matrix(rows, cols int) dense.Matrix[T] {
	part := m.rest[: rows*cols : rows*cols]
	m.rest = m.rest[rows*cols:]
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: part}
}
