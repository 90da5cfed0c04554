package qz

import (
	"math"
	"math/cmplx"

	"trnsci/core/dense"
	"trnsci/core/householder"
)

// windowSteps is the number of steps of a single-shift sweep whose rotations are applied to a window on the diagonal
// first, and to the rest of the matrices afterwards.
const windowSteps = 32

// wilkinsonShifts returns the eigenvalues of m if m is real and they are complex; otherwise it returns the eigenvalue
// that is closer to m[1][1] twice.
func wilkinsonShifts[T dense.Wide](m [2][2]T) [2]complex128 {
	size := max(dense.Abs(m[0][0]), dense.Abs(m[0][1]), dense.Abs(m[1][0]), dense.Abs(m[1][1]))
	if size == 0 {
		return [2]complex128{}
	}
	scale := dense.FromReal[T](1 / size)
	half := (m[0][0] - m[1][1]) * scale / 2
	square := half*half + m[0][1]*scale*(m[1][0]*scale)
	last := m[1][1] * scale
	unscaled := func(x T) complex128 { return widen(x * dense.FromReal[T](size)) }
	if !dense.IsComplex[T]() && dense.Real(square) < 0 {
		pair := complex(dense.Real(last+half)*size, math.Sqrt(-dense.Real(square))*size)
		return [2]complex128{pair, cmplx.Conj(pair)}
	}
	root := squareRoot(square)
	if dense.Abs(half+root) > dense.Abs(half-root) {
		root = -root
	}
	return [2]complex128{unscaled(last + half + root), unscaled(last + half + root)}
}

// squareRoot returns the square root of x, which is nonnegative if T is real.
func squareRoot[T dense.Wide](x T) T {
	if v, ok := any(x).(complex128); ok {
		return any(cmplx.Sqrt(v)).(T)
	}
	return dense.FromReal[T](math.Sqrt(dense.Real(x)))
}

// window is a part of a single-shift sweep: its steps first to last-1, which act on the columns from start to end-1 in
// the rows from first on. The rest of the matrices is updated afterwards by the rotations that are collected here: left
// and right act on rows and columns k and k+1 in step k. The rest has the rows from firstRow on and the columns before
// endColumn.
type window[T dense.Wide] struct {
	first, last, start, end int
	firstRow, endColumn     int
	left, right             []householder.Givens[T]
}

// begin makes w the window of the steps first to last-1 of a sweep over the rows lo to hi.
func (m *pencil[T]) begin(w *window[T], first, last, lo, hi int) {
	w.firstRow, w.endColumn = m.wanted(lo, hi)
	w.first, w.last, w.start, w.end = first, last, max(first-1, lo), min(last+2, hi)+1
	w.left, w.right = w.left[:0], w.right[:0]
}

// wanted returns the first row and the end of the columns that transformations of the rows lo to hi have to change.
func (m *pencil[T]) wanted(lo, hi int) (firstRow, endColumn int) {
	if m.valuesOnly {
		return lo, hi + 1
	}
	return 0, m.order()
}

// singleShift does a single-shift sweep. Source: Golub and Van Loan, algorithm 7.7.2, with one shift.
func (m *pencil[T]) singleShift(w *window[T], lo, hi int, shift complex128) error {
	x := [2]T{m.s.At(lo, lo) - dense.FromParts[T](real(shift), imag(shift))*m.p.At(lo, lo), m.s.At(lo+1, lo)}
	for first := lo; first < hi; first += windowSteps {
		m.begin(w, first, min(first+windowSteps, hi), lo, hi)
		for k := first; k < w.last; k++ {
			if k > lo {
				x = [2]T{m.s.At(k, k-1), m.s.At(k+1, k-1)}
			}
			g, r := householder.ToFirst(x[0], x[1])
			w.left = append(w.left, g)
			w.right = append(w.right, m.chase(w, k, min(k+2, hi), g))
			if k > lo {
				m.s.Set(k, k-1, r)
				m.s.Set(k+1, k-1, 0)
			}
		}
		if err := m.updateOutside(w); err != nil {
			return err
		}
	}
	return nil
}

// chase applies g to rows k and k+1 of the window, from column k of S on. It applies the rotation of columns k and k+1
// that then makes P[k+1,k] zero to the rows of the window up to last, and returns it.
func (m *pencil[T]) chase(w *window[T], k, last int, g householder.Givens[T]) householder.Givens[T] {
	householder.RotateRows(g, m.s.Row(k)[k:w.end], m.s.Row(k + 1)[k:w.end])
	householder.RotateRows(g, m.p.Row(k)[k:w.end], m.p.Row(k + 1)[k:w.end])
	h, r := householder.ToSecond(m.p.At(k+1, k), m.p.At(k+1, k+1))
	householder.RotateColumns(h, m.s, k, w.first, last+1)
	householder.RotateColumns(h, m.p, k, w.first, k+1)
	m.p.Set(k+1, k, 0)
	m.p.Set(k+1, k+1, r)
	return h
}

// minSharedRotations is the number of rotated pairs of elements, ten microseconds of work, that is worth a second
// thread.
const minSharedRotations = 1 << 15

// updateOutside applies the rotations of the window to the rest of the pair and to the factors.
func (m *pencil[T]) updateOutside(w *window[T]) error {
	conj := conjugates(w.left)
	return m.share(m.order()*len(w.left), minSharedRotations, func(part int, a dense.Matrix[T], from, end int) {
		above := a.Slice(w.firstRow, w.first, w.first, w.first+1+len(w.right))
		applyRight(&m.strips[part], w.right, false, above)
		w.applyLeft(a, w.end, w.endColumn, w.left)
		w.applyLeft(m.zt, from, end, w.right)
		w.applyLeft(m.qt, from, end, conj)
	})
}

// applyLeft applies rotations of rows to the columns of a from first on and before end. A matrix without rows is not
// wanted.
func (w *window[T]) applyLeft(a dense.Matrix[T], first, end int, rotations []householder.Givens[T]) {
	if a.Rows > 0 {
		applyLeft(rotations, false, a.Slice(w.first, w.first+1+len(rotations), first, end))
	}
}
