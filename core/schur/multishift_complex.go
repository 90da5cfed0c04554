package schur

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
)

// complexSizesFor returns the choices of the multishift iteration for a complex matrix of order n. A shift is a bulge.
func complexSizesFor(n int) sizes {
	switch {
	case n < 200:
		return sizes{shifts: 12, window: 12, extra: 16}
	case n < 400:
		return sizes{shifts: 16, window: 24, extra: 16}
	case n < 800:
		return sizes{shifts: 24, window: 32, extra: 24}
	}
	return sizes{shifts: 32, window: 64, extra: 32}
}

const (
	// As plainOrder and plainBlock, for complex matrices.
	plainComplexOrder = 140
	plainComplexBlock = 90
	rowsOfTwo         = 2 // between one bulge of a chain and the next
)

// complexMultishift does the sweeps of small chains of bulges of a singleShift, and the deflations between them: see multishift.
type complexMultishift[W dense.Complex] struct {
	*singleShift[W]
	sizes
	runs  []complexRun[W] // of a window of the sweep, in their order
	store []kernel.TwoRows[W]
	// Memory that is used again: of a window and its unitary factor, of products, of the unitary factor of its reduction.
	form, factor, product, reduced []W
	panels                         [][]W // for each worker
}

// complexRun is what one bulge does to the rows from row on: its reflectors, one row apart.
type complexRun[W dense.Complex] struct {
	row        int
	reflectors []kernel.TwoRows[W]
}

// runLarge is run for large matrices.
func (s *singleShift[W]) runLarge() error {
	m := &complexMultishift[W]{singleShift: s, sizes: complexSizesFor(s.t.Rows), panels: make([][]W, s.team.Threads())}
	failures := 0
	for hi := s.t.Rows - 1; hi >= 0; {
		if err := s.team.Err(); err != nil {
			return err
		}
		lo := s.blockStart(hi, failures > relaxAfter)
		deflated, err := m.advance(lo, hi, failures)
		if err != nil {
			return err
		}
		s.team.Step(deflated)
		hi -= deflated
		failures++
		if deflated > 0 {
			failures = 0
		}
	}
	return nil
}

// advance looks for converged eigenvalues at the end of the block of rows lo to hi, and if they are few, sweeps over the rest of it. It returns how many it
// has found; failures counts the calls before that found none.
func (m *complexMultishift[W]) advance(lo, hi, failures int) (deflated int, err error) {
	order := hi - lo + 1
	window := m.window
	if failures > patience {
		window += (failures - patience) * growth
	}
	if order <= plainComplexBlock || window+patience > order {
		return order, m.solveBlock(lo, hi)
	}
	deflated, shifts, err := m.deflate(hi, window)
	if err != nil || float64(deflated) > nibble*float64(window) || order-deflated <= plainComplexBlock {
		return deflated, err
	}
	hi -= deflated
	if failures > 0 && failures%exceptionalSweep == 0 {
		shifts = m.exceptionalShifts(lo, hi)
	}
	bulges := min(m.shifts, (hi-lo-1)/rowsOfTwo)
	shifts = shifts[:min(len(shifts), bulges)]
	if m.singleShift.sweeps+len(shifts) > m.limit {
		n := m.t.Rows
		return 0, &ConvergenceError{Lo: lo, Hi: hi, Found: n - 1 - hi, N: n, Sweeps: m.singleShift.sweeps}
	}
	m.singleShift.sweeps += len(shifts)
	return deflated, m.sweepChain(lo, hi, shifts)
}

// exceptionalShifts returns shifts from outside of the spectrum of the block of rows lo to hi, of the sizes of its subdiagonal elements.
func (m *complexMultishift[W]) exceptionalShifts(lo, hi int) []complex128 {
	var shifts []complex128
	for i := hi; i > lo && len(shifts) < m.shifts; i-- {
		share := 1 - float64(len(shifts))/float64(2*m.shifts) // all different where the elements are not
		shifts = append(shifts, m.at(i, i)+complex(exceptionalDiagonal*share*m.size(i, i-1), 0))
	}
	return shifts
}

// sweepChain does an implicit QR sweep with a bulge for each shift, over the block of rows lo to hi. The bulges move down together, some rows at a time; then
// the rest of the matrix follows.
func (m *complexMultishift[W]) sweepChain(lo, hi int, shifts []complex128) error {
	count := len(shifts)
	next := make([]int, count) // the step that each bulge does next
	for b := range next {
		next[b] = lo - 1
	}
	length := rowsOfTwo*count + m.extra
	for done := 0; done < count; {
		top := max(lo, next[count-1]+1)
		bottom := min(top+length-1, hi)
		z := zone{top: top, end: bottom + 1, bottom: hi}
		m.runs, m.store = m.runs[:0], m.reserve(count*(length+rowsOfTwo))
		last := bottom - rowsOfTwo - 1 // the reflector of this step, and what it changes, ends in the window
		if bottom == hi {
			last = hi - rowsOfTwo
		}
		for b := done; b < count && last >= next[b]; b++ {
			m.runs = append(m.runs, m.move(z, next[b], last, lo, shifts[b]))
			next[b] = last + 1
			if last == hi-rowsOfTwo {
				done++
			} else {
				last -= rowsOfTwo
			}
		}
		if err := m.follow(top, bottom); err != nil {
			return err
		}
	}
	return nil
}

