package qz

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
)

// swap interchanges two adjacent diagonal blocks of the orders first and second; the first one starts in row k. It
// returns false, and leaves the pair unchanged, if the result would be too far from generalized Schur form. Method:
// LAPACK's tgex2.
//
// Source: B. Kagstrom, A direct method for reordering eigenvalues in the generalized real Schur form of a regular
// matrix pair (A, B), in Linear Algebra for Large Scale and Real-Time Applications, 1993; B. Kagstrom and P. Poromaa,
// Numer. Algorithms 12, 1996.
func (m *pencil[T]) swap(k, first, second int) bool {
	if first == 1 && second == 1 {
		return m.swapEigenvalues(k)
	}
	return swapBlocks(any(m).(*pencil[float64]), k, first, second)
}

// swapEigenvalues interchanges the eigenvalues of rows k and k+1, which are blocks of order 1: a rotation of columns
// maps the null vector of beta S - alpha P for the second eigenvalue alpha/beta to e_1. Exact zeros on the diagonals of
// S and P remain exact.
func (m *pencil[T]) swapEigenvalues(k int) bool {
	if m.s.At(k, k+1) == 0 && m.p.At(k, k+1) == 0 {
		exchange := householder.NewGivens[T](0, 1)
		m.rotateColumns(k, exchange, k+2, k+2)
		m.rotateRows(k, exchange, k, k)
		return true
	}
	if m.swapZero(k) {
		return true
	}
	scaleS, scaleP := reciprocal[T](m.s.Slice(k, k+2, k, k+2)), reciprocal[T](m.p.Slice(k, k+2, k, k+2))
	alpha, beta := m.s.At(k+1, k+1)*scaleS, m.p.At(k+1, k+1)*scaleP
	x := beta*(m.s.At(k, k)*scaleS) - alpha*(m.p.At(k, k)*scaleP)
	y := beta*(m.s.At(k, k+1)*scaleS) - alpha*(m.p.At(k, k+1)*scaleP)
	h := householder.NewGivens[T](0, 1)
	if x != 0 || y != 0 { // otherwise one of the two is 0/0, or they are equal: an exchange suffices
		h, _ = householder.ToSecond(x, y)
	}
	return triangularizeByColumns(m, k, h)
}

// reciprocal returns 1 over the norm of a, or 1 if that overflows.
func reciprocal[T dense.Wide](a dense.Matrix[T]) T {
	r := 1 / frobenius(a)
	if math.IsInf(r, 0) {
		r = 1
	}
	return dense.FromReal[T](r)
}

// swapBlocks is swap where at least one block has order 2. The swap is computed and tested on a copy of the blocks, and
// then applied to the rest of the pair.
func swapBlocks(m *pencil[float64], k, first, second int) bool {
	order := first + second
	s, p := m.s.Slice(k, k+order, k, k+order), m.p.Slice(k, k+order, k, k+order)
	local := &pencil[float64]{s: s.Clone(), p: p.Clone()}
	local.qt, local.zt = dense.New[float64](order, order), dense.New[float64](order, order)
	local.qt.SetIdentity()
	local.zt.SetIdentity()
	local.normS, local.normP = frobenius(local.s), frobenius(local.p)
	if !exchangeBlocks(local, first, second) ||
		!restoreStandardForm(local, 0, second) || !restoreStandardForm(local, second, first) {
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
	s.CopyFrom(local.s)
	p.CopyFrom(local.p)
	return true
}

// exchangeBlocks interchanges the two blocks of which the pair consists, and leaves it to the caller to restore the
// standard form of blocks of order 2. With the solutions R and L of
//
//	S11 R - L S22 = S12,  P11 R - L P22 = P12
//
// the columns of [-R; I] and [-L; I] span the deflating subspaces of the second block; rotations move these to the
// front. An infinite or zero eigenvalue next to a complex pair needs no equations.
func exchangeBlocks(m *pencil[float64], first, second int) bool {
	order := first + second
	if a, b, found := m.zeroAt(0); found && first == 1 {
		m.moveZeroDown(a, b, 0, second)
		return true
	}
	if a, b, found := m.zeroAt(first); found && second == 1 {
		m.moveZeroUp(a, b, 0, first)
		return true
	}
	r, l := solveSylvester(m, first)
	triangularizeBasis(r, func(i int, g householder.Givens[float64]) { m.rotateColumns(i, g, order, order) })
	triangularizeBasis(l, func(i int, g householder.Givens[float64]) { m.rotateRows(i, g, 0, 0) })
	return clearNegligible(m.s.Slice(second, order, 0, second), m.normS) &&
		clearNegligible(m.p.Slice(second, order, 0, second), m.normP)
}

// triangularizeBasis makes the matrix [-x; I] upper triangular by rotations of adjacent rows and passes each rotation
// to apply.
func triangularizeBasis(x dense.Matrix[float64], apply func(i int, g householder.Givens[float64])) {
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
			g, _ := householder.ToFirst(basis.At(i, j), basis.At(i+1, j))
			householder.RotateRows(g, basis.Row(i), basis.Row(i+1))
			apply(i, g)
		}
	}
}

// clearNegligible sets a to zero if it is negligible relative to norm, and reports whether it is.
func clearNegligible(a dense.Matrix[float64], norm float64) bool {
	if !(frobenius(a) <= zeroingUnits*dense.EpsDouble*norm) {
		return false
	}
	a.Clear()
	return true
}

// restoreStandardForm brings the diagonal block of the given order in row k, where P need not be triangular, to
// standard form. It returns false if this is impossible within rounding errors.
func restoreStandardForm(m *pencil[float64], k, order int) bool {
	if order == 1 {
		return true
	}
	g, r := householder.ToFirst(m.p.At(k, k), m.p.At(k+1, k))
	m.rotateRows(k, g, k, k)
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
