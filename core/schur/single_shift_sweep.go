package schur

import (
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel/bulge"
)

// singleShiftQR is the implicit single-shift QR iteration on a complex upper Hessenberg matrix (LAPACK's lahqr). This
// file has its sweep, single_shift.go the deflation tests and the iteration, single_shift_window.go what the multishift
// iteration needs.
type singleShiftQR[W dense.Complex] struct {
	iteration[W]
	reflectors []bulge.Householder2[W] // of a sweep
	// Row lengths of t and zt, padded to whole cache lines. Sweeps run over the padding, which needs no tail code and
	// holds no data.
	colsT, colsZ int
}

// newSingleShiftQR returns the iteration for t and zt.
func newSingleShiftQR[W dense.Complex](t, zt dense.Matrix[W], opt Options) *singleShiftQR[W] {
	s := &singleShiftQR[W]{iteration: newIteration[W](t.Rows, opt)}
	s.valuesOnly = opt.ValuesOnly && zt.Rows == 0
	s.load(t, zt)
	s.prepare(t, zt, opt.MaxIterations)
	return s
}

// load makes s the iteration for t and zt, with the usual limit of sweeps.
func (s *singleShiftQR[W]) load(t, zt dense.Matrix[W]) {
	s.prepare(t, zt, 0)
	s.colsT, s.colsZ = paddedCols(t), paddedCols(zt)
	if n := t.Rows; cap(s.reflectors) < n {
		s.reflectors = make([]bulge.Householder2[W], n)
	}
}

// paddedCols returns the number of columns of m rounded up to whole cache lines, if that many elements belong to each
// row.
func paddedCols[W dense.Complex](m dense.Matrix[W]) int {
	cols := dense.WholeLines[W](m.Cols)
	if cols > m.Stride || m.Rows*m.Stride > len(m.Data) {
		return m.Cols
	}
	return cols
}

// at returns an element of t in double precision.
func (s *singleShiftQR[W]) at(i, j int) complex128 { return complex128(s.t.Data[i*s.t.Stride+j]) }

// size returns |re| + |im| of an element of t.
func (s *singleShiftQR[W]) size(i, j int) float64 { return oneNorm(s.at(i, j)) }

// sweep does one implicit single-shift QR step on the unreduced block of rows lo to hi: a reflector that depends on the
// shift creates a bulge below the subdiagonal, and further ones chase it down and out of the block.
func (s *singleShiftQR[W]) sweep(lo, hi int, shift complex128) {
	r := region{end: s.colsT, bottom: hi}
	if s.valuesOnly {
		r = region{top: lo, end: hi + 1, bottom: hi}
	}
	out := s.reflectors[:hi-lo]
	s.chase(r, lo-1, s.startVector(lo, shift), out)
	if s.zt.Rows > 0 {
		bulge.ReflectRowPairs(s.set, out, false, s.zt.Data[lo*s.zt.Stride:], s.zt.Stride, s.colsZ)
	}
}

// startVector returns the first two elements of the first column of T - shift for the block that starts in row lo.
func (s *singleShiftQR[W]) startVector(lo int, shift complex128) *[2]W {
	return &[2]W{W(s.at(lo, lo) - shift), s.t.At(lo+1, lo)}
}

// chase moves a bulge through a step for each element of out, from step first on. Step k applies a reflector to the
// rows and columns k+1 and k+2 that eliminates what column k has below row k+1. With start, the first step creates the
// bulge instead: its reflector maps start to a multiple of e_1.
func (s *singleShiftQR[W]) chase(r region, first int, start *[2]W, out []bulge.Householder2[W]) {
	for done := 0; done < len(out); {
		if done > 0 {
			start = nil
		}
		b := bulge.SingleShiftChase[W]{
			A: s.t.Data, Stride: s.t.Stride, First: first + done, Last: r.bottom, End: r.end, Top: r.top, Start: start,
			Reflectors: out[done:],
		}
		steps := b.Run(s.chaseSet)
		done += steps
		if steps > 0 {
			start = nil
		}
		if done < len(out) {
			s.step(r, first+done, start, &out[done])
			done++
		}
	}
}

// step is a step of chase for numbers of any size, which the kernel leaves alone.
func (s *singleShiftQR[W]) step(r region, k int, start *[2]W, out *bulge.Householder2[W]) {
	t := s.t
	if start != nil {
		p, _ := householder.New2(start[0], start[1])
		*out = bulge.Householder2[W]{V: p.V, T0: p.T0, T1: p.T1}
	} else {
		p, beta := householder.New2(t.At(k+1, k), t.At(k+2, k))
		*out = bulge.Householder2[W]{V: p.V, T0: p.T0, T1: p.T1}
		t.Set(k+1, k, beta)
		t.Set(k+2, k, 0)
	}
	bulge.ReflectRowPairs(s.set, []bulge.Householder2[W]{*out}, false, t.Data[(k+1)*t.Stride+k+1:], t.Stride, r.end-k-1)
	for i := r.top; i <= min(k+3, r.bottom); i++ {
		pair := t.Data[i*t.Stride+k+1 : i*t.Stride+k+3 : i*t.Stride+k+3]
		sum := pair[0] + out.V*pair[1]
		pair[0] -= out.T0 * sum
		pair[1] -= dense.Conj(out.T1) * sum
	}
}
