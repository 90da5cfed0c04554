package batch

import (
	"math"
	"unsafe"

	"trnsci/core/kernel"
	"trnsci/core/kernel/givens"
)

// constants are the vectors of equal numbers that the assembly reads, in the order of its generator.
var constants = [...][Width]float64{
	allLanes(1), allLanes(0.5), allLanes(smallest), allLanes(unitRoundoff * unitRoundoff),
	allLanes(patience), allLanes(math.Float64frombits(math.MaxInt64)), allLanes(math.Copysign(0, -1)),
	allLanes(phaseSlack), allLanes(phaseSlack * phaseSlack),
}

func allLanes(x float64) (all [Width]float64) {
	for lane := range all {
		all[lane] = x
	}
	return all
}

// iterationState is the memory of Diagonalize in assembly, vectors in the order of its generator: the first and the
// last row of the sweep, the sweeps for the current eigenvalue, the square of negligible elements, the shift, Floor,
// the sign of the first off-diagonal element, the rotation that is applied next, and the one after it.
type iterationState [11][Width]float64

// The vectors of iterationState that are set before the iteration.
const (
	laneFirstRow  = 0
	laneLateFloor = 5
)

// halfLanes are the lanes of a vector of AVX2, which takes half of a problem at a time.
const halfLanes = Width / 2

// laneStep returns the lanes that a kernel takes at a time, and the number of lanes up to the last one that is not
// idle.
func (p *Problem) laneStep(s kernel.Set) (step, end int) {
	for lane, idle := range p.Idle[:p.Width] {
		if !idle {
			end = lane + 1
		}
	}
	switch {
	case p.Width == PairWidth:
		return PairWidth, end
	case end <= halfLanes || s == kernel.AVX2:
		return halfLanes, end
	}
	return Width, end
}

// newArgs returns the arguments of the kernels for the lanes from first on.
func newArgs(p *Problem, first int) batchArgs {
	placeBytes := p.Width * 8
	at := func(x []float64) unsafe.Pointer {
		if len(x) == 0 {
			return nil
		}
		return unsafe.Pointer(&x[first])
	}
	return batchArgs{
		a: at(p.A), vectors: at(p.Vectors), d: at(p.D), e: at(p.E), tau: at(p.Tau), phases: at(p.Phases),
		work:      at(p.Work),
		constants: unsafe.Pointer(&constants), order: p.Order,
		rowA: p.Order * p.Parts * placeBytes, rowVectors: p.Cols * placeBytes, cols: p.Cols,
	}
}

// operation names a kernel of assembly.
type operation uint8

const (
	reduction operation = iota
	formation
	phaseFixing
)

// assembly runs a kernel for the lanes that are not idle, and perhaps for others.
func (p *Problem) assembly(s kernel.Set, op operation) {
	step, end := p.laneStep(s)
	for first := 0; first < end; first += step {
		args := newArgs(p, first)
		switch op {
		case reduction:
			reduceKernel(s, step, p.Parts, &args)
		case formation:
			formQKernel(s, step, p.Parts, &args)
		case phaseFixing:
			fixPhasesKernel(s, step, p.Parts, &args)
		}
	}
}

const (
	aloneCols      = 8 // columns of a vector
	leastAloneCols = 4 // with less, rows of whole vectors are longer than those of pairs
)

// aloneStride returns the length of rows of whole vectors, for a matrix alone.
func (p *Problem) aloneStride() int { return (p.Cols + aloneCols - 1) / aloneCols * aloneCols }

// spread moves the vectors of lane 0 of a pair from rows of whole vectors to their places, or back. The other lane is
// overwritten.
func (p *Problem) spread(toLanes bool) {
	stride := p.aloneStride()
	row := p.Cols * PairWidth
	if !toLanes {
		for i := range p.Order {
			from, to := p.Vectors[i*row:][:row], p.Vectors[i*stride:]
			for j := range p.Cols {
				to[j] = from[j*PairWidth]
			}
			clear(to[p.Cols:min(stride, len(to))])
		}
		return
	}
	for i := p.Order - 1; i >= 0; i-- {
		from, to := p.Vectors[i*stride:][:p.Cols], p.Vectors[i*row:][:row]
		for j := p.Cols - 1; j >= 0; j-- {
			to[j*PairWidth] = from[j]
		}
	}
}

// diagonalizeAssembly is Problem.Diagonalize.
func diagonalizeAssembly(s kernel.Set, p *Problem, sweeps int) (found [Width]int) {
	step, end := p.laneStep(s)
	if p.Width == PairWidth && end == 1 && (p.Cols == 0 || p.Cols >= leastAloneCols) {
		found[0] = p.diagonalizeAlone(s, sweeps)
		return found
	}
	for first := 0; first < end; first += step {
		var state iterationState
		args := newArgs(p, first)
		args.sweepsLeft, args.state = sweeps, unsafe.Pointer(&state)
		for lane := range step {
			if p.Idle[first+lane] {
				state[laneFirstRow][lane] = float64(p.Order - 1)
			}
			state[laneLateFloor][lane] = p.Floor[first+lane]
		}
		diagonalizeKernel(s, step, p.Parts, &args)
		for lane := range step {
			found[first+lane] = int(state[laneFirstRow][lane])
			if found[first+lane] == p.Order-1 { // with the others, the last one is found
				found[first+lane] = p.Order
			}
		}
	}
	return found
}

// diagonalizeAlone is Diagonalize for lane 0 of a pair. As one lane takes as long as two, Go computes the rotations,
// which wait for one another, and assembly applies them to vectors along the rows.
func (p *Problem) diagonalizeAlone(s kernel.Set, sweeps int) (found int) {
	stride := p.aloneStride()
	p.spread(false)
	defer p.spread(true)
	return p.diagonalizeLane(0, sweeps, func(first int, rotations []givens.Rotation[float64]) {
		givens.Rotate(s, rotations, true, p.Vectors[first*stride:], stride, stride)
	})
}
