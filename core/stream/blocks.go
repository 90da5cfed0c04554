package stream

import (
	"iter"

	"trnsci/core/sched"
)

// A block that is read ahead has about this many bytes where the memory limit allows more: the first one is waited for.
const blockBytes = 16 << 20

// Blocks cuts the slices 0 <= i < Count of a block axis into blocks of Width slices, of which Buffers are held at once.
// With two buffers, a block is read while the one before it is worked on.
type Blocks struct{ Count, Width, Buffers int }

// PlanBlocks chooses blocks of count slices for a limit in bytes: of whole units of slices, so that sums over slices
// can be cut at the same places for every limit. If the limit does not hold one unit, there are no blocks, and least is
// what it needs.
func PlanBlocks(count int, sliceBytes int64, unit int, maxBytes int64) (b Blocks, least int64, ok bool) {
	least = int64(min(unit, count)) * sliceBytes
	if maxBytes < least {
		return Blocks{}, least, false
	}
	b = Blocks{Count: count, Buffers: 2}
	if maxBytes < 2*least || count <= unit {
		b.Buffers = 1
	}
	units := max(1, min(maxBytes/int64(b.Buffers), blockBytes)/least)
	b.Width = int(min(int64(count), units*int64(unit)))
	return b, least, true
}

// Each calls load and then visit for every block that is wanted, in order; a nil wanted means all of them. Both are
// given the number of the buffer that holds the block. With two buffers, load runs for the next block while visit runs.
// The first error ends the walk, and nothing is being loaded any more when it returns.
func (b Blocks) Each(
	team *sched.Team, wanted func(first, end int) bool,
	load func(team *sched.Team, buffer, first, end int) error, visit func(buffer, first, end int) error,
) error {
	var firsts []int
	for first, end := range Ranges(b.Count, b.Width) {
		if wanted == nil || wanted(first, end) {
			firsts = append(firsts, first)
		}
	}
	end := func(n int) int { return min(b.Count, firsts[n]+b.Width) }
	return team.Pipeline(len(firsts), b.Buffers > 1,
		func(team *sched.Team, n int) error { return load(team, n%b.Buffers, firsts[n], end(n)) },
		func(n int) error { return visit(n%b.Buffers, firsts[n], end(n)) })
}

// Ranges yields the ranges first <= i < end of a width below count, the last of which may be shorter.
func Ranges(count, width int) iter.Seq2[int, int] {
	return func(yield func(first, end int) bool) {
		for first := 0; first < count; first += width {
			if !yield(first, min(count, first+width)) {
				return
			}
		}
	}
}
