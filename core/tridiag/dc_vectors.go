package tridiag

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/secular"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// nodeMerger merges the halves of one node after another and computes eigenvectors of type R, as rows. The caller
// provides all its memory.
//
// Before the merge the rows of the node's halves are their eigenvectors: rows of the first half are nonzero in the
// columns before the cut only, rows of the second half in the others, and the remaining elements are undefined. The new
// vectors, deflated ones apart, are the product of the secular eigenvectors with the old vectors.
//
// Cost: w k n multiply-adds for w wanted vectors and k pairs that are not deflated.
type nodeMerger[R dense.Float] struct {
	rankOneUpdate
	rows                     dense.Matrix[R]
	keptFrom, keptTo         int             // the new vectors that are wanted
	deflatedFrom, deflatedTo int             // the deflated vectors that are wanted
	left, right              dense.Matrix[R] // the old vectors before and after the cut, packed
	deflatedRows             dense.Matrix[R]
	secular                  dense.Matrix[R] // for each thread some rows of the secular eigenvectors
	memory                   []R
	team                     *sched.Team // for the products
	weightGroups, partRows   int         // groups of weights; rows of a part of the product
	leaves                   leafSolver
	leafMemory               []float64

	packBody, multiplyBody, storeBody loopBody // weightsOrPack, multiply, storeDeflated
}

const (
	// productParts is the number of parts of the new vectors, each of which has at least minPartRows rows.
	productParts, minPartRows = 8, 32
	realBytes                 = 8
)

// take takes memory for nodes up to the order n. With k pairs not deflated, the secular eigenvectors take at most k^2
// numbers, and the packed old vectors n^2/2 in all, but n for each deflated one: at most 3/2 n^2, since no more kept
// rows are nonzero in both halves than are deflated. The rest is padding of rows and groups of rows, and the memory of
// the leaves.
func (m *nodeMerger[R]) take(a *scratch.Arena, n int) {
	m.rankOneUpdate.take(a, n)
	m.leafMemory = scratch.Take[float64](a, leafElements(leafOrder))
	row := n + secular.PoleGroup
	m.memory = scratch.Take[R](a, (3*n*n+1)/2+row*secular.PoleGroup*(productParts+1))
}

// place gives the merger its indices, for nodes up to the order n, and its loops.
func (m *nodeMerger[R]) place(n int, indices []int, kind []uint8) {
	m.rankOneUpdate.place(n, indices, kind)
	m.packBody, m.multiplyBody, m.storeBody = m.weightsOrPack, m.multiply, m.storeDeflated
}

// findValues finds the eigenvalues of the node that joins two halves at the coupling rho.
func (m *nodeMerger[R]) findValues(team *sched.Team, at halves, rho float64) error {
	m.begin(at, rho)
	for i := range m.cut {
		m.z[i] = float64(m.rows.At(i, m.cut-1)) * (math.Sqrt2 / 2)
	}
	sign := math.Copysign(math.Sqrt2/2, rho)
	for i := m.cut; i < len(m.d); i++ {
		m.z[i] = float64(m.rows.At(i, m.cut)) * sign
	}
	m.deflate(dense.Eps[R]()/2, m.rotate)
	m.arrange()
	return m.solve(team, secularCost(len(m.d)))
}

// rotate applies a deflating rotation to the vectors i and j.
func (m *nodeMerger[R]) rotate(i, j int, c, s float64) {
	x := m.halved()
	x.rotate(i, j, m.kind[i]|m.kind[j], m.kind, c, s)
	m.kind[i] |= m.kind[j]
	m.kind[j] = m.kind[i]
}

// halved returns the rows of the node.
func (m *nodeMerger[R]) halved() halvedRows[R] {
	return halvedRows[R]{rows: m.rows, end: m.cut, begin: m.cut}
}

// findVectors computes the eigenvectors in the positions first <= i < end of all, after findValues: those of kept pairs
// come first.
func (m *nodeMerger[R]) findVectors(team *sched.Team, first, end int) error {
	m.choose(first, end)
	wanted := m.keptTo - m.keptFrom
	m.weightGroups, m.partRows = 0, 1
	if wanted > 0 {
		m.weightGroups = ceilDiv(len(m.kept), groupRows)
		parts := min(productParts, ceilDiv(wanted, minPartRows))
		m.partRows = ceilDiv(ceilDiv(wanted, parts), secular.PoleGroup) * secular.PoleGroup
	}
	m.divideMemory()
	if err := team.For(m.weightGroups+ceilDiv(len(m.d), groupRows), m.packBody); err != nil {
		return err
	}
	m.team = team
	if err := team.For(m.parts(), m.multiplyBody); err != nil {
		return err
	}
	return team.For(ceilDiv(m.deflatedRows.Rows, groupRows), m.storeBody)
}

