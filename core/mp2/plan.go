package mp2

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
)

// DefaultMaxBytes is the memory for blocks of integrals where Options.MaxBytes is 0.
const DefaultMaxBytes = 256 << 20

// Flops estimates the floating-point operations of Restricted: nocc (nocc+1)/2 products of 2 nvir^2 naux each.
func Flops(nocc, nvir, naux int) float64 {
	o, v, n := float64(nocc), float64(nvir), float64(naux)
	return o * (o + 1) * v * v * n
}

// UnrestrictedFlops estimates the floating-point operations of Unrestricted.
func UnrestrictedFlops(noccA, nvirA, noccB, nvirB, naux int) float64 {
	oa, va, ob, vb := float64(noccA), float64(nvirA), float64(noccB), float64(nvirB)
	return (oa*(oa-1)*va*va + ob*(ob-1)*vb*vb + 2*oa*ob*va*vb) * float64(naux)
}

// Workspace returns an upper bound on the bytes that a call allocates beside its integrals: Restricted with one
// source, Unrestricted with two. It is the same for every value of the integrals.
func Workspace(opt Options, sources ...Source) (int64, error) {
	if err := opt.check(sources...); err != nil {
		return 0, err
	}
	if !opt.single(sources...) {
		return workspace[float64](opt, sources)
	}
	bytes, err := workspace[float32](opt, sources)
	if err == nil && opt.Tolerance > 0 {
		again, failed := workspace[float64](opt, sources)
		bytes, err = max(bytes, again), failed
	}
	return bytes, err
}

// Bytes for each pair of occupied orbitals: a run, contribution, pair energies, and its place in the order of bounds.
const pairBytes = 24 + contributionBytes + 32 + 16 + 1

// Bytes of a contribution.
const contributionBytes = 24

// Bytes of a checkpoint: buffers, and for each pair a record that grows by doubling and its place in the selection.
const (
	checkpointBytes     = 1 << 16
	checkpointPairBytes = 4*recordBytes + 2
)

// Bytes that a call takes whatever its size: goroutines, headers, errors.
const fixedBytes = 1 << 16

func workspace[T dense.Float](opt Options, sources []Source) (int64, error) {
	ops := make([]*operand[T], len(sources))
	largest, orbitals, bytes := 0, 0, int64(fixedBytes)
	for n, src := range sources {
		op := operandOf[T](src)
		ops[n] = op
		largest, orbitals = max(largest, op.nvir), orbitals+op.nocc
		bytes += blocksWorkspace(op, src)
	}
	blocks, err := planAll(ops, opt.maxBytes(), opt.Team.Threads())
	if err != nil {
		return 0, err
	}
	bytes += int64(blocks.elements) * elementBytes[T]()
	bytes += int64(opt.Team.Threads()) * (int64(kElements[T](largest)+tile*tile)*elementBytes[T]() + 2*8*int64(largest) + blas.GemmWorkspace[T]())
	if opt.Checkpoint != "" {
		bytes += checkpointBytes + int64(orbitals)*int64(orbitals+1)*checkpointPairBytes
	}
	return bytes + int64(orbitals)*int64(orbitals+1)*pairBytes, nil
}

// blocksWorkspace returns the bytes that filling the blocks of a source in two passes takes beside their elements.
func blocksWorkspace[T dense.Scalar](op *operand[T], src Source) int64 {
	bytes := op.staging + 2*2*int64(op.nocc)*(8*int64(op.nvir)+1) // norms and flags of two blocks
	if file, ok := src.(*FileIntegrals); ok {
		bytes += readBytes
		if file.strideI < file.nvir*file.naux { // blocks are gathered
			bytes += 2*readBytes + int64(file.strideI)*int64(file.nocc)*elementBytes[T]()
		}
	}
	return bytes
}

func elementBytes[T dense.Scalar]() int64 {
	if dense.IsSingle[T]() {
		return 4 * int64(realParts[T]())
	}
	return 8 * int64(realParts[T]())
}

