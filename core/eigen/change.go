package eigen

import (
	"cmp"
	"math"
	"slices"

	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// Parts of a row in which it may have elements other than zero.
const (
	firstHalf = 1 << iota
	secondHalf
	bothHalves = firstHalf | secondHalf
)

// node is a piece of a tridiagonal matrix whose halves have been diagonalized: d has their eigenvalues, and order the indices of each half in
// ascending order of them.
type node struct {
	d     []float64
	order []int
	cut   int // the order of the first half
}

// change is a change of rank one of a diagonal matrix, diag(d) + rho z z^T, where d are the eigenvalues of the halves of a node. It finds the
// eigenvalues and, as far as that is about one vector of the length of d at a time, the eigenvectors.
//
// Method: Cuppen, "A divide and conquer method for the symmetric tridiagonal eigenproblem", Numer. Math. 36, 1981, with the weights of Gu and
// Eisenstat, "A stable and efficient algorithm for the rank-one modification of the symmetric eigenproblem", SIAM J. Matrix
// Anal. Appl. 15, 1994, which make the vectors orthogonal whatever the errors of the roots.
//
// Cost: for k eigenpairs that are live about 5 k^2 terms of secular functions.
type change struct {
	node
	rho        float64   // above zero
	z          []float64 // of length 1 but for rounding errors
	kind       []uint8   // in which half a row has its elements
	live, dead []int     // the eigenpairs that take part in the change, ascending, and those that do not
	sorted     []int

	equation        kernel.SecularEquation
	origins, shifts []float64 // the roots
	deadValues      []float64
	first, both     int          // rows among live with elements in the first half alone, in both
	places          []int        // where live rows have their columns in a vector: sorted by kind
	columns         kernel.Poles // poles and roots of weights in the order of these columns
}

const (
	// changeVectors is how many vectors place takes of memory, of the order of the largest node and a few elements more.
	changeVectors = 8
	// changeIndices is how many numbers place takes of indices for each unit of the order.
	changeIndices = 4
)

// changeElements returns how many numbers place takes of memory for nodes up to the order n.
func changeElements(n int) int { return changeVectors * (n + kernel.PoleGroup) }

// place gives the change its memory, for nodes up to the order n.
func (m *change) place(n int, memory []float64, indices []int, kind []uint8) {
	take := func() []float64 {
		part := memory[: n+kernel.PoleGroup : n+kernel.PoleGroup]
		memory = memory[n+kernel.PoleGroup:]
		return part
	}
	m.z, m.origins, m.shifts, m.deadValues = take(), take(), take(), take()
	m.equation.Poles = kernel.Poles{At: take(), Weights: take()}
	m.columns = kernel.Poles{At: take(), Weights: take()}
	m.live, m.dead, m.sorted, m.places = indices[:0:n], indices[n:n:2*n], indices[2*n:3*n], indices[3*n:4*n]
	m.kind = kind[:n]
}

// begin makes the change that joins the halves of a node at a coupling rho. z is left to its caller, as it depends on the vectors.
func (m *change) begin(at node, rho float64) {
	m.node, m.rho = at, 2*math.Abs(rho)
	for i := range m.cut {
		m.kind[i] = firstHalf
	}
	for i := m.cut; i < len(m.d); i++ {
		m.kind[i] = secondHalf
	}
	m.sorted = m.sorted[:len(m.d)]
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

// deflate finds the eigenpairs that errors of size roundoff would change as much as the change of rank one does, and rotates vectors of eigenvalues
// that are close to one another so that there are more of them: rotate replaces vector i by c v_i + s v_j, vector j by c v_j - s v_i. The criterion is
// that of LAPACK: the matrix changes by a few units of roundoff of its norm. The norm of the node's block is at least about that of its d,
// and z has length 1 where rho may be of any size.
func (m *change) deflate(roundoff float64, rotate func(i, j int, c, s float64)) {
	const units = 8
	largest := 0.0
	for i, d := range m.d {
		largest = max(largest, math.Abs(d), math.Abs(m.z[i]))
	}
	tolerance := units * roundoff * largest
	m.live, m.dead = m.live[:0], m.dead[:0]
	last := -1 // a live one that may yet be rotated with the next
	for _, i := range m.sorted {
		if m.rho*math.Abs(m.z[i]) <= tolerance {
			m.dead = append(m.dead, i)
			continue
		}
		if last >= 0 {
			if c, s, ok := m.rotation(last, i, tolerance); ok {
				rotate(last, i, c, s)
				m.dead = append(m.dead, last)
			} else {
				m.live = append(m.live, last)
			}
		}
		last = i
	}
	if last >= 0 {
		m.live = append(m.live, last)
	}
	slices.SortFunc(m.dead, func(a, b int) int { return cmp.Compare(m.d[a], m.d[b]) })
}

// rotation rotates d and z so that z[i] becomes zero, d[i] <= d[j], if what then couples the two is below the tolerance.
func (m *change) rotation(i, j int, tolerance float64) (c, s float64, ok bool) {
	whole := length(m.z[i], m.z[j])
	c, s = m.z[j]/whole, -m.z[i]/whole
	if math.Abs((m.d[j]-m.d[i])*c*s) > tolerance {
		return 0, 0, false
	}
	c, s = unitRotation(c, s)
	m.z[i], m.z[j] = 0, whole
	m.d[i], m.d[j] = m.d[i]*c*c+m.d[j]*s*s, m.d[i]*s*s+m.d[j]*c*c
	return c, s, true
}

// Rows that a thread copies, and roots or poles that it works on, at a time.
const rowsTogether = 4 * kernel.PoleGroup

// arrange sorts the live rows by kind: sorted has them in the order of their columns then, behind them the dead ones. It sets up the secular
// equation.
func (m *change) arrange() {
	// The last root is at most rho |z|^2 behind the last pole. With more room it is not at the end or in the middle of its bracket.
	const room = 1.5
	var counts [bothHalves + 1]int
	for _, i := range m.live {
		counts[m.kind[i]]++
	}
	m.first, m.both = counts[firstHalf], counts[bothHalves]
	next := [bothHalves + 1]int{firstHalf: 0, bothHalves: m.first, secondHalf: m.first + m.both}
	live, squares := len(m.live), 0.0
	poles, columns := m.usePoles(live)
	for k, i := range m.live {
		column := next[m.kind[i]]
		next[m.kind[i]]++
		m.places[k], m.sorted[column] = column, i
		poles.At[k], poles.Weights[k], columns.At[column] = m.d[i], m.z[i]*m.z[i], m.d[i]
		squares += poles.Weights[k]
	}
	m.equation.Count, m.equation.Inverse, m.equation.Reach = live, 1/m.rho, room*m.rho*squares
	for k := live; k < len(poles.At); k++ {
		poles.At[k], poles.Weights[k] = poles.At[live-1]+2*m.equation.Reach, 0
		columns.At[k], columns.Weights[k] = poles.At[k], 0
	}
	copy(m.sorted[live:], m.dead)
	for k, i := range m.dead {
		m.deadValues[k] = m.d[i]
	}
}

// usePoles gives both sets of poles the length for a number of them.
func (m *change) usePoles(live int) (equation, columns kernel.Poles) {
	whole := ceilDiv(live, kernel.PoleGroup) * kernel.PoleGroup
	m.equation.At, m.equation.Weights = m.equation.At[:whole], m.equation.Weights[:whole]
	m.columns.At, m.columns.Weights = m.columns.At[:whole], m.columns.Weights[:whole]
	return m.equation.Poles, m.columns
}

// solve finds the eigenvalues. d has those of live pairs in ascending order then, behind them those of the dead ones, and order has all
// indices in ascending order.
func (m *change) solve(team *sched.Team) error {
	live, whole := len(m.live), len(m.equation.At)
	origins, shifts := m.origins[:whole], m.shifts[:whole]
	err := team.For(ceilDiv(live, rowsTogether), func(_, group int) error {
		kernel.SecularRoots(kernel.Best(), &m.equation, group*rowsTogether, min(whole, (group+1)*rowsTogether), origins, shifts)
		return nil
	})
	for k := range live {
		m.d[k] = m.origins[k] + m.shifts[k]
	}
	copy(m.d[live:], m.deadValues[:len(m.dead)])
	m.sortOrder()
	return err
}

// sortOrder puts order in order.
func (m *change) sortOrder() {
	// live and dead have done their work but for their lengths: they are the lists of what is to be merged.
	live := len(m.live)
	for k := range m.live {
		m.live[k] = k
	}
	for k := range m.dead {
		m.dead[k] = live + k
	}
	mergeSorted(m.d, m.live, m.dead, m.order)
}

// weigh computes weights, and from them those of columns, for a group of poles.
func (m *change) weigh(group int) {
	whole := len(m.equation.At)
	first, end := group*rowsTogether, min(whole, (group+1)*rowsTogether)
	kernel.SecularWeights(kernel.Best(), m.equation.Poles, m.origins[:whole], m.shifts[:whole], first, end)
	for k := first; k < min(len(m.live), end); k++ {
		column := m.places[k]
		m.columns.Weights[column] = math.Copysign(m.equation.Weights[k], m.z[m.sorted[column]])
	}
}
