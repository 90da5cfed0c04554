//go:build !noasm

package kernel

import (
	"math"
	"unsafe"
)

// newSecularArgs returns the arguments of a kernel that works on all poles for one root.
func newSecularArgs(s Set, p Poles, origin, shift *float64) secularArgs {
	const doubleBytes = 8
	return secularArgs{
		at: unsafe.Pointer(unsafe.SliceData(p.At)), weights: unsafe.Pointer(unsafe.SliceData(p.Weights)),
		origins: unsafe.Pointer(origin), shifts: unsafe.Pointer(shift),
		one: math.Float64bits(1), steps: len(p.At) * doubleBytes / vectorBytes[s],
	}
}

// secularAssembly is Secular for at least one pole.
func secularAssembly(s Set, p Poles, origin, shift float64) (sums SecularSums) {
	args := newSecularArgs(s, p, &origin, &shift)
	args.sums = unsafe.Pointer(&sums) // four float64 in the order of the kernel
	block := (*byte)(unsafe.Pointer(&args))
	if s == AVX512 {
		secularF64AVX512(block)
	} else {
		secularF64AVX2(block)
	}
	return sums
}

// secularVectorAssembly is SecularVector for at least one pole.
func secularVectorAssembly(s Set, p Poles, origin, shift float64, x []float64) (squares float64) {
	args := newSecularArgs(s, p, &origin, &shift)
	args.x, args.sums = unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(&squares)
	block := (*byte)(unsafe.Pointer(&args))
	if s == AVX512 {
		secularVectorF64AVX512(block)
	} else {
		secularVectorF64AVX2(block)
	}
	return squares
}

// secularWeightsAssembly is SecularWeights for at least one root.
func secularWeightsAssembly(s Set, p Poles, origins, shifts []float64, first int) {
	args := newSecularArgs(s, p, &origins[0], &shifts[0])
	args.weights, args.x, args.steps = unsafe.Pointer(&p.Weights[first]), unsafe.Pointer(&p.At[first]), len(origins)
	block := (*byte)(unsafe.Pointer(&args))
	if s == AVX512 {
		secularWeightsF64AVX512(block)
	} else {
		secularWeightsF64AVX2(block)
	}
}
