//go:build !noasm

package kernel

import "unsafe"

// imaginarySigns holds the sign bits of the imaginary parts in a vector of complex numbers.
var imaginarySigns = signBits([2]float64{1, -1})

// reductionAssembly does the pass in assembly.
func reductionAssembly[E float64 | complex128](s Set, r *Reduction[E]) {
	size := int(unsafe.Sizeof(r.A[0]))
	args := reductionArgs{
		a: unsafe.Pointer(&r.A[0]), v: unsafe.Pointer(&r.V[0]), w: unsafe.Pointer(&r.W[0]), x: unsafe.Pointer(&r.X[0]), y: unsafe.Pointer(&r.Y[0]),
		lanes: unsafe.Pointer(&laneMasks[len(laneMasks)/2]), signs: unsafe.Pointer(&imaginarySigns),
		stride: r.Stride * size, first: r.First * size, groups: r.Rows * size / vectorBytes[s],
	}
	block, double := (*byte)(unsafe.Pointer(&args)), size == 8
	switch {
	case s == AVX512 && double:
		reduceF64AVX512(block)
	case s == AVX512:
		reduceC128AVX512(block)
	case s == AVX2 && double:
		reduceF64AVX2(block)
	case s == AVX2:
		reduceC128AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}

// reflectionAssembly runs one of the passes over vectors. It returns the sum of squares of UpdateRow over the elements that are in whole
// vectors among the first count, and their number.
func reflectionAssembly[E float64 | complex128](s Set, k reflectionKernel, z, v, w []E, c, d E, count int) (squares float64, done int) {
	size := int(unsafe.Sizeof(c))
	summed := max(count, 0) * size / vectorBytes[s]
	var factors [4]float64
	factors[0], factors[1] = parts(c)
	factors[2], factors[3] = parts(d)
	args := reflectionArgs{
		z: unsafe.Pointer(unsafe.SliceData(z)), v: unsafe.Pointer(unsafe.SliceData(v)), w: unsafe.Pointer(unsafe.SliceData(w)),
		factors: unsafe.Pointer(&factors), signs: unsafe.Pointer(&imaginarySigns), sum: unsafe.Pointer(&squares),
		kernel: uint64(k), steps: len(z) * size / vectorBytes[s], summed: summed,
	}
	block, double := (*byte)(unsafe.Pointer(&args)), size == 8
	switch {
	case s == AVX512 && double:
		reflectF64AVX512(block)
	case s == AVX512:
		reflectC128AVX512(block)
	case s == AVX2 && double:
		reflectF64AVX2(block)
	case s == AVX2:
		reflectC128AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
	return squares, summed * vectorBytes[s] / size
}
