package qz

import (
	"math"
	"math/cmplx"

	"trnsci/core/dense"
	"trnsci/core/householder"
)

// windowSteps is the number of steps of a sweep whose rotations are applied to a window on the diagonal first, and to
// the rest of the matrices afterwards.
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

// window is a part of a sweep: its steps first to last-1, which act on the columns from start to end-1 in the rows from
// first on. The rest of the matrices is updated afterwards by the rotations that are collected here: left2 and right2
// act on rows and columns k+1 and k+2 in step k of a double sweep, left and right on rows and columns k and k+1. All of
// left2 may be applied before all of left, and all of right2 before all of right: the rotations that are interchanged
// by this have no row or column in common. The rest has the rows from firstRow on and the columns before endColumn.
type window[T dense.Wide] struct {
	first, last, start, end    int
	firstRow, endColumn        int
	left2, left, right2, right []householder.Givens[T]
}

// begin makes w the window of the steps first to last-1 of a sweep over the rows lo to hi.
func (m *pencil[T]) begin(w *window[T], first, last, lo, hi int) {
	w.firstRow, w.endColumn = 0, m.order()
	if m.valuesOnly {
		w.firstRow, w.endColumn = lo, hi+1
	}
	w.first, w.last, w.start, w.end = first, last, max(first-1, lo), min(last+2, hi)+1
	w.left2, w.left, w.right2, w.right = w.left2[:0], w.left[:0], w.right2[:0], w.right[:0]
}

// sweep does an implicit QZ sweep on the unreduced block of rows lo to hi: a double-shift sweep for real pairs, where
// the shifts are a complex conjugate pair or equal, and a single-shift sweep otherwise. Source: Golub and Van Loan,
// algorithm 7.7.2.
func (m *pencil[T]) sweep(w *window[T], lo, hi int, shifts [2]complex128) error {
	double := !dense.IsComplex[T]() && hi-lo > 1
	x := m.startVector(lo, shifts, double)
	for first := lo; first < hi; first += windowSteps {
		m.begin(w, first, min(first+windowSteps, hi), lo, hi)
		for k := first; k < w.last; k++ {
			if k > lo {
				x = [3]T{m.s.At(k, k-1), m.s.At(k+1, k-1)}
				if k+2 <= hi {
					x[2] = m.s.At(k+2, k-1)
				}
			}
			m.step(w, k, hi, x, double && k+2 <= hi)
			if k > lo {
				m.s.Set(k+1, k-1, 0)
				if k+2 <= hi {
					m.s.Set(k+2, k-1, 0)
				}
			}
		}
		if err := m.updateOutside(w); err != nil {
			return err
		}
	}
	return nil
}

// startVector returns a multiple of the first column of (M - x)(M - y) for a double sweep with the shifts x and y, and
// of (M - x) for a single one. M is the block of S P^-1 that starts in row lo.
func (m *pencil[T]) startVector(lo int, shifts [2]complex128, double bool) [3]T {
	s, p := m.s, m.p
	if !double {
		return [3]T{s.At(lo, lo) - dense.FromParts[T](real(shifts[0]), imag(shifts[0]))*p.At(lo, lo), s.At(lo+1, lo)}
	}
	q := m.quotient(lo)
	below := dense.Real(s.At(lo+2, lo+1) / p.At(lo+1, lo+1))
	a, b, c, d := dense.Real(q[0][0]), dense.Real(q[0][1]), dense.Real(q[1][0]), dense.Real(q[1][1])
	re, im := real(shifts[0]), imag(shifts[0])
	size := math.Abs(a-re) + math.Abs(im) + math.Abs(c)
	scaled := c / size
	v := [3]float64{(a-re)*((a-re)/size) + im*(im/size) + b*scaled, scaled * ((a - re) + (d - re)), scaled * below}
	largest := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	var x [3]T
	for i := range v {
		x[i] = dense.FromReal[T](v[i] / largest)
	}
	return x
}

// step does step k of a sweep inside the window: rotations of rows map x, which is in column k-1 of S except at the
// start of the sweep, to a multiple of e_1, and each is followed by a rotation of columns that makes P triangular
// again.
func (m *pencil[T]) step(w *window[T], k, hi int, x [3]T, double bool) {
	if double {
		g, r := householder.ToFirst(x[1], x[2])
		x[1] = r
		w.left2 = append(w.left2, g)
		w.right2 = append(w.right2, m.chase(w, k+1, k, min(k+3, hi), g))
	}
	g, r := householder.ToFirst(x[0], x[1])
	w.left = append(w.left, g)
	w.right = append(w.right, m.chase(w, k, k, min(k+3, hi), g))
	if k > w.start {
		m.s.Set(k, k-1, r)
	}
}

// chase applies g to rows i and i+1 of the window, from column k of S on. It applies the rotation of columns i and i+1
// that then makes P[i+1,i] zero to the rows of the window up to last, and returns it.
func (m *pencil[T]) chase(w *window[T], i, k, last int, g householder.Givens[T]) householder.Givens[T] {
	householder.RotateRows(g, m.s.Row(i)[k:w.end], m.s.Row(i + 1)[k:w.end])
	householder.RotateRows(g, m.p.Row(i)[i:w.end], m.p.Row(i + 1)[i:w.end])
	h, r := householder.ToSecond(m.p.At(i+1, i), m.p.At(i+1, i+1))
	householder.RotateColumns(h, m.s, i, w.first, last+1)
	householder.RotateColumns(h, m.p, i, w.first, i+1)
	m.p.Set(i+1, i, 0)
	m.p.Set(i+1, i+1, r)
	return h
}

// updateOutside applies the rotations of the window to the rest of the pair and to the factors.
func (m *pencil[T]) updateOutside(w *window[T]) error {
	return m.inParallel(m.order()*(len(w.left2)+len(w.left)), func(part int) {
		switch part {
		case pairPart:
			m.applyRightAbove(w, m.s)
			m.applyRightAbove(w, m.p)
			w.applyLeft(m.s, w.end, w.endColumn, w.left2, w.left)
			w.applyLeft(m.p, w.end, w.endColumn, w.left2, w.left)
		case factorsPart:
			w.applyLeft(m.zt, 0, m.order(), w.right2, w.right)
			w.applyLeft(m.qt, 0, m.order(), conjugates(w.left2), conjugates(w.left))
		}
	})
}

// applyRightAbove applies the rotations of columns to the rows of a above the window.
func (m *pencil[T]) applyRightAbove(w *window[T], a dense.Matrix[T]) {
	m.applyRight(w.right2, false, a.Slice(w.firstRow, w.first, w.first+1, w.first+2+len(w.right2)))
	m.applyRight(w.right, false, a.Slice(w.firstRow, w.first, w.first, w.first+1+len(w.right)))
}

// applyLeft applies rotations of rows to the columns of a from first on and before end. A matrix without rows is not
// wanted.
func (w *window[T]) applyLeft(a dense.Matrix[T], first, end int, rotations2, rotations []householder.Givens[T]) {
	if a.Rows == 0 {
		return
	}
	applyLeft(rotations2, false, a.Slice(w.first+1, w.first+2+len(rotations2), first, end))
	applyLeft(rotations, false, a.Slice(w.first, w.first+1+len(rotations), first, end))
}
