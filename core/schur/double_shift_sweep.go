package schur

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/internal/qriteration"
	"trnsci/core/kernel"
	"trnsci/core/kernel/bulge"
	"trnsci/core/quasi"
)

// doubleShiftQR is the implicit double-shift QR iteration on a real upper Hessenberg matrix (Francis; LAPACK's lahqr).
// This file has its sweep, double_shift.go the deflation tests and the iteration, double_shift_window.go what the
// multishift iteration needs.
type doubleShiftQR[W dense.Float] struct {
	iteration[W]
	rootEps    float64
	reflectors []bulge.Householder3[W] // of a sweep
}

// newDoubleShiftQR returns the iteration for t and zt.
func newDoubleShiftQR[W dense.Float](t, zt dense.Matrix[W], opt Options) *doubleShiftQR[W] {
	f := &doubleShiftQR[W]{iteration: newIteration[W](t.Rows, opt)}
	f.rootEps, f.valuesOnly = math.Sqrt(f.eps), opt.ValuesOnly && zt.Rows == 0
	f.load(t, zt)
	f.prepare(t, zt, opt.MaxIterations)
	return f
}

// load makes f the iteration for t and zt, with the usual limit of sweeps.
func (f *doubleShiftQR[W]) load(t, zt dense.Matrix[W]) {
	f.prepare(t, zt, 0)
	if n := t.Rows; cap(f.reflectors) < n {
		f.reflectors = make([]bulge.Householder3[W], n)
	}
}

// at returns an element of t in double precision.
func (f *doubleShiftQR[W]) at(i, j int) float64 { return float64(f.t.At(i, j)) }

// shift is the pair of numbers re1 + i im1, re2 + i im2 of a double-shift sweep: two real ones, or complex conjugates.
type shift struct{ re1, im1, re2, im2 float64 }

// exceptionalShift returns the eigenvalues of a made-up block with the given diagonal element and size of the
// subdiagonal elements.
func exceptionalShift(diagonal, size float64) shift {
	d := diagonal + qriteration.ExceptionalDiagonal*size
	return wilkinsonShift(quasi.Block2{A: d, B: qriteration.ExceptionalProduct * size, C: size, D: d})
}

// wilkinsonShift returns the eigenvalues of m if they are complex, and the one closer to the last diagonal element
// twice if they are real.
func wilkinsonShift(m quasi.Block2) shift {
	size := math.Abs(m.A) + math.Abs(m.B) + math.Abs(m.C) + math.Abs(m.D)
	if size == 0 {
		return shift{}
	}
	m = quasi.Block2{A: m.A / size, B: m.B / size, C: m.C / size, D: m.D / size}
	mean := (m.A + m.D) / 2
	determinant := (m.A-mean)*(m.D-mean) - m.B*m.C
	root := math.Sqrt(math.Abs(determinant))
	if determinant >= 0 {
		return shift{mean * size, root * size, mean * size, -root * size}
	}
	if math.Abs(mean-root-m.D) < math.Abs(mean+root-m.D) {
		root = -root
	}
	re := (mean + root) * size
	return shift{re1: re, re2: re}
}

// With up to this number of columns, zt is updated in each step of a bulge, while the step waits for the next
// reflector.
const maxSweepColumns = 32

// sweep does one implicit double-shift QR step on the unreduced block of rows lo to hi: a reflector that depends on the
// shifts creates a bulge below the subdiagonal, and further ones chase it down and out of the block.
func (f *doubleShiftQR[W]) sweep(lo, hi int, s shift) {
	t, r := f.t, region{end: f.t.Cols, bottom: hi}
	if f.valuesOnly {
		r = region{top: lo, end: hi + 1, bottom: hi}
	}
	r.withZT = f.zt.Cols <= maxSweepColumns && f.zt.Stride == t.Stride
	row, x := f.sweepStart(lo, hi, s)
	out := f.reflectors[:hi-row]
	f.chase(r, row-1, hi-2, roundedStart[W](x), out)
	if row > lo {
		// What the first reflector adds below t[row,row-1] is negligible: sweepStart saw to it.
		t.Set(row, row-1, t.At(row, row-1)*(1-out[0].T0))
	}
	if f.zt.Rows > 0 && !r.withZT {
		bulge.ReflectRows(f.set, out, f.zt.Data[row*f.zt.Stride:], f.zt.Stride, f.zt.Cols)
	}
}

// firstColumn is the first three elements of a column.
type firstColumn struct{ x0, x1, x2 float64 }

// roundedStart returns the elements of x in the type W.
func roundedStart[W dense.Float](x firstColumn) *[3]W { return &[3]W{W(x.x0), W(x.x1), W(x.x2)} }

// sweepStart returns the row in which the sweep starts and, up to a factor, the first three elements of the first
// column of (T - s1)(T - s2) for the block that starts there. The row is lo, or one further down where two consecutive
// small subdiagonal elements make the effect on the rows above negligible.
func (f *doubleShiftQR[W]) sweepStart(lo, hi int, s shift) (int, firstColumn) {
	for m := hi - 2; ; m-- {
		if m = f.lastCoupled(lo, m); m == lo {
			return m, f.startVector(m, s)
		}
		x := f.startVector(m, s)
		diagonal := math.Abs(f.at(m, m)) + math.Abs(f.at(m+1, m+1))
		if math.Abs(f.at(m, m-1))*(math.Abs(x.x1)+math.Abs(x.x2)) <=
			f.eps*math.Abs(x.x0)*(math.Abs(f.at(m-1, m-1))+diagonal) {
			return m, x
		}
	}
}

