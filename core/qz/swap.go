package qz

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// swap interchanges the neighbouring diagonal blocks of the orders first and second, of which the first one starts in
// row k. It returns false, and leaves the pair as it is, if the result would be too far from generalized Schur form.
//
// Source: B. Kagstrom, A direct method for reordering eigenvalues in the generalized real Schur form of a regular
// matrix pair (A, B), in Linear Algebra for Large Scale and Real-Time Applications, 1993; B. Kagstrom and P. Poromaa,
// Numer. Algorithms 12, 1996.
func (m *pencil[T]) swap(k, first, second int) bool {
	if first == 1 && second == 1 {
		return m.swapSingles(k)
	}
	return swapBlocks(any(m).(*pencil[float64]), k, first, second)
}

// swapSingles interchanges the eigenvalues of rows k and k+1: columns are turned so that the first one is the null
// vector of beta S - alpha P for the second eigenvalue alpha/beta. Exact zeros on the diagonals of S and P move
// exactly.
func (m *pencil[T]) swapSingles(k int) bool {
	if m.s.At(k, k+1) == 0 && m.p.At(k, k+1) == 0 {
		exchange := newPlane[T](0, 1)
		m.right(k, exchange, k+2, k+2)
		m.left(k, exchange, k, k)
		return true
	}
	if m.swapZero(k) {
		return true
	}
	scaleS, scaleP := reciprocal[T](m.s.Slice(k, k+2, k, k+2)), reciprocal[T](m.p.Slice(k, k+2, k, k+2))
	alpha, beta := m.s.At(k+1, k+1)*scaleS, m.p.At(k+1, k+1)*scaleP
	x := beta*(m.s.At(k, k)*scaleS) - alpha*(m.p.At(k, k)*scaleP)
	y := beta*(m.s.At(k, k+1)*scaleS) - alpha*(m.p.At(k, k+1)*scaleP)
	h := newPlane[T](0, 1)
	if x != 0 || y != 0 { // else one of the two is 0/0, or they are equal: an exchange will do
		h, _ = toSecond(x, y)
	}
	return separate(m, k, h)
}

// reciprocal returns 1 over the norm of a, or 1 for a norm whose reciprocal overflows.
func reciprocal[T dense.Wide](a dense.Matrix[T]) T {
	r := 1 / frobenius(a)
	if math.IsInf(r, 0) {
		r = 1
	}
	return dense.FromReal[T](r)
}

// swapBlocks is swap where one block at least has two rows. This is done and judged on a copy of the blocks.
func swapBlocks(m *pencil[float64], k, first, second int) bool {
	order := first + second
	local := &pencil[float64]{s: m.s.Slice(k, k+order, k, k+order).Clone(), p: m.p.Slice(k, k+order, k, k+order).Clone()}
	local.qt, local.zt = dense.New[float64](order, order), dense.New[float64](order, order)
	local.qt.SetIdentity()
	local.zt.SetIdentity()
	local.normS, local.normP = frobenius(local.s), frobenius(local.p)
	if !turnBlocks(local, first, second) || !restoreBlock(local, 0, second) || !restoreBlock(local, second, first) {
		return false
	}
	n := m.order()
	multiplyRows(local.qt, m.s.Slice(k, k+order, k+order, n))
	multiplyRows(local.qt, m.p.Slice(k, k+order, k+order, n))
	multiplyColumns(local.zt, m.s.Slice(0, k, k, k+order))
	multiplyColumns(local.zt, m.p.Slice(0, k, k, k+order))
	if m.qt.Rows > 0 {
		multiplyRows(local.qt, m.qt.Slice(k, k+order, 0, n))
	}
	if m.zt.Rows > 0 {
		multiplyRows(local.zt, m.zt.Slice(k, k+order, 0, n))
	}
	m.s.Slice(k, k+order, k, k+order).CopyFrom(local.s)
	m.p.Slice(k, k+order, k, k+order).CopyFrom(local.p)
	return true
}

// turnBlocks interchanges the two blocks that make up the pair, but for the standard form of those with two rows. With
// the solutions R and L of
//
//	S11 R - L S22 = S12,  P11 R - L P22 = P12
//
// the columns of [-R; I] and [-L; I] span the deflating subspaces of the second block; rotations bring them to the
// front. An infinite or zero eigenvalue, whose neighbour is a complex pair, needs no equations.
func turnBlocks(m *pencil[float64], first, second int) bool {
	order := first + second
	if a, b, found := m.zeroAt(0); found && first == 1 {
		m.sink(a, b, 0, second)
		return true
	}
	if a, b, found := m.zeroAt(first); found && second == 1 {
		m.rise(a, b, 0, first)
		return true
	}
	r, l := coupled(m, first)
	toFront(r, func(i int, g plane[float64]) { m.right(i, g, order, order) })
	toFront(l, func(i int, g plane[float64]) { m.left(i, g, 0, 0) })
	return clearNegligible(m.s.Slice(second, order, 0, second), m.normS) &&
		clearNegligible(m.p.Slice(second, order, 0, second), m.normP)
}

// toFront makes the matrix [-x; I] upper triangular by planes for neighbouring rows, which it hands to apply one by
// one.
func toFront(x dense.Matrix[float64], apply func(i int, g plane[float64])) {
	rows, cols := x.Rows+x.Cols, x.Cols
	basis := dense.New[float64](rows, cols)
	for j := range cols {
		for i := range x.Rows {
			basis.Set(i, j, -x.At(i, j))
		}
		basis.Set(x.Rows+j, j, 1)
	}
	for j := range cols {
		for i := rows - 2; i >= j; i-- {
			g, _ := toFirst(basis.At(i, j), basis.At(i+1, j))
			rotatePair(g, basis.Row(i), basis.Row(i+1))
			apply(i, g)
		}
	}
}

// clearNegligible sets a to zero if it is negligible beside the norm, and reports whether it is.
func clearNegligible(a dense.Matrix[float64], norm float64) bool {
	if !(frobenius(a) <= zeroingUnits*eps*norm) {
		return false
	}
	a.Fill(0)
	return true
}

// restoreBlock brings the diagonal block of the given order in row k, where P need not be triangular, to standard form.
func restoreBlock(m *pencil[float64], k, order int) bool {
	if order == 1 {
		return true
	}
	g, r := toFirst(m.p.At(k, k), m.p.At(k+1, k))
	m.left(k, g, k, k)
	m.p.Set(k, k, r)
	m.p.Set(k+1, k, 0)
	if m.p.At(k, k) == 0 || m.p.At(k+1, k+1) == 0 {
		return false
	}
	return standardize(m, k)
}

// multiplyRows replaces a, which has few rows, by u a.
func multiplyRows(u, a dense.Matrix[float64]) {
	if a.Cols == 0 {
		return
	}
	old := a.Clone()
	for i := range a.Rows {
		row := a.RowVec(i, 0, a.Cols)
		blas.Scal(u.At(i, i), row)
		for j := range a.Rows {
			if j != i {
				blas.Axpy(u.At(i, j), old.RowVec(j, 0, a.Cols), row)
			}
		}
	}
}

// multiplyColumns replaces a, which has few columns, by a ut^T.
func multiplyColumns(ut, a dense.Matrix[float64]) {
	old := make([]float64, a.Cols)
	for i := range a.Rows {
		row := a.Row(i)
		copy(old, row)
		for j := range row {
			row[j] = blas.Dotu(ut.RowVec(j, 0, a.Cols), dense.Vec(old))
		}
	}
}
