package schur

import (
	"trnsci/core/dense"
	"trnsci/core/internal/qriteration"
	"trnsci/core/internal/workspace"
	"trnsci/core/schur/internal/deferred"
)

// sizes are the choices of the multishift iteration for a matrix of some order. They were tuned on random matrices and
// affect times only.
type sizes struct {
	bulges         int // of a sweep
	window         int // rows of the window of aggressive early deflation
	chainAdvance   int // rows that a chain, beyond its own length, moves down before the rest of the matrix is updated
	maxUnconverged int // rows of the window that may fail the convergence test before it ends
	plainBlock     int // blocks up to this order are solved by the classical iteration, apart from the rest
}

const (
	// Sweeps are skipped as long as a window deflates more than this share of its eigenvalues: the shifts that are left
	// are good enough for another window.
	nibble = 0.14
	// After this many windows without a deflation they grow, by windowGrowth each time; multiples of exceptionalSweep take
	// exceptional shifts.
	patience, windowGrowth, exceptionalSweep = 4, 4, 6
	// Columns, or rows, to which the unitary factor of a window is applied at a time.
	productStrip = 128
)

// bulgeIteration is a classical QR iteration, with the parts of it that the multishift iteration uses. R is the type of
// its reflectors, S that of the shifts of a bulge.
type bulgeIteration[W dense.Scalar, R, S any] interface {
	state() *iteration[W]
	// load makes it the iteration for t and zt, with the usual limit of sweeps; run brings t to (quasi-)triangular form.
	load(t, zt dense.Matrix[W])
	run() error
	// blockStart returns the first row of the unreduced block that ends in row hi, and clears the negligible element that
	// separates it from the rows above.
	blockStart(hi int, relaxed bool) int
	// deflationWindow returns the number of rows of a window that ends in row hi and has about the given number of rows.
	deflationWindow(hi, window int) int
	// sortWindow moves the converged eigenvalues of t, a deflation window in (quasi-)triangular form, to its lower end and
	// returns the order of the other blocks together. Element i of the spike is spike times zt[i][0]; maxUnconverged rows
	// may fail the test.
	sortWindow(spike W, maxUnconverged int) (kept int)
	// shifts returns the eigenvalues of the leading part of t, of the given order, as shifts, from its last row up.
	shifts(order int) []S
	// exceptionalShifts returns up to count shifts from outside of the spectrum of the block of rows lo to hi.
	exceptionalShifts(lo, hi, count int) []S
	// bulgeRows is the number of rows between one bulge of a chain and the next.
	bulgeRows() int
	// moveBulge does steps first to last of the bulge with the given shifts in the block that begins with row lo; step
	// lo-1 creates it. The reflectors go to out, one for each step.
	moveBulge(r region, lo, first, last int, shifts S, out []R)
	// apply applies reflectors to the rows of x, of which row 0 is row top of the matrix. If transposed, x is the
	// transpose of columns of the matrix.
	apply(sequences []deferred.Sequence[R], x dense.Matrix[W], top int, transposed bool)
	transpose(to, from dense.Matrix[W])
}

// multishift is the small-bulge multishift QR iteration with aggressive early deflation (LAPACK's laqr0, laqr3 and
// laqr5).
//
// Method: Braman, Byers and Mathias, The multishift QR algorithm, parts I and II, SIAM J. Matrix Anal. Appl. 23, 2002.
type multishift[W dense.Scalar, R, S any] struct {
	*iteration[W]
	sizes
	qr, local bulgeIteration[W, R, S] // of the whole matrix, and of a diagonal block apart from the rest
	queue     *deferred.Queue[W, R]
	top       int // the first row that is wanted
	// Memory that is reused: of a window and its unitary factor, of products, of the unitary factor of its reduction.
	form, factor, product, reduced []W
}

// runMultishift brings the matrix of qr to (quasi-)triangular form. local is another iteration of the same kind.
// Reflectors are applied to width columns at a time.
func runMultishift[W dense.Scalar, R, S any](qr, local bulgeIteration[W, R, S], s sizes, width int) error {
	m := &multishift[W, R, S]{iteration: qr.state(), sizes: s, qr: qr, local: local}
	local.state().floor = m.floor
	local.state().team = m.team.SerialWithoutProgress()
	m.queue = deferred.New(m.team, m.t, m.zt, width, func(sequences []deferred.Sequence[R], x dense.Matrix[W]) {
		qr.apply(sequences, x, 0, false)
	})
	return m.queue.Run(m.iterate)
}

