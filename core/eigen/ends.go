package eigen

import (
	"math"

	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// endConquest finds the eigenvalues of one block by divide and conquer. All that a merge has to know of the eigenvectors of the halves are their
// elements at the cut, and all that it has to leave are those at the node's ends.
//
// Cost: about 10 n^2 terms of secular functions.
type endConquest struct {
	tree
	threads       int
	firsts, lasts []float64 // for each eigenvalue of a node the first and the last element of its vector
	memory        []float64
	indices       []int   // memory for mergers
	kind          []uint8 // memory for mergers
	mergers       []endMerger
}

// endMerger merges the halves of one node after another.
type endMerger struct {
	change
	firsts, lasts       []float64 // those of the node
	oldFirsts, oldLasts []float64 // those of the old vectors in the order of the columns, then those of the dead ones
	vectors             []float64 // for each thread as many new ones as are made together
	leaves              leaves
	leafMemory          []float64
}

const (
	// New vectors that a thread makes together, and rows of numbers that place takes besides those.
	endVectors, endRows = kernel.PoleGroup, 2
)

// endElements returns how many numbers a merger for a number of threads takes of memory for nodes of order n.
func endElements(n, threads int) int {
	return changeElements(n) + leafElements(endColumns) + (endRows+endVectors*threads)*(n+kernel.PoleGroup)
}

// place gives the merger its memory, for nodes up to the order n.
func (m *endMerger) place(n int, memory []float64, indices []int, kind []uint8) {
	m.change.place(n, memory, indices, kind)
	memory = memory[changeElements(n):]
	m.leafMemory, memory = memory[:leafElements(endColumns)], memory[leafElements(endColumns):]
	row := n + kernel.PoleGroup
	m.oldFirsts, m.oldLasts, m.vectors = memory[:row], memory[row:2*row], memory[2*row:]
}

// newEndConquest returns the work on one block; the first merger is for all threads.
func newEndConquest(t *tridiagonal, threads int) *endConquest {
	c := &endConquest{tree: newTree(t), threads: threads}
	n, room := len(t.d), c.room()
	c.firsts, c.lasts = make([]float64, n), make([]float64, n)
	c.memory = make([]float64, threads*endElements(ceilDiv(n, threads), 1)+endElements(n, threads))
	c.indices, c.kind = make([]int, changeIndices*room), make([]uint8, room)
	return c
}

// solve finds the eigenvalues of the block in ascending order, scaled so that its largest element is near 1.
func (c *endConquest) solve(team *sched.Team) error {
	exponent := c.normalize(0, len(c.d))
	if err := c.grow(team, c); err != nil {
		return err
	}
	applyOrder(c.d, c.order, c.firsts)
	scaleByPower(exponent, c.d)
	return nil
}

// cost is that of the secular equations.
func (c *endConquest) cost(n int) int { return endCost(n) }

// prepare makes mergers for a number of threads and nodes up to the given order; a single one is for all threads.
func (c *endConquest) prepare(threads, order int) {
	c.mergers = append(c.mergers[:0], make([]endMerger, threads)...)
	size := endElements(order, 1)
	if threads == 1 {
		size = endElements(order, c.threads)
	}
	for i := range c.mergers {
		at := i * order
		c.mergers[i].place(order, c.memory[i*size:(i+1)*size], c.indices[changeIndices*at:], c.kind[at:])
	}
}

// leaves diagonalizes some leaves.
func (c *endConquest) leaves(worker int, spans []span) error {
	m := &c.mergers[worker]
	if err := m.leaves.solve(c.tridiagonal, spans, true, m.leafMemory); err != nil {
		return err
	}
	for lane, s := range spans {
		for i := range s.end - s.start {
			c.firsts[s.start+i], c.lasts[s.start+i] = m.leaves.element(lane, i, 0), m.leaves.element(lane, i, 1)
		}
	}
	return nil
}

// merge diagonalizes a node whose halves have been.
func (c *endConquest) merge(team *sched.Team, worker int, s span, rho float64) error {
	m := &c.mergers[worker]
	m.firsts, m.lasts = c.firsts[s.start:s.end], c.lasts[s.start:s.end]
	m.begin(c.node(s), rho)
	sign := math.Copysign(math.Sqrt2/2, rho)
	for i := range m.cut {
		m.z[i], m.lasts[i] = m.lasts[i]*(math.Sqrt2/2), 0
	}
	for i := m.cut; i < len(m.d); i++ {
		m.z[i], m.firsts[i] = m.firsts[i]*sign, 0
	}
	m.deflate(unitRoundoff, func(i, j int, c, s float64) {
		for _, x := range [][]float64{m.firsts, m.lasts} {
			x[i], x[j] = c*x[i]+s*x[j], c*x[j]-s*x[i]
		}
	})
	m.arrange()
	if err := m.solve(team); err != nil {
		return err
	}
	if len(m.d) == len(c.d) {
		return nil
	}
	return m.findEnds(team)
}

// findEnds computes the first and the last elements of the new vectors from those of the old ones.
func (m *endMerger) findEnds(team *sched.Team) error {
	live := len(m.live)
	for i, from := range m.sorted {
		m.oldFirsts[i], m.oldLasts[i] = m.firsts[from], m.lasts[from]
	}
	copy(m.firsts[live:], m.oldFirsts[live:len(m.d)])
	copy(m.lasts[live:], m.oldLasts[live:len(m.d)])
	// What fills up a group of columns has zeros in every vector.
	clear(m.oldFirsts[len(m.d):])
	clear(m.oldLasts[len(m.d):])
	groups := ceilDiv(live, rowsTogether)
	err := team.For(groups, func(_, group int) error {
		m.weigh(group)
		return nil
	})
	if err != nil {
		return err
	}
	return team.For(groups, func(worker, group int) error {
		for first := group * rowsTogether; first < min(live, (group+1)*rowsTogether); first += endVectors {
			m.someEnds(worker, first, min(live, first+endVectors))
		}
		return nil
	})
}

// someEnds does findEnds' work for the vectors first <= k < end.
func (m *endMerger) someEnds(worker, first, end int) {
	cols := len(m.columns.At)
	vectors := m.vectors[worker*endVectors*cols:][:endVectors*cols]
	kernel.SecularVectors(kernel.Best(), m.columns, m.origins[first:end], m.shifts[first:end], vectors, cols)
	var sums [2 * endVectors]float64
	rows := kernel.Rows[float64]{Count: end - first, Cols: cols, Stride: cols, A: vectors}
	kernel.DotsPair(kernel.Best(), &rows, m.oldFirsts, m.oldLasts, sums[:])
	for k := first; k < end; k++ {
		m.firsts[k], m.lasts[k] = sums[2*(k-first)], sums[2*(k-first)+1]
	}
}