// parts returns the number of parts of the product.
func (m *nodeMerger[R]) parts() int { return ceilDiv(m.keptTo-m.keptFrom, m.partRows) }

// choose determines the kept and the deflated vectors in the positions first <= i < end.
func (m *nodeMerger[R]) choose(first, end int) {
	kept := len(m.kept)
	count := func(order []int) (k int) {
		for _, i := range order {
			if i < kept {
				k++
			}
		}
		return k
	}
	m.keptFrom = count(m.order[:first])
	m.keptTo = m.keptFrom + count(m.order[first:end])
	m.deflatedFrom, m.deflatedTo = first-m.keptFrom, end-m.keptTo
}

// rowsOf returns the rows in which findVectors has left the vectors of the positions first <= i < end.
func (m *nodeMerger[R]) rowsOf(first, end int) []int {
	kept, rows := len(m.kept), m.sorted[:end-first]
	for i, from := range m.order[first:end] {
		if from < kept {
			rows[i] = from - m.keptFrom
		} else {
			rows[i] = m.keptTo - m.keptFrom + from - kept - m.deflatedFrom
		}
	}
	return rows
}

// divideMemory gives the matrices of a merge their memory.
func (m *nodeMerger[R]) divideMemory() {
	memory := m.memory
	take := func(rows, cols int) dense.Matrix[R] {
		taken := dense.Matrix[R]{Rows: rows, Cols: cols, Stride: cols, Data: memory[:rows*cols]}
		memory = memory[rows*cols:]
		return taken
	}
	n, kept := len(m.d), len(m.kept)
	m.left, m.right = take(m.first+m.both, m.cut), take(kept-m.first, n-m.cut)
	m.deflatedRows = take(m.deflatedTo-m.deflatedFrom, n)
	m.secular = dense.Matrix[R]{Cols: kept, Stride: len(m.columns.At), Data: memory}
}

// weightsOrPack computes a group of weights or, after those, packs a group of rows.
func (m *nodeMerger[R]) weightsOrPack(_, group int) error {
	if group < m.weightGroups {
		m.computeWeights(group)
	} else {
		m.pack(group - m.weightGroups)
	}
	return nil
}

// pack copies a group of old vectors: kept ones sorted by kind, without most of their zeros.
func (m *nodeMerger[R]) pack(group int) {
	x := m.halved()
	kept := len(m.kept)
	for r := group * groupRows; r < min(len(m.d), (group+1)*groupRows); r++ {
		row := m.rows.Row(m.sorted[r])
		if r < m.left.Rows {
			copy(m.left.Row(r), row[:m.cut])
		}
		if m.first <= r && r < kept {
			copy(m.right.Row(r-m.first), row[m.cut:])
		}
		if q := r - kept; m.deflatedFrom <= q && q < m.deflatedTo {
			x.fillUp(m.sorted[r], m.kind[m.sorted[r]])
			copy(m.deflatedRows.Row(q-m.deflatedFrom), row)
		}
	}
}

// multiply computes a part of the kept vectors.
func (m *nodeMerger[R]) multiply(worker, part int) error {
	first := part * m.partRows
	from := m.keptFrom + first
	to := min(m.keptTo, from+m.partRows)
	rows, s := m.rows.Slice(first, first+to-from, 0, len(m.d)), m.secular
	s.Rows, s.Data = rows.Rows, m.secular.Data[worker*m.partRows*s.Stride:][:rows.Rows*s.Stride]
	secular.Vectors(kernel.Best(), m.columns, m.origins[from:to], m.shifts[from:to], s.Data, s.Stride)
	product(m.team, s.Slice(0, s.Rows, 0, m.left.Rows), m.left, rows.Slice(0, rows.Rows, 0, m.cut))
	product(m.team, s.Slice(0, s.Rows, m.first, s.Cols), m.right, rows.Slice(0, rows.Rows, m.cut, rows.Cols))
	m.team.Step(productCost(len(m.d), m.keptTo-m.keptFrom) / m.parts())
	return m.team.Err()
}

