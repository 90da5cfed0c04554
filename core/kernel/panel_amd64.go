//go:build !noasm

package kernel

import (
	"math"
	"math/bits"
	"unsafe"
)

// newPanelArgs returns the arguments of solve and rotate for rows of cols elements, the first of which is at a.
func newPanelArgs[T Float](s Set, a []T, stride, cols, count int) panelArgs {
	const wordBytes = 4 // of laneMasks
	size := int(unsafe.Sizeof(a[0]))
	whole := cols * size &^ (vectorBytes[s] - 1) // bytes in whole vectors
	rest := cols - whole/size
	args := panelArgs{
		a: unsafe.Pointer(&a[0]), stride: stride * size, count: count, steps: whole >> vectorShift[s], mask: 1<<rest - 1,
	}
	if s == AVX2 {
		args.lanes = unsafe.Pointer(&laneMasks[len(laneMasks)/2-rest*size/wordBytes])
	}
	return args
}

func systemAssembly[T Float](s Set, k systemKernel, order int, l, x []T, first, stride, cols int) {
	args := newPanelArgs(s, x[first:], stride, cols, order)
	args.factors = unsafe.Pointer(&l[0])
	block, double, solve := (*byte)(unsafe.Pointer(&args)), unsafe.Sizeof(l[0]) == 8, k == solveSystem
	switch {
	case s == AVX512 && double && solve:
		solveF64AVX512(block)
	case s == AVX512 && double:
		multiplyTriangularF64AVX512(block)
	case s == AVX512 && solve:
		solveF32AVX512(block)
	case s == AVX512:
		multiplyTriangularF32AVX512(block)
	case s == AVX2 && double && solve:
		solveF64AVX2(block)
	case s == AVX2 && double:
		multiplyTriangularF64AVX2(block)
	case s == AVX2 && solve:
		solveF32AVX2(block)
	case s == AVX2:
		multiplyTriangularF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}

// newRotateArgs returns the arguments of rotate for rotations of any kind R and rows of cols elements.
func newRotateArgs[T Float, R any](s Set, rotations []R, down bool, a []T, stride, cols int) panelArgs {
	row, rotation, turn, sign := 0, 0, int(unsafe.Sizeof(rotations[0])), 0.0
	if down {
		row, rotation = len(rotations)*stride, len(rotations)-1
		stride, turn, sign = -stride, -turn, math.Copysign(0, -1)
	}
	args := newPanelArgs(s, a[row:], stride, cols, len(rotations))
	args.factors, args.turn = unsafe.Pointer(&rotations[rotation]), turn
	*(*T)(unsafe.Pointer(&args.sign)) = T(sign)
	return args
}

func rotateAssembly[T Float](s Set, rotations []Rotation[T], down bool, a []T, stride, cols int) {
	args := newRotateArgs(s, rotations, down, a, stride, cols)
	block, double := (*byte)(unsafe.Pointer(&args)), unsafe.Sizeof(a[0]) == 8
	switch {
	case s == AVX512 && double:
		rotateF64AVX512(block)
	case s == AVX512:
		rotateF32AVX512(block)
	case s == AVX2 && double:
		rotateF64AVX2(block)
	case s == AVX2:
		rotateF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}

func rotateComplexAssembly[T Float](s Set, rotations []ComplexRotation[T], down bool, a []T, stride, cols int) {
	args := newRotateArgs(s, rotations, down, a, stride, 2*cols)
	block, double := (*byte)(unsafe.Pointer(&args)), unsafe.Sizeof(a[0]) == 8
	switch {
	case s == AVX512 && double:
		rotateComplexF64AVX512(block)
	case s == AVX512:
		rotateComplexF32AVX512(block)
	case s == AVX2 && double:
		rotateComplexF64AVX2(block)
	case s == AVX2:
		rotateComplexF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}

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

// newCopyArgs returns the arguments of a copy, in words of four bytes, whatever they mean.
func newCopyArgs[T Float](s Set, p *Panel[T]) copyArgs {
	const wordBytes = 4
	size := int(unsafe.Sizeof(p.From[0]))
	words, lanes := p.Cols*size/wordBytes, vectorBytes[s]/wordBytes
	vectors := (words + lanes - 1) / lanes
	last := words - (vectors-1)*lanes
	args := copyArgs{
		src: unsafe.Pointer(&p.From[0]), dst: unsafe.Pointer(&p.To[0]), mask: 1<<last - 1,
		kind: 2*vectors + 1, rows: p.Rows, count: p.Count,
		srcRow: p.FromRow * size, srcStep: p.FromStep * size, dstRow: p.ToRow * size, dstStep: p.ToStep * size,
	}
	if s == AVX2 {
		args.lanes = unsafe.Pointer(&laneMasks[len(laneMasks)/2-last])
		if last == lanes {
			args.kind-- // whole
		}
	}
	return args
}

func copyAssembly[T Float](s Set, p *Panel[T]) {
	args := newCopyArgs(s, p)
	block := (*byte)(unsafe.Pointer(&args))
	switch s {
	case AVX512:
		copyAVX512(block)
	case AVX2:
		copyAVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}

func pairsAssembly[T Float](s Set, p *Panel[T], upper, lower [2]T) {
	args := newCopyArgs(s, p)
	upperSigns, lowerSigns := signBits(upper), signBits(lower)
	args.lowerRow, args.dstRow = args.dstRow, pairRows*args.dstRow
	args.upperSigns, args.lowerSigns = unsafe.Pointer(&upperSigns), unsafe.Pointer(&lowerSigns)
	double := unsafe.Sizeof(p.From[0]) == 8
	if s == AVX512 && double {
		args.mask = 1<<((bits.Len64(args.mask)+1)/2) - 1 // elements are two words
	}
	block := (*byte)(unsafe.Pointer(&args))
	switch {
	case s == AVX512 && double:
		pairsF64AVX512(block)
	case s == AVX512:
		pairsF32AVX512(block)
	case s == AVX2 && double:
		pairsF64AVX2(block)
	case s == AVX2:
		pairsF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}

// signBits returns a vector of 64 bytes with the sign bits of a pair in each of its pairs.
func signBits[T Float](pair [2]T) (vector [8]uint64) {
	for i := range vector {
		if unsafe.Sizeof(pair[0]) == unsafe.Sizeof(vector[0]) {
			vector[i] = math.Float64bits(float64(pair[i%2])) & (1 << 63)
			continue
		}
		for j, x := range pair {
			vector[i] |= uint64(math.Float32bits(float32(x))&(1<<31)) << (32 * j)
		}
	}
	return vector
}
