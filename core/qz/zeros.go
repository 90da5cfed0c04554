package qz

import "trnsci/core/dense"

// Eigenvalues that are exactly infinite or zero have a zero on the diagonal of P or of S. Rotations that clear a row or
// a column of that matrix, and then one of the other, interchange such an eigenvalue with a neighbour: the zero stays
// exact, and nothing has to be judged. In the comments a is the matrix that has the zero, b is the other one.

// zeroAt returns the matrix with a zero in row k of its diagonal and the other one, and false if neither has a zero
// there.
func (m *pencil[T]) zeroAt(k int) (a, b dense.Matrix[T], found bool) {
	if m.p.At(k, k) == 0 {
		return m.p, m.s, true
	}
	return m.s, m.p, m.s.At(k, k) == 0
}

// swapZero interchanges the eigenvalues of rows k and k+1 if one of them is infinite or zero, and reports whether it
// did. It leaves 0/0 to others.
func (m *pencil[T]) swapZero(k int) bool {
	for _, c := range [2][2]dense.Matrix[T]{{m.p, m.s}, {m.s, m.p}} {
		a, b := c[0], c[1]
		above, below := a.At(k, k) == 0, a.At(k+1, k+1) == 0
		switch {
		case above && below && a.At(k, k+1) != 0:
			return true // both are infinite, or zero: nothing changes
		case above && !below && b.At(k, k) != 0:
			m.sink(a, b, k, 1)
			return true
		case below && !above && b.At(k+1, k+1) != 0:
			m.rise(a, b, k, 1)
			return true
		}
	}
	return false
}

// sink moves the zero a[k,k] below the next rows, one or a block of two: rotations of rows clear the last row of a, and
// those of columns make the last row of b a multiple of a unit vector. A block is left for restoreBlock.
func (m *pencil[T]) sink(a, b dense.Matrix[T], k, rows int) {
	last := k + rows
	// The neighbour may have a zero of its own in b; its direction is read off before anything is rounded.
	alone := rows == 1 && b.At(last, last) == 0
	h, _ := toSecond(b.At(k, k), b.At(k, k+1))
	if rows == 2 {
		m.clearByRows(a, k+1, k+1, k)
	}
	for i := k; i < last; i++ {
		m.clearByRows(a, i, i+1, k)
	}
	for j := k; j < last; j++ {
		if !alone {
			h, _ = toSecond(b.At(last, j), b.At(last, j+1))
		}
		m.right(j, h, last+1, last+1)
		b.Set(last, j, 0)
	}
	if alone {
		b.Set(k, k, 0)
	}
}

// rise moves the zero of a in the row behind the given number of rows, one or a block of two, up to row k, as sink does
// it with rows and columns exchanged.
func (m *pencil[T]) rise(a, b dense.Matrix[T], k, rows int) {
	last := k + rows
	alone := rows == 1 && b.At(k, k) == 0
	g, _ := toFirst(b.At(k, last), b.At(last, last))
	if rows == 2 {
		m.clearByRows(a, k, k, k)
	}
	for i := last - 1; i >= k; i-- {
		h, _ := toSecond(a.At(i, i), a.At(i, i+1))
		m.right(i, h, last+1, last+1)
		a.Set(i, i, 0)
	}
	for j := last - 1; j >= k; j-- {
		if !alone {
			g, _ = toFirst(b.At(j, k), b.At(j+1, k))
		}
		m.left(j, g, k, k)
		b.Set(j+1, k, 0)
	}
	if alone {
		b.Set(last, last, 0)
	}
}

// clearByRows rotates rows i and i+1 of the pair from the given column on so that a[i+1,col] becomes zero.
func (m *pencil[T]) clearByRows(a dense.Matrix[T], i, col, from int) {
	g, _ := toFirst(a.At(i, col), a.At(i+1, col))
	m.left(i, g, from, from)
	a.Set(i+1, col, 0)
}
