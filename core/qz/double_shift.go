package qz

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel"
	"trnsci/core/kernel/bulge"
)

// doubleShift does double-shift sweeps on a real pair.
type doubleShift struct {
	chaseSet    kernel.Set                    // of the kernels that chase bulges, and apply reflectors to columns
	left, right []bulge.Householder3[float64] // reflectors of a window
}

// region is the part of the pair that the steps of a bulge change: the rows from top on and the columns before end.
// bottom is the last row of the block.
type region struct{ top, end, bottom int }

// doubleWindowRows is the number of rows of the window on the diagonal in which a bulge moves before its reflectors are
// applied to the columns behind the window and to the factors.
const doubleWindowRows = 96

// sweep does a double-shift sweep on the block of rows lo to hi, at least three. Source: Golub and Van Loan, algorithm
// 7.7.2, with the reflectors that bulge.PencilChase describes.
func (d *doubleShift) sweep(m *pencil[float64], lo, hi int, shifts [2]complex128) error {
	d.prepare(m.order(), hi-lo)
	top, end := m.wanted(lo, hi)
	x := startVector(m, lo, shifts)
	for next := lo - 1; next <= hi-2; {
		bottom, start := min(next+doubleWindowRows, hi), (*[3]float64)(nil)
		last := bottom - 4 // which changes row bottom
		if bottom == hi {
			last = hi - 2
		}
		if next == lo-1 {
			start = &x
		}
		left, right := d.left[:last-next+1], d.right[:last-next+1]
		window := region{top, bottom + 1, hi}
		d.chase(m, window, next, start, left, right)
		if err := d.updateOutside(m, window, next, end, left, right); err != nil {
			return err
		}
		next = last + 1
	}
	return nil
}

// minSharedReflections is the number of reflections of columns of one matrix that is worth a second thread: as many of
// all four take ten microseconds.
const minSharedReflections = 1 << 13

// updateOutside applies the reflectors of a window, the first one of step first, to the columns before end that are
// behind it, to whole groups of rows above its first row, and to the factors.
func (d *doubleShift) updateOutside(
	m *pencil[float64], window region, first, end int, left, right []bulge.Householder3[float64],
) error {
	update := func(_ int, a dense.Matrix[float64], from, to int) {
		d.reflectColumns(right, a, window.top, first, d.groupsAbove(window, first), false)
		d.reflectRows(left, a, first+1, window.end, end)
		d.reflectRows(left, m.qt, first+1, from, to)
		d.reflectRows(right, m.zt, first+1, from, to)
	}
	return m.share(m.order()*len(left), minSharedReflections, update)
}

// groupsAbove returns the number of whole groups of rows above the first row that step first changes.
func (d *doubleShift) groupsAbove(r region, first int) int {
	return (first + 1 - r.top) / bulge.SweepRows(d.chaseSet)
}

// wideOrder is the order from which on most of the work on columns is done above the windows, where no step waits for
// the one before.
const wideOrder = 400

// prepare makes room for the reflectors of so many steps on a pair of order n.
func (d *doubleShift) prepare(n, steps int) {
	if cap(d.left) < steps {
		if d.chaseSet = kernel.BestForOverlaps(); n >= wideOrder {
			d.chaseSet = kernel.Best()
		}
		d.left, d.right = make([]bulge.Householder3[float64], steps), make([]bulge.Householder3[float64], steps)
	}
}

// reflectRows applies reflectors to the columns of a from first on and before end; the first one changes the given row.
// A matrix without rows is not wanted.
func (d *doubleShift) reflectRows(
	reflectors []bulge.Householder3[float64], a dense.Matrix[float64], row, first, end int,
) {
	if a.Rows > 0 && end > first {
		bulge.ReflectRows(kernel.Best(), reflectors, a.Data[row*a.Stride+first:], a.Stride, end-first)
	}
}

// startVector returns a multiple of the first column of (M - x)(M - y) for the shifts x and y. M is the block of S P^-1
// that starts in row lo.
func startVector(m *pencil[float64], lo int, shifts [2]complex128) [3]float64 {
	q := m.quotient(lo)
	below := m.s.At(lo+2, lo+1) / m.p.At(lo+1, lo+1)
	a, b, c, d := q[0][0], q[0][1], q[1][0], q[1][1]
	re, im := real(shifts[0]), imag(shifts[0])
	size := math.Abs(a-re) + math.Abs(im) + math.Abs(c)
	scaled := c / size
	x := [3]float64{(a-re)*((a-re)/size) + im*(im/size) + b*scaled, scaled * ((a - re) + (d - re)), scaled * below}
	largest := max(math.Abs(x[0]), math.Abs(x[1]), math.Abs(x[2]))
	for i := range x {
		x[i] /= largest
	}
	return x
}

