package qz

import (
	"trnsci/core/dense"
	"trnsci/core/householder"
)

// An eigenvalue that is exactly infinite or zero has a zero on the diagonal of P or of S. It is swapped with its
// neighbour by rotations that eliminate a row or column of that matrix, and then one of the other matrix: the zero
// remains exact, and no tolerance is involved. In the comments a is the matrix that has the zero, and b is the other
// one.

// zeroAt returns the matrix with a zero in row k of its diagonal and the other matrix; found is false if neither has a
// zero there.
func (m *pencil[T]) zeroAt(k int) (a, b dense.Matrix[T], found bool) {
	if m.p.At(k, k) == 0 {
		return m.p, m.s, true
	}
	return m.s, m.p, m.s.At(k, k) == 0
}

// swapZero swaps the eigenvalues of rows k and k+1 if one of them is infinite or zero, and reports whether it did. It
// does not handle 0/0.
func (m *pencil[T]) swapZero(k int) bool {
	for _, c := range [2][2]dense.Matrix[T]{{m.p, m.s}, {m.s, m.p}} {
		a, b := c[0], c[1]
		above, below := a.At(k, k) == 0, a.At(k+1, k+1) == 0
		switch {
		case above && below && a.At(k, k+1) != 0:
			return true // both are infinite, or both are zero: nothing changes
		case above && !below && b.At(k, k) != 0:
			m.moveZeroDown(a, b, k, 1)
			return true
		case below && !above && b.At(k+1, k+1) != 0:
			m.moveZeroUp(a, b, k, 1)
			return true
		}
	}
	return false
}

// moveZeroDown moves the zero a[k,k] below the following rows, one or a block of two: rotations of rows make the last
// row of a zero, and rotations of columns make the last row of b a multiple of a unit vector. A block of two is left to
// restoreStandardForm.
func (m *pencil[T]) moveZeroDown(a, b dense.Matrix[T], k, rows int) {
	last := k + rows
	// The neighbour may have a zero of its own in b, whose direction must be determined before anything is rounded.
	isZeroInB := rows == 1 && b.At(last, last) == 0
	h, _ := householder.ToSecond(b.At(k, k), b.At(k, k+1))
	if rows == 2 {
		m.clearByRows(a, k+1, k+1, k)
	}
	for i := k; i < last; i++ {
		m.clearByRows(a, i, i+1, k)
	}
	for j := k; j < last; j++ {
		if !isZeroInB {
			h, _ = householder.ToSecond(b.At(last, j), b.At(last, j+1))
		}
		m.rotateColumns(j, h, last+1, last+1)
		b.Set(last, j, 0)
	}
	if isZeroInB {
		b.Set(k, k, 0)
	}
}

// moveZeroUp moves the zero of a that follows the given number of rows, one or a block of two, up to row k: it is
// moveZeroDown with the roles of rows and columns exchanged.
func (m *pencil[T]) moveZeroUp(a, b dense.Matrix[T], k, rows int) {
	last := k + rows
	isZeroInB := rows == 1 && b.At(k, k) == 0
	g, _ := householder.ToFirst(b.At(k, last), b.At(last, last))
	if rows == 2 {
		m.clearByRows(a, k, k, k)
	}
	for i := last - 1; i >= k; i-- {
		h, _ := householder.ToSecond(a.At(i, i), a.At(i, i+1))
		m.rotateColumns(i, h, last+1, last+1)
		a.Set(i, i, 0)
	}
	for j := last - 1; j >= k; j-- {
		if !isZeroInB {
			g, _ = householder.ToFirst(b.At(j, k), b.At(j+1, k))
		}
		m.rotateRows(j, g, k, k)
		b.Set(j+1, k, 0)
	}
	if isZeroInB {
		b.Set(last, last, 0)
	}
}

// clearByRows makes a[i+1,col] zero by a rotation of rows i and i+1 of the pair, which is applied from column from on.
func (m *pencil[T]) clearByRows(a dense.Matrix[T], i, col, from int) {
	g, _ := householder.ToFirst(a.At(i, col), a.At(i+1, col))
	m.rotateRows(i, g, from, from)
	a.Set(i+1, col, 0)
}
