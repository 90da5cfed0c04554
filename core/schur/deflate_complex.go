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
	return window - kept, shifts, m.putBack(local, top)
}

// sortWindow moves the eigenvalues that have converged to the lower end of the window and returns the number of the others. Element i of the spike is the given
// number times zt[i][0]. As in multishift.sortWindow, each is moved down past those that have not converged, and the search is given up after some of these.
func (m *complexMultishift[W]) sortWindow(local *singleShift[W], spike W) (kept int) {
	end, failed := local.t.Rows, 0 // the converged rows begin at end; failed rows before those have not converged
	for failed < min(end, m.misses) {
		for at := end - failed - 1; at < end-1; at++ {
			swapRotated(local.t, local.zt, at)
		}
		if m.converged(local, end-1, oneNorm(complex128(spike))) {
			end--
		} else {
			failed++
		}
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
