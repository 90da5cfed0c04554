//go:build !noasm

package kernel

import "unsafe"

// Bytes of the vectors of each set.
const bytesAVX2, bytesAVX512 = 32, 64

var vectorBytes = [setCount]int{AVX2: bytesAVX2, AVX512: bytesAVX512}

// vectorShift is the logarithm of vectorBytes: to divide by a variable takes longer than small kernels.
var vectorShift = [setCount]uint{AVX2: 5, AVX512: 6}

// laneMasks holds a vector of set bits and one of zeros. The vector that begins n bytes before the middle selects the
// first n bytes.
var laneMasks = [16]uint32{
	0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
}

// gemmAssembly hands tiles to the assembly, which reads memory through the pointers below for as long as the call
// takes: it cannot be preempted, so that neither stacks move nor the garbage collector sees an address of its own.
func gemmAssembly[T Float](s Set, t *Tiles[T]) {
	const wordBytes = 4 // of laneMasks
	size := int(unsafe.Sizeof(t.Alpha))
	lanes := vectorBytes[s] / size
	vectors := (t.Cols + lanes - 1) / lanes
	last := t.Cols - (vectors-1)*lanes
	args := gemmArgs{
		a: unsafe.Pointer(&t.A[0]), b: unsafe.Pointer(&t.B[0]), c: unsafe.Pointer(&t.C[0]),
		mask: 1<<last - 1, tiles: t.Count, count: t.Count, strips: max(t.Strips, 1), k: t.K,
		rowA: t.RowA * size, colA: t.ColA * size, stepA: t.StepA * size,
		rowB: t.RowB * size, stepB: t.StepB * size,
		rowC: t.RowC * size, stepC: t.StepC * size, stripC: t.StripC * size,
		rows: t.Rows, vectors: vectors,
	}
	if len(t.Next) > 0 {
		args.next, args.nextCol, args.nextStep, args.stripNext = unsafe.Pointer(&t.Next[0]), t.NextCol*size, t.NextStep*size, t.StripNext*size
		if len(t.Beside) > 0 {
			args.nextStep = int(uintptr(unsafe.Pointer(&t.Beside[0])) - uintptr(args.next))
		}
	} else {
		args.next = args.a
	}
	if last < lanes {
		args.partial = 1
	}
	if t.Accumulate {
		args.accumulate = 1
	}
	if t.Near {
		args.near = 1
	}
	*(*T)(unsafe.Pointer(&args.alpha)) = t.Alpha
	block := (*byte)(unsafe.Pointer(&args))
	// A switch: what is passed to a function value escapes to the heap.
	switch {
	case s == AVX512 && size == 8:
		gemmF64AVX512(block)
	case s == AVX512:
		gemmF32AVX512(block)
	case s == AVX2:
		args.lanes = unsafe.Pointer(&laneMasks[len(laneMasks)/2-last*size/wordBytes])
		if size == 8 {
			gemmF64AVX2(block)
		} else {
			gemmF32AVX2(block)
		}
	default:
		panic("kernel: no assembly for " + s.String())
	}
}
