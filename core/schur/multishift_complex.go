package schur

import (
	"trnsci/core/dense"
	"trnsci/core/kernel/bulge"
)

// complexSizesFor returns the choices of the multishift iteration for a complex matrix of order n. A shift is a bulge.
func complexSizesFor(n int) sizes {
	switch {
	case n < 200:
		return sizes{shifts: 12, window: 12, extra: 16, misses: 2}
	case n < 330:
		return sizes{shifts: 24, window: 32, extra: 32, misses: 4}
	case n < 450:
		return sizes{shifts: 24, window: 40, extra: 24, misses: 6}
	case n < 800:
		return sizes{shifts: 40, window: 48, extra: 40, misses: 8}
	}
	return sizes{shifts: 40, window: 64, extra: 40, misses: 12}
}

const (
	// As plainOrder and plainBlock, for complex matrices.
	plainComplexOrder = 140
	plainComplexBlock = 90
)

// complexMultishift does the sweeps of small chains of bulges of a singleShift, and the deflations between them: see multishift.
type complexMultishift[W dense.Complex] struct {
	*singleShift[W]
	sizes
	local *singleShift[W] // of a diagonal block, apart from the rest
	later *later[W, complexRun[W], bulge.Householder2[W]]
	top   int // the first row that is wanted
	// Memory that is used again: of a window and its unitary factor, of products, of the unitary factor of its reduction.
	form, factor, product, reduced []W
}

// complexRun is what one bulge does to the rows from row on: its reflectors, one row apart.
type complexRun[W dense.Complex] struct {
	row        int
	reflectors []bulge.Householder2[W]
}

// runLarge is run for large matrices.
func (s *singleShift[W]) runLarge() error {
	m := &complexMultishift[W]{
		singleShift: s, sizes: complexSizesFor(s.t.Rows), local: newSingleShift(dense.Matrix[W]{}, dense.Matrix[W]{}, Options{Team: s.team.Quiet()}),
	}
	m.local.floor = s.floor
	m.later = newLater[W, complexRun[W], bulge.Householder2[W]](s.team, s.t, s.zt, complexStrip, func(runs []complexRun[W], x dense.Matrix[W]) {
		applyComplexRuns(s.set, runs, x, 0, false)
	})
	return s.team.RunWithHelpers(m.lead, m.later.help)
}

// lead does the iteration; announce lets the rest of the team look at what is to be done later.
func (m *complexMultishift[W]) lead(announce func()) error {
	m.later.announce = announce
	failures := 0
	for hi := m.t.Rows - 1; hi >= 0; {
		if err := m.team.Err(); err != nil {
			return err
		}
		lo := m.blockStart(hi, failures > relaxAfter)
		if m.diagonalOnly {
			m.top = lo
		}
		deflated, err := m.advance(lo, hi, failures)
		if err != nil {
			return err
		}
		hi -= deflated
		m.team.Reach(iterated(m.t.Rows, hi+1, m.diagonalOnly))
		if !m.diagonalOnly {
			m.later.release(hi)
		}
		failures++
		if deflated > 0 {
			failures = 0
		}
	}
	return m.later.drain()
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

// solveBlock brings the block of rows lo to hi to triangular form.
func (m *complexMultishift[W]) solveBlock(lo, hi int) error {
	if m.diagonalOnly {
		return m.solveAlone(lo, hi)
	}
	local, err := m.solveLocal(lo, hi)
	if err != nil {
		return err
	}
	return m.putBack(local, lo)
}

// solveAlone is solveBlock where only the block's own diagonal is wanted.
func (m *complexMultishift[W]) solveAlone(lo, hi int) error {
	local := m.local
	local.prepare(m.t.Slice(lo, hi+1, lo, hi+1), dense.Matrix[W]{}, 0)
	local.diagonalOnly = true
	defer func() { local.diagonalOnly = false }()
	return located(local.run(), lo, hi, m.t.Rows)
}

// solveLocal returns the triangular form of the block of rows lo to hi and the unitary factor that leads to it.
func (m *complexMultishift[W]) solveLocal(lo, hi int) (*singleShift[W], error) {
	order := hi - lo + 1
	local := m.local
	local.prepare(within(&m.form, order, order), within(&m.factor, order, order), 0)
	loadWindow(local.t, local.zt, m.t.Slice(lo, hi+1, lo, hi+1))
	if err := local.run(); err != nil {
		return nil, located(err, lo, hi, m.t.Rows)
	}
	return local, nil
}

// putBack replaces the diagonal block from row lo on by local's, and applies local's unitary factor to the rest of t and to zt.
func (m *complexMultishift[W]) putBack(local *singleShift[W], lo int) error {
	hi := lo + local.t.Rows
	above, right := span{min(m.top, lo), lo}, span{hi, m.edge(hi - 1)}
	m.later.putBack(m.t, solved[W]{lo, local.t, local.zt}, above, right)
	if m.diagonalOnly {
		return nil
	}
	return m.later.addFactor(lo, local.zt)
}
