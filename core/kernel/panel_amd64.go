//go:build !noasm

package kernel

import "unsafe"

// transposeAssembly hands whole squares to the assembly and what is left at the right and the bottom to the twin. The instructions of
// AVX2 serve AVX-512 too.
func transposeAssembly[T Float](rows, cols int, src []T, srcStride int, dst []T, dstStride int) {
	size := int(unsafe.Sizeof(src[0]))
	side := vectorBytes[AVX2] / size
	i, j := rows-rows%side, cols-cols%side
	if i > 0 && j > 0 {
		args := transposeArgs{
			src: unsafe.Pointer(&src[0]), dst: unsafe.Pointer(&dst[0]),
			srcRow: srcStride * size, dstRow: dstStride * size, rows: i / side, cols: j / side,
		}
		block := (*byte)(unsafe.Pointer(&args))
		if size == 8 {
			transposeF64AVX2(block)
		} else {
			transposeF32AVX2(block)
		}
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
