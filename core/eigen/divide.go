package eigen

import (
	"math"
	"math/bits"

	"trnsci/core/sched"
)

// A block of this order is diagonalized by the QL iteration; a larger one is halved until its pieces are at most that large.
const leafOrder = 32

// mergeLevels returns how often a block of order n is halved.
func mergeLevels(n int) int {
	if n <= leafOrder {
		return 0
	}
	return bits.Len(uint(ceilDiv(n, leafOrder) - 1))
}

// solveElements returns how many numbers solve takes as workspace for the order n.
func solveElements(n int) int {
	if n <= leafOrder {
		return 0
	}
	return mergeElements(n)
}

// solveSteps returns the steps that solve reports for the order n: each eigenvalue once for its piece and once for each merge.
func solveSteps(n int) int { return n * (1 + mergeLevels(n)) }

// solve overwrites d by the eigenvalues in ascending order, and e. The rows of vectors, zero on entry, become the orthonormal
// eigenvectors. workspace has solveElements(n) numbers.
//
// Each block that no zero of e divides is solved on its own.
func (t *tridiagonal) solve(team *sched.Team, workspace []float64) error {
	n := len(t.d)
	left := solveSteps(n)
	for start := 0; start < n; {
		end := t.blockEnd(start, n, smallestCoupling)
		block := t.piece(start, end)
		if err := block.divide(team, workspace); err != nil {
			return t.notConverged(err, start)
		}
		left -= solveSteps(end - start)
		start = end
	}
	team.Step(left)
	return t.sort(team)
}

// piece returns the rows and columns start <= i < end of t.
func (t *tridiagonal) piece(start, end int) *tridiagonal {
	return &tridiagonal{
		d: t.d[start:end], e: t.e[start:end], vectors: t.vectors.Slice(start, end, start, end),
		rotations: t.rotations[start:end], sweepsLeft: maxSweepsPerValue * (end - start),
	}
}

// notConverged returns the error of a piece of t that begins at start as one of t: a *ConvergenceError counts what came before as found.
func (t *tridiagonal) notConverged(err error, start int) error {
	if failed, ok := err.(*ConvergenceError); ok {
		return &ConvergenceError{Found: start + failed.Found, Order: len(t.d)}
	}
	return err
}

// divide diagonalizes a block by divide and conquer: level by level, from pieces of leafOrder to halves. Eigenvalues keep the order that
// they get.
//
// The block is scaled so that its largest element is near 1, where the squares of small numbers matter to nothing.
func (t *tridiagonal) divide(team *sched.Team, workspace []float64) error {
	n := len(t.d)
	levels := mergeLevels(n)
	if levels == 0 {
		return t.diagonalize(team)
	}
	exponent := t.normalize(0, n)
	c := newConquest(team, t, workspace)
	if err := c.leaves(levels); err != nil {
		return err
	}
	for level := levels - 1; level >= 0; level-- {
		if err := c.level(level); err != nil {
			return err
		}
	}
	scaleByPower(exponent, t.d)
	return nil
}

// conquest is the work on one block.
type conquest struct {
	*tridiagonal
	team      *sched.Team
	workspace []float64
	order     []int     // for each node its indices, counted from its first one, in ascending order of d
	couplings []float64 // the couplings that e had before the block was torn
	indices   []int     // memory for mergers
	kind      []uint8
}

func newConquest(team *sched.Team, t *tridiagonal, workspace []float64) *conquest {
	n := len(t.d)
	room := n + 1<<mergeLevels(n) // for as many mergers as a level has nodes, each with room for the largest of them
	integers := make([]int, n+mergeIndices*room)
	return &conquest{
		tridiagonal: t, team: team, workspace: workspace, couplings: make([]float64, n),
		order: integers[:n], indices: integers[n:], kind: make([]uint8, room),
	}
}

// bounds returns the indices start <= i < end of a node of a level, of which level 0 has one and each next one twice as many.
func (c *conquest) bounds(level, index int) (start, end int) {
	n := len(c.d)
	return n * index >> level, n * (index + 1) >> level
}

// leaves tears the block into 2^levels pieces and diagonalizes them. To tear at a coupling rho subtracts a matrix of rank one with the elements
// |rho|, |rho| and rho.
func (c *conquest) leaves(levels int) error {
	copy(c.couplings, c.e)
	for index := 1; index < 1<<levels; index++ {
		cut, _ := c.bounds(levels, index)
		rho := math.Abs(c.e[cut-1])
		c.d[cut-1] -= rho
		c.d[cut] -= rho
	}
	return c.team.For(1<<levels, func(_, index int) error {
		start, end := c.bounds(levels, index)
		leaf := c.piece(start, end)
		if err := leaf.diagonalize(c.team); err != nil {
			return c.notConverged(err, start)
		}
		sortIndices(leaf.d, c.order[start:end])
		return nil
	})
}

// level merges the nodes of a level: many of them at a time, on one thread each, or few of them one after another. That changes no bits.
func (c *conquest) level(level int) error {
	nodes, largest := 1<<level, ceilDiv(len(c.d), 1<<level)
	threads := min(c.team.Threads(), nodes)
	perThread := mergeElements(largest)
	if nodes < c.team.Threads() || threads*perThread > len(c.workspace) {
		threads = 1
	}
	mergers := make([]*merger, threads)
	for i := range mergers {
		at := i * largest
		mergers[i] = newMerger(largest, c.workspace[i*perThread:(i+1)*perThread], c.indices[mergeIndices*at:], c.kind[at:])
	}
	body := func(worker, index int) error {
		start, end := c.bounds(level, index)
		cut, _ := c.bounds(level+1, 2*index+1)
		at := node{d: c.d[start:end], vectors: c.vectors.Slice(start, end, start, end), order: c.order[start:end], cut: cut - start}
		for i := cut - start; i < end-start; i++ {
			at.order[i] += at.cut
		}
		err := mergers[worker].merge(c.team, at, c.couplings[cut-1])
		c.team.Step(end - start)
		return err
	}
	if threads > 1 {
		return c.team.For(nodes, body)
	}
	for index := range nodes {
		if err := body(0, index); err != nil {
			return err
		}
	}
	return nil
}