// storeDeflated copies a group of deflated vectors to their place after the others.
func (m *nodeMerger[R]) storeDeflated(_, group int) error {
	for q := group * groupRows; q < min(m.deflatedRows.Rows, (group+1)*groupRows); q++ {
		copy(m.rows.Row(m.keptTo-m.keptFrom+q), m.deflatedRows.Row(q))
	}
	return nil
}

// divideAndConquer finds the eigenpairs of one unreduced block.
type divideAndConquer[R dense.Float] struct {
	tree
	vectors      dense.Matrix[R]
	wanted       Selection
	most         int // eigenvectors that may be wanted
	first, count int // the selected positions
	exponent     int // of the power of two that the block was divided by
	memory       []float64
	indices      []int           // of the mergers
	kind         []uint8         // of the mergers
	mergers      []nodeMerger[R] // one for each thread
}

func newDivideAndConquer[R dense.Float](
	t Matrix, vectors dense.Matrix[R], wanted Selection, most int, memory []float64,
) *divideAndConquer[R] {
	c := &divideAndConquer[R]{tree: newTree(t), vectors: vectors, wanted: wanted, most: most, memory: memory}
	capacity := c.capacity()
	c.indices, c.kind = make([]int, updateIndices*capacity), make([]uint8, capacity)
	return c
}

// solve diagonalizes the block, scaled so that its largest element is near 1 and underflow of squares does not matter.
func (c *divideAndConquer[R]) solve(team *sched.Team) error {
	c.exponent = c.normalize(0, len(c.D))
	if c.levels == 0 {
		return c.solveByQL()
	}
	return c.tree.solve(team, c)
}

// solveByQL finds the eigenpairs of a block that is too small for a tree.
func (c *divideAndConquer[R]) solveByQL() error {
	ql := qlIteration{Matrix: c.Matrix}
	vectors, err := ql.sortedPairs(c.memory, c.order)
	if err != nil {
		return err
	}
	first, end := c.selectPairs()
	for i, from := range c.order[first:end] {
		row := c.vectors.Row(i)
		for j, x := range vectors.Row(from) {
			row[j] = R(x)
		}
	}
	return nil
}

// prepare implements nodeSolver.
func (c *divideAndConquer[R]) prepare(threads, order int) {
	c.mergers = append(c.mergers[:0], make([]nodeMerger[R], threads)...)
	arena := scratch.NewArena(c.memory)
	for i := range c.mergers {
		at := i * order
		c.mergers[i].take(&arena, order)
		c.mergers[i].place(order, c.indices[updateIndices*at:], c.kind[at:])
	}
}

// solveLeaves implements nodeSolver.
func (c *divideAndConquer[R]) solveLeaves(worker int, leaves []nodeRows) error {
	m := &c.mergers[worker]
	if err := m.leaves.solve(c.Matrix, leaves, false, m.leafMemory); err != nil {
		return err
	}
	for lane, s := range leaves {
		for i := range s.end - s.start {
			row := c.vectors.Row(s.start + i)[s.start:s.end]
			for j := range row {
				row[j] = R(m.leaves.element(lane, i, j))
			}
		}
	}
	return nil
}

// merge implements nodeSolver.
func (c *divideAndConquer[R]) merge(team *sched.Team, worker int, s nodeRows, rho float64) error {
	m := &c.mergers[worker]
	n := s.end - s.start
	team = team.Plan(c.cost(n))
	m.rows = c.vectors.Slice(s.start, s.end, s.start, s.end)
	if err := m.findValues(team, c.halves(s), rho); err != nil {
		return err
	}
	if n < len(c.D) {
		return m.findVectors(team, 0, n)
	}
	applyOrder(c.D, c.order, m.deflatedValues)
	first, end := c.selectPairs()
	if err := m.findVectors(team, first, end); err != nil {
		return err
	}
	from := m.rowsOf(first, end)
	return permuteRows(team, c.vectors.Slice(0, len(from), 0, n), from, m.memory)
}

// cost implements nodeSolver. The last merge computes no more vectors than may be wanted.
func (c *divideAndConquer[R]) cost(n int) int {
	if n == len(c.D) {
		return secularCost(n) + productCost(n, c.most)
	}
	return secularCost(n) + productCost(n, n)
}

// selectPairs undoes the scaling of the eigenvalues, which ascend, and selects the pairs that are wanted.
func (c *divideAndConquer[R]) selectPairs() (first, end int) {
	scaleByPower(c.exponent, c.D)
	first, end = c.wanted.Within(c.D)
	c.first, c.count = first, end-first
	return first, end
}
