package reduce

import (
	"trnsci/core/dense"
	"trnsci/core/kernel/condense"
)

// NewLower returns a zero matrix in the layout that Hermitian works on: with memory up to the next whole group of rows
// and columns of the kernels, and with a row length that suits the caches.
func NewLower[W dense.Scalar](n int) dense.Matrix[W] { return LowerIn(n, make([]W, LowerSize[W](n))) }

// LowerIn is NewLower in memory of LowerSize numbers, which keep their values as elements of the matrix. It may also be
// nil, as that of a scratch.Arena is while it counts.
func LowerIn[W dense.Scalar](n int, memory []W) dense.Matrix[W] {
	stride := lowerStride[W](n)
	clear(memory[min(n*stride, len(memory)):]) // padding is multiplied by zeros and must be finite
	return dense.Matrix[W]{Rows: n, Cols: n, Stride: stride, Data: memory}
}

// LowerSize returns how many numbers the memory of LowerIn has.
func LowerSize[W dense.Scalar](n int) int { return paddedRows[W](n) * lowerStride[W](n) }

func lowerStride[W dense.Scalar](n int) int {
	stride := paddedColumns[W](n)
	for !goodStride[W](stride) {
		stride += condense.LineElements[W]()
	}
	return stride
}

// goodStride reports whether a row length suits the caches: it should be twice an odd number of cache lines. Rows a
// multiple of four lines apart compete for few sets of a cache. With many odd numbers of lines some of the rows that a
// kernel takes together are within a line of a whole number of pages apart. A load from one of them then seems to
// depend on the latest store to the other (4 KiB aliasing) and waits for it.
func goodStride[W dense.Scalar](stride int) bool {
	const lines = 2
	group := condense.LineElements[W]() // one line
	return stride%(2*lines*group) == lines*group
}

// Suits reports whether Hermitian can work in the memory of h.
func Suits[W dense.Scalar](h dense.Matrix[W]) bool {
	return goodStride[W](h.Stride) && h.Rows == paddedColumns[W](h.Rows)
}

// paddedRows returns n rounded up to whole groups of rows of a condense.TridiagStep.
func paddedRows[W dense.Scalar](n int) int {
	group := condense.TridiagRows[W]()
	return ceilDiv(n, group) * group
}

// paddedColumns returns n rounded up to whole groups of columns of a condense.TridiagStep.
func paddedColumns[W dense.Scalar](n int) int {
	group := condense.LineElements[W]()
	return ceilDiv(n, group) * group
}

// ceilDiv returns the smallest integer not below x/y.
func ceilDiv(x, y int) int { return (x + y - 1) / y }