// chase moves a bulge through its steps from first on, one for each element of left and right, where the reflectors go:
// see bulge.PencilChase. With start, the first step creates the bulge.
//
// From the right, a step updates only the rows of its own group of bulge.SweepRows rows and those below. The groups of
// the window above get the reflectors together at the end; those above the first step's are left to updateOutside.
func (d *doubleShift) chase(
	m *pencil[float64], r region, first int, start *[3]float64, left, right []bulge.Householder3[float64],
) {
	c := bulge.PencilChase{
		S: m.s.Data, P: m.p.Data, Stride: m.s.Stride, Last: r.bottom, End: r.end, Top: r.top, Start: start,
	}
	for done := 0; done < len(left); {
		c.First, c.Left, c.Right = first+done, left[done:], right[done:]
		steps, leftMade := c.Run(d.chaseSet)
		if done += steps; steps > 0 {
			c.Start = nil
		}
		if done < len(left) {
			d.step(m, r, first+done, c.Start, leftMade, &left[done], &right[done])
			c.Start = nil
			done++
		}
	}
	// Each group from the first step on that did not update it.
	group, last := bulge.SweepRows(d.chaseSet), first+len(left)-1
	row := r.top + d.groupsAbove(r, first)*group
	from := row + group - 1
	for _, a := range []dense.Matrix[float64]{m.s, m.p} {
		if groups := (last + 1 - row) / group; groups > 0 {
			d.reflectColumns(right[from-first:], a, row, from, groups, true)
		}
	}
}

// reflectColumns applies reflectors, the first one of step first, to the columns of groups of rows from row on; see
// bulge.ReflectColumns.
func (d *doubleShift) reflectColumns(
	reflectors []bulge.Householder3[float64], a dense.Matrix[float64], row, first, groups int, staggered bool,
) {
	bulge.ReflectColumns(d.chaseSet, reflectors, a.Data[row*a.Stride+first+1:], a.Stride, groups, staggered)
}

// step is a step of chase for numbers of any size, which the kernel leaves alone. If leftMade is true, the left
// reflector has been made, and applied to its own columns of P.
func (d *doubleShift) step(
	m *pencil[float64], r region, k int, start *[3]float64, leftMade bool, left, right *bulge.Householder3[float64],
) {
	first, rows := k+1, min(3, r.bottom-k)
	end := first + rows
	if !leftMade {
		var x [3]float64
		for i := range rows {
			if start != nil {
				x[i] = start[i]
			} else {
				x[i] = m.s.At(first+i, k)
				m.s.Set(first+i, k, 0)
			}
		}
		p, beta := householder.New3(x[0], x[1], x[2])
		if start == nil {
			m.s.Set(first, k, beta)
		}
		*left = kernelReflector(p, rows)
		applyLeft3(left, m.p, first, first, end)
	}
	applyLeft3(left, m.s, first, first, r.end)
	applyLeft3(left, m.p, first, end, r.end)
	x := orthogonalToRows(m.p.Slice(first, end, first, end))
	p, _ := householder.New3(x[0], x[1], x[2])
	*right = kernelReflector(p, rows)
	group := bulge.SweepRows(d.chaseSet)
	top := r.top + (first-r.top)/group*group
	applyRight3(right, m.s, first, top, min(end+1, r.bottom+1))
	applyRight3(right, m.p, first, top, end)
	for i := first + 1; i < end; i++ {
		m.p.Set(i, first, 0)
	}
}

// kernelReflector returns p, which acts on two or three elements, in the form of the kernels.
func kernelReflector(p householder.Reflector3, rows int) bulge.Householder3[float64] {
	h := bulge.Householder3[float64]{V1: p.V1, V2: p.V2, T0: p.Tau, T1: p.T1, T2: p.T2}
	if rows < 3 {
		h.V2, h.T2 = 0, 0 // also where numbers have overflowed
	}
	return h
}

// applyLeft3 applies h to the rows of a from row on, in the columns from first on and before end.
func applyLeft3(h *bulge.Householder3[float64], a dense.Matrix[float64], row, first, end int) {
	if end > first {
		bulge.ReflectRows(kernel.Go, []bulge.Householder3[float64]{*h}, a.Data[row*a.Stride+first:], a.Stride, end-first)
	}
}

// applyRight3 applies h to the columns of a from column on, in the rows from first on and before end.
func applyRight3(h *bulge.Householder3[float64], a dense.Matrix[float64], column, first, end int) {
	for i := first; i < end; i++ {
		bulge.ReflectRows(kernel.Go, []bulge.Householder3[float64]{*h}, a.Data[i*a.Stride+column:], 1, 1)
	}
}

// orthogonalToRows returns a vector that is orthogonal, up to rounding errors, to all rows but the first of a block of
// order 2 or 3: the first row of Q in its RQ factorization.
func orthogonalToRows(block dense.Matrix[float64]) (x [3]float64) {
	if block.Rows == 2 {
		g, _ := householder.ToSecond(block.At(1, 0), block.At(1, 1))
		return [3]float64{g.C, g.S}
	}
	// A reflector of the columns in reverse order makes the last row a multiple of (0, 0, 1).
	p, _ := householder.New3(block.At(2, 2), block.At(2, 1), block.At(2, 0))
	reflect := func(x, y, z float64) (float64, float64, float64) {
		s := z + p.V1*y + p.V2*x
		return x - p.T2*s, y - p.T1*s, z - p.Tau*s
	}
	a, b, _ := reflect(block.At(1, 0), block.At(1, 1), block.At(1, 2))
	g, _ := householder.ToSecond(a, b)
	x[0], x[1], x[2] = reflect(g.C, g.S, 0)
	return x
}
