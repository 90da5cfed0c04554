package schur

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
)

const (
	rowsOfTwo = 2 // between one bulge of a chain and the next
	// As bulgesTogether and rowsTogether, for complex matrices.
	complexTogether, complexRowsTogether = 8, 24
)

// complexChain is chain for complex matrices.
type complexChain[W dense.Complex] struct {
	*complexMultishift[W]
	descent
	shifts []complex128
}

// sweepChain is multishift.sweepChain.
func (m *complexMultishift[W]) sweepChain(lo, hi int, shifts []complex128) error {
	c := &complexChain[W]{complexMultishift: m, descent: newDescent(lo, hi, len(shifts), rowsOfTwo), shifts: shifts}
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
func (c *complexChain[W]) moveThrough(top, bottom int) ([]complexRun[W], error) {
	store, err := c.later.reflectors(c.team, len(c.next)*(bottom-c.next[len(c.next)-1]))
	if err != nil {
		return nil, err
	}
	last, less := c.lastStep(bottom)
	runs := make([]complexRun[W], len(c.next))
	for b, first := range c.next {
		steps := last - b*less - first + 1
		runs[b] = complexRun[W]{row: first + 1, reflectors: store[:steps]}
		store = store[steps:]
	}
	for b := 0; b < len(runs); b += complexTogether {
		c.moveGroup(runs[b:min(b+complexTogether, len(runs))], b, top, bottom)
	}
	return runs, nil
}

// moveGroup moves the bulges from first on, which the runs belong to, through the chain's window of rows top to bottom, in windows of their own.
func (c *complexChain[W]) moveGroup(runs []complexRun[W], first, top, bottom int) {
	end := first + len(runs)
	goal := min(runs[0].row+len(runs[0].reflectors)+rowsOfTwo-1, bottom) // the last row that the first bulge changes
	var pieces [complexTogether]complexRun[W]
	for {
		from, to := c.window(first, end, complexRowsTogether, goal)
		last, less := c.lastStep(to)
		moved := pieces[:0]
		for i := range runs {
			step := c.next[first+i]
			piece := runs[i].reflectors[step+1-runs[i].row:]
			piece = piece[:max(0, min(len(piece), last-i*less-step+1))]
			if len(piece) > 0 {
				c.move(zone{top: from, end: to + 1, bottom: c.hi}, first+i, piece)
				moved = append(moved, complexRun[W]{row: step + 1, reflectors: piece})
			}
		}
		c.applyAbove(moved, span{top, from}, from, to, &c.later.panels[lead])
		c.applyRight(moved, span{to + 1, bottom + 1})
		if to == goal {
			return
		}
	}
}

// move does the next steps of bulge b, for which there is room in out.
func (c *complexChain[W]) move(z zone, b int, out []kernel.TwoRows[W]) {
	var start *[2]W
	if c.next[b] == c.lo-1 {
		start = c.startVector(c.lo, c.shifts[b])
	}
	c.chase(z, c.next[b], start, out)
	c.next[b] += len(out)
}

// edge returns the end of the columns that get at once what is done to the rows of a block that ends in row hi.
func (m *complexMultishift[W]) edge(hi int) int {
	if m.diagonalOnly {
		return hi + 1
	}
	return min(m.later.edge(), m.t.Cols)
}

// follow is chain.follow.
func (c *complexChain[W]) follow(runs []complexRun[W], top, bottom int) error {
	c.later.join()
	edge := c.edge(c.hi)
	_, next := c.window(0, len(c.next), c.extra, c.hi)
	near := min((next+complexStrip)/complexStrip*complexStrip, edge)
	c.applyRight(runs, span{bottom + 1, near})
	c.later.shareStrips(span{c.top, top}, span{near, edge}, complexStrip, func(rows span, worker int) {
		c.applyAbove(runs, rows, top, bottom, &c.later.panels[worker])
	}, func(columns span, _ int) {
		c.applyRight(runs, columns)
	})
	return c.later.add(c.team, change[W, complexRun[W]]{runs: runs})
}

// applyComplexRuns applies the runs to the rows of x, of which row 0 is row first of the whole. With columns they are columns of a matrix, see
// kernel.ReflectTwoRows.
func applyComplexRuns[W dense.Complex](set kernel.Set, runs []complexRun[W], x dense.Matrix[W], first int, columns bool) {
	for i := range runs {
		r := &runs[i]
		kernel.ReflectTwoRows(set, r.reflectors, columns, x.Data[(r.row-first)*x.Stride:], x.Stride, x.Cols)
	}
}

// applyRight applies runs to the given columns of t.
func (m *complexMultishift[W]) applyRight(runs []complexRun[W], columns span) {
	for i := range columns.strips(complexStrip) {
		s := columns.strip(i, complexStrip)
		applyComplexRuns(m.set, runs, m.t.Slice(0, m.t.Rows, s.from, s.end), 0, false)
	}
}

// applyAbove applies runs from the right to the given rows of t in the columns top to bottom, by way of transposed copies in the memory.
func (m *complexMultishift[W]) applyAbove(runs []complexRun[W], rows span, top, bottom int, memory *[]W) {
	for i := range rows.strips(complexStrip) {
		s := rows.strip(i, complexStrip)
		x := m.t.Slice(s.from, s.end, top, bottom+1)
		panel := within(memory, x.Cols, x.Rows)
		transposeTo(panel, x)
		applyComplexRuns(m.set, runs, panel, top, true)
		transposeTo(x, panel)
	}
}

// transposeTo sets to to the transpose of from.
func transposeTo[W dense.Complex](to, from dense.Matrix[W]) {
	for i := range from.Rows {
		for j, x := range from.Row(i) {
			to.Data[j*to.Stride+i] = x
		}
	}
}
