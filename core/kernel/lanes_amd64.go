//go:build !noasm

package kernel

import (
	"math"
	"unsafe"
)

// laneConstants are what the kernels in assembly compare and multiply with, in the order of their generator.
var laneConstants = [...][Lanes]float64{
	allLanes(1), allLanes(0.5), allLanes(laneSmallest), allLanes(laneRoundoff * laneRoundoff),
	allLanes(laneSweeps), allLanes(math.Float64frombits(math.MaxInt64)), allLanes(math.Copysign(0, -1)),
	allLanes(lanePhaseSlack), allLanes(lanePhaseSlack * lanePhaseSlack),
}

func allLanes(x float64) (all [Lanes]float64) {
	for lane := range all {
		all[lane] = x
	}
	return all
}

// laneState is the memory of the iteration: for each lane the first and the last row of its sweep, the sweeps for its eigenvalue, the square of
// what is negligible, the row where the sweep ends, and the number of Floor.
type laneState [6][Lanes]float64

const doubleBytes = 8

// newLaneArgs returns the arguments of the kernels for the lanes from the given one on.
func newLaneArgs(p *LaneProblem, first int) laneArgs {
	const placeBytes = Lanes * doubleBytes
	at := func(x []float64) unsafe.Pointer {
		if len(x) == 0 {
			return nil
		}
		return unsafe.Pointer(&x[first])
	}
	return laneArgs{
		a: at(p.A), vectors: at(p.Vectors), d: at(p.D), e: at(p.E), tau: at(p.Tau), phases: at(p.Phases), work: at(p.Work),
		constants: unsafe.Pointer(&laneConstants), order: p.Order,
		rowA: p.Order * p.Parts * placeBytes, rowVectors: p.Cols * placeBytes, cols: p.Cols,
	}
}

// laneAssembly runs a kernel for all lanes; those of AVX2 take half of them at a time.
func laneAssembly(s Set, k laneKernel, p *LaneProblem) {
	lanes := vectorBytes[s] / doubleBytes
	for first := 0; first < Lanes; first += lanes {
		args := newLaneArgs(p, first)
		block, isComplex := (*byte)(unsafe.Pointer(&args)), p.Parts == 2
		switch k {
		case reduceLanes:
			reduceLanesAssembly(s, isComplex, block)
		case formLanes:
			formLanesAssembly(s, isComplex, block)
		case directLanes:
			directLanesAssembly(s, isComplex, block)
		}
	}
}

func reduceLanesAssembly(s Set, isComplex bool, block *byte) {
	switch {
	case s == AVX512 && isComplex:
		reduceComplexLanesAVX512(block)
	case s == AVX512:
		reduceRealLanesAVX512(block)
	case isComplex:
		reduceComplexLanesAVX2(block)
	default:
		reduceRealLanesAVX2(block)
	}
}

func formLanesAssembly(s Set, isComplex bool, block *byte) {
	switch {
	case s == AVX512 && isComplex:
		formComplexLanesAVX512(block)
	case s == AVX512:
		formRealLanesAVX512(block)
	case isComplex:
		formComplexLanesAVX2(block)
	default:
		formRealLanesAVX2(block)
	}
}

func directLanesAssembly(s Set, isComplex bool, block *byte) {
	switch {
	case s == AVX512 && isComplex:
		directComplexLanesAVX512(block)
	case s == AVX512:
		directRealLanesAVX512(block)
	case isComplex:
		directComplexLanesAVX2(block)
	default:
		directRealLanesAVX2(block)
	}
}

// iterateLanesAssembly is LaneProblem.Iterate.
func iterateLanesAssembly(s Set, p *LaneProblem, sweeps int) (found [Lanes]int) {
	lanes := vectorBytes[s] / doubleBytes
	var state laneState
	for first := 0; first < Lanes; first += lanes {
		args := newLaneArgs(p, first)
		copy(state[len(state)-1][:], p.Floor[first:][:lanes])
		args.sweepsLeft, args.state = sweeps, unsafe.Pointer(&state)
		block := (*byte)(unsafe.Pointer(&args))
		if s == AVX512 {
			iterateLanesAVX512(block)
		} else {
			iterateLanesAVX2(block)
		}
		for lane := range lanes {
			found[first+lane] = int(state[0][lane])
			if found[first+lane] == p.Order-1 { // with the others, the last one is found
				found[first+lane] = p.Order
			}
		}
	}
	return found
}
