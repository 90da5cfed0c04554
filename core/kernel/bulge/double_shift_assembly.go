package bulge

import (
	"math"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// doubleShiftAssembly also returns how many of the columns beside it has done.
func doubleShiftAssembly[T kernel.Float](s kernel.Set, c *DoubleShiftChase[T]) (done, beside int) {
	size := int(unsafe.Sizeof(c.A[0]))
	lanes := vec.Bytes(s) / size
	right := c.First + 1 + reflectedRows // the first column right of the first reflector's
	steps, short := len(c.Reflectors), 0
	if c.First+steps-1 == c.Last-2 {
		steps, short = steps-1, 1
	}
	bits := bitsOfChase[T]()
	args := chaseArgs{
		a:     unsafe.Pointer(&c.A[(c.First+1)*(c.Stride+1)]),
		start: unsafe.Pointer(c.Start), reflectors: unsafe.Pointer(&c.Reflectors[0]), stride: c.Stride * size,
		steps: steps, short: short, below: c.Last - c.First - reflectedRows, cols: c.End - right, above: (c.First + 1 - c.Top) & (SweepRows(s) - 1),
		phase: right & (lanes - 1), endMask: 2<<((c.End-1)&(lanes-1)) - 1,
		one: bits.one, sign: bits.sign, least: bits.least, most: bits.most,
	}
	if s == kernel.AVX2 && c.OtherCols >= lanes {
		args.otherVectors = c.OtherCols / lanes
		args.other = unsafe.Pointer(&c.Other[(c.First+1)*c.Stride])
		beside = args.otherVectors * lanes
	}
	doubleShiftKernel(s, vec.FloatType[T](), &args)
	return len(c.Reflectors) - args.steps - args.short, beside
}

// chaseBits are the numbers that a chase needs, as bits.
type chaseBits struct{ one, sign, least, most uint64 }

var chaseBitsSingle, chaseBitsDouble = newChaseBits[float32](), newChaseBits[float64]()

func newChaseBits[T kernel.Float]() chaseBits {
	least, most := safeSquares[T]()
	return chaseBits{one: bitPattern(T(1)), sign: bitPattern(T(math.Copysign(0, -1))), least: bitPattern(least),
		most: bitPattern(most)}
}

func bitsOfChase[T kernel.Float]() *chaseBits {
	if unsafe.Sizeof(T(0)) == unsafe.Sizeof(float32(0)) {
		return &chaseBitsSingle
	}
	return &chaseBitsDouble
}

// bitPattern returns the bits of x, in the low half for single precision.
func bitPattern[T kernel.Float](x T) uint64 {
	if unsafe.Sizeof(x) == unsafe.Sizeof(float32(0)) {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(float64(x))
}
