package dense

import "unsafe"

// LineBytes is the size of a cache line.
const LineBytes = 64

// WholeLines returns n rounded up to the elements of whole cache lines: what follows that many elements of aligned
// memory is aligned, too.
func WholeLines[T Scalar](n int) int {
	perLine := LineBytes / int(unsafe.Sizeof(*new(T)))
	return (n + perLine - 1) / perLine * perLine
}

// NewAligned returns n zeros that begin at a cache line.
func NewAligned[T Scalar](n int) []T {
	memory := make([]T, n+LineBytes/int(unsafe.Sizeof(*new(T))))
	first := ToLine(memory)
	return memory[first : first+n : first+n]
}

// ToLine returns the number of elements of x that lie before its first cache line begins.
func ToLine[T Scalar](x []T) int {
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(x)))%LineBytes) / int(unsafe.Sizeof(*new(T)))
}
