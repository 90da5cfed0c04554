package schur

import (
	"errors"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// What follows is the same for real and complex windows of aggressive early deflation: diagonal blocks that are solved apart from the rest of a matrix.

// loadWindow sets form to the Hessenberg matrix block, and factor to the identity.
func loadWindow[W dense.Scalar](form, factor, block dense.Matrix[W]) {
	form.CopyFrom(block)
	for i := range form.Rows {
		clear(form.Row(i)[:max(0, i-1)]) // the place of other matrices is taken
		clear(factor.Row(i))
	}
	factor.SetIdentity()
}

// storeWindow sets block to the Hessenberg matrix form. What is below the subdiagonal is zero in both.
func storeWindow[W dense.Scalar](block, form dense.Matrix[W]) {
	for i := range form.Rows {
		copy(block.Row(i)[max(0, i-1):], form.Row(i)[max(0, i-1):])
	}
}

// located turns the error of an iteration on the block of rows lo to hi into one of the whole matrix of order n.
func located(err error, lo, hi, n int) error {
	var e *ConvergenceError
	if errors.As(err, &e) {
		return &ConvergenceError{Lo: lo + e.Lo, Hi: lo + e.Hi, Found: n - 1 - hi + e.Found, N: n, Sweeps: e.Sweeps}
	}
	return err
}

// reduceWindow brings the leading part of the window t, of the given order, and the spike left of it back to Hessenberg form, and returns the factor of the
// spike's first element, which is all that is left of it. Element i of the spike is a multiple of zt[i][0]. The memory is used for products.
func reduceWindow[W dense.Scalar](team *sched.Team, t, zt dense.Matrix[W], order int, factor, product *[]W) W {
	if order == 1 {
		return zt.At(0, 0)
	}
	v := make([]W, order)
	for i := range v {
		v[i] = zt.At(i, 0)
	}
	beta, tau := householder(v)
	rows, leading := t.Slice(0, order, 0, t.Cols), zt.Slice(0, order, 0, zt.Cols)
	block := t.Slice(0, order, 0, order)
	if tau != 0 {
		reflectFromLeft(v, tau, rows)
		reflectFromLeft(v, tau, leading)
		reflectFromRight(v, tau, block)
	}
	q := within(factor, order, order)
	if err := reduce(team.Quiet(), block, q); err != nil {
		return beta // cancelled: nothing of this is used
	}
	multiplyRows(nil, q, rows.Slice(0, order, order, rows.Cols), product)
	multiplyRows(nil, q, leading, product)
	return beta
}

// reflectFromLeft replaces x by (I - tau v v^H)^H x.
func reflectFromLeft[W dense.Scalar](v []W, tau W, x dense.Matrix[W]) {
	adjoint, sums := make([]W, len(v)), dense.Vec(make([]W, x.Cols))
	conjugateTo(adjoint, v)
	blas.Gemv(nil, blas.Trans, 1, x, dense.Vec(adjoint), 0, sums)
	blas.Ger(nil, -dense.Conj(tau), dense.Vec(v), sums, x)
}

// reflectFromRight replaces x by x (I - tau v v^H).
func reflectFromRight[W dense.Scalar](v []W, tau W, x dense.Matrix[W]) {
	sums := dense.Vec(make([]W, x.Rows))
	blas.Gemv(nil, blas.NoTrans, 1, x, dense.Vec(v), 0, sums)
	blas.Gerc(nil, -tau, sums, dense.Vec(v), x)
}

// multiplyRows replaces x by the product q x, which needs the memory.
func multiplyRows[W dense.Scalar](team *sched.Team, q, x dense.Matrix[W], memory *[]W) {
	if x.Cols == 0 {
		return
	}
	product := within(memory, x.Rows, x.Cols)
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, q, x, 0, product)
	x.CopyFrom(product)
}

// multiplyColumns replaces x by the product x q^H, which needs the memory.
func multiplyColumns[W dense.Scalar](team *sched.Team, x, q dense.Matrix[W], memory *[]W) {
	if x.Rows == 0 {
		return
	}
	product := within(memory, x.Rows, x.Cols)
	blas.Gemm(team, blas.NoTrans, blas.ConjTrans, 1, x, q, 0, product)
	x.CopyFrom(product)
}

// within returns a matrix in the memory, which it makes larger if that is too small. What it holds is anything.
func within[W dense.Scalar](memory *[]W, rows, cols int) dense.Matrix[W] {
	stride := paddedStride[W](cols)
	if n := rows * stride; cap(*memory) < n {
		*memory = newAligned[W](n)
	}
	return dense.Matrix[W]{Rows: rows, Cols: cols, Stride: stride, Data: (*memory)[:rows*stride]}
}
