//go:build !noasm

package kernel

import "unsafe"

// similarityAssembly does the pass in assembly.
func similarityAssembly[T Float](s Set, p *Similarity[T]) {
	size, width := int(unsafe.Sizeof(T(0))), p.width()
	at := func(x []T, i int) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), i*size) }
	args := similarityArgs{
		a: at(p.A, p.Row*p.Stride+p.First), y: at(p.Y, p.Row*width),
		v: at(p.V, p.First), x: at(p.X, p.First),
		turn: p.Turn * size, stride: p.Stride * size, steps: p.Cols * size / vectorBytes[s], top: p.Top, rows: p.Rows,
	}
	if p.Rows > 0 {
		args.rowsV, args.rowsX, args.w, args.s = at(p.V, p.Row*width), at(p.X, p.Row*width), at(p.W, p.First), at(p.S, p.First)
	}
	block, double := (*byte)(unsafe.Pointer(&args)), size == 8
	switch {
	case s == AVX512 && p.Pairs && double:
		similarityC128AVX512(block)
	case s == AVX512 && p.Pairs:
		similarityC64AVX512(block)
	case s == AVX512 && double:
		similarityF64AVX512(block)
	case s == AVX512:
		similarityF32AVX512(block)
	case s == AVX2 && p.Pairs && double:
		similarityC128AVX2(block)
	case s == AVX2 && p.Pairs:
		similarityC64AVX2(block)
	case s == AVX2 && double:
		similarityF64AVX2(block)
	case s == AVX2:
		similarityF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}
