package schur

import (
	"sync"
	"unsafe"

	"trnsci/core/dense"
)

// Memory up to this size, that of real matrices of order 1400, is kept for later calls until the garbage collector wants it: pages of new memory take a tenth
// of the time of the work in it.
const keptBytes = 32 << 20

// Memory of one purpose is not taken for another, which wants another size.
var keptMatrices, keptPanels sync.Pool

// kept is memory that is to be given back.
type kept[W dense.Scalar] struct {
	from    *sync.Pool
	whole   *[]float64
	numbers []W // of unknown values, from the beginning of a line of the cache on
}

// borrow returns memory of n numbers, from a pool if it has any that is large enough.
func borrow[W dense.Scalar](from *sync.Pool, n int) kept[W] {
	const wordBytes = int(unsafe.Sizeof(float64(0)))
	words := (n*int(unsafe.Sizeof(*new(W))) + lineBytes + wordBytes - 1) / wordBytes
	whole, _ := from.Get().(*[]float64)
	if whole == nil || len(*whole) < words {
		whole = new([]float64)
		*whole = make([]float64, words)
	}
	begin := unsafe.Pointer(unsafe.SliceData(*whole))
	skip := int(-uintptr(begin)) & (lineBytes - 1) / wordBytes
	return kept[W]{from, whole, unsafe.Slice((*W)(unsafe.Pointer(&(*whole)[skip])), n)}
}

func (k kept[W]) giveBack() {
	if len(*k.whole)*int(unsafe.Sizeof(float64(0))) <= keptBytes {
		k.from.Put(k.whole)
	}
}
