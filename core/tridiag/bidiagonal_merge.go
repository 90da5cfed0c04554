package tridiag

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel"
	"trnsci/core/kernel/secular"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// singularMerger joins the singular value decompositions of the rows above and below a middle row of a bidiagonal
// matrix. In their singular vectors the matrix becomes
//
//	M = (z^T; diag(d)) with d = 0 in the middle row,
//
// so that M^T M = diag(d)^2 + z z^T: the squares of the singular values are roots of a secular equation. A right
// singular vector has the elements z_j/(d_j^2 - s^2), and a left one d_j z_j/(d_j^2 - s^2), but -1 in the middle.
//
// Before the merge row i of U^T and of V^T belongs to d[i], the middle row of U^T has a one in the middle column alone,
// and the middle and the last row of V^T are the null vectors of the upper and the lower part.
//
// Method: Gu and Eisenstat, "A divide-and-conquer algorithm for the bidiagonal SVD", SIAM J. Matrix Anal. Appl. 16,
// 1995. LAPACK: xLASD1 to xLASD4.
type singularMerger[R dense.Float] struct {
	rankOneUpdate
	middle        int // the row between the halves, which counts as nonzero in both
	left, right   halvedRows[R]
	lengths       []float64 // of the columns of secular vectors: d
	lefts, rights []R       // for each thread some rows of the left and the right secular vectors
	partRows      int
	team          *sched.Team // for the products
	leaf          singularLeaf
	packBody      loopBody
	multiplyBody  loopBody
	storeBody     loopBody
}

// take takes memory for merges of up to n rows.
func (m *singularMerger[R]) take(a *scratch.Arena, n, threads int) {
	m.rankOneUpdate.take(a, n)
	m.lengths = scratch.Take[float64](a, n+secular.PoleGroup)
	for _, x := range []*halvedRows[R]{&m.left, &m.right} {
		// A kept row takes half of its length, or all of it where a row was deflated for its sake, a deflated one all.
		x.memory = scratch.Take[R](a, 3*(n+1)*(n+2)/2)
	}
	m.partRows = partRowsFor(n)
	part := threads * m.partRows * (n + secular.PoleGroup)
	m.lefts, m.rights = scratch.Take[R](a, part), scratch.Take[R](a, part)
	m.leaf.take(a)
}

// partRowsFor returns how many vectors a thread computes at a time.
func partRowsFor(n int) int {
	rows := max(minPartRows, ceilDiv(n, productParts))
	return ceilDiv(rows, secular.PoleGroup) * secular.PoleGroup
}

// place gives the merger its indices, for nodes up to the order n, and its loops.
func (m *singularMerger[R]) place(n int, indices []int, kind []uint8) {
	m.rankOneUpdate.place(n, indices, kind)
	m.packBody, m.multiplyBody, m.storeBody = m.weightsOrPack, m.multiply, m.storeDeflated
}

// merge joins the halves of the matrix whose middle row has the elements alpha and beta. ut has n rows, vt one more.
func (m *singularMerger[R]) merge(team *sched.Team, at halves, alpha, beta float64, ut, vt dense.Matrix[R]) error {
	n := len(at.d)
	team = team.Plan(singularCost(n))
	m.start(at, ut, vt)
	m.couple(alpha, beta)
	m.separate(max(math.Abs(alpha), math.Abs(beta)))
	m.arrange()
	for k, i := range m.kept {
		m.lengths[m.columnOf[k]] = m.d[i]
	}
	if err := m.solve(team, secularCost(n)); err != nil {
		return err
	}
	return m.findVectors(team)
}

// start sets up the merge.
func (m *singularMerger[R]) start(at halves, ut, vt dense.Matrix[R]) {
	n, middle := len(at.d), at.cut
	m.halves, m.middle, m.rho, m.squares = at, middle, 1, true
	m.left.rows, m.left.end, m.left.begin = ut, middle, middle+1
	m.right.rows, m.right.end, m.right.begin = vt, middle+1, middle+1
	for i := range n {
		m.kind[i] = firstHalf
		if i >= middle {
			m.kind[i] = secondHalf
		}
	}
	m.kind[middle] = bothHalves
	clear(ut.Row(middle))
	ut.Set(middle, middle, 1)
	m.sorted = m.sorted[:n]
	m.d[middle] = 0
	mergeSorted(m.d, m.order[:middle], m.order[middle+1:], m.sorted[1:])
	m.sorted[0] = middle
}

// couple sets z, and the middle and the last row of V^T: they are combined so that only the middle one is coupled.
func (m *singularMerger[R]) couple(alpha, beta float64) {
	vt, n := m.right.rows, len(m.d)
	last, next := m.middle, m.middle+1 // the columns beside the cut
	for i := range n {
		if i < m.middle {
			m.z[i] = alpha * float64(vt.At(i, last))
		} else if i > m.middle {
			m.z[i] = beta * float64(vt.At(i, next))
		}
	}
	upper, lower := vt.Row(m.middle), vt.Row(n)
	g, z := householder.ToFirst(alpha*float64(upper[last]), beta*float64(lower[next]))
	m.z[m.middle] = z
	c, s := R(g.C), R(g.S)
	for j := range next {
		upper[j], lower[j] = c*upper[j], -s*upper[j]
	}
	for j := next; j <= n; j++ {
		upper[j], lower[j] = s*lower[j], c*lower[j]
	}
}

