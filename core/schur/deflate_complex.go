package schur

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
		m.t.Set(top, top-1, spike*reduceWindow(m.team, local.t, local.zt, kept, &m.reduced, &m.product))
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
