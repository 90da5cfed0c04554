package mp2

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
	"trnsci/core/stream"
)

// blockPairs is a walk over pairs of blocks of occupied orbitals, of one or two spins: a left block stays while the
// right ones stream past it, read ahead if there is memory for two of them; then the next left block stays. For one
// spin, which is left and right, the orbitals before the left block stream, and then the left block is paired with
// itself.
type blockPairs[T dense.Scalar] struct {
	team        *sched.Team
	checkFinite bool
	left, right *operand[T]
	widths      widths
	oneSpin     bool
	weights     []float64 // of auxiliary functions in norms
	stays       *block[T] // the left block
	buffers     []*block[T]
}

// layout takes the memory of the blocks.
func (w *blockPairs[T]) layout(a *scratch.Arena) {
	w.stays = newBlock(a, w.left, w.widths.left, w.weights)
	w.buffers = make([]*block[T], w.widths.buffers)
	for n := range w.buffers {
		w.buffers[n] = newBlock(a, w.right, w.widths.right, w.weights)
	}
}

// visitor is what a walk over pairs of blocks calls.
type visitor[T dense.Scalar] struct {
	// needs reports whether a pair with i0 <= i < i1 and j0 <= j < j1 is to be visited: blocks without such pairs are
	// not read. Nil needs them all.
	needs func(i0, i1, j0, j1 int) bool
	// visit is given each pair of blocks; left and right are the same block if it is paired with itself.
	visit func(left, right *block[T]) error
	// finish is called when a left block has met all right ones; may be nil.
	finish func(left *block[T]) error
}

// each walks over all pairs of blocks, whose memory is there. The first error ends it; nothing is being loaded any more
// when it returns.
func (w *blockPairs[T]) each(v visitor[T]) error {
	left := w.stays
	needs := v.needs
	if needs == nil {
		needs = func(int, int, int, int) bool { return true }
	}
	for i0, i1 := range stream.Ranges(w.left.nocc, w.widths.left) {
		streamed, last := w.right.nocc, w.right.nocc
		if w.oneSpin {
			streamed, last = i0, i1
		}
		if !needs(i0, i1, 0, last) {
			continue
		}
		if err := left.fill(w.team, i0, i1, w.checkFinite); err != nil {
			return err
		}
		needed := func(j0, j1 int) bool { return needs(i0, i1, j0, j1) }
		if err := w.stream(streamed, needed, func(b *block[T]) error { return v.visit(left, b) }); err != nil {
			return err
		}
		if w.oneSpin {
			if err := v.visit(left, left); err != nil {
				return err
			}
		}
		if v.finish == nil {
			continue
		}
		if err := v.finish(left); err != nil {
			return err
		}
	}
	return nil
}

// stream calls visit for the blocks of right orbitals 0 <= j < count that are needed. Blocks are loaded anew for each
// left one, unless one block holds all of them.
func (w *blockPairs[T]) stream(
	count int, needed func(j0, j1 int) bool, visit func(b *block[T]) error,
) error {
	if w.oneSpin || w.widths.right < w.right.nocc {
		for _, b := range w.buffers {
			b.forget()
		}
	}
	load := func(team *sched.Team, buffer, first, end int) error {
		return w.buffers[buffer].fill(team, first, end, w.checkFinite)
	}
	return stream.Blocks{Count: count, Width: w.widths.right, Buffers: len(w.buffers)}.Each(
		w.team, needed, load, func(buffer, _, _ int) error { return visit(w.buffers[buffer]) })
}

// bytesRead returns the bytes that the walk reads if it needs all pairs.
func (w *blockPairs[T]) bytesRead() int64 {
	bytes := int64(0)
	if w.left.empty() || w.right.empty() {
		return 0
	}
	for i0, i1 := range stream.Ranges(w.left.nocc, w.widths.left) {
		bytes += w.left.bytesRead(i0, i1)
		streamed := w.right.nocc
		if w.oneSpin {
			streamed = i0
		}
		for j0, j1 := range stream.Ranges(streamed, w.widths.right) {
			bytes += w.right.bytesRead(j0, j1)
		}
	}
	return bytes
}

// widths says how many orbitals the blocks of a walk hold: the left one, and the right ones, of which there are as many
// as buffers. There are no right ones if one block holds all orbitals of a walk over one spin.
type widths struct{ left, right, buffers int }

// plan is the widths for the walks of a call.
type plan struct {
	same     [2]widths // of each source with itself
	opposite widths    // of the first with the second source
}

// newPlan splits maxBytes for every walk with some number of threads. If it is too little, the error says how many
// bytes are needed for one pair of orbitals in each walk.
func newPlan[T dense.Scalar](ops []*operand[T], maxBytes int64, threads int) (plan, error) {
	budget := int(maxBytes / int64(dense.Bytes[T]()))
	least := 0
	for _, op := range ops {
		least = max(least, min(2, op.nocc)*op.packedElements())
	}
	mixed := len(ops) == 2 && !ops[0].empty() && !ops[1].empty()
	if mixed {
		least = max(least, ops[0].packedElements()+ops[1].packedElements())
	}
	if least > budget {
		return plan{}, tooLittleForAPair(maxBytes, int64(least)*int64(dense.Bytes[T]()))
	}
	var p plan
	for n, op := range ops {
		p.same[n] = planSame(op, budget, threads)
	}
	if mixed {
		p.opposite = planOpposite(ops[0], ops[1], budget, threads)
	}
	return p, nil
}

func tooLittleForAPair(maxBytes, least int64) error {
	return dense.BadArgument("max_memory",
		"%d bytes do not hold the integrals of one pair of occupied orbitals, the least that works is %d bytes",
		maxBytes, least)
}

// planSame makes one block of all orbitals if that fits, else as large a left block as leaves room for a stream: the
// larger it is, the fewer times the others are read.
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

// planOpposite makes blocks of all orbitals of a spin that takes no memory, or of both spins if they fit; else the
// second spin streams past as large blocks of the first one as leave room for it.
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

// The least pairs for each thread that a right block has with the left block, if the memory allows it.
const pairsPerThread = 4

// streamWidths returns the width and number of right blocks: two, so that one can be read while the other is worked on,
// unless there is room for one orbital only; and as narrow as gives the threads enough pairs. room is how many orbitals
// the left block would have without the right ones, most how many the right ones may hold together.
func streamWidths(room, most, nocc, threads int) widths {
	if most < 2 || room < 3 {
		return widths{right: 1, buffers: 1}
	}
	w := widths{right: 1, buffers: 2}
	for w.right < min(room/4, most/2, nocc) && (room-2*w.right)*w.right < pairsPerThread*threads {
		w.right++
	}
	return w
}

// triangular is the number of the pair i >= j, and triangular(n, 0) the number of such pairs of n orbitals.
func triangular(i, j int) int { return i*(i+1)/2 + j }

// strictPairs returns the number of pairs i > j of n orbitals, and strictNumber the number of such a pair among them.
func strictPairs(n int) int { return n * (n - 1) / 2 }

func strictNumber(i, j int) int { return strictPairs(i) + j }

// strictPair returns i > j of the pair with a strictNumber.
func strictPair(n int) (i, j int) {
	i = int((1 + math.Sqrt(1+8*float64(n))) / 2)
	for strictPairs(i) > n { // the root may be off by its rounding
		i--
	}
	for strictPairs(i+1) <= n {
		i++
	}
	return i, n - strictPairs(i)
}
