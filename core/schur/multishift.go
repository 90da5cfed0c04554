package schur

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel/bulge"
)

// sizes are the choices of the multishift iteration for a matrix of some order. They were tuned on random matrices and change nothing but times.
type sizes struct {
	shifts int // eigenvalues that a sweep takes as shifts, two for a bulge
	window int // rows of the window of aggressive early deflation
	extra  int // rows that a chain of bulges moves down before the parts of the matrix off the diagonal follow, but for a multiple of the bulges
	misses int // rows of the window whose eigenvalues may turn out not to have converged before the others are no longer looked at
}

func sizesFor(n int) sizes {
	switch {
	case n < 200:
		return sizes{shifts: 24, window: 16, extra: 48, misses: 2}
	case n < 330:
		return sizes{shifts: 24, window: 32, extra: 48, misses: 4}
	case n < 450:
		return sizes{shifts: 32, window: 40, extra: 48, misses: 4}
	case n < 800:
		return sizes{shifts: 32, window: 48, extra: 64, misses: 8}
	}
	return sizes{shifts: 64, window: 64, extra: 96, misses: 16}
}

const (
	// Matrices up to plainOrder are left to single double-shift steps; blocks that a larger one has shrunk to are, up to plainBlock, apart from the rest.
	plainOrder = 160
	plainBlock = 100
	// A sweep is left out after a window that let go of this share of its eigenvalues: its shifts are good enough for another window.
	nibble = 0.14
	// After so many windows without a deflation, they grow, by this much each time; and at multiples of a period the shifts are exceptional.
	patience, growth, exceptionalSweep = 4, 4, 6
	// Columns, or rows, to which the orthogonal factor of a window is applied at a time.
	productStrip = 128
)

// multishift does the sweeps of small chains of bulges of a francis, and the deflations between them.
//
// Method: Braman, Byers and Mathias, The multishift QR algorithm, parts I and II, SIAM J. Matrix Anal. Appl. 23, 2002.
type multishift[W dense.Float] struct {
	*francis[W]
	sizes
	local *francis[W] // of a diagonal block, apart from the rest
	later *later[W, run[W], bulge.Householder3[W]]
	top   int // the first row that is wanted
	// Memory that is used again: of a window and its orthogonal factor, of products, of the orthogonal factor of its reduction.
	form, factor, product, reduced []W
}

// run is what one bulge does to the rows from row on: its reflectors, one row apart. At the bottom of the block the last one has two rows.
type run[W dense.Float] struct {
	row        int
	reflectors []bulge.Householder3[W]
}

// runLarge is run for large matrices.
func (f *francis[W]) runLarge() error {
	m := &multishift[W]{
		francis: f, sizes: sizesFor(f.t.Rows), local: newFrancis(dense.Matrix[W]{}, dense.Matrix[W]{}, Options{Team: f.team.Quiet()}),
	}
	m.local.floor = f.floor
	m.later = newLater[W, run[W], bulge.Householder3[W]](f.team, f.t, f.zt, bulge.StripColumns(f.set), func(runs []run[W], x dense.Matrix[W]) {
		applyRuns(f.set, runs, x, 0)
	})
	return f.team.RunWithHelpers(m.lead, m.later.help)
}

// lead does the iteration; announce lets the rest of the team look at what is to be done later.
func (m *multishift[W]) lead(announce func()) error {
	m.later.announce = announce
	failures := 0
	for hi := m.t.Rows - 1; hi >= 0; {
		if err := m.team.Err(); err != nil {
			return err
		}
		lo := m.blockStart(hi, failures > relaxAfter)
		if m.blocksOnly {
			m.top = lo
		}
		deflated, err := m.advance(lo, hi, failures)
		if err != nil {
			return err
		}
		hi -= deflated
		m.team.Reach(iterated(m.t.Rows, hi+1, m.blocksOnly))
		if !m.blocksOnly {
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
func (m *multishift[W]) advance(lo, hi, failures int) (deflated int, err error) {
	order := hi - lo + 1
	window := m.window
	if failures > patience {
		window += (failures - patience) * growth
	}
	if order <= plainBlock || window+patience > order {
		return order, m.solveBlock(lo, hi)
	}
	if top := hi - window + 1; math.Abs(m.at(top, top-1)) > math.Abs(m.at(top-1, top-2)) {
		window++
	}
	deflated, shifts, err := m.deflate(lo, hi, window)
	if err != nil || float64(deflated) > nibble*float64(window) || order-deflated <= plainBlock {
		return deflated, err
	}
	hi -= deflated
	if failures > 0 && failures%exceptionalSweep == 0 {
		shifts = m.exceptionalShifts(lo, hi)
	}
	bulges := min(m.shifts/2, (hi-lo-2)/rowsOfBulge)
	shifts = shifts[:min(len(shifts), bulges)]
	if m.francis.sweeps+len(shifts) > m.limit {
		n := m.t.Rows
		return 0, &ConvergenceError{Lo: lo, Hi: hi, Found: n - 1 - hi, N: n, Sweeps: m.francis.sweeps}
	}
	m.francis.sweeps += len(shifts)
	return deflated, m.sweepChain(lo, hi, shifts)
}

// exceptionalShifts returns shifts from outside of the spectrum of the block of rows lo to hi, of the sizes of its subdiagonal elements.
func (m *multishift[W]) exceptionalShifts(lo, hi int) []shift {
	var shifts []shift
	for i := hi; i >= lo+2 && len(shifts) < m.shifts/2; i -= 2 {
		size := math.Abs(m.at(i, i-1)) + math.Abs(m.at(i-1, i-2))
		share := 1 - float64(len(shifts))/float64(m.shifts) // all different where the elements are not
		shifts = append(shifts, exceptionalShift(m.at(i, i), size*share))
	}
	return shifts
}

// solveBlock brings the block of rows lo to hi to quasi-triangular form.
func (m *multishift[W]) solveBlock(lo, hi int) error {
	if m.blocksOnly {
		return m.solveAlone(lo, hi)
	}
	local, err := m.solveLocal(lo, hi)
	if err != nil {
		return err
	}
	return m.putBack(local, lo)
}

// solveAlone is solveBlock where only the block's own diagonal blocks are wanted.
func (m *multishift[W]) solveAlone(lo, hi int) error {
	local := m.local
	local.prepare(m.t.Slice(lo, hi+1, lo, hi+1), dense.Matrix[W]{}, 0)
	local.blocksOnly = true
	defer func() { local.blocksOnly = false }()
	return located(local.run(), lo, hi, m.t.Rows)
}

// solveLocal returns the quasi-triangular form of the block of rows lo to hi and the orthogonal factor that leads to it.
func (m *multishift[W]) solveLocal(lo, hi int) (*francis[W], error) {
	order := hi - lo + 1
	local := m.local
	local.prepare(within(&m.form, order, order), within(&m.factor, order, order), 0)
	loadWindow(local.t, local.zt, m.t.Slice(lo, hi+1, lo, hi+1))
	if err := local.run(); err != nil {
		return nil, located(err, lo, hi, m.t.Rows)
	}
	return local, nil
}

// putBack replaces the diagonal block from row lo on by local's, and applies local's orthogonal factor to the rest of t and to zt.
func (m *multishift[W]) putBack(local *francis[W], lo int) error {
	hi := lo + local.t.Rows
	above, right := span{min(m.top, lo), lo}, span{hi, m.edge(hi - 1)}
	m.later.putBack(m.t, solved[W]{lo, local.t, local.zt}, above, right)
	if m.blocksOnly {
		return nil
	}
	return m.later.addFactor(lo, local.zt)
}
