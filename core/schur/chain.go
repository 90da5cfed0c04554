package schur

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
)

const (
	rowsOfBulge = 3 // between one bulge of a chain and the next
	// So many bulges of a chain move together over so many rows while what they change at once, the columns and rows between the first and the last of
	// them, is in the nearest cache. The rest of the chain's window follows by strips.
	bulgesTogether, rowsTogether = 8, 32
)

// descent is the way of bulges down the block of rows lo to hi.
type descent struct {
	lo, hi   int
	distance int   // rows between one bulge and the next
	next     []int // the step that each bulge does next
}

func newDescent(lo, hi, bulges, distance int) descent {
	d := descent{lo: lo, hi: hi, distance: distance, next: make([]int, bulges)}
	for b := range d.next {
		d.next[b] = lo - 1
	}
	return d
}

// window returns the first and the last row of what the bulges first to end-1 change while they move down so many rows, not further than limit.
func (d *descent) window(first, end, rows, limit int) (top, bottom int) {
	top = max(d.lo, d.next[end-1]+1)
	return top, min(top+d.distance*(end-first)+rows-1, limit)
}

// lastStep returns the last step of the first bulge that moves in a window which ends in row bottom, and how many less the next bulge does: its reflector,
// and what that changes, ends in the window. At the end of the block all bulges do all steps.
func (d *descent) lastStep(bottom int) (last, less int) {
	if bottom == d.hi {
		return bottom - d.distance, 0
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
	c := &chain[W]{multishift: m, descent: newDescent(lo, hi, len(shifts), rowsOfBulge), shifts: shifts}
	for bottom := lo; bottom < hi; {
		var top int
		top, bottom = c.window(0, len(shifts), m.extra, hi)
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

// moveThrough moves all bulges through the window of rows top to bottom and returns their runs.
func (c *chain[W]) moveThrough(top, bottom int) ([]run[W], error) {
	store, err := c.later.reflectors(c.team, len(c.next)*(bottom-c.next[len(c.next)-1]))
	if err != nil {
		return nil, err
	}
	last, less := c.lastStep(bottom)
	runs := make([]run[W], len(c.next))
	for b, first := range c.next {
		steps := last - b*less - first + 1
		runs[b] = run[W]{row: first + 1, reflectors: store[:steps]}
		store = store[steps:]
	}
	for b := 0; b < len(runs); b += bulgesTogether {
		c.moveGroup(runs[b:min(b+bulgesTogether, len(runs))], b, top, bottom)
	}
	return runs, nil
}

// moveGroup moves the bulges from first on, which the runs belong to, through the chain's window of rows top to bottom, in windows of their own.
func (c *chain[W]) moveGroup(runs []run[W], first, top, bottom int) {
	end := first + len(runs)
	goal := min(runs[0].row+len(runs[0].reflectors)+rowsOfBulge-1, bottom) // the last row that the first bulge changes
	var pieces [bulgesTogether]run[W]
	for {
		from, to := c.window(first, end, rowsTogether, goal)
		last, less := c.lastStep(to)
		moved := pieces[:0]
		for i := range runs {
			r, b := &runs[i], first+i
			step := c.next[b]
			piece := r.reflectors[step+1-r.row:]
			piece = piece[:max(0, min(len(piece), last-i*less-step+1))]
			if len(piece) == 0 {
				continue
			}
			z := zone{top: from, end: to + 1, bottom: c.hi}
			p := c.move(z, step, step+len(piece)-1, c.lo, c.shifts[b], piece, to == c.hi)
			if p.rotation != nil {
				r.rotation = p.rotation
			}
			moved = append(moved, p)
			c.next[b] += len(piece)
		}
		c.applyAbove(moved, span{top, from}, from, to, &c.later.panels[lead])
		c.applyRight(moved, span{to + 1, bottom + 1})
		if to == goal {
			return
		}
	}
}

// move does the steps first to last of a bulge, which begins in row lo with the given shift, and with finish its end. The reflectors go to out.
func (m *multishift[W]) move(z zone, first, last, lo int, s shift, out []kernel.Reflector[W], finish bool) run[W] {
	r := run[W]{row: first + 1, reflectors: out}
	var start *[3]float64
	if first == lo-1 {
		x := m.startVector(lo, s)
		start = &x
	}
	m.chase(z, first, last, start, r.reflectors)
	if finish {
		r.rotation = []kernel.Rotation[W]{m.finish(z)}
	}
	return r
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
	_, next := c.window(0, len(c.next), c.extra, c.hi)
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
