//go:build !noasm

package kernel

import "unsafe"

// vectorAssembly runs a kernel of vectors. Like all assembly it cannot be preempted.
func vectorAssembly[T Float](s Set, kernel vectorKernel, r *Rows[T], v *operands[T]) {
	const wordBytes = 4 // of laneMasks
	size := int(unsafe.Sizeof(T(0)))
	lanes := vectorBytes[s] / size
	rest := r.Cols % lanes
	args := vectorArgs{
		a:  unsafe.Pointer(unsafe.SliceData(r.A)),
		x0: unsafe.Pointer(unsafe.SliceData(v.x0)), x1: unsafe.Pointer(unsafe.SliceData(v.x1)),
		y0: unsafe.Pointer(unsafe.SliceData(v.y0)), y1: unsafe.Pointer(unsafe.SliceData(v.y1)),
		sums: unsafe.Pointer(unsafe.SliceData(v.sums)), alpha: unsafe.Pointer(unsafe.SliceData(v.alpha)),
		mask: 1<<rest - 1, kernel: uint64(kernel),
		count: r.Count, stride: r.Stride * size, steps: r.Cols / lanes, first: v.first, order: r.Cols,
	}
	if r.Far {
		args.far = 1
	}
	if s == AVX2 {
		args.lanes = unsafe.Pointer(&laneMasks[len(laneMasks)/2-rest*size/wordBytes])
	}
	block := (*byte)(unsafe.Pointer(&args))
	switch {
	case s == AVX512 && size == 8:
		vectorF64AVX512(block)
	case s == AVX512:
		vectorF32AVX512(block)
	case s == AVX2 && size == 8:
		vectorF64AVX2(block)
	case s == AVX2:
		vectorF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}
