package schur

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/givens"
	"trnsci/core/sched"
)

// stripColumns is the number of columns, or of rows, that all rotations of a window are applied to before the next ones.
const stripColumns = 32

// journey is what takes a diagonal element of a complex triangular matrix up to row top: a rotation for each pair of rows that it passes, the
// lowest first. The rotation of rows top+k and top+k+1 is number first+k of count.
type journey struct{ top, first, count int }

// journeys are those of a window, in single or in double precision. Rotations of columns have the conjugate sines.
type journeys struct {
	list   []journey
	single rotations[float32]
	double rotations[float64]
}

type rotations[R dense.Float] struct{ rows, columns []givens.ComplexRotation[R] }

// rotationsOf returns those of the precision R.
func rotationsOf[R dense.Float](j *journeys) *rotations[R] {
	if r, ok := any(&j.single).(*rotations[R]); ok {
		return r
	}
	return any(&j.double).(*rotations[R])
}

// rotateWindow is the windowSorter for complex matrices, of which R is the real type: an element at a time travels to the top, and the rest of
// the matrices gets the rotations of the whole window some columns at a time.
func rotateWindow[R dense.Float, W dense.Complex](o *orderer[W], first, end int, team *sched.Team) (moved int, err error) {
	waiting := rotationsOf[R](&o.waiting)
	o.waiting.list, waiting.rows, waiting.columns = o.waiting.list[:0], waiting.rows[:0], waiting.columns[:0]
	for i := first; i < end; i++ {
		if !o.selected[i] {
			continue
		}
		top := first + moved
		moved++
		if top < i {
			o.selected[i], o.selected[top] = false, true
			lift(o, waiting, first, end, top, i)
		}
	}
	return moved, rotateRest(o, waiting, first, end, team)
}

// lift takes the diagonal element of row i to row top, in the rows and columns of the window, and notes the rotations. Rotations of columns are done
// at once, since the next rotation is made of what they give; those of rows as far as they do not reach all columns to the right.
//
// Method: a rotation takes the eigenvector (t12, t22 - t11) of the 2 x 2 block to a multiple of e_1. The diagonal elements keep their values exactly.
func lift[R dense.Float, W dense.Complex](o *orderer[W], waiting *rotations[R], first, end, top, i int) {
	start, count, t := len(waiting.rows), i-top, o.t
	waiting.rows = append(waiting.rows, make([]givens.ComplexRotation[R], count)...)
	waiting.columns = append(waiting.columns, make([]givens.ComplexRotation[R], count)...)
	o.waiting.list = append(o.waiting.list, journey{top, start, count})
	for at := i - 1; at >= top; at-- {
		upper, lower := t.Row(at), t.Row(at+1)
		t11, t22 := upper[at], lower[at+1]
		cosine, sine := 1., complex128(0)
		if t11 != t22 {
			cosine, sine = exchange(complex128(t11), complex128(upper[at+1]), complex128(t22))
		}
		c, re, im := R(cosine), R(real(sine)), R(imag(sine))
		waiting.rows[start+at-top] = givens.NewComplexRotation(c, re, im)
		waiting.columns[start+at-top] = givens.NewComplexRotation(c, re, -im)
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
		givens.RotateComplex(kernel.Best(), waiting.rows[start:], true, dense.Reals[R](t.Data[top*t.Stride+i+1:]), 2*t.Stride, cols)
	}
}

// rotateRest applies the rotations of the window to Z^H, to T's columns to the right, and to T's rows above.
func rotateRest[R dense.Float, W dense.Complex](o *orderer[W], waiting *rotations[R], first, end int, team *sched.Team) error {
	n, set := o.t.Rows, kernel.Best()
	strips := func(length int) int { return (length + stripColumns - 1) / stripColumns }
	right, above, ofZ := strips(n-end), strips(first), 0
	if o.zt.Rows > 0 {
		ofZ = strips(n)
	}
	rotate := func(rotations []givens.ComplexRotation[R], m dense.Matrix[W]) {
		for _, j := range o.waiting.list {
			data := dense.Reals[R](m.Data[(j.top-first)*m.Stride:])
			givens.RotateComplex(set, rotations[j.first:][:j.count], true, data, 2*m.Stride, m.Cols)
		}
	}
	return team.For(right+above+ofZ, func(_, k int) error {
		switch {
		case k < ofZ:
			rotate(waiting.rows, o.zt.Slice(first, end, k*stripColumns, min(n, (k+1)*stripColumns)))
		case k < ofZ+right:
			k -= ofZ
			rotate(waiting.rows, o.t.Slice(first, end, end+k*stripColumns, min(n, end+(k+1)*stripColumns)))
		default:
			k -= ofZ + right
			rows := o.t.Slice(k*stripColumns, min(first, (k+1)*stripColumns), first, end)
			var memory [(orderWindow + 1) * stripColumns]W
			turned := dense.Matrix[W]{Rows: rows.Cols, Cols: rows.Rows, Stride: stripColumns, Data: memory[:]}
			dense.Copy(turned.View(), rows.View().T())
			rotate(waiting.columns, turned)
			dense.Copy(rows.View(), turned.View().T())
		}
		return nil
	})
}
