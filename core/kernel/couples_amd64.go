//go:build !noasm

package kernel

import (
	"math"
	"unsafe"
)

// constantsOf returns the vectors that the kernels of couples read: one, the bits of a magnitude, and factors.
func constantsOf[T Float](c *Couples[T]) (vectors [6][maxCoupleLanes]float64) {
	const signBit = 1 << 63
	for i, x := range [...]float64{1, math.Float64frombits(^uint64(signBit)), c.Relative, c.Absolute, c.Opposite, c.Same} {
		for lane := range vectors[i] {
			vectors[i][lane] = x
		}
	}
	return vectors
}

// couplesAssembly adds up a tile in assembly.
func couplesAssembly[T Float](s Set, c *Couples[T]) CoupleSums {
	const doubleBytes = 8
	var sums [coupleSumCount][maxCoupleLanes]float64
	constants := constantsOf(c)
	size := int(unsafe.Sizeof(c.X[0]))
	lanes := vectorBytes[s] / doubleBytes
	rest := c.Cols % lanes
	args := couplesArgs{
		x: unsafe.Pointer(&c.X[0]), strideX: c.StrideX * size, y: unsafe.Pointer(unsafe.SliceData(c.Y)), strideY: c.StrideY * size,
		rowEnergies: unsafe.Pointer(&c.RowEnergies[0]), colEnergies: unsafe.Pointer(&c.ColEnergies[0]),
		rowNormsX: unsafe.Pointer(&c.RowNormsX[0]), colNormsX: unsafe.Pointer(&c.ColNormsX[0]),
		rowNormsY: unsafe.Pointer(unsafe.SliceData(c.RowNormsY)), colNormsY: unsafe.Pointer(unsafe.SliceData(c.ColNormsY)),
		constants: unsafe.Pointer(&constants), sums: unsafe.Pointer(&sums), mask: 1<<rest - 1, rows: c.Rows, steps: c.Cols / lanes,
	}
	if s == AVX2 {
		const wordBytes = 4 // of laneMasks
		args.lanes = unsafe.Pointer(&laneMasks[len(laneMasks)/2-rest*doubleBytes/wordBytes])
		args.lanesX = unsafe.Pointer(&laneMasks[len(laneMasks)/2-rest*size/wordBytes])
	}
	block := (*byte)(unsafe.Pointer(&args))
	double, pair := size == doubleBytes, c.Y != nil
	switch {
	case s == AVX512 && double && pair:
		couplesF64AVX512(block)
	case s == AVX512 && double:
		squaresF64AVX512(block)
	case s == AVX512 && pair:
		couplesF32AVX512(block)
	case s == AVX512:
		squaresF32AVX512(block)
	case s == AVX2 && double && pair:
		couplesF64AVX2(block)
	case s == AVX2 && double:
		squaresF64AVX2(block)
	case s == AVX2 && pair:
		couplesF32AVX2(block)
	case s == AVX2:
		squaresF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
	return foldCouples(&sums, lanes)
}