// iterate deflates eigenvalues from the last row up (laqr0).
func (m *multishift[W, R, S]) iterate() error {
	failures := 0
	for hi := m.t.Rows - 1; hi >= 0; {
		if err := m.team.Err(); err != nil {
			return err
		}
		lo := m.qr.blockStart(hi, failures > qriteration.RelaxAfter)
		if m.valuesOnly {
			m.top = lo
		}
		deflated, err := m.advance(lo, hi, failures)
		if err != nil {
			return err
		}
		hi -= deflated
		m.team.Reach(stepsDone(m.t.Rows, hi+1, m.valuesOnly))
		if !m.valuesOnly {
			m.queue.Activate(hi)
		}
		failures++
		if deflated > 0 {
			failures = 0
		}
	}
	return nil
}

// advance deflates converged eigenvalues at the end of the block of rows lo to hi and, if they are few, sweeps over the
// rest of it. It returns the number of eigenvalues found; failures counts the calls before that found none.
func (m *multishift[W, R, S]) advance(lo, hi, failures int) (deflated int, err error) {
	order := hi - lo + 1
	window := m.window
	if failures > patience {
		window += (failures - patience) * windowGrowth
	}
	if order <= m.plainBlock || window+patience > order {
		return order, m.solveBlock(lo, hi)
	}
	window = m.qr.deflationWindow(hi, window)
	deflated, shifts, err := m.deflate(hi, window)
	if err != nil || float64(deflated) > nibble*float64(window) || order-deflated <= m.plainBlock {
		return deflated, err
	}
	hi -= deflated
	if failures > 0 && failures%exceptionalSweep == 0 {
		shifts = m.qr.exceptionalShifts(lo, hi, m.bulges)
	}
	rows := m.qr.bulgeRows()
	shifts = shifts[:min(len(shifts), m.bulges, (hi-lo+1-rows)/rows)]
	if err := m.addSweeps(len(shifts), lo, hi); err != nil {
		return 0, err
	}
	return deflated, m.sweep(lo, hi, shifts)
}

// solveBlock brings the block of rows lo to hi to (quasi-)triangular form.
func (m *multishift[W, R, S]) solveBlock(lo, hi int) error {
	if m.valuesOnly {
		m.local.load(m.t.Slice(lo, hi+1, lo, hi+1), dense.Matrix[W]{})
		m.local.state().valuesOnly = true
		defer func() { m.local.state().valuesOnly = false }()
		return located(m.local.run(), lo, hi, m.t.Rows)
	}
	if err := m.solveLocal(lo, hi); err != nil {
		return err
	}
	return m.putBack(lo)
}

// solveLocal lets local compute the (quasi-)triangular form of the block of rows lo to hi, in a copy, and its unitary
// factor.
func (m *multishift[W, R, S]) solveLocal(lo, hi int) error {
	order := hi - lo + 1
	form, factor := workspace.Within(&m.form, order, order), workspace.Within(&m.factor, order, order)
	form.CopyFrom(m.t.Slice(lo, hi+1, lo, hi+1))
	for i := range order {
		clear(form.Row(i)[:max(0, i-1)]) // t may hold other values there
		clear(factor.Row(i))
	}
	factor.SetIdentity()
	m.local.load(form, factor)
	return located(m.local.run(), lo, hi, m.t.Rows)
}

// putBack replaces the diagonal block of t from row lo on by local's form, and applies local's unitary factor to the
// rest of t and to zt.
func (m *multishift[W, R, S]) putBack(lo int) error {
	form, zt := m.local.state().t, m.local.state().zt
	hi := lo + form.Rows
	block := m.t.Slice(lo, hi, lo, hi)
	for i := range form.Rows { // below the subdiagonal both are zero
		copy(block.Row(i)[max(0, i-1):], form.Row(i)[max(0, i-1):])
	}
	above, right := deferred.Span{From: min(m.top, lo), End: lo}, deferred.Span{From: hi, End: m.directEnd(hi - 1)}
	m.queue.ShareStrips(above, right, productStrip, func(rows deferred.Span, worker int) {
		workspace.MultiplyRightAdjoint(m.t.Slice(rows.From, rows.End, lo, hi), zt, m.queue.Panel(worker))
	}, func(columns deferred.Span, worker int) {
		workspace.MultiplyLeft(zt, m.t.Slice(lo, hi, columns.From, columns.End), m.queue.Panel(worker))
	})
	m.queue.Join()
	if m.valuesOnly {
		return nil
	}
	return m.queue.AddFactor(lo, zt)
}

// directEnd returns the end of the columns that are updated at once, and not through the queue, for a block that ends
// in row hi.
func (m *multishift[W, R, S]) directEnd(hi int) int {
	if m.valuesOnly {
		return hi + 1
	}
	return min(m.queue.ActiveFrom(), m.t.Cols)
}