// reserve returns an empty slice with room for n reflectors.
func (m *complexMultishift[W]) reserve(n int) []kernel.TwoRows[W] {
	if cap(m.store) < n {
		m.store = make([]kernel.TwoRows[W], 0, n)
	}
	return m.store[:0]
}

// move does the steps first to last of a bulge, which begins in row lo with the given shift.
func (m *complexMultishift[W]) move(z zone, first, last, lo int, shift complex128) complexRun[W] {
	begin := len(m.store)
	m.store = m.store[:begin+last-first+1]
	r := complexRun[W]{row: first + 1, reflectors: m.store[begin:]}
	var start *[2]W
	if first == lo-1 {
		start = m.startVector(lo, shift)
	}
	m.chase(z, first, start, r.reflectors)
	return r
}

// Threads share what is off the diagonal from this many multiplications by elements of reflectors on: some ten microseconds.
const leastSharedWork = 1 << 16

// complexStrip is the number of columns, or of rows, of which what lies off the diagonal is brought up to date at a time.
const complexStrip = 16

// follow applies the runs, whose window are the rows and columns top to bottom, to the rest of t and to zt, in strips that the team shares.
func (m *complexMultishift[W]) follow(top, bottom int) error {
	t, zt := m.t, m.zt
	strips := func(cols int) int { return (cols + complexStrip - 1) / complexStrip }
	above, right, factor := strips(top), strips(t.Cols-bottom-1), 0
	if zt.Rows > 0 {
		factor = strips(zt.Cols)
	}
	team := m.team
	if (above+right+factor)*complexStrip*len(m.runs)*(bottom-top) < leastSharedWork {
		team = team.Serial()
	}
	return team.For(above+right+factor, func(worker, i int) error {
		switch {
		case i < above:
			row := i * complexStrip
			m.applyTransposed(t.Slice(row, min(row+complexStrip, top), top, bottom+1), top, &m.panels[worker])
		case i < above+right:
			col := bottom + 1 + (i-above)*complexStrip
			m.applyRuns(t.Slice(0, t.Rows, col, min(col+complexStrip, t.Cols)), 0, false)
		default:
			col := (i - above - right) * complexStrip
			m.applyRuns(zt.Slice(0, zt.Rows, col, min(col+complexStrip, zt.Cols)), 0, false)
		}
		return nil
	})
}

// applyRuns applies the runs to the rows of x, of which row 0 is row first of the whole. With columns they are columns of a matrix, see kernel.ReflectTwoRows.
func (m *complexMultishift[W]) applyRuns(x dense.Matrix[W], first int, columns bool) {
	for i := range m.runs {
		r := &m.runs[i]
		kernel.ReflectTwoRows(m.set, r.reflectors, columns, x.Data[(r.row-first)*x.Stride:], x.Stride, x.Cols)
	}
}

// applyTransposed applies the runs to the columns of x, of which column 0 is column first of the whole, by way of a transposed copy in the memory.
func (m *complexMultishift[W]) applyTransposed(x dense.Matrix[W], first int, memory *[]W) {
	rows := within(memory, x.Cols, x.Rows)
	transposeTo(rows, x)
	m.applyRuns(rows, first, true)
	transposeTo(x, rows)
}

// transposeTo sets to to the transpose of from.
func transposeTo[W dense.Complex](to, from dense.Matrix[W]) {
	for i := range from.Rows {
		for j, x := range from.Row(i) {
			to.Data[j*to.Stride+i] = x
		}
	}
}

// solveBlock brings the block of rows lo to hi to triangular form.
func (m *complexMultishift[W]) solveBlock(lo, hi int) error {
	local, err := m.solveLocal(lo, hi)
	if err != nil {
		return err
	}
	m.putBack(local, lo)
	return nil
}

// solveLocal returns the triangular form of the block of rows lo to hi and the unitary factor that leads to it.
func (m *complexMultishift[W]) solveLocal(lo, hi int) (*singleShift[W], error) {
	order := hi - lo + 1
	local := newSingleShift(within(&m.form, order, order), within(&m.factor, order, order), Options{Team: m.team.Quiet()})
	loadWindow(local.t, local.zt, m.t.Slice(lo, hi+1, lo, hi+1))
	local.floor = m.floor
	if err := local.run(); err != nil {
		return nil, located(err, lo, hi, m.t.Rows)
	}
	return local, nil
}

// putBack replaces the diagonal block from row lo on by local's, and applies local's unitary factor to the rest of t and to zt.
func (m *complexMultishift[W]) putBack(local *singleShift[W], lo int) {
	t, hi := m.t, lo+local.t.Rows
	storeWindow(t.Slice(lo, hi, lo, hi), local.t)
	multiplyRows(m.team, local.zt, t.Slice(lo, hi, hi, t.Cols), &m.product)
	if m.zt.Rows > 0 {
		multiplyRows(m.team, local.zt, m.zt.Slice(lo, hi, 0, m.zt.Cols), &m.product)
	}
	multiplyColumns(m.team, t.Slice(0, lo, lo, hi), local.zt, &m.product)
}
