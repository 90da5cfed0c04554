package schur

import (
	"trnsci/core/dense"
	"trnsci/core/kernel/bulge"
	"trnsci/core/kernel/gemm"
)

const rowsOfBulge = 3 // between one bulge of a chain and the next

// descent is the way of bulges down the block of rows lo to hi.
type descent struct {
	lo, hi   int
	distance int   // rows between one bulge and the next
	extra    int   // rows that they move until the parts of the matrix off the diagonal follow
	next     []int // the step that each bulge does next
}

func newDescent(lo, hi, bulges, distance, extra int) descent {
	d := descent{lo: lo, hi: hi, distance: distance, extra: extra, next: make([]int, bulges)}
	for b := range d.next {
		d.next[b] = lo - 1
	}
	return d
}

// window returns the first and the last row of the next window of the chain: what its bulges change until its other parts follow.
func (d *descent) window() (top, bottom int) {
	count := len(d.next)
	top = max(d.lo, d.next[count-1]+1)
	return top, min(top+d.distance*count+d.extra-1, d.hi)
}

// lastStep returns the last step of the first bulge in a window that ends in row bottom, and how many less the next bulge does: the reflector of the last
// step, and what it changes, ends in the window. At the end of the block all bulges leave it, with reflectors of its last two rows.
func (d *descent) lastStep(bottom int) (last, less int) {
	if bottom == d.hi {
		return bottom - 2, 0
	}
	return bottom - d.distance - 1, d.distance
}

// chain is bulges on their way down a block. U is the type of their runs, R that of the reflectors.
type chain[W dense.Scalar, U, R any] struct {
	descent
	later *later[W, U, R]
	width int // of strips
	top   int // the first row of T that is wanted
	edge  int // the end of the columns that get at once what is done to the rows of the block
	// move does the steps first to last of bulge b. Its reflectors go to out.
	move func(z zone, b, first, last int, out []R) U
	// applyRight applies runs to columns of T, applyAbove those of the window of rows top to bottom from the right to rows of T above it, by way of copies in
	// the memory.
	applyRight func(runs []U, columns span)
	applyAbove func(runs []U, rows span, top, bottom int, memory *[]W)
}

// sweep does an implicit QR sweep with all bulges. They move down together, some rows at a time; then the rest of the matrix follows.
func (c *chain[W, U, R]) sweep() error {
	for bottom := c.lo; bottom < c.hi; {
		var top int
		top, bottom = c.window()
		runs, err := c.moveThrough(top, bottom)
		if err != nil {
			return err
		}
		if err := c.follow(runs, top, bottom); err != nil {
			return err
		}
	}
	c.later.join()
	return nil
}

// moveThrough moves the bulges through the window of rows top to bottom and returns their runs.
func (c *chain[W, U, R]) moveThrough(top, bottom int) ([]U, error) {
	count := len(c.next)
	store, err := c.later.reflectors(count * (bottom - c.next[count-1]))
	if err != nil {
		return nil, err
	}
	z := zone{top: top, end: bottom + 1, bottom: c.hi}
	last, less := c.lastStep(bottom)
	runs := make([]U, count)
	for b, first := range c.next {
		steps := last - first + 1
		runs[b] = c.move(z, b, first, last, store[:steps])
		store, c.next[b] = store[steps:], last+1
		last -= less
	}
	return runs, nil
}

// follow applies the runs, whose window are the rows and columns top to bottom, to the rest of the matrix: to the columns that the next window has besides, and
// what the iteration does not read before that window has followed is left to whoever has time.
func (c *chain[W, U, R]) follow(runs []U, top, bottom int) error {
	c.later.join()
	_, next := c.window()
	near := min((next+c.width)/c.width*c.width, c.edge)
	c.applyRight(runs, span{bottom + 1, near})
	c.later.shareStrips(span{c.top, top}, span{near, c.edge}, c.width, func(rows span, worker int) {
		c.applyAbove(runs, rows, top, bottom, &c.later.panels[worker])
	}, func(columns span, _ int) {
		c.applyRight(runs, columns)
	})
	return c.later.add(change[W, U]{runs: runs})
}

// sweepChain does an implicit QR sweep with a bulge for each shift, over the block of rows lo to hi.
func (m *multishift[W]) sweepChain(lo, hi int, shifts []shift) error {
	c := &chain[W, run[W], bulge.Householder3[W]]{
		descent: newDescent(lo, hi, len(shifts), rowsOfBulge, m.extra), later: m.later,
		top: m.top, width: m.later.width, edge: m.edge(hi), applyRight: m.applyRight, applyAbove: m.applyAbove,
	}
	c.move = func(z zone, b, first, last int, out []bulge.Householder3[W]) run[W] {
		var start *[3]W
		if first == lo-1 {
			start = roundedStart[W](m.startVector(lo, shifts[b]))
		}
		m.chase(z, first, last, start, out)
		return run[W]{row: first + 1, reflectors: out}
	}
	return c.sweep()
}

// edge returns the end of the columns that get at once what is done to the rows of a block that ends in row hi.
func (m *multishift[W]) edge(hi int) int {
	if m.blocksOnly {
		return hi + 1
	}
	return min(m.later.edge(), m.t.Cols)
}

// applyRight applies runs to the given columns of t.
func (m *multishift[W]) applyRight(runs []run[W], columns span) {
	for i := range columns.strips(m.later.width) {
		s := columns.strip(i, m.later.width)
		applyRuns(m.set, runs, m.t.Slice(0, m.t.Rows, s.from, s.end), 0)
	}
}

// applyAbove applies runs from the right to the given rows of t in the columns top to bottom, by way of transposed copies in the memory.
func (m *multishift[W]) applyAbove(runs []run[W], rows span, top, bottom int, memory *[]W) {
	for i := range rows.strips(m.later.width) {
		s := rows.strip(i, m.later.width)
		x := m.t.Slice(s.from, s.end, top, bottom+1)
		panel := within(memory, x.Cols, x.Rows)
		gemm.Transpose(m.set, x.Rows, x.Cols, x.Data, x.Stride, panel.Data, panel.Stride)
		applyRuns(m.set, runs, panel, top)
		gemm.Transpose(m.set, x.Cols, x.Rows, panel.Data, panel.Stride, x.Data, x.Stride)
	}
}
