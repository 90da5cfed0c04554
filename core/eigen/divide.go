package eigen

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// solveElements returns how many numbers solveTridiagonal takes as memory for vectors of type R and order n.
func solveElements[R dense.Float](n int) int { return mergeElements[R](n) }

// selection says whether the eigenvector of the eigenvalue in a 0-based position of all eigenvalues in ascending order is wanted. Those that are
// wanted follow one another. nil selects all.
type selection func(position int, value float64) bool

// within returns the first of the ascending values for which s holds, and the one behind the last of them.
func (s selection) within(values []float64) (first, end int) {
	n := len(values)
	if s == nil {
		return 0, n
	}
	for first < n && !s(first, values[first]) {
		first++
	}
	end = first
	for end < n && s(end, values[end]) {
		end++
	}
	return first, end
}

// solveTridiagonal finds the eigenvalues of a real symmetric tridiagonal matrix and those of its eigenvectors that are wanted: d is its diagonal,
// e[i] couples i and i+1, and e has as many elements as d. On return d has all eigenvalues in ascending order, and the first count rows of
// vectors, an n x n matrix of any numbers on entry, are the orthonormal eigenvectors of d[first], d[first+1] and so on. What the further
// rows hold then is undefined, as is e. memory has solveElements[R](n) numbers of any values.
//
// Secular equations and small pieces are solved in double precision for every R; the errors of eigenvalues and vectors are a few units of R.
//
// Errors: *ConvergenceError, and the team's after cancellation.
//
// Method: divide and conquer for each block that no zero of e divides; see merger.
//
// Cost: up to 2/3 n^3 multiply-adds, three quarters of them in the last merge, which computes only the vectors that are wanted. It is O(n^2) if
// most of the eigenpairs of the pieces are eigenpairs of the whole, too.
func solveTridiagonal[R dense.Float](team *sched.Team, d, e []float64, vectors dense.Matrix[R], wanted selection, most int, memory []float64) (first, count int, err error) {
	n := len(d)
	t := &tridiagonal{d: d, e: e}
	ends := t.blockEnds()
	if len(ends) == 1 {
		c := newConquest(t, vectors, wanted, most, memory)
		err = c.solve(team)
		return c.first, c.count, err
	}
	if err := clearRows(team, vectors); err != nil {
		return 0, 0, err
	}
	team = team.Plan(costOfBlocks(ends, wholeConquestCost))
	start := 0
	for _, end := range ends {
		block := &tridiagonal{d: d[start:end], e: e[start:end]}
		phase := team.Phase(wholeConquestCost(end - start))
		if err := newConquest(block, vectors.Slice(start, end, start, end), nil, end-start, memory).solve(phase); err != nil {
			return 0, 0, notConverged(err, start, n)
		}
		phase.End()
		start = end
	}
	return sortBlocks(team, d, vectors, wanted, memory)
}

// notConverged returns the error of a piece of a matrix of order n that begins at start as one of the matrix: a *ConvergenceError counts what
// came before as found.
func notConverged(err error, start, n int) error {
	if failed, ok := err.(*ConvergenceError); ok {
		return &ConvergenceError{Found: start + failed.Found, Order: n}
	}
	return err
}

// sortBlocks does what is left to solveTridiagonal when the blocks have been solved. Equal eigenvalues keep their order.
func sortBlocks[R dense.Float](team *sched.Team, d []float64, vectors dense.Matrix[R], wanted selection, memory []float64) (first, count int, err error) {
	from := make([]int, len(d))
	sortIndices(d, from)
	applyOrder(d, from, memory)
	first, end := wanted.within(d)
	from = append(from[first:], from[:first]...)
	return first, end - first, permuteRows(team, vectors, from, as[R](memory))
}

// clearRows makes zeros of all elements.
func clearRows[R dense.Float](team *sched.Team, rows dense.Matrix[R]) error {
	return team.For(ceilDiv(rows.Rows, rowsTogether), func(_, group int) error {
		for i := group * rowsTogether; i < min(rows.Rows, (group+1)*rowsTogether); i++ {
			clear(rows.Row(i))
		}
		return nil
	})
}

// applyOrder moves d[order[i]] to d[i]. memory has room for d.
func applyOrder(d []float64, order []int, memory []float64) {
	for i, from := range order {
		memory[i] = d[from]
	}
	copy(d, memory[:len(d)])
}

