package schur

import (
	"trnsci/core/dense"
)

// deflate looks for converged eigenvalues in the trailing window that ends in row hi: it brings the window to triangular form, which makes a spike of the
// single element left of it, and moves the eigenvalues for which the spike is not negligible up. It returns how many have converged, and the others as shifts,
// those next to the converged ones first.
func (m *complexMultishift[W]) deflate(hi, window int) (deflated int, shifts []complex128, err error) {
	top := hi - window + 1
	local, err := m.solveLocal(top, hi)
	if err != nil {
		return 0, nil, err
	}
	spike := m.t.At(top, top-1)
	kept := m.sortWindow(local, spike)
	for i := kept - 1; i >= 0; i-- {
		shifts = append(shifts, local.at(i, i))
	}
	if kept == window {
		return 0, shifts, nil
	}
	if kept == 0 {
		m.t.Set(top, top-1, 0)
	} else {
		m.t.Set(top, top-1, spike*m.reduceWindow(local, kept))
	}
	m.putBack(local, top)
	return window - kept, shifts, nil
}

// sortWindow moves the eigenvalues that have not converged to the upper end of the window and returns their number. Element i of the spike is the given number
// times zt[i][0].
func (m *complexMultishift[W]) sortWindow(local *singleShift[W], spike W) (kept int) {
	end, placed := local.t.Rows, 0 // rows before end and from placed on are still to be looked at
	for placed < end {
		if m.converged(local, end-1, oneNorm(complex128(spike))) {
			end--
			continue
		}
		for at := end - 1; at > placed; at-- {
			swapRotated(local.t, local.zt, at-1)
		}
		placed++
	}
	return end
}

// converged reports whether the spike is negligible in a row, beside the eigenvalue there.
func (m *complexMultishift[W]) converged(local *singleShift[W], row int, spike float64) bool {
	eigenvalue := local.size(row, row)
	if eigenvalue == 0 {
		eigenvalue = spike
	}
	return spike*oneNorm(complex128(local.zt.At(row, 0))) <= max(m.floor, m.eps*eigenvalue)
}

// reduceWindow brings the leading part of the window, of the given order, and the spike left of it back to Hessenberg form, and returns the factor of the
// spike's first element, which is all that is left of it.
func (m *complexMultishift[W]) reduceWindow(local *singleShift[W], order int) W {
	if order == 1 {
		return local.zt.At(0, 0)
	}
	v := make([]W, order)
	for i := range v {
		v[i] = local.zt.At(i, 0)
	}
	beta, tau := householder(v)
	rows, block := local.t.Slice(0, order, 0, local.t.Cols), local.t.Slice(0, order, 0, order)
	leading := local.zt.Slice(0, order, 0, local.zt.Cols)
	if tau != 0 {
		reflectAdjoint(v, tau, rows)
		reflectAdjoint(v, tau, leading)
		reflectBehind(v, tau, block)
	}
	q := within(&m.reduced, order, order)
	if err := reduce(m.team.Quiet(), block, q); err != nil {
		return beta // cancelled: nothing of this is used
	}
	m.mixRows(q, rows.Slice(0, order, order, rows.Cols))
	m.mixRows(q, leading)
	return beta
}

// reflectAdjoint replaces x by (I - tau v v^H)^H x.
func reflectAdjoint[W dense.Complex](v []W, tau W, x dense.Matrix[W]) {
	sums := make([]W, x.Cols)
	for i, vi := range v {
		c := dense.Conj(vi)
		for j, xij := range x.Row(i) {
			sums[j] += c * xij
		}
	}
	for i, vi := range v {
		f := dense.Conj(tau) * vi
		row := x.Row(i)
		for j, sum := range sums {
			row[j] -= f * sum
		}
	}
}

// reflectBehind replaces x by x (I - tau v v^H).
func reflectBehind[W dense.Complex](v []W, tau W, x dense.Matrix[W]) {
	for i := range x.Rows {
		row := x.Row(i)
		var sum W
		for j, vj := range v {
			sum += row[j] * vj
		}
		sum *= tau
		for j, vj := range v {
			row[j] -= sum * dense.Conj(vj)
		}
	}
}
