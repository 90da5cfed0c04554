//go:build !noasm

package kernel

import (
	"math"
	"unsafe"
)

// signsOfPairs returns the sign bits of a pair of complex numbers where the given numbers are negative.
func signsOfPairs[T Float](numbers [4]T) (signs [4]T) {
	for i, x := range numbers {
		if x < 0 {
			signs[i] = T(math.Copysign(0, -1))
		}
	}
	return signs
}

var (
	realSigns   = signBits([2]float64{-1, 1})
	realSigns32 = signBits([2]float32{-1, 1})

	firstNegated   = signsOfPairs([4]float64{-1, -1, 1, 1})
	firstNegated32 = signsOfPairs([4]float32{-1, -1, 1, 1})
	innerNegated   = signsOfPairs([4]float64{1, -1, -1, 1})
	innerNegated32 = signsOfPairs([4]float32{1, -1, -1, 1})
)

// numbers returns the parts of complex numbers. T is their type.
func numbers[T Float, C Complex](a []C) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(a))), 2*len(a))
}

func reflectTwoRowsAssembly[C Complex](s Set, reflectors []TwoRows[C], columns bool, a []C, stride, cols int) {
	l := layoutOf[C]()
	var args panelArgs
	if l.double {
		args = newPanelArgs(s, numbers[float64](a), 2*stride, 2*cols, len(reflectors))
	} else {
		args = newPanelArgs(s, numbers[float32](a), 2*stride, 2*cols, len(reflectors))
	}
	args.factors = unsafe.Pointer(&reflectors[0])
	switch {
	case !columns:
		args.signs = l.signs()
	case l.double:
		args.signs = unsafe.Pointer(&realSigns)
	default:
		args.signs = unsafe.Pointer(&realSigns32)
	}
	block := (*byte)(unsafe.Pointer(&args))
	switch {
	case s == AVX512 && l.double:
		reflectTwoRowsC128AVX512(block)
	case s == AVX512:
		reflectTwoRowsC64AVX512(block)
	case s == AVX2 && l.double:
		reflectTwoRowsC128AVX2(block)
	case s == AVX2:
		reflectTwoRowsC64AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}

func bulgeAssembly[C Complex](s Set, b *Bulge[C]) (steps int) {
	l := layoutOf[C]()
	lanes := vectorBytes[s] / l.realBytes()
	right := 2 * (b.First + 4) // the first number behind the column right of the first reflector's
	var column [2]C
	start := 0
	if b.Start != nil {
		start = 1
	}
	x, y := b.column(b.First, b.Start)
	column[0], column[1] = *x, *y
	args := bulgeArgs{
		a: unsafe.Pointer(&b.A[(b.First+1)*b.Stride+b.First+1]), reflectors: unsafe.Pointer(&b.Reflectors[0]), column: unsafe.Pointer(&column),
		signs: l.signs(), stride: b.Stride * l.bytes, start: start,
		steps: len(b.Reflectors), below: b.Last - b.First - 2, cols: 2*b.End - right, above: b.First + 1 - b.Top,
		phase: right % lanes,
	}
	least, most := safeModuli[C]()
	if l.double {
		args.negated, args.crossed = unsafe.Pointer(&firstNegated), unsafe.Pointer(&innerNegated)
		args.one, args.half, args.least, args.most = bitPattern(1.0), bitPattern(0.5), bitPattern(least), bitPattern(most)
	} else {
		args.negated, args.crossed = unsafe.Pointer(&firstNegated32), unsafe.Pointer(&innerNegated32)
		args.one, args.half, args.least, args.most = bitPattern(float32(1)), bitPattern(float32(0.5)), bitPattern(float32(least)), bitPattern(float32(most))
	}
	block := (*byte)(unsafe.Pointer(&args))
	switch {
	case s == AVX512 && l.double:
		chaseC128AVX512(block)
	case s == AVX512:
		chaseC64AVX512(block)
	case s == AVX2 && l.double:
		chaseC128AVX2(block)
	case s == AVX2:
		chaseC64AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
	return len(b.Reflectors) - args.steps
}
