package eigen

import (
	"cmp"
	"math"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// Parts of a row in which it may have elements other than zero.
const (
	firstHalf = 1 << iota
	secondHalf
	bothHalves = firstHalf | secondHalf
)

// node is a piece of a tridiagonal matrix whose halves have been diagonalized: an eigenvalue and a row of vectors, which is an eigenvector, for
// each index. order has the indices of each half in ascending order of the eigenvalues.
type node struct {
	d       []float64
	vectors dense.Matrix[float64]
	order   []int
	cut     int // the order of the first half
}

// merger merges the halves of one node after another. All its memory is that of its caller.
type merger struct {
	node
	kind       []uint8   // in which half a row has its elements
	z          []float64 // the vector of the change of rank one
	live, dead []int     // the eigenpairs that take part in the change, ascending, and those that do not
	sorted     []int

	equation              kernel.SecularEquation
	origins, shifts       []float64    // the roots
	columns               kernel.Poles // poles and roots of weights in the order of the columns of mix
	first, both           int          // rows among live with elements in the first half alone, in both
	memory                []float64
	mix, upper, lower, at dense.Matrix[float64] // new vectors in terms of old ones; halves of the old ones; the dead ones
	deadValues            []float64
}

// mergeVectors is how many vectors a merger has, of the order of its largest node and a few elements more.
const mergeVectors = 8

// mergeElements returns how many numbers a merger takes for a node of order n. mix takes k^2 of them if k of the eigenpairs are live,
// and the halves of the old vectors take n^2/2 in all, but n for each dead one: at most 3/2 n^2, as there are no more live rows with elements
// in both halves than dead ones.
func mergeElements(n int) int {
	return (3*n*n+1)/2 + n*kernel.PoleGroup + mergeVectors*(n+kernel.PoleGroup)
}

// newMerger returns a merger for nodes up to the order n.
func newMerger(n int, memory []float64, indices []int, kind []uint8) *merger {
	take := func() []float64 {
		part := memory[: n+kernel.PoleGroup : n+kernel.PoleGroup]
		memory = memory[n+kernel.PoleGroup:]
		return part
	}
	m := &merger{kind: kind[:n]}
	m.z, m.origins, m.shifts, m.deadValues = take(), take(), take(), take()
	m.equation.Poles = kernel.Poles{At: take(), Weights: take()}
	m.columns = kernel.Poles{At: take(), Weights: take()}
	m.memory = memory
	m.live, m.dead, m.sorted = indices[:0:n], indices[n:n:2*n], indices[2*n:3*n]
	return m
}

// mergeIndices is how many numbers newMerger takes of indices for each unit of the order.
const mergeIndices = 3

// merge diagonalizes the matrix of the node, diag(d) of its halves plus rho u u^T in terms of the rows of vectors, where u is 1 in the last place
// of the first half and +-1 in the first place of the second one, with the sign of rho, and rho stands for its modulus. On return
// order has all indices in ascending order of the eigenvalues.
//
// Method: Cuppen, "A divide and conquer method for the symmetric tridiagonal eigenproblem", Numer. Math. 36, 1981, with the weights of Gu and
// Eisenstat, "A stable and efficient algorithm for the rank-one modification of the symmetric eigenproblem", SIAM J. Matrix
// Anal. Appl. 15, 1994, which make the vectors orthogonal whatever the errors of the roots.
//
// Cost: for k eigenpairs that are live about k^2 n multiply-adds and 5 k^2 terms of secular functions, n for each of the others.
func (m *merger) merge(team *sched.Team, at node, rho float64) error {
	m.node = at
	m.load(rho)
	m.deflate(2 * math.Abs(rho))
	if err := m.pack(team); err != nil {
		return err
	}
	if len(m.live) > 0 {
		if err := m.solve(team, 2*math.Abs(rho)); err != nil {
			return err
		}
		product(team, m.mix.Slice(0, len(m.live), 0, m.upper.Rows), m.upper, m.vectors.Slice(0, len(m.live), 0, m.cut))
		product(team, m.mix.Slice(0, len(m.live), m.first, len(m.live)), m.lower, m.vectors.Slice(0, len(m.live), m.cut, len(m.d)))
		if err := team.Err(); err != nil {
			return err
		}
	}
	m.store()
	return nil
}

// product computes C = A B, also for an inner dimension of 0.
func product(team *sched.Team, a, b, c dense.Matrix[float64]) {
	if a.Cols == 0 {
		c.Fill(0)
		return
	}
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
}

// load fills z, a vector of length 1, and sorted.
func (m *merger) load(rho float64) {
	n := len(m.d)
	for i := range n {
		if i < m.cut {
			m.z[i], m.kind[i] = m.vectors.At(i, m.cut-1)*math.Sqrt2/2, firstHalf
		} else {
			m.z[i], m.kind[i] = m.vectors.At(i, m.cut)*math.Copysign(math.Sqrt2/2, rho), secondHalf
		}
	}
	m.sorted = m.sorted[:n]
	mergeSorted(m.d, m.order[:m.cut], m.order[m.cut:], m.sorted)
}

// mergeSorted merges the indices a and b, both in ascending order of d, into all.
func mergeSorted(d []float64, a, b, all []int) {
	for i := range all {
		if len(b) == 0 || len(a) > 0 && d[a[0]] <= d[b[0]] {
			all[i], a = a[0], a[1:]
		} else {
			all[i], b = b[0], b[1:]
		}
	}
}

// deflate finds the eigenpairs that rounding errors would change as much as the change of rank one does, and rotates vectors of eigenvalues that
// are close to one another so that there are more of them. The criterion is that of LAPACK: the matrix changes by a few units of rounding
// errors of its norm. The norm of the node's block is at least about that of its d, and z has length 1 where rho may be of any size.
func (m *merger) deflate(rho float64) {
	const units = 8
	largest := 0.0
	for i, d := range m.d {
		largest = max(largest, math.Abs(d), math.Abs(m.z[i]))
	}
	tolerance := units * unitRoundoff * largest
	m.live, m.dead = m.live[:0], m.dead[:0]
	last := -1 // a live one that may yet be rotated with the next
	for _, i := range m.sorted {
		switch {
		case rho*math.Abs(m.z[i]) <= tolerance:
			m.dead = append(m.dead, i)
			continue
		case last < 0:
		case m.rotateAway(last, i, tolerance):
			m.dead = append(m.dead, last)
		default:
			m.live = append(m.live, last)
		}
		last = i
	}
	if last >= 0 {
		m.live = append(m.live, last)
	}
	slices.SortFunc(m.dead, func(a, b int) int { return cmp.Compare(m.d[a], m.d[b]) })
}

// rotateAway rotates the vectors i and j, d[i] <= d[j], so that z[i] becomes zero, if what then couples the two is below the tolerance.
func (m *merger) rotateAway(i, j int, tolerance float64) bool {
	whole := length(m.z[i], m.z[j])
	c, s := m.z[j]/whole, -m.z[i]/whole
	if math.Abs((m.d[j]-m.d[i])*c*s) > tolerance {
		return false
	}
	c, s = unitRotation(c, s)
	m.z[i], m.z[j] = 0, whole
	m.kind[i] |= m.kind[j]
	m.kind[j] = m.kind[i]
	start, end := 0, len(m.d)
	if m.kind[i] == firstHalf {
		end = m.cut
	} else if m.kind[i] == secondHalf {
		start = m.cut
	}
	upper, lower, rotation := i, j, kernel.Rotation[float64]{C: c, S: s}
	if i > j {
		upper, lower, rotation.S = j, i, -s
	}
	stride := m.vectors.Stride
	kernel.Rotate(kernel.Best(), []kernel.Rotation[float64]{rotation}, true,
		m.vectors.Data[upper*stride+start:lower*stride+end], (lower-upper)*stride, end-start)
	m.d[i], m.d[j] = m.d[i]*c*c+m.d[j]*s*s, m.d[i]*s*s+m.d[j]*c*c
	return true
}

// Rows that a thread copies, and roots or poles that it works on, at a time.
const rowsTogether = 4 * kernel.PoleGroup

// pack copies the old vectors: those that are live sorted by where they have elements other than zero, without most of the zeros.
func (m *merger) pack(team *sched.Team) error {
	var counts [bothHalves + 1]int
	for _, i := range m.live {
		counts[m.kind[i]]++
	}
	m.first, m.both = counts[firstHalf], counts[bothHalves]
	n, live := len(m.d), len(m.live)
	memory := m.memory
	take := func(rows, cols, stride int) dense.Matrix[float64] {
		taken := dense.Matrix[float64]{Rows: rows, Cols: cols, Stride: stride, Data: memory[:rows*stride]}
		memory = memory[rows*stride:]
		return taken
	}
	m.mix = take(live, live, ceilDiv(live, kernel.PoleGroup)*kernel.PoleGroup)
	m.upper, m.lower = take(m.first+m.both, m.cut, m.cut), take(live-m.first, n-m.cut, n-m.cut)
	m.at = take(len(m.dead), n, n)
	m.arrange()
	return team.For(ceilDiv(n, rowsTogether), func(_, group int) error {
		for r := group * rowsTogether; r < min(n, (group+1)*rowsTogether); r++ {
			m.packRow(r)
		}
		return nil
	})
}

// arrange writes down in sorted where the rows come from: those of upper, then those of lower that are not in upper, then those of at; and
// the poles, in ascending order and in that of the columns of mix.
func (m *merger) arrange() {
	live := len(m.live)
	whole := ceilDiv(live, kernel.PoleGroup) * kernel.PoleGroup
	resize := func(p *kernel.Poles) { p.At, p.Weights = p.At[:whole], p.Weights[:whole] }
	resize(&m.equation.Poles)
	resize(&m.columns)
	m.eachColumn(func(k, column int) {
		m.sorted[column] = m.live[k]
		m.equation.Poles.At[k] = m.d[m.live[k]]
		m.columns.At[column] = m.d[m.live[k]]
	})
	copy(m.sorted[live:], m.dead)
	for k, i := range m.dead {
		m.deadValues[k] = m.d[i]
	}
}

// eachColumn calls body for each of the live rows and its column in mix.
func (m *merger) eachColumn(body func(k, column int)) {
	places := [bothHalves + 1]int{firstHalf: 0, bothHalves: m.first, secondHalf: m.first + m.both}
	for k, i := range m.live {
		place := &places[m.kind[i]]
		body(k, *place)
		*place++
	}
}

// packRow copies the row that sorted has in place r.
func (m *merger) packRow(r int) {
	row := m.vectors.Row(m.sorted[r])
	if r >= len(m.live) {
		copy(m.at.Row(r-len(m.live)), row)
		return
	}
	if r < m.upper.Rows {
		copy(m.upper.Row(r), row[:m.cut])
	}
	if r >= m.first {
		copy(m.lower.Row(r-m.first), row[m.cut:])
	}
}

// solve finds the roots and fills mix.
func (m *merger) solve(team *sched.Team, rho float64) error {
	m.setUp(rho)
	live := len(m.live)
	e, groups := &m.equation, ceilDiv(live, rowsTogether)
	origins, shifts := m.origins[:len(e.At)], m.shifts[:len(e.At)]
	err := team.For(groups, func(_, group int) error {
		for first := group * rowsTogether; first < min(live, (group+1)*rowsTogether); first += kernel.PoleGroup {
			kernel.SecularRoots(kernel.Best(), e, first, origins, shifts)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = team.For(groups, func(_, group int) error {
		kernel.SecularWeights(kernel.Best(), e.Poles, origins, shifts, group*rowsTogether, min(len(e.At), (group+1)*rowsTogether))
		return nil
	})
	if err != nil {
		return err
	}
	m.eachColumn(func(k, column int) {
		m.columns.Weights[column] = math.Copysign(e.Weights[k], m.z[m.live[k]])
	})
	return team.For(groups, func(_, group int) error {
		first, end := group*rowsTogether, min(live, (group+1)*rowsTogether)
		kernel.SecularVectors(kernel.Best(), m.columns, origins[first:end], shifts[first:end], m.mix.Data[first*m.mix.Stride:], m.mix.Stride)
		return nil
	})
}

// setUp makes the secular equation.
func (m *merger) setUp(rho float64) {
	// The last root is at most rho |z|^2 behind the last pole. With more room it is not at the end or in the middle of its bracket.
	const room = 1.5
	live, squares := len(m.live), 0.0
	poles := m.equation.Poles
	for k, i := range m.live {
		poles.Weights[k] = m.z[i] * m.z[i]
		squares += poles.Weights[k]
	}
	m.equation.Count, m.equation.Inverse, m.equation.Reach = live, 1/rho, room*rho*squares
	for k := live; k < len(poles.At); k++ {
		poles.At[k], poles.Weights[k] = poles.At[live-1]+2*m.equation.Reach, 0
		m.columns.At[k], m.columns.Weights[k] = poles.At[k], 0
	}
}

// store writes the eigenvalues and the dead vectors behind the others, and puts order in order.
func (m *merger) store() {
	live := len(m.live)
	for k := range live {
		m.d[k] = m.origins[k] + m.shifts[k]
	}
	copy(m.d[live:], m.deadValues[:len(m.dead)])
	for k := range m.dead {
		copy(m.vectors.Row(live+k), m.at.Row(k))
	}
	for i := range m.sorted {
		m.sorted[i] = i
	}
	mergeSorted(m.d, m.sorted[:live], m.sorted[live:], m.order)
}
