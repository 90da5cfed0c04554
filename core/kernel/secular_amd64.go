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
