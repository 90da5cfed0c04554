package main

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"trnsci/core/dense"
)

// NumPy asks for huge pages for arrays of at least this many bytes. The operands of the peers are such arrays, and ours
// are to be like them.
const hugeBytes = 4 << 20

// mapped is what release gives back.
var mapped [][]byte

// newMatrix returns a matrix of zeros.
func newMatrix[T dense.Scalar](rows, cols int) dense.Matrix[T] {
	size := rows * cols * int(unsafe.Sizeof(*new(T)))
	if size < hugeBytes {
		return dense.New[T](rows, cols)
	}
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	// A kernel without huge pages refuses, for NumPy too.
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE)
	mapped = append(mapped, memory)
	data := unsafe.Slice((*T)(unsafe.Pointer(&memory[0])), rows*cols)
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// release gives back the memory of all matrices, which must not be used any more.
func release() {
	for _, memory := range mapped {
		if err := unix.Munmap(memory); err != nil {
			panic(err)
		}
	}
	mapped = nil
}
