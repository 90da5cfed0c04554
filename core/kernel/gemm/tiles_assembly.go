package gemm

import (
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// tilesAssembly hands tiles to the assembly, which reads memory through these pointers during the call: it cannot be
// preempted, so that neither stacks move nor the garbage collector meets an address that only the assembly knows.
func tilesAssembly[T kernel.Float](s kernel.Set, t *Tiles[T]) {
	size := int(unsafe.Sizeof(t.Alpha))
	lanes := vec.Bytes(s) / size
	vectors := (t.Cols + lanes - 1) / lanes
	last := t.Cols - (vectors-1)*lanes
	args := tilesArgs{
		a: unsafe.Pointer(&t.A[0]), b: unsafe.Pointer(&t.B[0]), c: unsafe.Pointer(&t.C[0]),
		mask: 1<<last - 1, tiles: t.Count, count: t.Count, strips: max(t.Strips, 1), k: t.K,
		rowA: t.RowA * size, colA: t.ColA * size, stepA: t.StepA * size,
		rowB: t.RowB * size, stepB: t.StepB * size,
		rowC: t.RowC * size, stepC: t.StepC * size, stripC: t.StripC * size,
		rows: t.Rows, vectors: vectors,
	}
	if len(t.Prefetch) > 0 {
		args.prefetch, args.prefetchCol, args.prefetchStep, args.prefetchStrip = unsafe.Pointer(&t.Prefetch[0]), t.PrefetchCol*size, t.PrefetchStep*size, t.PrefetchStrip*size
		if len(t.PrefetchTile1) > 0 {
			args.prefetchStep = int(uintptr(unsafe.Pointer(&t.PrefetchTile1[0])) - uintptr(args.prefetch))
		}
	} else {
		args.prefetch = args.a
	}
	if last < lanes {
		args.partial = 1
	}
	if t.Accumulate {
		args.accumulate = 1
	}
	if t.CInCache {
		args.cInCache = 1
	}
	*(*T)(unsafe.Pointer(&args.alpha)) = t.Alpha
	if s == kernel.AVX2 {
		args.lanes = vec.Mask(last * size)
	}
	tilesKernel(s, vec.FloatType[T](), &args)
}