// lastCoupled returns the last row up to m, but not above lo, in which a sweep may start: in the others the product of
// the subdiagonal elements is so large that the test of sweepStart would fail, except for shifts that are eigenvalues
// of the rows above.
func (f *doubleShiftQR[W]) lastCoupled(lo, m int) int {
	data, step, unit := f.t.Data, f.t.Stride+1, W(f.rootEps)
	at := m * step
	below, sub := abs(data[at+step]), abs(data[at+step-1])
	for ; m > lo; m-- {
		diagonal, before := abs(data[at]), abs(data[at-1])
		if size := diagonal + below; !(before*sub > unit*(size*size)) {
			return m
		}
		below, sub = diagonal, before
		at -= step
	}
	return lo
}

// startVector returns, up to a factor, the first three elements of the first column of (T - s1)(T - s2) for the block
// that starts in row m.
func (f *doubleShiftQR[W]) startVector(m int, s shift) firstColumn {
	d, below := f.at(m, m)-s.re2, f.at(m+1, m)
	size := math.Abs(d) + math.Abs(s.im2) + math.Abs(below)
	if size == 0 {
		return firstColumn{}
	}
	sub := below / size
	x := firstColumn{
		sub*f.at(m, m+1) + (f.at(m, m)-s.re1)*(d/size) - s.im1*(s.im2/size),
		sub * (d + (f.at(m+1, m+1) - s.re1)),
		sub * f.at(m+2, m+1),
	}
	if sum := math.Abs(x.x0) + math.Abs(x.x1) + math.Abs(x.x2); sum > 0 {
		x = firstColumn{x.x0 / sum, x.x1 / sum, x.x2 / sum}
	}
	return x
}

// chase moves a bulge through its steps first to last. Step k applies a reflector to the rows and columns k+1 to k+3,
// but at most r.bottom, that eliminates what column k has below row k+1. With start, the first step creates the bulge
// instead: its reflector maps start to a multiple of e_1. Step r.bottom-2, which has two rows, is the end of the bulge.
// The reflectors go to out, one for each step.
//
// From the right, a step updates only the rows of its own group of bulge.SweepRows rows and those below; the groups
// above get all reflectors together at the end.
func (f *doubleShiftQR[W]) chase(r region, first, last int, start *[3]W, out []bulge.Householder3[W]) {
	c := bulge.DoubleShiftChase[W]{A: f.t.Data, Stride: f.t.Stride, Last: r.bottom, End: r.end, Top: r.top, Start: start}
	if r.withZT {
		c.Other, c.OtherCols = f.zt.Data, f.zt.Cols
	}
	for k := first; k <= last; {
		c.First, c.Reflectors = k, out[k-first:last+1-first]
		if k += c.Run(f.chaseSet); k > first {
			c.Start = nil
		}
		if k <= last {
			f.step(r, k, c.Start, &out[k-first])
			c.Start = nil
			k++
		}
	}
	group := bulge.SweepRows(f.chaseSet)
	above := (first + 1 - r.top) / group // groups that get all reflectors
	apply := func(row, from, groups int, staggered bool) {
		if groups > 0 {
			bulge.ReflectColumns(f.chaseSet, out[from-first:last+1-first],
				f.t.Data[row*f.t.Stride+from+1:], f.t.Stride, groups, staggered)
		}
	}
	apply(r.top, first, above, false)
	row := r.top + above*group
	apply(row, row+group-1, (last+1-row)/group, true) // each group from the first step on that did not update it
}

// step is a step of chase for numbers of any size, which the kernel leaves alone.
func (f *doubleShiftQR[W]) step(r region, k int, start *[3]W, out *bulge.Householder3[W]) {
	t, rows := f.t, min(3, r.bottom-k)
	var x [3]float64
	for i := range rows {
		if start != nil {
			x[i] = float64(start[i])
		} else {
			x[i] = float64(t.At(k+1+i, k))
			t.Set(k+1+i, k, 0)
		}
	}
	p, beta := householder.New3(x[0], x[1], x[2])
	if start == nil {
		t.Set(k+1, k, W(beta))
	}
	*out = bulge.Householder3[W]{V1: W(p.V1), V2: W(p.V2), T0: W(p.Tau), T1: W(p.T1), T2: W(p.T2)}
	if rows < len(x) {
		out.V2, out.T2 = 0, 0 // also where numbers have overflowed
	}
	one := []bulge.Householder3[W]{*out}
	bulge.ReflectRows(f.set, one, t.Data[(k+1)*t.Stride+k+1:], t.Stride, r.end-k-1)
	if r.withZT {
		bulge.ReflectRows(f.set, one, f.zt.Data[(k+1)*f.zt.Stride:], f.zt.Stride, f.zt.Cols)
	}
	group := bulge.SweepRows(f.chaseSet)
	for i := r.top + (k+1-r.top)/group*group; i <= min(k+4, r.bottom); i++ {
		bulge.ReflectRows(kernel.Go, one, t.Data[i*t.Stride+k+1:], 1, 1)
	}
}
