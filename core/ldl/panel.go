package ldl

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// panel is a number of rows of U in progress: s is the upper triangle that earlier panels have left of the matrix, and
// what is computed of it overwrites its first rows. Its other rows are updated after the panel. Row j of w becomes that
// of conj(D U), or of D U for a symmetric matrix, so that
//
//	row k of what is left after k rows = row k of s - sum over j < k of w(j, k) U(j, :)
//
// Source: LAPACK's lasyf and lahef.
type panel[T dense.Scalar] struct {
	*Factors[T]
	team        *sched.Team
	first       int // row of the matrix with which s begins
	lastOfEqual bool
	s, w        dense.Matrix[T]
}

// threshold is (1 + sqrt 17)/8, for which the elements of what is left can grow least (Bunch and Kaufman).
const threshold = (1 + 4.12310562561766054982140985597407702515) / 8

// eliminate computes the rows of the panel, of which there may be one less than w has, since a block of order 2 has two
// rows. It returns their number.
func (p *panel[T]) eliminate() (rows int, err error) {
	left := p.s.Rows
	most := left
	if p.w.Rows < left {
		most = p.w.Rows - 1
	}
	for rows < most {
		rows += p.step(rows)
		if err := p.team.Err(); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// step eliminates row k, or the rows k and k+1, and returns their number.
func (p *panel[T]) step(k int) (order int) {
	row := p.remaining(k, k, k)
	pivot, order := p.choosePivot(k, row)
	at := k + order - 1
	p.Pivots[p.first+k] = p.first + k
	p.Pivots[p.first+at] = p.first + pivot
	if pivot != at {
		p.exchange(at, pivot)
	}
	if order == 1 {
		p.finishRow(k)
	} else {
		p.finishPair(k)
	}
	return order
}

// remaining sets row number to of w to row r of what is left after k rows, from element k on.
func (p *panel[T]) remaining(to, r, k int) []T {
	row, left := p.w.Row(to)[k:], p.s.Rows
	for i := k; i < r; i++ {
		row[i-k] = p.mirrored(p.s.At(i, r))
	}
	copy(row[r-k:], p.s.Row(r)[r:])
	if k > 0 {
		blas.Gemv(p.team, blas.Trans, -1, p.s.Slice(0, k, k, left), p.w.ColVec(r, 0, k), 1, dense.Vec(row))
	}
	if p.Hermitian {
		row[r-k] = dense.FromReal[T](dense.Real(row[r-k]))
	}
	return row
}

// choosePivot returns the row that comes to the end of a block of the given order, which begins in row k. That row
// replaces row k of w if it is a block of order 1, and is row k+1 of w otherwise.
func (p *panel[T]) choosePivot(k int, row []T) (pivot, order int) {
	if len(row) == 1 {
		p.noteZero(k, row[0])
		return k, 1
	}
	r := p.largest(row[1:]) + k + 1
	diagonal, beside := size(row[0]), size(row[r-k])
	if diagonal >= threshold*beside || math.IsNaN(diagonal) { // also if both are zero
		p.noteZero(k, row[0])
		return k, 1
	}
	other := p.remaining(k+1, r, k)
	most := 0.0
	for _, part := range [][]T{other[:r-k], other[r-k+1:]} {
		if len(part) > 0 {
			most = max(most, size(part[blas.Iamax(dense.Vec(part))]))
		}
	}
	switch {
	case diagonal > 0 && diagonal >= threshold*beside*(beside/most): // the product may be zero from underflow
		return k, 1
	case size(other[r-k]) >= threshold*most:
		copy(row, other)
		return r, 1
	}
	return r, 2
}

// noteZero takes into account that x is pivot k.
func (p *panel[T]) noteZero(k int, x T) {
	if x == 0 && p.Zero == 0 {
		p.Zero = p.first + k + 1
	}
}

// size is the measure of LAPACK: |re| + |im|.
func size[T dense.Scalar](x T) float64 { return math.Abs(dense.Real(x)) + math.Abs(dense.Imag(x)) }

// largest returns the index of the largest element.
func (p *panel[T]) largest(x []T) int {
	at := blas.Iamax(dense.Vec(x))
	if p.lastOfEqual {
		for i := len(x) - 1; i > at; i-- {
			if size(x[i]) == size(x[at]) {
				return i
			}
		}
	}
	return at
}

// exchange exchanges the rows and columns at and to > at of the matrix. Row at of s is not set: what it becomes is
// known from w.
func (p *panel[T]) exchange(at, to int) {
	row, other := p.s.Row(at), p.s.Row(to)
	other[to] = row[at]
	for i := at + 1; i < to; i++ {
		p.s.Set(i, to, p.mirrored(row[i]))
	}
	copy(other[to+1:], row[to+1:])
	for _, m := range []dense.Matrix[T]{p.s.Slice(0, at, 0, p.s.Cols), p.w.Slice(0, at+1, 0, p.w.Cols)} {
		blas.Swap(m.ColVec(at, 0, m.Rows), m.ColVec(to, 0, m.Rows))
	}
}

// finishRow makes row k of U from that of D U in w.
func (p *panel[T]) finishRow(k int) {
	from, to := p.w.Row(k)[k:], p.s.Row(k)[k:]
	copy(to, from)
	if to[0] != 0 { // otherwise all are zero
		divide(to[1:], to[0])
	}
	p.conjugate(from)
}

// finishPair makes the rows k and k+1 of U from those of D U in w.
func (p *panel[T]) finishPair(k int) {
	u, v := p.w.Row(k)[k:], p.w.Row(k + 1)[k:]
	x, y := p.s.Row(k)[k:], p.s.Row(k + 1)[k:]
	x[0], x[1], y[1] = u[0], 0, v[1]
	p.Above[p.first+k] = u[1]
	d := p.blockAt(p.first + k)
	d.solve(u[2:], v[2:], x[2:], y[2:])
	p.conjugate(u)
	p.conjugate(v)
}

func (p *panel[T]) conjugate(x []T) {
	if p.Hermitian {
		dense.Conjugate(x)
	}
}
