//go:build !noasm

package kernel

import (
	"math"
	"unsafe"
)

// newSecularArgs returns the arguments that the kernels of vectors and of weights share.
func newSecularArgs(p Poles, origins, shifts []float64) secularArgs {
	return secularArgs{
		at: unsafe.Pointer(unsafe.SliceData(p.At)), weights: unsafe.Pointer(unsafe.SliceData(p.Weights)),
		origins: unsafe.Pointer(unsafe.SliceData(origins)), shifts: unsafe.Pointer(unsafe.SliceData(shifts)), one: 1,
	}
}

// secularLanes returns how many doubles a vector has.
func secularLanes(s Set) int { return vectorBytes[s] / int(unsafe.Sizeof(float64(0))) }

// secularVectorsAssembly is SecularVectors for at least one root and one pole.
func secularVectorsAssembly[T Float](s Set, p Poles, origins, shifts []float64, x []T, stride int) {
	args := newSecularArgs(p, origins, shifts)
	size := int(unsafe.Sizeof(x[0]))
	args.x, args.stride, args.count, args.steps = unsafe.Pointer(unsafe.SliceData(x)), stride*size, len(origins), len(p.At)/secularLanes(s)
	double := size == int(unsafe.Sizeof(float64(0)))
	block := (*byte)(unsafe.Pointer(&args))
	switch {
	case s == AVX512 && double:
		secularVectorsF64AVX512(block)
	case s == AVX512:
		secularVectorsF32AVX512(block)
	case double:
		secularVectorsF64AVX2(block)
	default:
		secularVectorsF32AVX2(block)
	}
}

// secularWeightsAssembly is SecularWeights for at least one group.
func secularWeightsAssembly(s Set, p Poles, origins, shifts []float64, first, end int) {
	args := newSecularArgs(p, origins, shifts)
	args.steps, args.first, args.count = len(p.At), first, (end-first)/secularLanes(s)
	block := (*byte)(unsafe.Pointer(&args))
	if s == AVX512 {
		secularWeightsF64AVX512(block)
	} else {
		secularWeightsF64AVX2(block)
	}
}

// rootLanes is what belongs to the roots of a group, as the kernels have it.
type rootLanes struct {
	at, next, gap, weight, nextWeight, origin, x [PoleGroup]float64
	state                                        [5][PoleGroup]float64 // AVX2: registers that are laid down
}

// secularRootsAssembly is SecularRoots. Where there are too few roots for all lanes, the last one is found again.
func secularRootsAssembly(s Set, e *SecularEquation, first int, origins, shifts []float64) {
	var lanes rootLanes
	for l := range PoleGroup {
		k := min(first+l, e.Count-1)
		lanes.at[l], lanes.next[l], lanes.weight[l], lanes.nextWeight[l], lanes.gap[l] = e.neighbours(k)
	}
	args := rootsArgs{
		at: unsafe.Pointer(unsafe.SliceData(e.At)), weights: unsafe.Pointer(unsafe.SliceData(e.Weights)), lanes: unsafe.Pointer(&lanes),
		below: first, between: PoleGroup, above: len(e.At) - first - PoleGroup, most: maxSecularSteps,
		inverse: e.Inverse, tolerance: e.tolerance(), unit: unitRoundoff, one: 1, half: 0.5, infinity: math.Inf(1), modulus: 1<<63 - 1,
	}
	block := (*byte)(unsafe.Pointer(&args))
	if s == AVX512 {
		secularRootsF64AVX512(block)
	} else {
		const half = PoleGroup / 2
		secularRootsF64AVX2(block)
		args.lanes = unsafe.Pointer(&lanes.at[half])
		secularRootsF64AVX2(block)
	}
	for l := range PoleGroup {
		k := first + l
		origins[k], shifts[k] = lanes.origin[l], lanes.x[l]
		if k >= e.Count {
			origins[k], shifts[k] = e.At[k], 0
		}
	}
}
