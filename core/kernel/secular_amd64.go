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

// rootSearch is what belongs to the roots that are sought in the lanes of a vector, as the kernels have it. AVX2 has half of the lanes.
type rootSearch struct {
	origin, x, other, near, next, nextWeight, low, high, previous, done [PoleGroup]float64

	below, between, above int // poles: below all of the roots, among them, above all of them
	stepsLeft, started    int
	_                     [3]int // the kernels step by whole vectors
}

// Vectors that cross lines are slow to come back from where they were just stored.
const cacheLine = 64

// searchesTogether is how many vectors of roots one call looks for.
const searchesTogether = 4

// secularRootsAssembly is SecularRoots.
func secularRootsAssembly(s Set, e *SecularEquation, first, end int, origins, shifts []float64) {
	var memory [searchesTogether*unsafe.Sizeof(rootSearch{}) + cacheLine]byte
	start := -uintptr(unsafe.Pointer(&memory)) % cacheLine
	searches := (*[searchesTogether]rootSearch)(unsafe.Pointer(&memory[start]))
	lanes := secularLanes(s)
	args := rootsArgs{
		at: unsafe.Pointer(unsafe.SliceData(e.At)), weights: unsafe.Pointer(unsafe.SliceData(e.Weights)), searches: unsafe.Pointer(searches),
		inverse: e.Inverse, tolerance: e.tolerance(), unit: unitRoundoff, one: 1, half: 0.5, modulus: 1<<63 - 1,
	}
	for ; first < end; first += searchesTogether * lanes {
		args.count = min(searchesTogether, (end-first)/lanes)
		for i := range args.count {
			searches[i].begin(e, first+i*lanes, lanes)
		}
		if block := (*byte)(unsafe.Pointer(&args)); s == AVX512 {
			secularRootsF64AVX512(block)
		} else {
			secularRootsF64AVX2(block)
		}
		for i := range args.count {
			searches[i].store(e, first+i*lanes, lanes, origins, shifts)
		}
	}
}

// begin prepares the search for roots from first on. Where there are too few roots for all lanes, the last one is sought again.
func (r *rootSearch) begin(e *SecularEquation, first, lanes int) {
	for l := range lanes {
		at, next, weight, nextWeight, gap := e.neighbours(min(first+l, e.Count-1))
		r.origin[l], r.next[l], r.near[l], r.nextWeight[l] = at, next, weight, nextWeight
		r.x[l], r.other[l], r.previous[l], r.done[l] = gap/2, gap, math.Inf(1), 0
	}
	r.below, r.between, r.above = first, lanes, len(e.At)-first-lanes
	r.stepsLeft, r.started = maxSecularSteps, 0
}

func (r *rootSearch) store(e *SecularEquation, first, lanes int, origins, shifts []float64) {
	for l := range lanes {
		k := first + l
		origins[k], shifts[k] = r.origin[l], r.x[l]
		if k >= e.Count {
			origins[k], shifts[k] = e.At[k], 0
		}
	}
}
