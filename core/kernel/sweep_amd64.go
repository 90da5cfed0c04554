//go:build !noasm

package kernel

import (
	"math"
	"unsafe"
)

func reflectRowsAssembly[T Float](s Set, reflectors []Reflector[T], a []T, stride, cols int) {
	args := newPanelArgs(s, a, stride, cols, len(reflectors))
	args.factors = unsafe.Pointer(&reflectors[0])
	block, double := (*byte)(unsafe.Pointer(&args)), unsafe.Sizeof(a[0]) == 8
	switch {
	case s == AVX512 && double:
		reflectRowsF64AVX512(block)
	case s == AVX512:
		reflectRowsF32AVX512(block)
	case s == AVX2 && double:
		reflectRowsF64AVX2(block)
	case s == AVX2:
		reflectRowsF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}

func reflectColumnsAssembly[T Float](s Set, reflectors []Reflector[T], a []T, stride int) {
	size, side := int(unsafe.Sizeof(a[0])), SweepRows(s)
	rest := len(reflectors) % side
	last := min(rest+reflectedRows-1, side)
	final := reflectedRows - 1 // the columns that wait, if no reflectors are left
	if rest > 0 {
		final = rest + reflectedRows - 1 - last
	}
	args := sweepArgs{
		a: unsafe.Pointer(&a[0]), reflectors: unsafe.Pointer(&reflectors[0]), stride: stride * size,
		chunks: len(reflectors) / side, rest: rest,
		restMask: 1<<rest - 1, lastMask: 1<<last - 1, finalMask: 1<<final - 1,
		restLanes: lanesOfBytes(rest * size), lastLanes: lanesOfBytes(last * size), finalLanes: lanesOfBytes(final * size),
	}
	block, double := (*byte)(unsafe.Pointer(&args)), size == 8
	switch {
	case s == AVX512 && double:
		reflectColumnsF64AVX512(block)
	case s == AVX512:
		reflectColumnsF32AVX512(block)
	case s == AVX2 && double:
		reflectColumnsF64AVX2(block)
	case s == AVX2:
		reflectColumnsF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}

func chaseAssembly[T Float](s Set, c *Chase[T]) (steps int) {
	size := int(unsafe.Sizeof(c.A[0]))
	lanes := vectorBytes[s] / size
	right := c.First + 1 + reflectedRows // the first column right of the first reflector's
	inLast := (c.End-1)%lanes + 1
	least, most := safeSquares[T]()
	args := sweepArgs{
		a: unsafe.Pointer(&c.A[(c.First+1)*c.Stride+c.First]), reflectors: unsafe.Pointer(&c.Reflectors[0]), stride: c.Stride * size,
		steps: len(c.Reflectors), below: c.Last - c.First - reflectedRows, cols: c.End - right, above: (c.First + 1 - c.Top) % SweepRows(s),
		phase: right % lanes, endMask: 1<<inLast - 1,
		one: bitPattern(T(1)), sign: bitPattern(T(math.Copysign(0, -1))), least: bitPattern(least), most: bitPattern(most),
	}
	block, double := (*byte)(unsafe.Pointer(&args)), size == 8
	switch {
	case s == AVX512 && double:
		chaseF64AVX512(block)
	case s == AVX512:
		chaseF32AVX512(block)
	case s == AVX2 && double:
		chaseF64AVX2(block)
	case s == AVX2:
		chaseF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
	return len(c.Reflectors) - args.steps
}

// bitPattern returns the bits of x, in the low half for single precision.
func bitPattern[T Float](x T) uint64 {
	if unsafe.Sizeof(x) == unsafe.Sizeof(float32(0)) {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(float64(x))
}
