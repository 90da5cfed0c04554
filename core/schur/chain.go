package schur

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
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

// chain is bulges on their way down a block, one for each shift.
type chain[W dense.Float] struct {
	*multishift[W]
	descent
	shifts []shift
}

// sweepChain does an implicit QR sweep with a bulge for each shift, over the block of rows lo to hi. The bulges move down together, some rows at a time; then
// the rest of the matrix follows.
func (m *multishift[W]) sweepChain(lo, hi int, shifts []shift) error {
	c := &chain[W]{multishift: m, descent: newDescent(lo, hi, len(shifts), rowsOfBulge, m.extra), shifts: shifts}
	for bottom := lo; bottom < hi; {
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
	m.later.join()
	return nil
}

// moveThrough moves the bulges through the window of rows top to bottom and returns their runs.
func (c *chain[W]) moveThrough(top, bottom int) ([]run[W], error) {
	count := len(c.next)
	store, err := c.later.reflectors(c.team, count*(bottom-c.next[count-1]))
	if err != nil {
		return nil, err
	}
	z := zone{top: top, end: bottom + 1, bottom: c.hi}
	last, less := c.lastStep(bottom)
	runs := make([]run[W], count)
	for b, first := range c.next {
		steps := last - first + 1
		runs[b] = c.move(z, first, last, c.shifts[b], store[:steps])
		store, c.next[b] = store[steps:], last+1
		last -= less
	}
	return runs, nil
}

// move does the steps first to last of a bulge with the given shift. The reflectors go to out.
func (c *chain[W]) move(z zone, first, last int, s shift, out []kernel.Reflector[W]) run[W] {
	var start *[3]W
	if first == c.lo-1 {
		start = roundedStart[W](c.startVector(c.lo, s))
	}
	c.chase(z, first, last, start, out)
	return run[W]{row: first + 1, reflectors: out}
}

// edge returns the end of the columns that get at once what is done to the rows of a block that ends in row hi.
func (m *multishift[W]) edge(hi int) int {
	if m.blocksOnly {
		return hi + 1
	}
	return min(m.later.edge(), m.t.Cols)
}

// follow applies the runs, whose window are the rows and columns top to bottom, to the rest of the matrix: to the columns that the next window has besides, and
// what the iteration does not read before that window has followed is left to whoever has time.
func (c *chain[W]) follow(runs []run[W], top, bottom int) error {
	c.later.join()
	edge := c.edge(c.hi)
	_, next := c.window()
	near := min((next+stripElements)/stripElements*stripElements, edge)
	c.applyRight(runs, span{bottom + 1, near})
	c.later.shareStrips(span{c.top, top}, span{near, edge}, stripElements, func(rows span, worker int) {
		c.applyAbove(runs, rows, top, bottom, &c.later.panels[worker])
	}, func(columns span, _ int) {
		c.applyRight(runs, columns)
	})
	return c.later.add(c.team, change[W, run[W]]{runs: runs})
}

// applyRight applies runs to the given columns of t.
func (m *multishift[W]) applyRight(runs []run[W], columns span) {
	for i := range columns.strips(stripElements) {
		s := columns.strip(i, stripElements)
		applyRuns(m.set, runs, m.t.Slice(0, m.t.Rows, s.from, s.end), 0)
	}
}

// applyAbove applies runs from the right to the given rows of t in the columns top to bottom, by way of transposed copies in the memory.
func (m *multishift[W]) applyAbove(runs []run[W], rows span, top, bottom int, memory *[]W) {
	for i := range rows.strips(stripElements) {
		s := rows.strip(i, stripElements)
		x := m.t.Slice(s.from, s.end, top, bottom+1)
		panel := within(memory, x.Cols, x.Rows)
		kernel.Transpose(m.set, x.Rows, x.Cols, x.Data, x.Stride, panel.Data, panel.Stride)
		applyRuns(m.set, runs, panel, top)
		kernel.Transpose(m.set, x.Cols, x.Rows, panel.Data, panel.Stride, x.Data, x.Stride)
	}
}
