package mp2

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// stream hands out blocks of some orbitals in order. While one is worked on the next is loaded, if there is memory for both.
type stream[T dense.Scalar] struct {
	team        *sched.Team
	checkFinite bool
	blocks      []*block[T] // one, or two that take turns
	width, end  int
}

func (e *engine[T]) newStream(op *operand[T], spin string, w widths, end int, memory []T) *stream[T] {
	return newStream(e.team, e.checkFinite, op, spin, w, end, e.weights, memory)
}

// newStream returns the stream of the orbitals of op before end in blocks of a width.
func newStream[T dense.Scalar](team *sched.Team, checkFinite bool, op *operand[T], spin string, w widths, end int, weights []float64, memory []T) *stream[T] {
	s := &stream[T]{team: team, checkFinite: checkFinite, width: w.right, end: end}
	for range w.buffers {
		var b *block[T]
		b, memory = newBlock(op, spin, w.right, weights, memory)
		s.blocks = append(s.blocks, b)
	}
	return s
}

// each calls visit for every block that is wanted. The first error ends it; nothing is being loaded any more when it returns.
func (s *stream[T]) each(wanted func(first, end int) bool, visit func(b *block[T]) error) error {
	var firsts []int
	for first, end := range ranges(s.end, s.width) {
		if wanted(first, end) {
			firsts = append(firsts, first)
		}
	}
	load := func(team *sched.Team, n int) error {
		return s.block(n).fill(team, firsts[n], min(s.end, firsts[n]+s.width), s.checkFinite)
	}
	return s.team.Pipeline(len(firsts), len(s.blocks) > 1, load, func(n int) error { return visit(s.block(n)) })
}

// block returns the place of the n-th block.
func (s *stream[T]) block(n int) *block[T] { return s.blocks[n%len(s.blocks)] }

// blockWalk is a walk over pairs of blocks of one or two spins: some orbitals of the left one stay while those of the right one stream past, and then the next
// ones stay. Of one spin, which is left and right, those before the orbitals that stay stream.
type blockWalk[T dense.Scalar] struct {
	team                *sched.Team
	checkFinite         bool
	left, right         *operand[T]
	leftName, rightName string
	widths              widths
	oneSpin             bool
}

// elements returns the memory of the blocks.
func (w blockWalk[T]) elements() int {
	return w.widths.elements(w.left.packedElements(), w.right.packedElements())
}

// each calls visit for all pairs of blocks, of one spin also for those that stay with themselves. The first error ends it.
func (w blockWalk[T]) each(visit func(left, right *block[T]) error) error {
	stays, rest := newBlock(w.left, w.leftName, w.widths.left, unweighted(w.left), make([]T, w.elements()))
	all := func(int, int) bool { return true }
	for i0, i1 := range ranges(w.left.nocc, w.widths.left) {
		if err := stays.fill(w.team, i0, i1, w.checkFinite); err != nil {
			return err
		}
		end := w.right.nocc
		if w.oneSpin {
			end = i0
		}
		passing := newStream(w.team, w.checkFinite, w.right, w.rightName, w.widths, end, unweighted(w.right), rest)
		if err := passing.each(all, func(b *block[T]) error { return visit(stays, b) }); err != nil {
			return err
		}
		if !w.oneSpin {
			continue
		}
		if err := visit(stays, stays); err != nil {
			return err
		}
	}
	return nil
}
