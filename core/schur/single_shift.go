package schur

import (
	"math"
	"math/cmplx"

	"trnsci/core/dense"
	"trnsci/core/internal/qriteration"
	"trnsci/core/kernel/bulge"
)

const (
	// Matrices up to this order are left to the classical iteration.
	plainComplexOrder = 140
	// Columns, or rows, that the multishift iteration applies reflectors to at a time.
	complexStrip = 16
)

// run deflates eigenvalues from the last row up.
func (s *singleShiftQR[W]) run() error {
	s.team = s.team.Plan(stepsDone(s.t.Rows, 0, s.valuesOnly))
	if s.t.Rows > plainComplexOrder {
		local := newSingleShiftQR(dense.Matrix[W]{}, dense.Matrix[W]{}, Options{})
		return runMultishift[W, bulge.Householder2[W], complex128](s, local, complexSizes(s.t.Rows), complexStrip)
	}
	for hi := s.t.Rows - 1; hi >= 0; hi-- {
		if err := s.isolate(hi); err != nil {
			return err
		}
		s.team.Reach(stepsDone(s.t.Rows, hi, s.valuesOnly))
	}
	return nil
}

// isolate sweeps over the block that ends in row hi until its last eigenvalue has split off.
func (s *singleShiftQR[W]) isolate(hi int) error {
	for stalled := 1; ; stalled++ {
		if err := s.team.Err(); err != nil {
			return err
		}
		lo := s.blockStart(hi, stalled > qriteration.RelaxAfter)
		if lo == hi {
			return nil
		}
		if err := s.addSweeps(1, lo, hi); err != nil {
			return err
		}
		s.sweep(lo, hi, s.chooseShift(lo, hi, stalled))
	}
}

// chooseShift returns the eigenvalue of the trailing 2 x 2 block of rows lo to hi that is closer to the last diagonal
// element, Wilkinson's shift. A sweep that is due for an exceptional shift gets a number of the size of the subdiagonal
// element at the lower and the upper end in turn.
func (s *singleShiftQR[W]) chooseShift(lo, hi, stalled int) complex128 {
	switch qriteration.KindOfShift(stalled) {
	case qriteration.ExceptionalAtEnd:
		return s.at(hi, hi) + complex(qriteration.ExceptionalDiagonal*s.size(hi, hi-1), 0)
	case qriteration.ExceptionalAtStart:
		return s.at(lo, lo) + complex(qriteration.ExceptionalDiagonal*s.size(lo+1, lo), 0)
	}
	a, b, c, d := s.at(hi-1, hi-1), s.at(hi-1, hi), s.at(hi, hi-1), s.at(hi, hi)
	size := oneNorm(a) + oneNorm(b) + oneNorm(c) + oneNorm(d)
	if size == 0 {
		return 0
	}
	unit := complex(1/size, 0)
	half := (a*unit - d*unit) / 2
	product := (b * unit) * (c * unit)
	root := cmplx.Sqrt(half*half + product)
	if real(half)*real(root)+imag(half)*imag(root) < 0 {
		root = -root
	}
	if half+root == 0 {
		return d
	}
	return d - product/(half+root)*complex(size, 0)
}

// blockStart returns the first row of the unreduced block that ends in row hi, and clears the negligible element that
// separates it from the rows above.
func (s *singleShiftQR[W]) blockStart(hi int, relaxed bool) int {
	for k := hi; k > 0; k-- {
		if !relaxed {
			if k = s.lastSmall(k); k == 0 {
				break
			}
		}
		if s.negligible(k, relaxed) {
			s.t.Set(k, k-1, 0)
			return k
		}
	}
	return 0
}

// lastSmall returns the last row up to k in which the element left of the diagonal passes the first half of the test of
// negligible, zero if there is none.
func (s *singleShiftQR[W]) lastSmall(k int) int {
	data, step := s.t.Data, s.t.Stride+1
	at := k * step
	below := oneNorm(data[at])
	for ; k > 0; k-- {
		sub := oneNorm(data[at-1])
		at -= step
		diagonal := oneNorm(data[at])
		if size := diagonal + below; !(sub > s.floor && sub > s.eps*size && size > 0) {
			return k
		}
		below = diagonal
	}
	return 0
}

// negligible reports whether t[k,k-1] counts as zero: by the test of Ahues and Tisseur, see doubleShiftQR.separable, or
// if relaxed as soon as that is a backward error of rounding size.
func (s *singleShiftQR[W]) negligible(k int, relaxed bool) bool {
	sub := s.size(k, k-1)
	if sub <= s.floor {
		return true
	}
	size := s.size(k-1, k-1) + s.size(k, k)
	if size == 0 || relaxed {
		if k >= 2 {
			size += s.size(k-1, k-2)
		}
		if k+1 < s.t.Rows {
			size += s.size(k+1, k)
		}
	}
	if sub > s.eps*size {
		return false
	}
	return relaxed || s.separable(k, sub)
}

// separable is doubleShiftQR.separable for complex matrices: t[k,k] and t[k-1,k-1] stand for eigenvalues unless their
// neighbours are coupled to them.
func (s *singleShiftQR[W]) separable(k int, sub float64) bool {
	super, diagonal := s.size(k-1, k), s.size(k, k)
	gap := oneNorm(s.at(k-1, k-1) - s.at(k, k))
	sum := max(diagonal, gap) + max(sub, super)
	coupling := min(sub, super) * (max(sub, super) / sum)
	if coupling <= max(s.floor, s.eps*(min(diagonal, gap)*(max(diagonal, gap)/sum))) {
		return true
	}
	before, from := s.size(k-1, k-1), diagonal
	if k > 1 && s.at(k-1, k-2) != 0 {
		before = s.smallestEigenvalue(k - 2)
	}
	if k+1 < s.t.Rows && s.at(k+1, k) != 0 {
		from = s.smallestEigenvalue(k)
	}
	return math.Sqrt(sub)*math.Sqrt(super) <= s.eps*min(before, from)
}

// smallestEigenvalue estimates the smaller modulus of the eigenvalues of the 2 x 2 block that starts in row i, as |det|
// divided by the larger one.
func (s *singleShiftQR[W]) smallestEigenvalue(i int) float64 {
	a, b, c, d := s.at(i, i), s.at(i, i+1), s.at(i+1, i), s.at(i+1, i+1)
	size := oneNorm(a) + oneNorm(b) + oneNorm(c) + oneNorm(d)
	if size == 0 {
		return 0
	}
	unit := complex(1/size, 0)
	a, b, c, d = a*unit, b*unit, c*unit, d*unit
	half := (a - d) / 2
	root := cmplx.Sqrt(half*half + b*c)
	mean := (a + d) / 2
	larger := max(oneNorm(mean+root), oneNorm(mean-root))
	if larger == 0 {
		return 0
	}
	return oneNorm(a*d-b*c) / larger * size
}
