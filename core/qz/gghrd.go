package qz

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/internal/workspace"
)

// reduceByColumns is reduceToHessenberg for small pairs: each rotation is applied at once.
func (m *pencil[T]) reduceByColumns() error {
	n := m.order()
	left, right := make([]householder.Givens[T], n), make([]householder.Givens[T], n)
	m.column = make([]T, n)
	for j := range n {
		if err := m.team.Err(); err != nil {
			return err
		}
		if count := n - j - 2; count > 0 && !isZero(m.s.ColVec(j, j+2, n)) {
			m.reduceColumn(j, left[:count], right[:count])
		}
		m.team.Reach(n*n - (n-1-j)*(n-1-j))
	}
	return nil
}

// triangularize makes P upper triangular by Hermitian reflectors from the left and forms Q^T. A pair with a triangular
// P is not changed.
func (m *pencil[T]) triangularize() error {
	n := m.order()
	if isTriangular(m.p) {
		return m.team.Err()
	}
	lent := workspace.Borrow[T](&workspace.Panels, householder.QRElements(n, n, n))
	defer lent.GiveBack()
	return householder.QR(m.team, m.p, m.s, m.qt, lent.Numbers)
}

// isTriangular reports whether a is upper triangular.
func isTriangular[T dense.Wide](a dense.Matrix[T]) bool {
	for i := range a.Rows {
		if !isZero(dense.Vec(a.Row(i)[:i])) {
			return false
		}
	}
	return true
}

// reduceColumn makes column j of S zero below row j+1. Rotation i of left acts on rows j+1+i and j+2+i, rotation i of
// right on the same columns. There is one for each element to be eliminated, and they are applied from the last one to
// the first.
func (m *pencil[T]) reduceColumn(j int, left, right []householder.Givens[T]) {
	n, top := m.order(), j+1
	column := m.column[:n-top]
	blas.Copy(m.s.ColVec(j, top, n), dense.Vec(column))
	eliminate(column, left)
	blas.Copy(dense.Vec(column), m.s.ColVec(j, top, n))
	m.restoreTriangle(0, top, left, right)
	const backward = true
	applyLeft(left, backward, m.s.Slice(top, n, top, n))
	applyRight(&m.strips[0], right, backward, m.s.Slice(0, n, top, n))
	if m.qt.Rows > 0 {
		applyLeft(conjugates(left), backward, m.qt.Slice(top, n, 0, n))
	}
	if m.zt.Rows > 0 {
		applyLeft(right, backward, m.zt.Slice(top, n, 0, n))
	}
}

// eliminate makes all elements of x but the first zero, from the last one on, by rotations of adjacent elements: number
// i rotates elements i and i+1.
func eliminate[T dense.Wide](x []T, rotations []householder.Givens[T]) {
	if real, ok := any(x).([]float64); ok {
		eliminateReal(real, any(rotations).([]householder.Givens[float64]))
		return
	}
	for i := len(x) - 2; i >= 0; i-- {
		rotations[i], x[i] = householder.ToFirst(x[i], x[i+1])
		x[i+1] = 0
	}
}

// eliminateReal is eliminate for real numbers. A rotation need not wait for the square root of the one before where the
// sum of the squares of all elements so far is safe.
func eliminateReal(x []float64, rotations []householder.Givens[float64]) {
	last := len(x) - 1
	kept := x[last]
	sum := kept * kept
	for i := last - 1; i >= 0; i-- {
		sum += x[i] * x[i]
		q, r, ok := householder.ToFirstOfNorm(x[i], kept, sum)
		if !ok {
			q, r = householder.ToFirst(x[i], kept)
			sum = r * r
		}
		rotations[i], kept, x[i+1] = q, r, 0
	}
	x[0] = kept
}

const (
	// Rows of P to which restoreTriangle applies rotations of columns together.
	restoreRows = 16
	// Columns of P to which it applies rotations of rows together.
	restoreColumns = 64
)

// restoreTriangle applies the rotations of left to the rows of P from top on, and computes and applies those of right,
// which make P triangular again, to the rows from first on. The two sides commute, so that all rotations of rows come
// first. They leave an element below the diagonal in every row; row i, once the rotations of the columns behind it have
// been applied, determines the one that makes its element zero.
func (m *pencil[T]) restoreTriangle(first, top int, left, right []householder.Givens[T]) {
	const backward = true
	n := m.order()
	for end := n; end > top; end -= restoreColumns { // rotations of rows behind the columns would meet zeros
		rows := min(end+1, n)
		applyLeft(left[:rows-1-top], backward, m.p.Slice(top, rows, max(top, end-restoreColumns), end))
	}
	for end := n; end > top+1; {
		begin := max(top+1, end-restoreRows)
		applyRight(&m.strips[0], right[end-1-top:], backward, m.p.Slice(begin, end, end-1, n))
		for i := end - 1; i >= begin; i-- {
			var r T
			right[i-1-top], r = householder.ToSecond(m.p.At(i, i-1), m.p.At(i, i))
			householder.RotateColumns(right[i-1-top], m.p, i-1, begin, i)
			m.p.Set(i, i-1, 0)
			m.p.Set(i, i, r)
		}
		end = begin
	}
	applyRight(&m.strips[0], right, backward, m.p.Slice(first, top+1, top, n))
}
