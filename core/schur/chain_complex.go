package schur

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
)

// rowsOfTwo is the number of rows between one bulge of a chain and the next.
const rowsOfTwo = 2

// complexChain is chain for complex matrices.
type complexChain[W dense.Complex] struct {
	*complexMultishift[W]
	descent
	shifts []complex128
}

// sweepChain is multishift.sweepChain.
func (m *complexMultishift[W]) sweepChain(lo, hi int, shifts []complex128) error {
	c := &complexChain[W]{complexMultishift: m, descent: newDescent(lo, hi, len(shifts), rowsOfTwo, m.extra), shifts: shifts}
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
func (c *complexChain[W]) moveThrough(top, bottom int) ([]complexRun[W], error) {
	count := len(c.next)
	store, err := c.later.reflectors(c.team, count*(bottom-c.next[count-1]))
	if err != nil {
		return nil, err
	}
	z := zone{top: top, end: bottom + 1, bottom: c.hi}
	last, less := c.lastStep(bottom)
	runs := make([]complexRun[W], count)
	for b, first := range c.next {
		steps := last - first + 1
		runs[b] = complexRun[W]{row: first + 1, reflectors: store[:steps]}
		c.move(z, first, c.shifts[b], store[:steps])
		store, c.next[b] = store[steps:], last+1
		last -= less
	}
	return runs, nil
}

// move does the steps of a bulge with the given shift from step first on, for which there is room in out.
func (c *complexChain[W]) move(z zone, first int, shift complex128, out []kernel.TwoRows[W]) {
	var start *[2]W
	if first == c.lo-1 {
		start = c.startVector(c.lo, shift)
	}
	c.chase(z, first, start, out)
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
	_, next := c.window()
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
