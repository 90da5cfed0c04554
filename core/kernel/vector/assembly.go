package vector

import (
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// vectorAssembly runs a kernel of vectors. Like all assembly it cannot be preempted.
func vectorAssembly[T kernel.Float](s kernel.Set, k kernelID, r *Rows[T], v *operands[T]) {
	size := int(unsafe.Sizeof(T(0)))
	lanes := vec.Bytes(s) / size
	rest := r.Cols % lanes
	args := vectorArgs{
		a:  unsafe.Pointer(unsafe.SliceData(r.A)),
		x0: unsafe.Pointer(unsafe.SliceData(v.x0)), x1: unsafe.Pointer(unsafe.SliceData(v.x1)),
		y0: unsafe.Pointer(unsafe.SliceData(v.y0)), y1: unsafe.Pointer(unsafe.SliceData(v.y1)),
		sums: unsafe.Pointer(unsafe.SliceData(v.sums)), alpha: unsafe.Pointer(unsafe.SliceData(v.alpha)),
		mask: 1<<rest - 1, kernel: uint64(k),
		count: r.Count, stride: r.Stride * size, steps: r.Cols / lanes, first: v.first, order: r.Cols,
	}
	if r.Prefetch {
		args.prefetch = 1
	}
	if s == kernel.AVX2 {
		args.lanes = vec.Mask(rest * size)
	}
	vectorsKernel(s, vec.FloatType[T](), &args)
}
