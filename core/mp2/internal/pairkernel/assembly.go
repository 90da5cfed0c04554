package pairkernel

import (
	"math"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// constantsOf returns the vectors that the kernels read: one, the mask of the bits of a modulus, and factors.
func constantsOf[T kernel.Float](c *Tile[T]) (vectors [6][maxLanes]float64) {
	const signBit = 1 << 63
	for i, x := range [...]float64{1, math.Float64frombits(^uint64(signBit)), c.Relative, c.Absolute, c.Opposite,
		c.Same} {
		for lane := range vectors[i] {
			vectors[i][lane] = x
		}
	}
	return vectors
}

// assembly adds up a tile with the kernels in assembly.
func assembly[T kernel.Float](s kernel.Set, c *Tile[T]) Sums {
	const doubleBytes = 8
	var sums [sumCount][maxLanes]float64
	constants := constantsOf(c)
	size := int(unsafe.Sizeof(c.X[0]))
	lanes := vec.Bytes(s) / doubleBytes
	rest := c.Cols % lanes
	args := tileArgs{
		x: unsafe.Pointer(&c.X[0]), strideX: c.StrideX * size, y: unsafe.Pointer(unsafe.SliceData(c.Y)), strideY: c.StrideY * size,
		rowEnergies: unsafe.Pointer(&c.RowEnergies[0]), colEnergies: unsafe.Pointer(&c.ColEnergies[0]),
		rowNormsX: unsafe.Pointer(&c.RowNormsX[0]), colNormsX: unsafe.Pointer(&c.ColNormsX[0]),
		rowNormsY: unsafe.Pointer(unsafe.SliceData(c.RowNormsY)), colNormsY: unsafe.Pointer(unsafe.SliceData(c.ColNormsY)),
		constants: unsafe.Pointer(&constants), sums: unsafe.Pointer(&sums), mask: 1<<rest - 1, rows: c.Rows, steps: c.Cols / lanes,
	}
	if s == kernel.AVX2 {
		args.lanes = vec.Mask(rest * doubleBytes)
		args.lanesX = vec.Mask(rest * size)
	}
	if c.Y != nil {
		pairTermsKernel(s, vec.FloatType[T](), &args)
	} else {
		squareTermsKernel(s, vec.FloatType[T](), &args)
	}
	return fold(&sums, lanes)
}