// deflate is aggressive early deflation (laqr3). It brings the trailing window of the block that ends in row hi to
// (quasi-)triangular form, which turns the single element left of the window into a spike, and moves unconverged
// eigenvalues to the top: those whose element of the spike is not negligible. It returns the number of converged
// eigenvalues, and the others as shifts, those next to the converged ones first.
func (m *multishift[W, R, S]) deflate(hi, window int) (deflated int, shifts []S, err error) {
	top := hi - window + 1
	if err := m.solveLocal(top, hi); err != nil {
		return 0, nil, err
	}
	spike := m.t.At(top, top-1)
	kept := m.local.sortWindow(spike, m.maxUnconverged)
	shifts = m.local.shifts(kept)
	if kept == window {
		return 0, shifts, nil
	}
	if kept == 0 {
		m.t.Set(top, top-1, 0)
	} else {
		form, zt := m.local.state().t, m.local.state().zt
		m.t.Set(top, top-1, spike*reduceWindow(m.team, form, zt, kept, &m.reduced, &m.product))
	}
	return window - kept, shifts, m.putBack(top)
}

// sweep is one multishift QR sweep over the block of rows lo to hi (laqr5), with a bulge for each element of shifts,
// which for a real matrix is a pair of numbers.
//
// The bulges follow each other at the shortest distance, a chain, and move down together through one window of the
// diagonal after the other. In a window only the diagonal block is updated, by each bulge in turn. The reflectors of
// the whole chain are then applied to the rest: to the columns that the next window needs at once; to the rows above
// and the other columns that the iteration reads by tasks, which other workers share while the chain moves on; and to
// the columns and to Z^H that it does not read again through the queue.
func (m *multishift[W, R, S]) sweep(lo, hi int, shifts []S) error {
	count, distance, width := len(shifts), m.qr.bulgeRows(), m.queue.Width()
	next := make([]int, count) // the step that each bulge does next
	for b := range next {
		next[b] = lo - 1
	}
	// nextWindow returns the first and the last row of the window that the chain is about to enter.
	nextWindow := func() (top, bottom int) {
		top = max(lo, next[count-1]+1)
		return top, min(top+distance*count+m.chainAdvance-1, hi)
	}
	end := m.directEnd(hi)
	for bottom := lo; bottom < hi; {
		var top int
		top, bottom = nextWindow()
		reflectors, err := m.queue.NewReflectors(count * (bottom - next[count-1]))
		if err != nil {
			return err
		}
		// The reflector of a bulge's last step changes rows inside of the window only, and each bulge stops in front of the
		// one before. At the end of the block all bulges leave it, with reflectors of its last two rows.
		last, less := bottom-distance-1, distance
		if bottom == hi {
			last, less = bottom-2, 0
		}
		window := region{top: top, end: bottom + 1, bottom: hi}
		chain := make([]deferred.Sequence[R], count)
		for b, first := range next {
			steps := last - first + 1
			chain[b] = deferred.Sequence[R]{Row: first + 1, Reflectors: reflectors[:steps]}
			m.qr.moveBulge(window, lo, first, last, shifts[b], reflectors[:steps])
			reflectors, next[b] = reflectors[steps:], last+1
			last -= less
		}
		m.queue.Join() // of the window before
		_, nextBottom := nextWindow()
		near := min((nextBottom+width)/width*width, end)
		m.applyToColumns(chain, deferred.Span{From: bottom + 1, End: near})
		rows, columns := deferred.Span{From: m.top, End: top}, deferred.Span{From: near, End: end}
		m.queue.ShareStrips(rows, columns, width, func(rows deferred.Span, worker int) {
			m.applyToRows(chain, rows, top, bottom, m.queue.Panel(worker))
		}, func(columns deferred.Span, _ int) {
			m.applyToColumns(chain, columns)
		})
		if err := m.queue.AddSequences(chain); err != nil {
			return err
		}
	}
	m.queue.Join()
	return nil
}

// applyToColumns applies reflectors from the left to the given columns of t.
func (m *multishift[W, R, S]) applyToColumns(chain []deferred.Sequence[R], columns deferred.Span) {
	for i := range columns.Strips(m.queue.Width()) {
		s := columns.Strip(i, m.queue.Width())
		m.qr.apply(chain, m.t.Slice(0, m.t.Rows, s.From, s.End), 0, false)
	}
}

// applyToRows applies reflectors of the rows top to bottom from the right to the given rows of t, through transposed
// copies in the memory.
func (m *multishift[W, R, S]) applyToRows(
	chain []deferred.Sequence[R], rows deferred.Span, top, bottom int, memory *[]W,
) {
	for i := range rows.Strips(m.queue.Width()) {
		s := rows.Strip(i, m.queue.Width())
		x := m.t.Slice(s.From, s.End, top, bottom+1)
		panel := workspace.Within(memory, x.Cols, x.Rows)
		m.qr.transpose(panel, x)
		m.qr.apply(chain, panel, top, true)
		m.qr.transpose(x, panel)
	}
}
