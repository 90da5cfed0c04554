package qz

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
)

// reduce brings the pair to Hessenberg-triangular form: P by Householder reflections, then column after column of S by
// rotations of rows, each followed by one of columns that makes P triangular again. A pair that already has the form is
// left as it is.
func (m *pencil[T]) reduce() error {
	n := m.order()
	if err := m.triangularize(); err != nil {
		return err
	}
	left, right := make([]plane[T], n), make([]plane[T], n)
	for j := range n {
		if err := m.team.Err(); err != nil {
			return err
		}
		if count := n - j - 2; count > 0 && !isZero(m.s.ColVec(j, j+2, n)) {
			m.reduceColumn(j, left[:count], right[:count])
		}
		m.team.Step(1)
	}
	return nil
}

func isZero[T dense.Scalar](x dense.Vector[T]) bool {
	for i := range x.N {
		if x.Data[i*x.Inc] != 0 {
			return false
		}
	}
	return true
}

// triangularize makes P upper triangular by reflections I - tau v v^H of the rows, tau real. Their vectors stay below the diagonal
// of P until Q is formed of them.
func (m *pencil[T]) triangularize() error {
	n := m.order()
	v, sums, taus := make([]T, n), make([]T, n), make([]float64, n)
	for k := range n - 1 {
		if err := m.team.Err(); err != nil {
			return err
		}
		if isZero(m.p.ColVec(k, k+1, n)) {
			continue
		}
		blas.Copy(m.p.ColVec(k, k, n), dense.Vec(v[k:]))
		r, tau := householder(v[k:])
		taus[k] = tau
		m.p.Set(k, k, r)
		blas.Copy(dense.Vec(v[k+1:]), m.p.ColVec(k, k+1, n))
		reflectRows(m.p.Slice(k, n, k+1, n), tau, v[k:], sums)
		reflectRows(m.s.Slice(k, n, 0, n), tau, v[k:], sums)
	}
	for k := n - 2; k >= 0; k-- {
		if err := m.team.Err(); err != nil {
			return err
		}
		v[k] = 1
		blas.Copy(m.p.ColVec(k, k+1, n), dense.Vec(v[k+1:]))
		for i := k; i < n && m.qt.Rows > 0 && taus[k] != 0; i++ {
			row := m.qt.RowVec(i, k, n)
			blas.Axpy(-dense.FromReal[T](taus[k])*blas.Dotc(dense.Vec(v[k:]), row), dense.Vec(v[k:]), row)
		}
		for i := k + 1; i < n; i++ {
			m.p.Set(i, k, 0)
		}
	}
	return nil
}

// householder overwrites x, which is no multiple of e_1, by the vector v with v[0] = 1 for which I - tau v v^H maps x to r e_1.
func householder[T dense.Wide](x []T) (r T, tau float64) {
	norm := blas.Nrm2(dense.Vec(x))
	if norm < tinyPair {
		blas.Scal(enlarge, dense.Vec(x))
		r, tau = householder(x)
		return r / enlarge, tau
	}
	first := dense.Abs(x[0])
	phase := T(1)
	if first > norm*nothingBeside {
		phase = phaseOf(x[0])
	} else {
		x[0] = 0
	}
	r = -phase * dense.FromReal[T](norm)
	blas.Scal(1/(x[0]-r), dense.Vec(x[1:]))
	x[0] = 1
	// Not (first + norm) / norm, which belongs to the vector before it was rounded.
	return r, 2 / dense.Real(blas.Dotc(dense.Vec(x), dense.Vec(x)))
}

// reflectRows multiplies a from the left by I - tau v v^H. sums is scratch memory at least as long as a row.
func reflectRows[T dense.Wide](a dense.Matrix[T], tau float64, v, sums []T) {
	s := dense.Vec(sums[:a.Cols])
	clear(s.Data)
	for i, x := range v {
		blas.Axpy(dense.Conj(x), a.RowVec(i, 0, a.Cols), s)
	}
	for i, x := range v {
		blas.Axpy(-dense.FromReal[T](tau)*x, s, a.RowVec(i, 0, a.Cols))
	}
}

// reduceColumn makes column j of S zero below row j+1. Plane i of left turns the rows, plane i of right the columns j+1+i
// and j+2+i; they are as many as there are elements to eliminate and are applied from the last one to the first.
func (m *pencil[T]) reduceColumn(j int, left, right []plane[T]) {
	n, top := m.order(), j+1
	for i := n - 1; i > top; i-- {
		var r T
		left[i-1-top], r = toFirst(m.s.At(i-1, j), m.s.At(i, j))
		m.s.Set(i-1, j, r)
		m.s.Set(i, j, 0)
	}
	const up = true
	rotateRows(left, up, m.s.Slice(top, n, top, n))
	// A row of P gets the rotations of columns when those of rows are through with it: the last one decides on the next.
	for i := n - 1; i > top; i-- {
		k := i - 1 - top
		upper, lower := m.p.Row(i - 1)[i-1:], m.p.Row(i)[i-1:]
		rotatePair(left[k], upper, lower)
		rotateAlong(right[k+1:], up, lower[1:])
		right[k], lower[1] = toSecond(lower[0], lower[1])
		lower[0] = 0
	}
	rotateColumns(right, up, m.p.Slice(0, top+1, top, n))
	rotateColumns(right, up, m.s.Slice(0, n, top, n))
	if m.zt.Rows > 0 {
		rotateRows(right, up, m.zt.Slice(top, n, 0, n))
	}
	if m.qt.Rows > 0 {
		conjugate(left)
		rotateRows(left, up, m.qt.Slice(top, n, 0, n))
	}
}