// permuteRows moves row from[i] to row i, for a permutation from, which it overwrites. Each row is moved once, and one of each cycle twice.
// memory has room for one row.
func permuteRows[R dense.Float](team *sched.Team, rows dense.Matrix[R], from []int, memory []R) error {
	row := memory[:rows.Cols]
	for first := range from {
		if from[first] == first {
			continue
		}
		copy(row, rows.Row(first))
		i := first
		for from[i] != first {
			if err := team.Err(); err != nil {
				return err
			}
			next := from[i]
			copy(rows.Row(i), rows.Row(next))
			from[i], i = i, next
		}
		from[i] = i
		copy(rows.Row(i), row)
	}
	return nil
}

// conquest finds the eigenpairs of one block: see tree for the order in which it does that.
type conquest[R dense.Float] struct {
	tree
	vectors      dense.Matrix[R]
	wanted       selection
	most         int // eigenvectors that may be wanted
	first, count int // what solveTridiagonal returns
	exponent     int // of the factor that the block was divided by
	memory       []float64
	indices      []int       // memory for mergers
	kind         []uint8     // memory for mergers
	mergers      []merger[R] // one for each thread
}

func newConquest[R dense.Float](t *tridiagonal, vectors dense.Matrix[R], wanted selection, most int, memory []float64) *conquest[R] {
	c := &conquest[R]{tree: newTree(t), vectors: vectors, wanted: wanted, most: most, memory: memory}
	room := c.room()
	c.indices, c.kind = make([]int, mergeIndices*room), make([]uint8, room)
	return c
}

// solve diagonalizes the block, scaled so that its largest element is near 1, where the squares of small numbers matter to nothing.
func (c *conquest[R]) solve(team *sched.Team) error {
	c.exponent = c.normalize(0, len(c.d))
	if c.levels == 0 {
		return c.single()
	}
	return c.grow(team, c)
}

// prepare makes mergers for a number of threads and nodes up to the given order.
func (c *conquest[R]) prepare(threads, order int) {
	c.mergers = append(c.mergers[:0], make([]merger[R], threads)...)
	size := mergeElements[R](order)
	for i := range c.mergers {
		at := i * order
		c.mergers[i].place(order, c.memory[i*size:(i+1)*size], c.indices[mergeIndices*at:], c.kind[at:])
	}
}

// leaves diagonalizes some leaves.
func (c *conquest[R]) leaves(worker int, spans []span) error {
	m := &c.mergers[worker]
	if err := m.leaves.solve(c.tridiagonal, spans, false, m.leafMemory); err != nil {
		return err
	}
	for lane, s := range spans {
		for i := range s.end - s.start {
			row := c.vectors.Row(s.start + i)[s.start:s.end]
			for j := range row {
				row[j] = R(m.leaves.element(lane, i, j))
			}
		}
	}
	return nil
}

// single finds the eigenpairs of a block that is not worth a tree.
func (c *conquest[R]) single() error {
	vectors, err := c.sortedPairs(c.memory, c.order)
	if err != nil {
		return err
	}
	first, end := c.choose()
	for i, from := range c.order[first:end] {
		row := c.vectors.Row(i)
		for j, x := range vectors.Row(from) {
			row[j] = R(x)
		}
	}
	return nil
}

// merge diagonalizes a node whose halves have been.
func (c *conquest[R]) merge(team *sched.Team, worker int, s span, rho float64) error {
	m := &c.mergers[worker]
	n := s.end - s.start
	team = team.Plan(c.cost(n))
	m.rows = c.vectors.Slice(s.start, s.end, s.start, s.end)
	if err := m.findValues(team, c.node(s), rho); err != nil {
		return err
	}
	team.Step(secularCost(n))
	if n < len(c.d) {
		return m.findVectors(team, 0, n)
	}
	applyOrder(c.d, c.order, m.deadValues)
	first, end := c.choose()
	if err := m.findVectors(team, first, end); err != nil {
		return err
	}
	from := m.placesOf(first, end)
	return permuteRows(team, c.vectors.Slice(0, len(from), 0, n), from, m.memory)
}

// choose brings the block's eigenvalues, which ascend, to their own scale and chooses those whose vectors are wanted.
// cost is that of the secular equations and the products of a merge, of which the last one makes no more vectors than may be wanted.
func (c *conquest[R]) cost(n int) int {
	if n == len(c.d) {
		return secularCost(n) + productCost(n, c.most)
	}
	return secularCost(n) + productCost(n, n)
}

func (c *conquest[R]) choose() (first, end int) {
	scaleByPower(c.exponent, c.d)
	first, end = c.wanted.within(c.d)
	c.first, c.count = first, end-first
	return first, end
}
