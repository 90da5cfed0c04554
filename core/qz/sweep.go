package qz

import (
	"math"
	"math/cmplx"

	"trnsci/core/dense"
)

const (
	// Steps of a sweep that are done on a window of the diagonal before the rest of the matrices follows.
	windowSteps = 32
	// Rotated pairs of elements, some microseconds, from which on a task is worth a thread.
	minSharedWork = 1 << 13
)

// closest returns the eigenvalues of m, or the one closer to m[1][1] twice if m is complex or they are real.
func closest[T dense.Wide](m [2][2]T) [2]complex128 {
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

// squareRoot returns that of x, which is not negative if it is real.
func squareRoot[T dense.Wide](x T) T {
	if v, ok := any(x).(complex128); ok {
		return any(cmplx.Sqrt(v)).(T)
	}
	return dense.FromReal[T](math.Sqrt(dense.Real(x)))
}

// window is a part of a sweep: its steps first to last-1 are done, on columns from start and before end, in the rows
// from first on. The rest of the matrices waits for the planes: those of rows and columns k+1 and k+2 of each step k,
// if it has them, and those of rows and columns k and k+1. Every plane of the first kind may be applied before all of
// the second: a plane that is moved over another one shares no row or column with it.
type window[T dense.Wide] struct {
	first, last, start, end    int
	left2, left, right2, right []plane[T]
}

// reset makes w the window of the steps first to last-1 of a sweep over the rows lo to hi.
func (w *window[T]) reset(first, last, lo, hi int) {
	w.first, w.last, w.start, w.end = first, last, max(first-1, lo), min(last+2, hi)+1
	w.left2, w.left, w.right2, w.right = w.left2[:0], w.left[:0], w.right2[:0], w.right[:0]
}

// sweep does an implicit QZ step on the unreduced block of rows lo to hi. With shifts that are a complex pair, or equal
// real ones, of a real pair it is a double step.
func (it *iteration[T]) sweep(lo, hi int, shifts [2]complex128) error {
	double := !dense.IsComplex[T]() && hi-lo > 1
	x := it.startVector(lo, shifts, double)
	w := &it.window
	for first := lo; first < hi; first += windowSteps {
		w.reset(first, min(first+windowSteps, hi), lo, hi)
		for k := first; k < w.last; k++ {
			if k > lo {
				x = [3]T{it.s.At(k, k-1), it.s.At(k+1, k-1)}
				if k+2 <= hi {
					x[2] = it.s.At(k+2, k-1)
				}
			}
			it.step(w, k, hi, x, double && k+2 <= hi)
			if k > lo {
				it.s.Set(k+1, k-1, 0)
				if k+2 <= hi {
					it.s.Set(k+2, k-1, 0)
				}
			}
		}
		if err := it.finish(w); err != nil {
			return err
		}
	}
	return nil
}

// startVector returns the first column of (M - x)(M - y) for the block of M = S P^-1 that starts in row lo and the
// shifts x and y, or that of M - x for a single step, up to a factor.
func (it *iteration[T]) startVector(lo int, shifts [2]complex128, double bool) [3]T {
	s, p := it.s, it.p
	if !double {
		return [3]T{s.At(lo, lo) - dense.FromParts[T](real(shifts[0]), imag(shifts[0]))*p.At(lo, lo), s.At(lo+1, lo)}
	}
	m := it.quotient(lo)
	below := dense.Real(s.At(lo+2, lo+1) / p.At(lo+1, lo+1))
	a, b, c, d := dense.Real(m[0][0]), dense.Real(m[0][1]), dense.Real(m[1][0]), dense.Real(m[1][1])
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

// step does step k of a sweep inside of a window: planes of rows take x, which stands in column k-1 of S unless the
// sweep begins, to a multiple of e_1, and after each of them one of columns makes P triangular again.
func (it *iteration[T]) step(w *window[T], k, hi int, x [3]T, double bool) {
	if double {
		g, r := toFirst(x[1], x[2])
		x[1] = r
		w.left2 = append(w.left2, g)
		w.right2 = append(w.right2, it.turn(w, k+1, k, min(k+3, hi), g))
	}
	g, r := toFirst(x[0], x[1])
	w.left = append(w.left, g)
	w.right = append(w.right, it.turn(w, k, k, min(k+3, hi), g))
	if k > w.start {
		it.s.Set(k, k-1, r)
	}
}

// turn applies g to rows i and i+1 of the window, from column k on, and then the plane that makes P[i+1,i] zero, which
// it returns, to columns i and i+1 in the window's rows up to last.
func (it *iteration[T]) turn(w *window[T], i, k, last int, g plane[T]) plane[T] {
	rotatePair(g, it.s.Row(i)[k:w.end], it.s.Row(i + 1)[k:w.end])
	rotatePair(g, it.p.Row(i)[i:w.end], it.p.Row(i + 1)[i:w.end])
	h, r := toSecond(it.p.At(i+1, i), it.p.At(i+1, i+1))
	rotateTwoColumns(h, it.s, i, w.first, last+1)
	rotateTwoColumns(h, it.p, i, w.first, i+1)
	it.p.Set(i+1, i, 0)
	it.p.Set(i+1, i+1, r)
	return h
}

// finish applies the planes of a window to the rest of the pair and to its factors.
func (it *iteration[T]) finish(w *window[T]) error {
	return it.together(it.order()*(len(w.left2)+len(w.left)), func(part int) {
		switch part {
		case ofPair:
			w.turnColumns(it.s)
			w.turnColumns(it.p)
			w.turnRows(it.s, w.end, w.left2, w.left)
			w.turnRows(it.p, w.end, w.left2, w.left)
		case ofFactors:
			w.turnRows(it.zt, 0, w.right2, w.right)
			w.turnRows(it.qt, 0, conjugates(w.left2), conjugates(w.left))
		}
	})
}

// turnColumns applies the planes of columns to the rows of a above the window.
func (w *window[T]) turnColumns(a dense.Matrix[T]) {
	rotateColumns(w.right2, false, a.Slice(0, w.first, w.first+1, w.first+2+len(w.right2)))
	rotateColumns(w.right, false, a.Slice(0, w.first, w.first, w.first+1+len(w.right)))
}

// turnRows applies planes to the columns of a from first on. A matrix without rows is one that is not wanted.
func (w *window[T]) turnRows(a dense.Matrix[T], first int, planes2, planes []plane[T]) {
	if a.Rows == 0 {
		return
	}
	rotateRows(planes2, false, a.Slice(w.first+1, w.first+2+len(planes2), first, a.Cols))
	rotateRows(planes, false, a.Slice(w.first, w.first+1+len(planes), first, a.Cols))
}

// conjugates returns the planes with complex conjugate elements: real planes as they are.
func conjugates[T dense.Wide](planes []plane[T]) []plane[T] {
	if !dense.IsComplex[T]() {
		return planes
	}
	conj := make([]plane[T], len(planes))
	for i, g := range planes {
		conj[i] = g.conj()
	}
	return conj
}

// The parts of some work that have nothing to do with each other. As there are no more, each matrix stays in the cache
// of one processor: with S, P, Q and Z handed out one by one, two threads are slower than one.
const (
	ofPair = iota
	ofFactors
	parts
)

// together does both parts of some work that rotates so many pairs of elements: at the same time if that is worth it.
func (m *pencil[T]) together(work int, do func(part int)) error {
	if err := m.team.Err(); err != nil {
		return err
	}
	if m.team.Threads() == 1 || work < minSharedWork || m.qt.Rows+m.zt.Rows == 0 {
		do(ofPair)
		do(ofFactors)
		return nil
	}
	return m.team.For(parts, func(_, part int) error {
		do(part)
		return nil
	})
}
