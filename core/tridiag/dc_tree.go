package tridiag

import (
	"math"
	"math/bits"

	"trnsci/core/kernel/batch"
	"trnsci/core/sched"
)

// Nodes below this order get neither a thread of their own nor several threads. The memory of a few smaller nodes would
// exceed that of the whole block.
const minSharedNode = 48

// treeDepth returns how often a block of order n is halved.
func treeDepth(n int) int {
	const small = batch.Width * leafOrder / 2
	switch {
	case n <= leafOrder:
		return 0
	case n <= small:
		return bits.Len(uint(ceilDiv(n, leafOrder/2) - 1))
	}
	return bits.Len(uint(ceilDiv(n, leafOrder) - 1))
}

// tree is the divide and conquer tree of an unreduced tridiagonal block. A node is a range of rows and has two halves,
// unless it is a leaf. Level 0 is the whole block, and each level has twice as many nodes as the one above.
type tree struct {
	Matrix
	serial    *sched.Team // one thread
	levels    int
	couplings []float64 // E before the block was torn
	order     []int     // for each node its row indices, relative to its start, in ascending order of D
}

func newTree(t Matrix) tree {
	n := len(t.D)
	return tree{Matrix: t, levels: treeDepth(n), couplings: make([]float64, n), order: make([]int, n)}
}

// nodeRows is the range start <= i < end of the rows of a node. The rows before cut are its first half.
type nodeRows struct{ start, cut, end int }

// nodeSolver diagonalizes the nodes of a tree.
type nodeSolver interface {
	// prepare allocates for a number of threads, each of which works on a node of at most the given order.
	prepare(threads, order int)
	// solveLeaves diagonalizes some leaves, at most as many as there are SIMD lanes, with eigenvalues in ascending
	// order.
	solveLeaves(worker int, leaves []nodeRows) error
	// merge diagonalizes a node whose halves have been diagonalized: it is their diagonal matrix plus a matrix of rank
	// one with the elements |rho|, |rho| on the diagonal and rho off it in the two rows next to the cut. It sets the
	// node's order.
	merge(team *sched.Team, worker int, s nodeRows, rho float64) error
	// cost is the expected cost of the merge of a node of order n.
	cost(n int) int
}

// solve diagonalizes the block: first one subtree per thread, then the nodes above them one after another on all
// threads.
func (t *tree) solve(team *sched.Team, s nodeSolver) error {
	t.tear()
	team = team.Plan(t.mergesCost(s))
	t.serial = team.Serial()
	top := t.sharedLevel(team)
	s.prepare(min(team.Threads(), 1<<top), ceilDiv(len(t.D), 1<<top))
	err := team.For(1<<top, func(worker, index int) error { return t.subtree(team, s, worker, top, index) })
	if err != nil || top == 0 {
		return err
	}
	s.prepare(1, len(t.D))
	for level := top - 1; level >= 0; level-- {
		for index := range 1 << level {
			if err := t.mergeNode(team, s, 0, level, index); err != nil {
				return err
			}
		}
	}
	return nil
}

// sharedLevel returns the level whose nodes the threads share: it has at least one node per thread, unless these would
// be smaller than minSharedNode.
func (t *tree) sharedLevel(team *sched.Team) int {
	largest := bits.Len(uint(len(t.D)/minSharedNode)) - 1
	return max(0, min(t.levels, bits.Len(uint(team.Threads()-1)), largest))
}

// capacity returns the largest product of the arguments of prepare.
func (t *tree) capacity() int { return len(t.D) + 1<<t.levels }

// rows returns the rows of a node.
func (t *tree) rows(level, index int) nodeRows {
	n := len(t.D)
	return nodeRows{n * index >> level, n * (2*index + 1) >> (level + 1), n * (index + 1) >> level}
}

// tear makes the leaves independent by rank-one tearings: at a coupling rho it subtracts the matrix with the elements
// |rho|, |rho| on the diagonal and rho off it.
func (t *tree) tear() {
	copy(t.couplings, t.E)
	for index := 1; index < 1<<t.levels; index++ {
		cut := t.rows(t.levels, index).start
		rho := math.Abs(t.E[cut-1])
		t.D[cut-1] -= rho
		t.D[cut] -= rho
	}
}

// subtree diagonalizes a node and everything below it.
func (t *tree) subtree(team *sched.Team, s nodeSolver, worker, level, index int) error {
	if 1<<(t.levels-level) <= batch.Width {
		return t.lowSubtree(team, s, worker, level, index)
	}
	for half := 2 * index; half <= 2*index+1; half++ {
		if err := t.subtree(team, s, worker, level+1, half); err != nil {
			return err
		}
	}
	return t.mergeNode(team, s, worker, level, index)
}

// lowSubtree is subtree for a node whose leaves fit into the SIMD lanes.
func (t *tree) lowSubtree(team *sched.Team, s nodeSolver, worker, level, index int) error {
	if err := team.Err(); err != nil {
		return err
	}
	below := t.levels - level
	var memory [batch.Width]nodeRows
	leaves := memory[:1<<below]
	for i := range leaves {
		leaf := t.rows(t.levels, index<<below+i)
		leaves[i] = leaf
		for i := leaf.start; i < leaf.end; i++ {
			t.order[i] = i - leaf.start
		}
	}
	if err := s.solveLeaves(worker, leaves); err != nil {
		return err
	}
	for up := range below {
		count := 1 << (below - 1 - up)
		for i := range count {
			if err := t.mergeNode(team, s, worker, t.levels-1-up, index*count+i); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeNode merges the halves of a node.
func (t *tree) mergeNode(team *sched.Team, s nodeSolver, worker, level, index int) error {
	at := t.rows(level, index)
	for i := at.cut; i < at.end; i++ {
		t.order[i] += at.cut - at.start
	}
	if at.end-at.start < minSharedNode {
		team = t.serial
	}
	phase := team.Phase(s.cost(at.end - at.start))
	err := s.merge(phase, worker, at, t.couplings[at.cut-1])
	phase.End()
	return err
}

// mergesCost returns the expected cost of all merges.
func (t *tree) mergesCost(s nodeSolver) (cost int) {
	for level := range t.levels {
		for index := range 1 << level {
			at := t.rows(level, index)
			cost += s.cost(at.end - at.start)
		}
	}
	return cost
}

// halves returns the eigenvalues of the halves of a node.
func (t *tree) halves(s nodeRows) halves {
	return halves{d: t.D[s.start:s.end], order: t.order[s.start:s.end], cut: s.cut - s.start}
}
