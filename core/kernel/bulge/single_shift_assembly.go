package bulge

import (
	"math"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// signsOfPairs returns the sign bits of a pair of complex numbers where the given numbers are negative.
func signsOfPairs[T kernel.Float](numbers [4]T) (signs [4]T) {
	for i, x := range numbers {
		if x < 0 {
			signs[i] = T(math.Copysign(0, -1))
		}
	}
	return signs
}

var (
	firstNegated   = signsOfPairs([4]float64{-1, -1, 1, 1})
	firstNegated32 = signsOfPairs([4]float32{-1, -1, 1, 1})
	innerNegated   = signsOfPairs([4]float64{1, -1, -1, 1})
	innerNegated32 = signsOfPairs([4]float32{1, -1, -1, 1})
)

// numbers returns the parts of complex numbers. T is their type.
func numbers[T kernel.Float, C kernel.Complex](a []C) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(a))), 2*len(a))
}

func reflectRowPairsAssembly[C kernel.Complex](s kernel.Set, reflectors []Householder2[C], columns bool, a []C, stride,
	cols int) {
	l := vec.TypeOf[C]()
	var args vec.StripArgs
	if l.IsDouble() {
		args = vec.NewStripArgs(s, numbers[float64](a), 2*stride, 2*cols, len(reflectors))
	} else {
		args = vec.NewStripArgs(s, numbers[float32](a), 2*stride, 2*cols, len(reflectors))
	}
	args.Factors = unsafe.Pointer(&reflectors[0])
	args.Signs = l.ImagSigns()
	if columns {
		args.Signs = l.RealSigns()
	}
	reflectRowPairsKernel(s, l, &args)
}

func singleShiftAssembly[C kernel.Complex](s kernel.Set, b *SingleShiftChase[C]) (steps int) {
	l := vec.TypeOf[C]()
	lanes := vec.Bytes(s) / l.RealBytes()
	right := 2 * (b.First + 4) // the first number behind the column right of the first reflector's
	var column [2]C
	start := 0
	if b.Start != nil {
		start = 1
	}
	x, y := b.column(b.First, b.Start)
	column[0], column[1] = *x, *y
	args := singleShiftArgs{
		a: unsafe.Pointer(&b.A[(b.First+1)*b.Stride+b.First+1]), reflectors: unsafe.Pointer(&b.Reflectors[0]), column: unsafe.Pointer(&column),
		signs: l.ImagSigns(), stride: b.Stride * l.Bytes(), start: start,
		steps: len(b.Reflectors), below: b.Last - b.First - 2, cols: 2*b.End - right, above: b.First + 1 - b.Top,
		phase: right % lanes,
	}
	least, most := safeModuli[C]()
	if l.IsDouble() {
		args.negated, args.crossed = unsafe.Pointer(&firstNegated), unsafe.Pointer(&innerNegated)
		args.one, args.half, args.least, args.most = bitPattern(1.0), bitPattern(0.5), bitPattern(least), bitPattern(most)
	} else {
		args.negated, args.crossed = unsafe.Pointer(&firstNegated32), unsafe.Pointer(&innerNegated32)
		args.one, args.half, args.least, args.most = bitPattern(float32(1)), bitPattern(float32(0.5)), bitPattern(float32(least)), bitPattern(float32(most))
	}
	singleShiftKernel(s, l, &args)
	return len(b.Reflectors) - args.steps
}
