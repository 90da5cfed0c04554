package tridiag

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/secular"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// boundaryRowsDC finds the eigenvalues of one unreduced block by divide and conquer without eigenvectors. A merge needs
// only the rows of the children's eigenvector matrices next to the cut, and produces only the first and the last row of
// its own. No other row is stored.
//
// Cost: about 10 n^2 terms of secular functions.
type boundaryRowsDC struct {
	tree
	threads           int
	firstRow, lastRow []float64     // the first and the last element of each eigenvector of a node
	rest              scratch.Arena // for the mergers
	indices           []int         // of the mergers
	kind              []uint8       // of the mergers
	mergers           []boundaryMerger
}

// boundaryMerger merges the halves of one node after another.
type boundaryMerger struct {
	rankOneUpdate
	firstRow, lastRow       []float64 // those of the node
	oldFirstRow, oldLastRow []float64 // before the merge, in the order of the columns, deflated ones last
	secular                 []float64 // for each thread some secular eigenvectors
	leaves                  leafSolver
	leafMemory              []float64
}

// A thread computes secularTogether secular eigenvectors at a time.
const secularTogether = secular.PoleGroup

// take takes memory for the given number of threads and nodes up to the order n.
func (m *boundaryMerger) take(a *scratch.Arena, n, threads int) {
	m.rankOneUpdate.take(a, n)
	m.leafMemory = scratch.Take[float64](a, leafElements(boundaryCols))
	row := n + secular.PoleGroup
	m.oldFirstRow, m.oldLastRow = scratch.Take[float64](a, row), scratch.Take[float64](a, row)
	m.secular = scratch.Take[float64](a, secularTogether*threads*row)
}

// boundaryWords returns how many numbers of memory a boundaryRowsDC takes for a block of order n. The subtrees of
// threads and then the nodes above them take the same memory, so their sum is more than enough.
func boundaryWords(n, threads int) int {
	return scratch.Count(func(a *scratch.Arena) {
		var c boundaryRowsDC
		c.takeRows(a, n)
		var m boundaryMerger
		for range threads {
			m.take(a, ceilDiv(n, threads), 1)
		}
		m.take(a, n, threads)
	})
}

// takeRows takes the memory of the rows of all nodes of a block of order n.
func (c *boundaryRowsDC) takeRows(a *scratch.Arena, n int) {
	c.firstRow, c.lastRow = scratch.Take[float64](a, n), scratch.Take[float64](a, n)
}

// newBoundaryRowsDC returns the solver of one block. Its first merger is for all threads.
func newBoundaryRowsDC(t Matrix, threads int) *boundaryRowsDC {
	c := &boundaryRowsDC{tree: newTree(t), threads: threads}
	n, capacity := len(t.D), c.capacity()
	c.rest = scratch.NewArena(make([]float64, boundaryWords(n, threads)))
	c.takeRows(&c.rest, n)
	c.indices, c.kind = make([]int, updateIndices*capacity), make([]uint8, capacity)
	return c
}

// solve finds the eigenvalues of the block in ascending order, scaled so that its largest element is near 1.
func (c *boundaryRowsDC) solve(team *sched.Team) error {
	exponent := c.normalize(0, len(c.D))
	if err := c.tree.solve(team, c); err != nil {
		return err
	}
	applyOrder(c.D, c.order, c.firstRow)
	scaleByPower(exponent, c.D)
	return nil
}

// cost implements nodeSolver.
func (c *boundaryRowsDC) cost(n int) int { return boundaryCost(n) }

// prepare implements nodeSolver. A single merger is for all threads.
func (c *boundaryRowsDC) prepare(threads, order int) {
	c.mergers = append(c.mergers[:0], make([]boundaryMerger, threads)...)
	each := 1
	if threads == 1 {
		each = c.threads
	}
	arena := c.rest
	for i := range c.mergers {
		at := i * order
		c.mergers[i].take(&arena, order, each)
		c.mergers[i].place(order, c.indices[updateIndices*at:], c.kind[at:])
	}
}