// separate deflates the singular values that the merge does not change by more than rounding errors of the matrix, of
// which largest is an element; the largest of all blocks is near 1. The criterion is that of xLASD2. The middle row
// always stays: where its coupling or the least other value are negligible they become as large as the tolerance.
func (m *singularMerger[R]) separate(largest float64) {
	const units, least = 8, 0x1p-40
	largest = max(largest, least)
	for _, d := range m.d {
		largest = max(largest, d)
	}
	tolerance := units * dense.Eps[R]() / 2 * largest
	m.kept, m.deflated = append(m.kept[:0], m.middle), m.deflated[:0]
	if z := &m.z[m.middle]; math.Abs(*z) <= tolerance {
		*z = tolerance
	}
	last := -1
	for _, i := range m.sorted[1:] {
		if math.Abs(m.z[i]) <= tolerance {
			m.deflated = append(m.deflated, i)
			continue
		}
		if last >= 0 {
			if m.d[i]-m.d[last] <= tolerance {
				m.rotateAway(last, i)
				m.deflated = append(m.deflated, last)
			} else {
				m.kept = append(m.kept, last)
			}
		}
		last = i
	}
	if last >= 0 {
		m.kept = append(m.kept, last)
	}
	if len(m.kept) > 1 {
		d := &m.d[m.kept[1]]
		*d = max(*d, tolerance/2)
	}
	sortBy(m.d, m.deflated)
}

// rotateAway makes z[i] zero for a row i whose value is as good as that of row j.
func (m *singularMerger[R]) rotateAway(i, j int) {
	r := householder.Length(m.z[i], m.z[j])
	c, s := householder.Normalize(m.z[j]/r, -m.z[i]/r)
	m.z[i], m.z[j] = 0, r
	for _, x := range []*halvedRows[R]{&m.left, &m.right} {
		x.rotate(i, j, m.kind[i]|m.kind[j], m.kind, c, s)
	}
	m.kind[i] |= m.kind[j]
	m.kind[j] = m.kind[i]
}

// findVectors computes the new vectors: those of kept values are the first rows.
func (m *singularMerger[R]) findVectors(team *sched.Team) error {
	kept, n := len(m.kept), len(m.d)
	for _, x := range []*halvedRows[R]{&m.left, &m.right} {
		x.divide(m.first+m.both, kept-m.first, n-kept)
	}
	groups := ceilDiv(kept, groupRows)
	if err := team.For(groups+ceilDiv(n, groupRows), m.packBody); err != nil {
		return err
	}
	m.team = team
	if err := team.For(ceilDiv(kept, m.partRows), m.multiplyBody); err != nil {
		return err
	}
	return team.For(ceilDiv(n-kept, groupRows), m.storeBody)
}

// weightsOrPack computes a group of weights or, after those, packs a group of rows.
func (m *singularMerger[R]) weightsOrPack(_, group int) error {
	if weights := ceilDiv(len(m.kept), groupRows); group < weights {
		m.computeWeights(group)
	} else {
		m.left.pack(&m.rankOneUpdate, group-weights)
		m.right.pack(&m.rankOneUpdate, group-weights)
	}
	return nil
}

// multiply computes a part of the kept vectors.
func (m *singularMerger[R]) multiply(worker, part int) error {
	from := part * m.partRows
	to := min(len(m.kept), from+m.partRows)
	stride := len(m.columns.At)
	at := worker * m.partRows * stride
	secularPart := func(memory []R) dense.Matrix[R] {
		return dense.Matrix[R]{Rows: to - from, Cols: len(m.kept), Stride: stride, Data: memory[at:][:(to-from)*stride]}
	}
	rights, lefts := secularPart(m.rights), secularPart(m.lefts)
	secular.Vectors(kernel.Best(), m.columns, m.origins[from:to], m.shifts[from:to], rights.Data, stride)
	middle := m.first // its column: it comes first among the rows of both halves
	for k := range to - from {
		m.leftVector(rights.Row(k), lefts.Row(k), middle, m.origins[from+k]+m.shifts[from+k])
	}
	m.right.multiply(m.team, rights, m.first, from, to)
	if err := m.team.Err(); err != nil {
		return err
	}
	m.left.multiply(m.team, lefts, m.first, from, to)
	for k := range to - from {
		m.left.rows.Set(from+k, m.middle, lefts.At(k, middle))
	}
	m.team.Step(2 * productCost(len(m.d), len(m.d)) * (to - from) / len(m.kept))
	return m.team.Err()
}

// leftVector sets left to the left secular vector that belongs to a right one and to the square of the value.
func (m *singularMerger[R]) leftVector(right, left []R, middle int, square float64) {
	lengths := m.lengths[:len(right)]
	sum := 0.0
	for j, x := range right {
		y := float64(x) * lengths[j]
		left[j] = R(y)
		sum += y * y
	}
	y := float64(right[middle]) * square / m.columns.Weights[middle]
	left[middle] = R(y)
	scale := R(1 / math.Sqrt(sum+y*y))
	for j := range left {
		left[j] *= scale
	}
}

// storeDeflated copies a group of deflated vectors to their place behind the others.
func (m *singularMerger[R]) storeDeflated(_, group int) error {
	kept := len(m.kept)
	for r := group * groupRows; r < min(len(m.d)-kept, (group+1)*groupRows); r++ {
		copy(m.left.rows.Row(kept+r), m.left.deflated.Row(r))
		copy(m.right.rows.Row(kept+r), m.right.deflated.Row(r))
	}
	return nil
}
