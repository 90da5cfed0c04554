//go:build !noasm

package kernel

import (
	"math"
	"unsafe"
)

func reflectRowsAssembly[T Float](s Set, reflectors []Reflector[T], a []T, stride, cols int) {
	args := newPanelArgs(s, a, stride, cols, len(reflectors))
	args.factors = unsafe.Pointer(&reflectors[0])
	if endsShort(reflectors) {
		args.count--
		args.short = 1
	}
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

// togetherAVX2 and togetherAVX512 are how many groups of rows ReflectColumns hands to the assembly: so many that it need not wait for the reflectors of one.
const togetherAVX2, togetherAVX512 = 4, 1

func reflectColumnsAssembly[T Float](s Set, reflectors []Reflector[T], a []T, stride, groups int, staggered bool) {
	together := togetherAVX512
	if s == AVX2 {
		together = togetherAVX2
	}
	for first := 0; first < groups; first += together {
		from, count := firstReflector(s, first, staggered), min(together, groups-first)
		atFirst := count
		if staggered {
			atFirst = 1
		}
		reflectGroups(s, reflectors[from:], a[first*SweepRows(s)*stride+from:], stride, count, atFirst)
	}
}

// reflectGroups is ReflectColumns for as many groups of rows as the assembly takes together, of which so many begin with the first reflector.
func reflectGroups[T Float](s Set, reflectors []Reflector[T], a []T, stride, groups, atFirst int) {
	size, side := int(unsafe.Sizeof(a[0])), SweepRows(s)
	columns := reflected(reflectors)
	missing := len(reflectors) + reflectedRows - 1 - columns
	// Whole groups of reflectors load as many columns; the last group may be a whole one, but for the missing column.
	chunks := (len(reflectors) - missing) / side
	rest := len(reflectors) - chunks*side
	columns -= chunks * side // that are still to be stored
	last := min(columns, side)
	if rest == 0 {
		last = 0
	}
	var pending [togetherAVX2 * (reflectedRows - 1) * bytesAVX2]byte
	args := sweepArgs{
		a: unsafe.Pointer(&a[0]), reflectors: unsafe.Pointer(&reflectors[0]), stride: stride * size,
		groups: groups, atFirst: atFirst, pending: unsafe.Pointer(&pending[0]), chunks: chunks, rest: rest,
		restMask: 1<<(rest-min(rest, missing)) - 1, lastMask: 1<<last - 1, finalMask: 1<<(columns-last) - 1,
		restLanes: lanesOfBytes((rest - min(rest, missing)) * size), lastLanes: lanesOfBytes(last * size), finalLanes: lanesOfBytes((columns - last) * size),
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

// chaseAssembly also returns how many of the columns beside it has done.
func chaseAssembly[T Float](s Set, c *Chase[T]) (done, beside int) {
	size := int(unsafe.Sizeof(c.A[0]))
	lanes := vectorBytes[s] / size
	right := c.First + 1 + reflectedRows // the first column right of the first reflector's
	steps, short := len(c.Reflectors), 0
	if c.First+steps-1 == c.Last-2 {
		steps, short = steps-1, 1
	}
	bits := bitsOfChase[T]()
	args := sweepArgs{
		a:     unsafe.Pointer(&c.A[(c.First+1)*(c.Stride+1)]),
		start: unsafe.Pointer(c.Start), reflectors: unsafe.Pointer(&c.Reflectors[0]), stride: c.Stride * size,
		steps: steps, short: short, below: c.Last - c.First - reflectedRows, cols: c.End - right, above: (c.First + 1 - c.Top) & (SweepRows(s) - 1),
		phase: right & (lanes - 1), endMask: 2<<((c.End-1)&(lanes-1)) - 1,
		one: bits.one, sign: bits.sign, least: bits.least, most: bits.most,
	}
	if s == AVX2 && c.ColsBeside >= lanes {
		args.vectorsBeside = c.ColsBeside / lanes
		args.beside = unsafe.Pointer(&c.Beside[(c.First+1)*c.Stride])
		beside = args.vectorsBeside * lanes
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
	return len(c.Reflectors) - args.steps - args.short, beside
}

// chaseBits are the numbers that a chase needs, as bits.
type chaseBits struct{ one, sign, least, most uint64 }

var chaseBitsSingle, chaseBitsDouble = newChaseBits[float32](), newChaseBits[float64]()

func newChaseBits[T Float]() chaseBits {
	least, most := safeSquares[T]()
	return chaseBits{one: bitPattern(T(1)), sign: bitPattern(T(math.Copysign(0, -1))), least: bitPattern(least), most: bitPattern(most)}
}

func bitsOfChase[T Float]() *chaseBits {
	if unsafe.Sizeof(T(0)) == unsafe.Sizeof(float32(0)) {
		return &chaseBitsSingle
	}
	return &chaseBitsDouble
}

// bitPattern returns the bits of x, in the low half for single precision.
func bitPattern[T Float](x T) uint64 {
	if unsafe.Sizeof(x) == unsafe.Sizeof(float32(0)) {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(float64(x))
}
