package gemm

import (
	"fmt"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// Transpose writes the transpose of a matrix of rows x cols: dst[j*dstStride+i] = src[i*srcStride+j]. Complex numbers
// are not conjugated.
func Transpose[T kernel.Scalar](s kernel.Set, rows, cols int, src []T, srcStride int, dst []T, dstStride int) {
	if rows < 1 || cols < 1 || min(srcStride,
		dstStride) < 0 || (rows-1)*srcStride+cols > len(src) || (cols-1)*dstStride+rows > len(dst) {
		panic(fmt.Sprintf("gemm: transpose of %dx%d, strides %d, %d, lengths %d, %d", rows, cols, srcStride, dstStride,
			len(src), len(dst)))
	}
	if s == kernel.Go {
		transposeGo(rows, cols, src, srcStride, dst, dstStride)
		return
	}
	transposeAssembly(s, rows, cols, src, srcStride, dst, dstStride)
}

func transposeGo[T kernel.Scalar](rows, cols int, src []T, srcStride int, dst []T, dstStride int) {
	for i := range rows {
		for j, x := range src[i*srcStride:][:cols] {
			dst[j*dstStride+i] = x
		}
	}
}

// alignedRows is the number of rows from which on transposeAssembly takes the first ones apart, so that the kernel
// writes whole cache lines of the transpose: vectors across two lines take more than twice the time.
const alignedRows = 96

// rowsBeforeLine returns the number of rows after which all rows of the transpose are at the start of a cache line, 0
// if there is none.
func rowsBeforeLine[T kernel.Scalar](dst []T, dstStride int) int {
	size, first := unsafe.Sizeof(dst[0]), uintptr(unsafe.Pointer(&dst[0]))
	if uintptr(dstStride)*size%vec.LineBytes != 0 || first%size != 0 {
		return 0
	}
	return int(-first % vec.LineBytes / size)
}

// transposeAssembly hands whole squares to the assembly and the rest, at the right and at the bottom, to transposeGo.
// AVX-512 uses the instructions of AVX2.
func transposeAssembly[T kernel.Scalar](s kernel.Set, rows, cols int, src []T, srcStride int, dst []T, dstStride int) {
	if rows >= alignedRows {
		first := rowsBeforeLine(dst, dstStride)
		transposeGo(first, cols, src, srcStride, dst, dstStride)
		rows, src, dst = rows-first, src[first*srcStride:], dst[first:]
	}
	size := int(unsafe.Sizeof(src[0]))
	side := vec.BytesAVX2 / size
	i, j := rows-rows%side, cols-cols%side
	if i > 0 && j > 0 {
		args := transposeArgs{
			src: unsafe.Pointer(&src[0]), dst: unsafe.Pointer(&dst[0]),
			srcRow: srcStride * size, dstRow: dstStride * size, rows: i / side, cols: j / side,
		}
		transposeKernel(s, size, &args)
	} else {
		i, j = 0, 0 // no square
	}
	if j < cols {
		transposeGo(i, cols-j, src[j:], srcStride, dst[j*dstStride:], dstStride)
	}
	if i < rows {
		transposeGo(rows-i, cols, src[i*srcStride:], srcStride, dst[i:], dstStride)
	}
}
