package schur

import (
	"math"

	"trnsci/core/dense"
)

// deflate looks for converged eigenvalues in the trailing window of the block of rows lo to hi: it brings the window to quasi-triangular form, which makes a
// spike of the single element left of it, and moves the eigenvalues for which the spike is not negligible up. It returns how many have converged, and the
// others as shifts, those next to the converged ones first.
func (m *multishift[W]) deflate(lo, hi, window int) (deflated int, shifts []shift, err error) {
	top := hi - window + 1
	local, err := m.solveLocal(top, hi)
	if err != nil {
		return 0, nil, err
	}
	spike := m.at(top, top-1)
	kept := m.sortWindow(local, spike)
	shifts = pairs(local.t, kept)
	if kept == window {
		return 0, shifts, nil
	}
	if kept == 0 {
		m.t.Set(top, top-1, 0)
	} else {
		m.t.Set(top, top-1, W(spike*float64(reduceWindow(m.team, local.t, local.zt, kept, &m.reduced, &m.product))))
	}
	return window - kept, shifts, m.putBack(local, top)
}

// sortWindow moves the eigenvalues that have converged to the lower end of the window and returns the order of the other blocks together. Element i of the
// spike is the given number times zt[i][0].
//
// Whether an eigenvalue has converged shows when it is the last one of those that are left. So each is moved down past those that have not; there are few
// exchanges, because the eigenvalues at the lower end of the window converge first and the search is given up after some that have not.
func (m *multishift[W]) sortWindow(local *francis[W], spike float64) (kept int) {
	t := local.t
	end, failed := t.Rows, 0 // the converged rows begin at end; failed rows before those have not converged
	for failed < min(end, m.misses) {
		size := blockSize(t, end-failed-1)
		if !moveDown(t, local.zt, end-failed-size, end) {
			break
		}
		for last := blockSize(t, end-1); size > 0 && m.converged(local, end-last, last, spike); last = blockSize(t, end-1) {
			end -= last
			size -= last // a pair that has become two real eigenvalues is looked at one by one
			if end == 0 {
				return 0
			}
		}
		failed += size
	}
	return end
}

// moveDown exchanges the diagonal block that begins in row at with the one below until it ends before row end. It reports whether all exchanges were possible.
func moveDown[W dense.Float](t, zt dense.Matrix[W], at, end int) bool {
	size := 1
	if at+1 < end && t.At(at+1, at) != 0 {
		size = 2
	}
	for at+size < end {
		next := 1
		if at+size+1 < end && t.At(at+size+1, at+size) != 0 {
			next = 2
		}
		if !swapBlocks(t, zt, at, size, next) {
			return false
		}
		at += next
		if size == 2 && t.At(at+1, at) == 0 { // the pair has become two real eigenvalues: both are moved on, the lower one first
			return moveDown(t, zt, at+1, end) && moveDown(t, zt, at, end-1)
		}
	}
	return true
}

// blockSize returns the order of the diagonal block of t that ends in row i.
func blockSize[W dense.Float](t dense.Matrix[W], i int) int {
	if i > 0 && t.At(i, i-1) != 0 {
		return 2
	}
	return 1
}

// converged reports whether the spike is negligible in the rows of a diagonal block, beside the eigenvalues of that.
func (m *multishift[W]) converged(local *francis[W], row, size int, spike float64) bool {
	largest := math.Abs(spike * float64(local.zt.At(row, 0)))
	eigenvalue := math.Abs(local.at(row, row))
	if size == 2 {
		largest = max(largest, math.Abs(spike*float64(local.zt.At(row+1, 0))))
		eigenvalue += block2At(local.t, row).frequency()
	}
	if eigenvalue == 0 {
		eigenvalue = math.Abs(spike)
	}
	return largest <= max(m.floor, m.eps*eigenvalue)
}

// pairs returns the eigenvalues of the leading part of t as shifts, from its last row up: complex pairs, and real numbers two by two.
func pairs[W dense.Float](t dense.Matrix[W], order int) []shift {
	var shifts []shift
	single := math.NaN()
	for i := order - 1; i >= 0; i-- {
		if blockSize(t, i) == 2 {
			b := block2At(t, i-1)
			im := b.frequency()
			shifts = append(shifts, shift{b.a, im, b.a, -im})
			i--
			continue
		}
		re := float64(t.At(i, i))
		if math.IsNaN(single) {
			single = re
			continue
		}
		shifts = append(shifts, shift{re1: single, re2: re})
		single = math.NaN()
	}
	if len(shifts) == 0 && !math.IsNaN(single) {
		shifts = append(shifts, shift{re1: single, re2: single})
	}
	return shifts
}
