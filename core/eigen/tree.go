package eigen

import (
	"math"
	"math/bits"

	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// A node of less than this order is not worth a thread of its own, nor the work of several. The memory of a few smaller ones would be more than
// that of the whole.
const leastSharedNode = 48

// mergeLevels returns how often a block of order n is halved.
func mergeLevels(n int) int {
	const small = kernel.Lanes * leafOrder / 2
	switch {
	case n <= leafOrder:
		return 0
	case n <= small:
		return bits.Len(uint(ceilDiv(n, leafOrder/2) - 1))
	}
	return bits.Len(uint(ceilDiv(n, leafOrder) - 1))
}

// tree is a tridiagonal matrix that is torn into pieces and put together again: a node is a piece of it, and has two halves unless it is a
// leaf.
type tree struct {
	*tridiagonal
	serial    *sched.Team // one thread
	levels    int         // each has twice as many nodes as the one before, the first one
	couplings []float64   // the couplings that e had before the matrix was torn
	order     []int       // for each node its indices, counted from its first one, in ascending order of d
}

func newTree(t *tridiagonal) tree {
	n := len(t.d)
	return tree{tridiagonal: t, levels: mergeLevels(n), couplings: make([]float64, n), order: make([]int, n)}
}

// span is the rows start <= i < end of a node, of which those in front of cut are its first half.
type span struct{ start, cut, end int }

// grower diagonalizes the nodes of a tree.
type grower interface {
	// prepare makes ready for a number of threads, each of which works on a node of at most the given order.
	prepare(threads, order int)
	// leaves diagonalizes some leaves, at most as many as there are lanes; the eigenvalues of each ascend then.
	leaves(worker int, spans []span) error
	// merge diagonalizes a node, whose halves have been, and which is their diagonal matrix plus one of rank one, with the elements |rho|, |rho|
	// and rho in the rows and columns around the cut. It leaves the node's order.
	merge(team *sched.Team, worker int, s span, rho float64) error
	// cost is what the merge of a node of order n is expected to cost.
	cost(n int) int
}

// grow diagonalizes the matrix: first subtrees, one for each thread, then the nodes above them, on all threads one after another.
func (t *tree) grow(team *sched.Team, g grower) error {
	t.tear()
	team = team.Plan(t.cost(g, t.levels))
	t.serial = team.Serial()
	top := t.sharedLevel(team)
	g.prepare(min(team.Threads(), 1<<top), ceilDiv(len(t.d), 1<<top))
	err := team.For(1<<top, func(worker, index int) error { return t.subtree(team, g, worker, top, index) })
	if err != nil || top == 0 {
		return err
	}
	g.prepare(1, len(t.d))
	for level := top - 1; level >= 0; level-- {
		for index := range 1 << level {
			if err := t.mergeNode(team, g, 0, level, index); err != nil {
				return err
			}
		}
	}
	return nil
}

// sharedLevel returns the level whose nodes the threads share: as many as there are threads, but none of less than an order that is worth it.
func (t *tree) sharedLevel(team *sched.Team) int {
	largest := bits.Len(uint(len(t.d)/leastSharedNode)) - 1
	return max(0, min(t.levels, bits.Len(uint(team.Threads()-1)), largest))
}

// room returns the largest product of the arguments of prepare.
func (t *tree) room() int { return len(t.d) + 1<<t.levels }

// bounds returns the rows of a node of a level.
func (t *tree) bounds(level, index int) span {
	n := len(t.d)
	return span{n * index >> level, n * (2*index + 1) >> (level + 1), n * (index + 1) >> level}
}

// tear makes the leaves independent: at a coupling rho, it subtracts a matrix of rank one with the elements |rho|, |rho| and rho.
func (t *tree) tear() {
	copy(t.couplings, t.e)
	for index := 1; index < 1<<t.levels; index++ {
		cut := t.bounds(t.levels, index).start
		rho := math.Abs(t.e[cut-1])
		t.d[cut-1] -= rho
		t.d[cut] -= rho
	}
}

// subtree diagonalizes a node and all that is below it.
func (t *tree) subtree(team *sched.Team, g grower, worker, level, index int) error {
	below := t.levels - level
	if 1<<below <= kernel.Lanes {
		return t.bush(team, g, worker, level, index)
	}
	for half := 2 * index; half <= 2*index+1; half++ {
		if err := t.subtree(team, g, worker, level+1, half); err != nil {
			return err
		}
	}
	return t.mergeNode(team, g, worker, level, index)
}

// bush diagonalizes a node with at most as many leaves as there are lanes and all that is below it.
func (t *tree) bush(team *sched.Team, g grower, worker, level, index int) error {
	if err := team.Err(); err != nil {
		return err
	}
	below := t.levels - level
	var memory [kernel.Lanes]span
	spans := memory[:1<<below]
	for i := range spans {
		s := t.bounds(t.levels, index<<below+i)
		spans[i] = s
		for i := s.start; i < s.end; i++ {
			t.order[i] = i - s.start
		}
	}
	if err := g.leaves(worker, spans); err != nil {
		return err
	}
	for up := range below {
		count := 1 << (below - 1 - up)
		for i := range count {
			if err := t.mergeNode(team, g, worker, t.levels-1-up, index*count+i); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeNode merges the halves of a node.
func (t *tree) mergeNode(team *sched.Team, g grower, worker, level, index int) error {
	s := t.bounds(level, index)
	for i := s.cut; i < s.end; i++ {
		t.order[i] += s.cut - s.start
	}
	if s.end-s.start < leastSharedNode {
		team = t.serial
	}
	phase := team.Phase(g.cost(s.end - s.start))
	err := g.merge(phase, worker, s, t.couplings[s.cut-1])
	phase.End()
	return err
}

// cost returns what the merges on so many levels from the first one on are expected to cost.
func (t *tree) cost(g grower, levels int) (cost int) {
	for level := range levels {
		for index := range 1 << level {
			s := t.bounds(level, index)
			cost += g.cost(s.end - s.start)
		}
	}
	return cost
}

// node returns the eigenvalues of the halves of a node.
func (t *tree) node(s span) node {
	return node{d: t.d[s.start:s.end], order: t.order[s.start:s.end], cut: s.cut - s.start}
}
