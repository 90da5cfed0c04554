package schur

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/bulge"
)

// rowsOfTwo is the number of rows between one bulge of a chain and the next.
const rowsOfTwo = 2

// sweepChain is multishift.sweepChain.
func (m *complexMultishift[W]) sweepChain(lo, hi int, shifts []complex128) error {
	c := &chain[W, complexRun[W], bulge.Householder2[W]]{
		descent: newDescent(lo, hi, len(shifts), rowsOfTwo, m.extra), later: m.later,
		top: m.top, width: complexStrip, edge: m.edge(hi), applyRight: m.applyRight, applyAbove: m.applyAbove,
	}
	c.move = func(z zone, b, first, _ int, out []bulge.Householder2[W]) complexRun[W] {
		var start *[2]W
		if first == lo-1 {
			start = m.startVector(lo, shifts[b])
		}
		m.chase(z, first, start, out)
		return complexRun[W]{row: first + 1, reflectors: out}
	}
	return c.sweep()
}

// edge returns the end of the columns that get at once what is done to the rows of a block that ends in row hi.
func (m *complexMultishift[W]) edge(hi int) int {
	if m.diagonalOnly {
		return hi + 1
	}
	return min(m.later.edge(), m.t.Cols)
}

// applyComplexRuns applies the runs to the rows of x, of which row 0 is row first of the whole. With columns they are columns of a matrix, see
// bulge.ReflectRowPairs.
func applyComplexRuns[W dense.Complex](set kernel.Set, runs []complexRun[W], x dense.Matrix[W], first int, columns bool) {
	for i := range runs {
		r := &runs[i]
		bulge.ReflectRowPairs(set, r.reflectors, columns, x.Data[(r.row-first)*x.Stride:], x.Stride, x.Cols)
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
