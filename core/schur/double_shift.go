package schur

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/internal/qriteration"
	"trnsci/core/kernel/bulge"
	"trnsci/core/quasi"
)

// Matrices up to this order are left to the classical iteration.
const plainRealOrder = 160

// run deflates eigenvalues from the last row up.
func (f *doubleShiftQR[W]) run() error {
	f.team = f.team.Plan(stepsDone(f.t.Rows, 0, f.valuesOnly))
	if f.t.Rows > plainRealOrder {
		local := newDoubleShiftQR(dense.Matrix[W]{}, dense.Matrix[W]{}, Options{})
		return runMultishift[W, bulge.Householder3[W], shift](f, local, realSizes(f.t.Rows), bulge.StripColumns(f.set))
	}
	for hi := f.t.Rows - 1; hi >= 0; {
		lo, err := f.isolate(hi)
		if err != nil {
			return err
		}
		switch {
		case lo == hi:
		case f.valuesOnly:
			quasi.StandardizeAt(f.t.Slice(lo, hi+1, lo, hi+1), f.zt, 0)
		default:
			quasi.StandardizeAt(f.t, f.zt, lo)
		}
		hi = lo - 1
		f.team.Reach(stepsDone(f.t.Rows, hi+1, f.valuesOnly))
	}
	return nil
}

// isolate sweeps over the block that ends in row hi until a block of order 1 or 2 splits off at its end, and returns
// the first row of that.
func (f *doubleShiftQR[W]) isolate(hi int) (int, error) {
	for stalled := 1; ; stalled++ {
		if err := f.team.Err(); err != nil {
			return 0, err
		}
		lo := f.blockStart(hi, stalled > qriteration.RelaxAfter)
		if lo >= hi-1 {
			return lo, nil
		}
		if err := f.addSweeps(1, lo, hi); err != nil {
			return 0, err
		}
		f.sweep(lo, hi, f.chooseShift(lo, hi, stalled))
	}
}

// chooseShift returns the eigenvalues of the trailing 2 x 2 block of rows lo to hi if they are complex, and the one
// closer to the last diagonal element twice if they are real. A sweep that is due for an exceptional shift gets those
// of a made-up block of the size of the subdiagonal elements at the lower and the upper end in turn.
func (f *doubleShiftQR[W]) chooseShift(lo, hi, stalled int) shift {
	switch qriteration.KindOfShift(stalled) {
	case qriteration.ExceptionalAtEnd:
		return exceptionalShift(f.at(hi, hi), math.Abs(f.at(hi, hi-1))+math.Abs(f.at(hi-1, hi-2)))
	case qriteration.ExceptionalAtStart:
		return exceptionalShift(f.at(lo, lo), math.Abs(f.at(lo+1, lo))+math.Abs(f.at(lo+2, lo+1)))
	}
	return wilkinsonShift(quasi.BlockAt(f.t, hi-1))
}

// blockStart returns the first row of the unreduced block that ends in row hi, and clears the negligible element that
// separates it from the rows above.
func (f *doubleShiftQR[W]) blockStart(hi int, relaxed bool) int {
	for k := hi; k > 0; k-- {
		if !relaxed {
			if k = f.lastSmall(k); k == 0 {
				break
			}
		}
		if f.negligible(k, relaxed) {
			f.t.Set(k, k-1, 0)
			return k
		}
	}
	return 0
}

// lastSmall returns the last row up to k in which the element left of the diagonal may be negligible, zero if there is
// none. It is the first half of the test of negligible, in the arithmetic of W.
func (f *doubleShiftQR[W]) lastSmall(k int) int {
	data, step, unit, floor := f.t.Data, f.t.Stride+1, W(f.eps), W(f.floor)
	at := k * step
	below := abs(data[at])
	for ; k > 0; k-- {
		sub := abs(data[at-1])
		at -= step
		diagonal := abs(data[at])
		if size := diagonal + below; !(sub > floor && sub > unit*size && size > 0) {
			return k
		}
		below = diagonal
	}
	return 0
}

// negligible reports whether t[k,k-1] counts as zero. The relaxed test only bounds the backward error.
func (f *doubleShiftQR[W]) negligible(k int, relaxed bool) bool {
	if math.Abs(f.at(k, k-1)) <= f.floor {
		return true
	}
	return f.small(k, relaxed) && (relaxed || f.separable(k))
}

// small reports whether setting t[k,k-1] to zero is a backward error of rounding size: whether it is tiny beside the
// neighbours on the diagonal or, if those are zero or the test is relaxed, on the subdiagonal.
func (f *doubleShiftQR[W]) small(k int, relaxed bool) bool {
	size := math.Abs(f.at(k-1, k-1)) + math.Abs(f.at(k, k))
	if size == 0 || relaxed {
		if k >= 2 {
			size += math.Abs(f.at(k-1, k-2))
		}
		if k+1 < f.t.Rows {
			size += math.Abs(f.at(k+1, k))
		}
	}
	return math.Abs(f.at(k, k-1)) <= f.eps*size
}

// separable reports whether small eigenvalues of a graded matrix keep their leading digits when t[k,k-1] is set to
// zero. They do if the block of rows k-1 and k passes the test of Ahues and Tisseur, in which t[k,k] stands for an
// eigenvalue,
//
//	|t[k,k-1] t[k-1,k]| <= eps |t[k,k]| |t[k-1,k-1] - t[k,k]|.
//
// It says nothing where the diagonal elements are those of complex pairs: in a skew-symmetric matrix the right side is
// zero. But whatever the gap, an eigenvalue e next to the split moves by no more than about the square root of the left
// side, so that
//
//	|t[k,k-1] t[k-1,k]| <= (eps |e|)^2
//
// will do too.
func (f *doubleShiftQR[W]) separable(k int) bool {
	m := quasi.BlockAt(f.t, k-1)
	sub, super := math.Abs(m.C), math.Abs(m.B)
	// Both products are divided by the sum s of their largest factors, so that they cannot overflow.
	gap, diagonal := math.Abs(m.A-m.D), math.Abs(m.D)
	s := max(diagonal, gap) + max(sub, super)
	coupling := min(sub, super) * (max(sub, super) / s)
	if coupling <= max(f.floor, f.eps*(min(diagonal, gap)*(max(diagonal, gap)/s))) {
		return true
	}
	return math.Sqrt(sub)*math.Sqrt(super) <= f.eps*min(f.smallestBefore(k), f.smallestFrom(k))
}

// smallestBefore estimates the modulus of the smallest eigenvalue of the diagonal block that ends in row k-1.
func (f *doubleShiftQR[W]) smallestBefore(k int) float64 {
	if k == 1 || f.at(k-1, k-2) == 0 {
		return math.Abs(f.at(k-1, k-1))
	}
	return quasi.BlockAt(f.t, k-2).SmallestEigenvalue()
}

// smallestFrom estimates the modulus of the smallest eigenvalue of the diagonal block that starts in row k.
func (f *doubleShiftQR[W]) smallestFrom(k int) float64 {
	if k == f.t.Rows-1 || f.at(k+1, k) == 0 {
		return math.Abs(f.at(k, k))
	}
	return quasi.BlockAt(f.t, k).SmallestEigenvalue()
}