// solveLeaves implements nodeSolver.
func (c *boundaryRowsDC) solveLeaves(worker int, leaves []nodeRows) error {
	m := &c.mergers[worker]
	if err := m.leaves.solve(c.Matrix, leaves, true, m.leafMemory); err != nil {
		return err
	}
	for lane, s := range leaves {
		for i := range s.end - s.start {
			c.firstRow[s.start+i], c.lastRow[s.start+i] = m.leaves.element(lane, i, 0), m.leaves.element(lane, i, 1)
		}
	}
	return nil
}

// merge implements nodeSolver.
func (c *boundaryRowsDC) merge(team *sched.Team, worker int, s nodeRows, rho float64) error {
	m := &c.mergers[worker]
	m.firstRow, m.lastRow = c.firstRow[s.start:s.end], c.lastRow[s.start:s.end]
	m.begin(c.halves(s), rho)
	sign := math.Copysign(math.Sqrt2/2, rho)
	for i := range m.cut {
		m.z[i], m.lastRow[i] = m.lastRow[i]*(math.Sqrt2/2), 0
	}
	for i := m.cut; i < len(m.d); i++ {
		m.z[i], m.firstRow[i] = m.firstRow[i]*sign, 0
	}
	m.deflate(dense.RoundoffDouble, func(i, j int, c, s float64) {
		for _, x := range [][]float64{m.firstRow, m.lastRow} {
			x[i], x[j] = c*x[i]+s*x[j], c*x[j]-s*x[i]
		}
	})
	m.arrange()
	// The roots take about half of the time of all merges but the last one.
	half := c.cost(len(m.d)) / 2
	team = team.Plan(2 * half)
	if len(m.d) == len(c.D) {
		return m.solve(team, 2*half)
	}
	if err := m.solve(team, half); err != nil {
		return err
	}
	return m.updateBoundary(team, half)
}

// updateBoundary computes the first and the last row of the node's eigenvector matrix, which takes the given steps of
// the team.
func (m *boundaryMerger) updateBoundary(team *sched.Team, steps int) error {
	kept := len(m.kept)
	for i, from := range m.sorted {
		m.oldFirstRow[i], m.oldLastRow[i] = m.firstRow[from], m.lastRow[from]
	}
	copy(m.firstRow[kept:], m.oldFirstRow[kept:len(m.d)])
	copy(m.lastRow[kept:], m.oldLastRow[kept:len(m.d)])
	// The columns that pad a group are zero in every vector.
	clear(m.oldFirstRow[len(m.d):])
	clear(m.oldLastRow[len(m.d):])
	groups := ceilDiv(kept, groupRows)
	err := team.For(groups, func(_, group int) error {
		m.computeWeights(group)
		return nil
	})
	if err != nil {
		return err
	}
	return team.For(groups, func(worker, group int) error {
		for first := group * groupRows; first < min(kept, (group+1)*groupRows); first += secularTogether {
			m.updateVectors(worker, first, min(kept, first+secularTogether))
		}
		team.Step(steps / groups)
		return nil
	})
}

// updateVectors is updateBoundary for the vectors first <= k < end.
func (m *boundaryMerger) updateVectors(worker, first, end int) {
	cols := len(m.columns.At)
	vectors := m.secular[worker*secularTogether*cols:][:secularTogether*cols]
	secular.Vectors(kernel.Best(), m.columns, m.origins[first:end], m.shifts[first:end], vectors, cols)
	var sums [2 * secularTogether]float64
	rows := vector.Rows[float64]{Count: end - first, Cols: cols, Stride: cols, A: vectors}
	vector.DotsPair(kernel.Best(), &rows, m.oldFirstRow, m.oldLastRow, sums[:])
	for k := first; k < end; k++ {
		m.firstRow[k], m.lastRow[k] = sums[2*(k-first)], sums[2*(k-first)+1]
	}
}
