package reorder

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/givens"
	"trnsci/core/quasi"
	"trnsci/core/sched"
)

// stripColumns is the number of columns, or of rows, to which all rotations of a window are applied before the next
// ones.
const stripColumns = 32

// rotationSequence is the rotations that move a diagonal element up to row top: one for each pair of rows that it
// passes, the lowest applied first. The rotation of rows top+k and top+k+1 is number first+k of count.
type rotationSequence struct{ top, first, count int }

// elementSorter sorts windows of complex matrices, of which R is the real type. Elements move up one at a time; the
// rotations of the whole window are pending for the rest of the matrices. Rotations of columns have the conjugate
// sines.
type elementSorter[R dense.Float, T dense.Complex] struct {
	pending       []rotationSequence
	rows, columns []givens.ComplexRotation[R]
}

func newElementSorter[R dense.Float, T dense.Complex]() windowSorter[T] {
	var s elementSorter[R, T]
	return func(o *orderer[T], first, end int, team *sched.Team) (moved int, err error) {
		s.pending, s.rows, s.columns = s.pending[:0], s.rows[:0], s.columns[:0]
		for i := first; i < end; i++ {
			if !o.selected[i] {
				continue
			}
			top := first + moved
			moved++
			if top < i {
				o.selected[i], o.selected[top] = false, true
				s.moveUp(o.t, first, end, top, i)
			}
		}
		return moved, s.applyPending(o, first, end, team)
	}
}

// moveUp moves the diagonal element of row i to row top (LAPACK's trexc), in the rows and columns of the window, and
// keeps the rotations. Columns are rotated at once, since the next rotation depends on them. Rows are rotated at once
// only as far as the diagonal element reaches, and in the rest of the window afterwards.
//
// Method: a rotation takes the eigenvector (t12, t22 - t11) of the 2 x 2 block to a multiple of e_1. The diagonal
// elements keep their values exactly.
func (s *elementSorter[R, T]) moveUp(t dense.Matrix[T], first, end, top, i int) {
	start, count := len(s.rows), i-top
	s.rows = append(s.rows, make([]givens.ComplexRotation[R], count)...)
	s.columns = append(s.columns, make([]givens.ComplexRotation[R], count)...)
	s.pending = append(s.pending, rotationSequence{top, start, count})
	for at := i - 1; at >= top; at-- {
		upper, lower := t.Row(at), t.Row(at+1)
		t11, t22 := upper[at], lower[at+1]
		cosine, sine := 1., complex128(0)
		if t11 != t22 {
			cosine, sine = quasi.ExchangeRotation(complex128(t11), complex128(upper[at+1]), complex128(t22))
		}
		c, re, im := R(cosine), R(real(sine)), R(imag(sine))
		s.rows[start+at-top] = givens.NewComplexRotation(c, re, im)
		s.columns[start+at-top] = givens.NewComplexRotation(c, re, -im)
		x, y := dense.Reals[R](upper[at+2:i+1]), dense.Reals[R](lower[at+2:i+1])
		for k := 0; k+1 < len(x) && k+1 < len(y); k += 2 {
			p, q, r, s := x[k], x[k+1], y[k], y[k+1]
			x[k], x[k+1] = c*p+(re*r-im*s), c*q+(re*s+im*r)
			y[k], y[k+1] = c*r-(re*p+im*q), c*s-(re*q-im*p)
		}
		for above := first; above < at; above++ {
			z := dense.Reals[R](t.Row(above)[at : at+2])[:4]
			p, q, r, s := z[0], z[1], z[2], z[3]
			z[0], z[1] = c*p+(re*r+im*s), c*q+(re*s-im*r)
			z[2], z[3] = c*r-(re*p-im*q), c*s-(re*q+im*p)
		}
		upper[at], lower[at+1] = t22, t11
	}
	if cols := end - i - 1; cols > 0 {
		givens.RotateComplex(kernel.Best(), s.rows[start:], true, dense.Reals[R](t.Data[top*t.Stride+i+1:]), 2*t.Stride, cols)
	}
}

// applyPending applies the rotations of the window of rows first to end to Z^H, to T's columns right of the window, and
// to T's rows above it.
func (s *elementSorter[R, T]) applyPending(o *orderer[T], first, end int, team *sched.Team) error {
	n, set := o.t.Rows, kernel.Best()
	strips := func(length int) int { return (length + stripColumns - 1) / stripColumns }
	right, above, ofZ := strips(n-end), strips(first), 0
	if o.zt.Rows > 0 {
		ofZ = strips(n)
	}
	rotate := func(rotations []givens.ComplexRotation[R], m dense.Matrix[T]) {
		for _, p := range s.pending {
			data := dense.Reals[R](m.Data[(p.top-first)*m.Stride:])
			givens.RotateComplex(set, rotations[p.first:][:p.count], true, data, 2*m.Stride, m.Cols)
		}
	}
	return team.For(right+above+ofZ, func(_, k int) error {
		switch {
		case k < ofZ:
			rotate(s.rows, o.zt.Slice(first, end, k*stripColumns, min(n, (k+1)*stripColumns)))
		case k < ofZ+right:
			k -= ofZ
			rotate(s.rows, o.t.Slice(first, end, end+k*stripColumns, min(n, end+(k+1)*stripColumns)))
		default:
			k -= ofZ + right
			rows := o.t.Slice(k*stripColumns, min(first, (k+1)*stripColumns), first, end)
			var memory [(windowRows + 1) * stripColumns]T
			turned := dense.Matrix[T]{Rows: rows.Cols, Cols: rows.Rows, Stride: stripColumns, Data: memory[:]}
			dense.Copy(turned.View(), rows.View().T())
			rotate(s.columns, turned)
			dense.Copy(rows.View(), turned.View().T())
		}
		return nil
	})
}
