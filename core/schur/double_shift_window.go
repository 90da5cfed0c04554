package schur

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel/bulge"
	"trnsci/core/kernel/gemm"
	"trnsci/core/quasi"
	"trnsci/core/schur/internal/deferred"
)

// realSizes returns the choices of the multishift iteration for a real matrix of order n.
func realSizes(n int) sizes {
	const plainBlock = 100
	switch {
	case n < 200:
		return sizes{bulges: 12, window: 16, chainAdvance: 48, maxUnconverged: 2, plainBlock: plainBlock}
	case n < 330:
		return sizes{bulges: 12, window: 32, chainAdvance: 48, maxUnconverged: 4, plainBlock: plainBlock}
	case n < 450:
		return sizes{bulges: 16, window: 40, chainAdvance: 48, maxUnconverged: 4, plainBlock: plainBlock}
	case n < 800:
		return sizes{bulges: 16, window: 48, chainAdvance: 64, maxUnconverged: 8, plainBlock: plainBlock}
	}
	return sizes{bulges: 32, window: 64, chainAdvance: 96, maxUnconverged: 16, plainBlock: plainBlock}
}

// bulgeRows is the number of rows between one bulge of a chain and the next.
func (f *doubleShiftQR[W]) bulgeRows() int { return 3 }

// deflationWindow makes the window a row larger where it would cut a pair: where the element left of it is larger than
// the one before.
func (f *doubleShiftQR[W]) deflationWindow(hi, window int) int {
	if top := hi - window + 1; math.Abs(f.at(top, top-1)) > math.Abs(f.at(top-1, top-2)) {
		return window + 1
	}
	return window
}

// sortWindow moves the converged eigenvalues of the deflation window t to its lower end and returns the order of the
// other blocks together. Element i of the spike is spike times zt[i][0].
//
// An eigenvalue can be tested only when it is the last one of the remaining ones. So each is moved down past
// those that have not converged. There are few exchanges, because the eigenvalues at the lower end of the window
// converge first, and the search ends after maxUnconverged rows that have not converged.
func (f *doubleShiftQR[W]) sortWindow(spike W, maxUnconverged int) (kept int) {
	t := f.t
	end, failed := t.Rows, 0 // the converged rows begin at end; failed rows in front of those have not converged
	for failed < min(end, maxUnconverged) {
		size := quasi.BlockOrderEndingAt(t, end-failed-1)
		if !moveDown(t, f.zt, end-failed-size, end) {
			break
		}
		last := quasi.BlockOrderEndingAt(t, end-1)
		for size > 0 && f.hasConverged(end-last, last, float64(spike)) {
			end -= last
			size -= last // a pair that has become two real eigenvalues is tested one by one
			if end == 0 {
				return 0
			}
			last = quasi.BlockOrderEndingAt(t, end-1)
		}
		failed += size
	}
	return end
}

// moveDown exchanges the diagonal block that begins in row at with the next one until it ends before row end. It
// reports whether all exchanges were possible.
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
		if !quasi.Swap(t, zt, at, size, next) {
			return false
		}
		at += next
		if size == 2 && t.At(at+1, at) == 0 {
			// The pair has become two real eigenvalues: both are moved on, the lower one first.
			return moveDown(t, zt, at+1, end) && moveDown(t, zt, at, end-1)
		}
	}
	return true
}

// hasConverged reports whether the spike is negligible in the rows of a diagonal block, relative to its eigenvalues.
func (f *doubleShiftQR[W]) hasConverged(row, size int, spike float64) bool {
	largest := math.Abs(spike * float64(f.zt.At(row, 0)))
	eigenvalue := math.Abs(f.at(row, row))
	if size == 2 {
		largest = max(largest, math.Abs(spike*float64(f.zt.At(row+1, 0))))
		eigenvalue += quasi.BlockAt(f.t, row).ImagPart()
	}
	if eigenvalue == 0 {
		eigenvalue = math.Abs(spike)
	}
	return largest <= max(f.floor, f.eps*eigenvalue)
}

// shifts returns the eigenvalues of the leading part of t, from its last row up: complex pairs, and real numbers two by
// two.
func (f *doubleShiftQR[W]) shifts(order int) []shift {
	var shifts []shift
	single := math.NaN()
	for i := order - 1; i >= 0; i-- {
		if quasi.BlockOrderEndingAt(f.t, i) == 2 {
			b := quasi.BlockAt(f.t, i-1)
			im := b.ImagPart()
			shifts = append(shifts, shift{b.A, im, b.A, -im})
			i--
			continue
		}
		re := f.at(i, i)
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

// exceptionalShifts returns up to count shifts of the sizes of the subdiagonal elements of the block of rows lo to hi.
func (f *doubleShiftQR[W]) exceptionalShifts(lo, hi, count int) []shift {
	var shifts []shift
	for i := hi; i >= lo+2 && len(shifts) < count; i -= 2 {
		size := math.Abs(f.at(i, i-1)) + math.Abs(f.at(i-1, i-2))
		share := 1 - float64(len(shifts))/float64(2*count) // all different where the elements are equal
		shifts = append(shifts, exceptionalShift(f.at(i, i), size*share))
	}
	return shifts
}

// moveBulge does steps first to last of a bulge; step lo-1 creates it.
func (f *doubleShiftQR[W]) moveBulge(r region, lo, first, last int, s shift, out []bulge.Householder3[W]) {
	var start *[3]W
	if first == lo-1 {
		start = roundedStart[W](f.startVector(lo, s))
	}
	f.chase(r, first, last, start, out)
}

// apply applies reflectors to the rows of x, of which row 0 is row top of the matrix.
func (f *doubleShiftQR[W]) apply(
	sequences []deferred.Sequence[bulge.Householder3[W]], x dense.Matrix[W], top int, _ bool,
) {
	for i := range sequences {
		s := &sequences[i]
		bulge.ReflectRows(f.set, s.Reflectors, x.Data[(s.Row-top)*x.Stride:], x.Stride, x.Cols)
	}
}

// transpose sets to to the transpose of from.
func (f *doubleShiftQR[W]) transpose(to, from dense.Matrix[W]) {
	gemm.Transpose(f.set, from.Rows, from.Cols, from.Data, from.Stride, to.Data, to.Stride)
}
