package schur

import (
	"trnsci/core/dense"
	"trnsci/core/internal/qriteration"
	"trnsci/core/kernel/bulge"
	"trnsci/core/quasi"
	"trnsci/core/schur/internal/deferred"
)

// complexSizes returns the choices of the multishift iteration for a complex matrix of order n.
func complexSizes(n int) sizes {
	const plainBlock = 90
	switch {
	case n < 200:
		return sizes{bulges: 12, window: 12, chainAdvance: 16, maxUnconverged: 2, plainBlock: plainBlock}
	case n < 330:
		return sizes{bulges: 24, window: 32, chainAdvance: 32, maxUnconverged: 4, plainBlock: plainBlock}
	case n < 450:
		return sizes{bulges: 24, window: 40, chainAdvance: 24, maxUnconverged: 6, plainBlock: plainBlock}
	case n < 800:
		return sizes{bulges: 40, window: 48, chainAdvance: 40, maxUnconverged: 8, plainBlock: plainBlock}
	}
	return sizes{bulges: 40, window: 64, chainAdvance: 40, maxUnconverged: 12, plainBlock: plainBlock}
}

// bulgeRows is the number of rows between one bulge of a chain and the next.
func (s *singleShiftQR[W]) bulgeRows() int { return 2 }

// deflationWindow returns window: there are no pairs to be kept together.
func (s *singleShiftQR[W]) deflationWindow(_, window int) int { return window }

// sortWindow moves the converged eigenvalues of the deflation window t to its lower end and returns the number of the
// others. Element i of the spike is spike times zt[i][0]. As in doubleShiftQR.sortWindow, each is moved down past those
// that have not converged, and the search ends after maxUnconverged of these.
func (s *singleShiftQR[W]) sortWindow(spike W, maxUnconverged int) (kept int) {
	end, failed := s.t.Rows, 0 // the converged rows begin at end; failed rows in front of those have not converged
	for failed < min(end, maxUnconverged) {
		for at := end - failed - 1; at < end-1; at++ {
			quasi.SwapElements(s.t, s.zt, at)
		}
		if s.hasConverged(end-1, oneNorm(spike)) {
			end--
		} else {
			failed++
		}
	}
	return end
}

// hasConverged reports whether the spike is negligible in a row, relative to the eigenvalue there.
func (s *singleShiftQR[W]) hasConverged(row int, spike float64) bool {
	eigenvalue := s.size(row, row)
	if eigenvalue == 0 {
		eigenvalue = spike
	}
	return spike*oneNorm(s.zt.At(row, 0)) <= max(s.floor, s.eps*eigenvalue)
}

// shifts returns the eigenvalues of the leading part of t, from its last row up.
func (s *singleShiftQR[W]) shifts(order int) []complex128 {
	var shifts []complex128
	for i := order - 1; i >= 0; i-- {
		shifts = append(shifts, s.at(i, i))
	}
	return shifts
}

// exceptionalShifts returns up to count shifts of the sizes of the subdiagonal elements of the block of rows lo to hi.
func (s *singleShiftQR[W]) exceptionalShifts(lo, hi, count int) []complex128 {
	var shifts []complex128
	for i := hi; i > lo && len(shifts) < count; i-- {
		share := 1 - float64(len(shifts))/float64(2*count) // all different where the elements are equal
		shifts = append(shifts, s.at(i, i)+complex(qriteration.ExceptionalDiagonal*share*s.size(i, i-1), 0))
	}
	return shifts
}

// moveBulge does the steps from first on of a bulge; step lo-1 creates it.
func (s *singleShiftQR[W]) moveBulge(r region, lo, first, _ int, shift complex128, out []bulge.Householder2[W]) {
	var start *[2]W
	if first == lo-1 {
		start = s.startVector(lo, shift)
	}
	s.chase(r, first, start, out)
}

// apply applies reflectors to the rows of x, of which row 0 is row top of the matrix, or to its columns if x is
// transposed.
func (s *singleShiftQR[W]) apply(
	sequences []deferred.Sequence[bulge.Householder2[W]], x dense.Matrix[W], top int, transposed bool,
) {
	for i := range sequences {
		q := &sequences[i]
		bulge.ReflectRowPairs(s.set, q.Reflectors, transposed, x.Data[(q.Row-top)*x.Stride:], x.Stride, x.Cols)
	}
}

// transpose sets to to the transpose of from.
func (s *singleShiftQR[W]) transpose(to, from dense.Matrix[W]) {
	for i := range from.Rows {
		for j, x := range from.Row(i) {
			to.Data[j*to.Stride+i] = x
		}
	}
}
