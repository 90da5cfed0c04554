package eigen

import (
	"math"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// merger merges the halves of one node after another and computes vectors of type R. All its memory is that of its caller.
//
// The rows of the node's halves are their eigenvectors: those of the first half have elements in the columns in front of the cut only, and those
// of the second one in the others; what else a row holds before the merge is of no meaning. The new vectors are, but for the dead ones, a matrix
// mix times the old ones.
//
// Cost: for k eigenpairs that are live and w of them wanted, w k n multiply-adds.
type merger[R dense.Float] struct {
	change
	rows             dense.Matrix[R]
	liveFrom, liveTo int             // the new vectors that are wanted
	deadFrom, deadTo int             // the dead ones that are wanted
	upper, lower, at dense.Matrix[R] // halves of the old vectors; the dead ones
	mix              dense.Matrix[R] // for each thread some rows of mix
	memory           []R
	team             *sched.Team // for products
	weights, height  int         // groups of weights; rows of a part of mix
	leaves           leaves

	packBody, multiplyBody, storeBody body // weighOrPack, multiply, storeDead
	leafMemory                        []float64
}

const (
	// Parts into which the new vectors are cut, and how many of them a part has at least.
	mixParts, leastMixRows = 8, 32
	// mergeIndices is how many numbers place takes of indices for each unit of the order.
	mergeIndices = changeIndices
)

// mergeElements returns how many numbers place takes of memory for a node of order n. If k eigenpairs are live, the rows of mix take k^2 at most
// and the halves of the old vectors n^2/2 in all, but n for each dead one: at most 3/2 n^2, as there are no more live rows with elements
// in both halves than dead ones. To this come what fills up rows and groups of rows, and what leaves take.
func mergeElements[R dense.Float](n int) int {
	row := n + kernel.PoleGroup
	matrices := (3*n*n+1)/2 + row*kernel.PoleGroup*(mixParts+1)
	return ceilDiv(matrices*int(unsafe.Sizeof(R(0))), realBytes) + changeElements(n) + leafElements(leafOrder)
}

// as returns the memory of x as numbers of type R.
func as[R dense.Float](x []float64) []R {
	return unsafe.Slice((*R)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*realBytes/int(unsafe.Sizeof(R(0))))
}

// place gives the merger its memory, for nodes up to the order n.
func (m *merger[R]) place(n int, memory []float64, indices []int, kind []uint8) {
	m.change.place(n, memory, indices, kind)
	memory = memory[changeElements(n):]
	m.leafMemory, memory = memory[:leafElements(leafOrder)], memory[leafElements(leafOrder):]
	m.memory = as[R](memory)
	m.packBody, m.multiplyBody, m.storeBody = m.weighOrPack, m.multiply, m.storeDead
}

// findValues finds the eigenvalues of the node that joins two halves at the coupling rho. The vectors of each half are the rows.
func (m *merger[R]) findValues(team *sched.Team, at node, rho float64) error {
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
	return m.solve(team)
}

// rotate is what deflate does to vectors.
func (m *merger[R]) rotate(i, j int, c, s float64) {
	start, end := 0, len(m.d)
	switch both := m.kind[i] | m.kind[j]; {
	case both == firstHalf:
		end = m.cut
	case both == secondHalf:
		start = m.cut
	default:
		m.fillUp(i)
		m.fillUp(j)
	}
	upper, lower, rotation := i, j, kernel.Rotation[R]{C: R(c), S: R(s)}
	if i > j {
		upper, lower, rotation.S = j, i, -rotation.S
	}
	stride := m.rows.Stride
	kernel.Rotate(kernel.Best(), []kernel.Rotation[R]{rotation}, true,
		m.rows.Data[upper*stride+start:lower*stride+end], (lower-upper)*stride, end-start)
}

// fillUp makes zeros of the elements of a row outside of its half.
func (m *merger[R]) fillUp(i int) {
	switch m.kind[i] {
	case firstHalf:
		clear(m.rows.Row(i)[m.cut:])
	case secondHalf:
		clear(m.rows.Row(i)[:m.cut])
	}
	m.kind[i] = bothHalves
}

// findVectors computes the vectors of the eigenvalues in the positions first <= i < end of all, once the values are known: those of live pairs come
// first.
func (m *merger[R]) findVectors(team *sched.Team, first, end int) error {
	m.choose(first, end)
	wanted := m.liveTo - m.liveFrom
	m.weights, m.height = 0, 1
	if wanted > 0 {
		m.weights = ceilDiv(len(m.live), rowsTogether)
		parts := min(mixParts, ceilDiv(wanted, leastMixRows))
		m.height = ceilDiv(ceilDiv(wanted, parts), kernel.PoleGroup) * kernel.PoleGroup
	}
	m.take()
	if err := team.For(m.weights+ceilDiv(len(m.d), rowsTogether), m.packBody); err != nil {
		return err
	}
	m.team = team
	if err := team.For(m.partsOfMix(), m.multiplyBody); err != nil {
		return err
	}
	return team.For(ceilDiv(m.at.Rows, rowsTogether), m.storeBody)
}

// partsOfMix returns the number of parts of the new vectors.
func (m *merger[R]) partsOfMix() int { return ceilDiv(m.liveTo-m.liveFrom, m.height) }

// choose says which live and which dead vectors have the positions first <= i < end.
func (m *merger[R]) choose(first, end int) {
	live := len(m.live)
	count := func(order []int) (k int) {
		for _, i := range order {
			if i < live {
				k++
			}
		}
		return k
	}
	m.liveFrom = count(m.order[:first])
	m.liveTo = m.liveFrom + count(m.order[first:end])
	m.deadFrom, m.deadTo = first-m.liveFrom, end-m.liveTo
}

// placesOf returns in which rows findVectors has left the vectors of the positions first <= i < end.
func (m *merger[R]) placesOf(first, end int) []int {
	live, places := len(m.live), m.sorted[:end-first]
	for i, from := range m.order[first:end] {
		if from < live {
			places[i] = from - m.liveFrom
		} else {
			places[i] = m.liveTo - m.liveFrom + from - live - m.deadFrom
		}
	}
	return places
}

// take divides the memory.
func (m *merger[R]) take() {
	memory := m.memory
	take := func(rows, cols int) dense.Matrix[R] {
		taken := dense.Matrix[R]{Rows: rows, Cols: cols, Stride: cols, Data: memory[:rows*cols]}
		memory = memory[rows*cols:]
		return taken
	}
	n, live := len(m.d), len(m.live)
	m.upper, m.lower = take(m.first+m.both, m.cut), take(live-m.first, n-m.cut)
	m.at = take(m.deadTo-m.deadFrom, n)
	m.mix = dense.Matrix[R]{Cols: live, Stride: len(m.columns.At), Data: memory}
}

// weighOrPack computes a group of weights, or, behind them, packs a group of rows.
func (m *merger[R]) weighOrPack(_, group int) error {
	if group < m.weights {
		m.weigh(group)
	} else {
		m.pack(group - m.weights)
	}
	return nil
}

// pack copies some of the old vectors: those that are live sorted by where they have elements other than zero, without most of the zeros.
func (m *merger[R]) pack(group int) {
	live := len(m.live)
	for r := group * rowsTogether; r < min(len(m.d), (group+1)*rowsTogether); r++ {
		row := m.rows.Row(m.sorted[r])
		if r < m.upper.Rows {
			copy(m.upper.Row(r), row[:m.cut])
		}
		if m.first <= r && r < live {
			copy(m.lower.Row(r-m.first), row[m.cut:])
		}
		if q := r - live; m.deadFrom <= q && q < m.deadTo {
			m.fillUp(m.sorted[r])
			copy(m.at.Row(q-m.deadFrom), row)
		}
	}
}

// multiply computes a part of the live vectors.
func (m *merger[R]) multiply(worker, part int) error {
	first := part * m.height
	from := m.liveFrom + first
	to := min(m.liveTo, from+m.height)
	rows, mix := m.rows.Slice(first, first+to-from, 0, len(m.d)), m.mix
	mix.Rows, mix.Data = rows.Rows, m.mix.Data[worker*m.height*mix.Stride:][:rows.Rows*mix.Stride]
	kernel.SecularVectors(kernel.Best(), m.columns, m.origins[from:to], m.shifts[from:to], mix.Data, mix.Stride)
	product(m.team, mix.Slice(0, mix.Rows, 0, m.upper.Rows), m.upper, rows.Slice(0, rows.Rows, 0, m.cut))
	product(m.team, mix.Slice(0, mix.Rows, m.first, mix.Cols), m.lower, rows.Slice(0, rows.Rows, m.cut, rows.Cols))
	m.team.Step(productCost(len(m.d), m.liveTo-m.liveFrom) / m.partsOfMix())
	return m.team.Err()
}

// storeDead copies a group of dead vectors to where they are behind the others.
func (m *merger[R]) storeDead(_, group int) error {
	for q := group * rowsTogether; q < min(m.at.Rows, (group+1)*rowsTogether); q++ {
		copy(m.rows.Row(m.liveTo-m.liveFrom+q), m.at.Row(q))
	}
	return nil
}

// product computes C = A B, also for an inner dimension of 0.
func product[R dense.Float](team *sched.Team, a, b, c dense.Matrix[R]) {
	if a.Cols == 0 {
		c.Fill(0)
		return
	}
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
}
