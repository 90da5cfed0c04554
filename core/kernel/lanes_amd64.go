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
// what is negligible, the shift, the number of Floor, the sign of the first row's coupling, the rotation that is left to do, and the next one.
type laneState [11][Lanes]float64

// The vectors of laneState that are filled in before the iteration.
const (
	laneFirstRow  = 0
	laneLateFloor = 5
)

// halfLanes are the lanes of kernels with vectors of AVX2, which take half of a problem at a time.
const halfLanes = Lanes / 2

// laneStep returns how many lanes a kernel takes at a time, and where the last lane that is not idle ends.
func (p *LaneProblem) laneStep(s Set) (step, end int) {
	for lane, idle := range p.Idle[:p.Width] {
		if !idle {
			end = lane + 1
		}
	}
	switch {
	case p.Width == PairLanes:
		return PairLanes, end
	case end <= halfLanes || s == AVX2:
		return halfLanes, end
	}
	return Lanes, end
}

// newLaneArgs returns the arguments of the kernels for the lanes from the given one on.
func newLaneArgs(p *LaneProblem, first int) laneArgs {
	placeBytes := p.Width * 8
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

// laneAssembly runs a kernel for the lanes that are not idle, and perhaps for others.
func laneAssembly(s Set, k laneKernel, p *LaneProblem) {
	step, end := p.laneStep(s)
	for first := 0; first < end; first += step {
		args := newLaneArgs(p, first)
		runLanes(step, k, p.Parts > 1, (*byte)(unsafe.Pointer(&args)))
	}
}

const (
	aloneCols      = 8 // columns of a vector
	leastAloneCols = 4 // with less, rows of whole vectors are longer than those of pairs
)

// aloneStride returns the length of rows of whole vectors, for a matrix alone.
func (p *LaneProblem) aloneStride() int { return (p.Cols + aloneCols - 1) / aloneCols * aloneCols }

// spread moves the vectors of lane 0 of a pair from rows of whole vectors to their places, or back. The other lane is spoilt.
func (p *LaneProblem) spread(toLanes bool) {
	stride := p.aloneStride()
	row := p.Cols * PairLanes
	if !toLanes {
		for i := range p.Order {
			from, to := p.Vectors[i*row:][:row], p.Vectors[i*stride:]
			for j := range p.Cols {
				to[j] = from[j*PairLanes]
			}
			clear(to[p.Cols:min(stride, len(to))])
		}
		return
	}
	for i := p.Order - 1; i >= 0; i-- {
		from, to := p.Vectors[i*stride:][:p.Cols], p.Vectors[i*row:][:row]
		for j := p.Cols - 1; j >= 0; j-- {
			to[j*PairLanes] = from[j]
		}
	}
}

// iterateLanesAssembly is LaneProblem.Iterate.
func iterateLanesAssembly(s Set, p *LaneProblem, sweeps int) (found [Lanes]int) {
	step, end := p.laneStep(s)
	if p.Width == PairLanes && end == 1 && (p.Cols == 0 || p.Cols >= leastAloneCols) {
		found[0] = p.iterateAlone(s, sweeps)
		return found
	}
	for first := 0; first < end; first += step {
		var state laneState
		args := newLaneArgs(p, first)
		args.sweepsLeft, args.state = sweeps, unsafe.Pointer(&state)
		for lane := range step {
			if p.Idle[first+lane] {
				state[laneFirstRow][lane] = float64(p.Order - 1)
			}
			state[laneLateFloor][lane] = p.Floor[first+lane]
		}
		runLanes(step, iterateLanes, false, (*byte)(unsafe.Pointer(&args)))
		for lane := range step {
			found[first+lane] = int(state[laneFirstRow][lane])
			if found[first+lane] == p.Order-1 { // with the others, the last one is found
				found[first+lane] = p.Order
			}
		}
	}
	return found
}

// iterateAlone is Iterate for lane 0 of a pair. One lane takes as long as two: what waits is done by plain Go, the rotations in vectors along rows.
func (p *LaneProblem) iterateAlone(s Set, sweeps int) (found int) {
	stride := p.aloneStride()
	p.spread(false)
	defer p.spread(true)
	return p.iterateLane(0, sweeps, func(first int, rotations []Rotation[float64]) {
		Rotate(s, rotations, true, p.Vectors[first*stride:], stride, stride)
	})
}

func runLanes(lanes int, k laneKernel, isComplex bool, block *byte) {
	switch {
	case lanes == Lanes && isComplex:
		complexLanes(k, block)
	case lanes == Lanes:
		realLanes(k, block)
	case lanes == halfLanes && isComplex:
		complexHalf(k, block)
	case lanes == halfLanes:
		realHalf(k, block)
	case isComplex:
		complexPair(k, block)
	default:
		realPair(k, block)
	}
}

func realLanes(k laneKernel, block *byte) {
	switch k {
	case reduceLanes:
		reduceRealLanesAVX512(block)
	case formLanes:
		formRealLanesAVX512(block)
	case iterateLanes:
		iterateLanesAVX512(block)
	case directLanes:
		directRealLanesAVX512(block)
	}
}

func complexLanes(k laneKernel, block *byte) {
	switch k {
	case reduceLanes:
		reduceComplexLanesAVX512(block)
	case formLanes:
		formComplexLanesAVX512(block)
	case directLanes:
		directComplexLanesAVX512(block)
	}
}

func realHalf(k laneKernel, block *byte) {
	switch k {
	case reduceLanes:
		reduceRealLanesAVX2(block)
	case formLanes:
		formRealLanesAVX2(block)
	case iterateLanes:
		iterateLanesAVX2(block)
	case directLanes:
		directRealLanesAVX2(block)
	}
}

func complexHalf(k laneKernel, block *byte) {
	switch k {
	case reduceLanes:
		reduceComplexLanesAVX2(block)
	case formLanes:
		formComplexLanesAVX2(block)
	case directLanes:
		directComplexLanesAVX2(block)
	}
}

func realPair(k laneKernel, block *byte) {
	switch k {
	case reduceLanes:
		reduceRealLanesAVX2Pair(block)
	case formLanes:
		formRealLanesAVX2Pair(block)
	case iterateLanes:
		iterateLanesAVX2Pair(block)
	case directLanes:
		directRealLanesAVX2Pair(block)
	}
}

func complexPair(k laneKernel, block *byte) {
	switch k {
	case reduceLanes:
		reduceComplexLanesAVX2Pair(block)
	case formLanes:
		formComplexLanesAVX2Pair(block)
	case directLanes:
		directComplexLanesAVX2Pair(block)
	}
}