// widths says how many orbitals the blocks of a pass hold: the one that stays, and those of a stream, of which there are as many as buffers.
// There is no stream where one block holds all orbitals of a pass over one spin.
type widths struct{ left, right, buffers int }

// elements returns the memory of a pass, given that of an orbital.
func (w widths) elements(left, right int) int { return w.left*left + w.buffers*w.right*right }

// plan is the widths for the passes of a call.
type plan struct {
	same     [2]widths // of each source with itself
	opposite widths    // of the first with the second source
	elements int       // the most memory that any pass needs
}

// planAll splits maxBytes for every pass of so many threads, or says how many bytes are needed for one pair of orbitals in each.
func planAll[T dense.Scalar](ops []*operand[T], maxBytes int64, threads int) (plan, error) {
	budget := int(maxBytes / elementBytes[T]())
	least := 0
	for _, op := range ops {
		least = max(least, min(2, op.nocc)*op.packedElements())
	}
	mixed := len(ops) == 2 && !ops[0].empty() && !ops[1].empty()
	if mixed {
		least = max(least, ops[0].packedElements()+ops[1].packedElements())
	}
	if least > budget {
		return plan{}, dense.BadArgument("max_memory", "%d bytes do not hold the integrals of one pair of occupied orbitals, the least that works is %d bytes",
			maxBytes, int64(least)*elementBytes[T]())
	}
	var p plan
	for n, op := range ops {
		p.same[n] = planSame(op, budget, threads)
		p.elements = max(p.elements, p.same[n].elements(op.packedElements(), op.packedElements()))
	}
	if mixed {
		p.opposite = planOpposite(ops[0], ops[1], budget, threads)
		p.elements = max(p.elements, p.opposite.elements(ops[0].packedElements(), ops[1].packedElements()))
	}
	return p, nil
}

// planSame makes one block of all orbitals if that fits, else as large a one as leaves room for a stream: the larger it is, the less often the
// others are read.
func planSame[T dense.Scalar](op *operand[T], budget, threads int) widths {
	each := op.packedElements()
	if op.nocc*each <= budget {
		return widths{left: op.nocc}
	}
	room := budget / each
	w := streamWidths(room, room, op.nocc, threads)
	w.left = room - w.buffers*w.right
	return w
}

// planOpposite holds the second spin whole if the memory suffices for it and one orbital of the first; else it streams past the first one.
func planOpposite[T dense.Scalar](left, right *operand[T], budget, threads int) widths {
	l, r := left.packedElements(), right.packedElements()
	if l == 0 && r == 0 || right.nocc*r+left.nocc*l <= budget {
		return widths{left: left.nocc, right: right.nocc, buffers: 1}
	}
	if r == 0 {
		return widths{left: min(left.nocc, budget/l), right: right.nocc, buffers: 1}
	}
	if l == 0 {
		w := streamWidths(left.nocc+budget/r, budget/r, right.nocc, threads)
		w.left = left.nocc
		return w
	}
	w := streamWidths(budget/l, (budget-l)/r, right.nocc, threads)
	w.left = min(left.nocc, (budget-w.buffers*w.right*r)/l)
	return w
}

// Pairs for each thread, at least, that a block of a stream has with the block that stays, where the memory allows it.
const pairsPerThread = 4

// streamWidths returns the width and number of the blocks of a stream: two, so that one can be read while the other is worked on, unless
// there is room for one orbital alone, and as narrow as gives the threads enough pairs. stays is how many orbitals the block that
// stays would have without the stream, most how many the stream may hold at once.
func streamWidths(stays, most, nocc, threads int) widths {
	if most < 2 || stays < 3 {
		return widths{right: 1, buffers: 1}
	}
	w := widths{right: 1, buffers: 2}
	for w.right < min(stays/4, most/2, nocc) && (stays-2*w.right)*w.right < pairsPerThread*threads {
		w.right++
	}
	return w
}
