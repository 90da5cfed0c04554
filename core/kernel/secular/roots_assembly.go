package secular

import (
	"math"
	"unsafe"

	"trnsci/core/kernel"
)

// rootSearch is the state of the search for one root in each lane of a vector, laid out for the kernels. AVX2 has
// half of the lanes.
type rootSearch struct {
	origin, x, other, near, next, nextWeight [PoleGroup]float64
	_                                        [2][PoleGroup]float64 // the ends of the brackets
	previous, done                           [PoleGroup]float64

	below, between, above int // poles: below all of the roots, among them, above all of them
	stepsLeft, started    int
	_                     [3]int // the kernels step by whole vectors
}

// Vectors that cross lines are slow to come back from where they were just stored.
const cacheLine = 64

// searchesTogether is how many vectors of roots one call looks for.
const searchesTogether = 4

// rootsAssembly is Roots.
func rootsAssembly(s kernel.Set, e *Equation, first, end int, origins, shifts []float64) {
	var memory [searchesTogether*unsafe.Sizeof(rootSearch{}) + cacheLine]byte
	start := -uintptr(unsafe.Pointer(&memory)) % cacheLine
	searches := (*[searchesTogether]rootSearch)(unsafe.Pointer(&memory[start]))
	lanes := lanesOf(s)
	args := rootsArgs{
		at: unsafe.Pointer(unsafe.SliceData(e.At)), weights: unsafe.Pointer(unsafe.SliceData(e.Weights)),
		searches: unsafe.Pointer(searches),
		inverse:  e.Inverse, tolerance: e.tolerance(), unit: unitRoundoff, one: 1, half: 0.5, modulus: 1<<63 - 1,
	}
	for ; first < end; first += searchesTogether * lanes {
		args.count = min(searchesTogether, (end-first)/lanes)
		for i := range args.count {
			searches[i].begin(e, first+i*lanes, lanes)
		}
		rootsKernel(s, &args)
		for i := range args.count {
			searches[i].store(e, first+i*lanes, lanes, origins, shifts)
		}
	}
}

// begin prepares the search for roots from first on. Where there are too few roots for all lanes, the last one is
// sought again; where there is none, nothing is sought.
func (r *rootSearch) begin(e *Equation, first, lanes int) {
	if first >= e.Count {
		r.stepsLeft = 0
		return
	}
	for l := range lanes {
		at, next, weight, nextWeight, gap := e.neighbours(min(first+l, e.Count-1))
		r.origin[l], r.next[l], r.near[l], r.nextWeight[l] = at, next, weight, nextWeight
		r.x[l], r.other[l], r.previous[l], r.done[l] = gap/2, gap, math.Inf(1), 0
	}
	r.below, r.between, r.above = first, lanes, len(e.At)-first-lanes
	r.stepsLeft, r.started = maxSteps, 0
}

func (r *rootSearch) store(e *Equation, first, lanes int, origins, shifts []float64) {
	for l := range lanes {
		k := first + l
		origins[k], shifts[k] = r.origin[l], r.x[l]
		if k >= e.Count {
			origins[k], shifts[k] = e.At[k], 0
		}
	}
}
