package schur

import (
	"math"
	"math/cmplx"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// singleShift is the implicit single-shift QR iteration on a complex upper Hessenberg matrix t. zt, the adjoint of the
// accumulated factor, has no rows when it is not wanted.
type singleShift[W dense.Complex] struct {
	team  *sched.Team
	t, zt dense.Matrix[W]
	// Subdiagonal elements up to floor are zero for every purpose.
	floor         float64
	sweeps, limit int
}

// triangularizeComplex overwrites the Hessenberg matrix h and the adjoint factor qt by the T and Z^H of the Schur form.
func triangularizeComplex[W dense.Complex](h, qt dense.Matrix[W], opt Options) error {
	n := h.Rows
	s := singleShift[W]{team: opt.Team, t: h, zt: qt, floor: safeMin / eps * float64(n), limit: opt.MaxIterations}
	if s.limit == 0 {
		s.limit = sweepsPerEigenvalue * max(n, minSweepOrder)
	}
	for hi := n - 1; hi >= 0; hi-- {
		if err := s.isolate(hi); err != nil {
			return err
		}
		s.team.Step(1)
	}
	return nil
}

// isolate sweeps over the block that ends in row hi until its last eigenvalue has split off.
func (s *singleShift[W]) isolate(hi int) error {
	for stalled := 1; ; stalled++ {
		if err := s.team.Err(); err != nil {
			return err
		}
		lo := s.blockStart(hi, stalled > relaxAfter)
		if lo == hi {
			return nil
		}
		if s.sweeps >= s.limit {
			n := s.t.Rows
			return &ConvergenceError{Lo: lo, Hi: hi, Found: n - 1 - hi, N: n, Sweeps: s.sweeps}
		}
		s.sweeps++
		if err := s.sweep(lo, hi, s.chooseShift(lo, hi, stalled)); err != nil {
			return err
		}
	}
}

// blockStart returns the first row of the unreduced block that ends in row hi, and clears the negligible element that
// separates it from the rows above.
func (s *singleShift[W]) blockStart(hi int, relaxed bool) int {
	for k := hi; k > 0; k-- {
		if s.negligible(k, relaxed) {
			s.t.Set(k, k-1, 0)
			return k
		}
	}
	return 0
}

// negligible reports whether t[k,k-1] counts as zero: by the test of Ahues and Tisseur, see francis.separable, or if
// relaxed as soon as that is a backward error of rounding size.
func (s *singleShift[W]) negligible(k int, relaxed bool) bool {
	t := s.t
	sub := oneNorm(t.At(k, k-1))
	if sub <= s.floor {
		return true
	}
	size := oneNorm(t.At(k-1, k-1)) + oneNorm(t.At(k, k))
	if size == 0 || relaxed {
		if k >= 2 {
			size += oneNorm(t.At(k-1, k-2))
		}
		if k+1 < t.Rows {
			size += oneNorm(t.At(k+1, k))
		}
	}
	if sub > eps*size {
		return false
	}
	super, diagonal := oneNorm(t.At(k-1, k)), oneNorm(t.At(k, k))
	gap := oneNorm(t.At(k-1, k-1) - t.At(k, k))
	sum := max(diagonal, gap) + max(sub, super)
	coupling := min(sub, super) * (max(sub, super) / sum)
	return relaxed || coupling <= max(s.floor, eps*(min(diagonal, gap)*(max(diagonal, gap)/sum)))
}

// oneNorm returns |re x| + |im x|.
func oneNorm[W dense.Scalar](x W) float64 { return math.Abs(dense.Real(x)) + math.Abs(dense.Imag(x)) }

// chooseShift returns the eigenvalue of the trailing 2 x 2 block of rows lo to hi that is closer to the last diagonal
// element, Wilkinson's shift. A sweep that is due for an exceptional shift gets a number of the size of the subdiagonal
// element at the lower and the upper end in turn.
func (s *singleShift[W]) chooseShift(lo, hi, stalled int) complex128 {
	at := func(i, j int) complex128 { return dense.Convert[complex128](s.t.At(i, j)) }
	switch {
	case stalled%(2*exceptionalPeriod) == 0:
		return at(hi, hi) + complex(exceptionalDiagonal*oneNorm(at(hi, hi-1)), 0)
	case stalled%exceptionalPeriod == 0:
		return at(lo, lo) + complex(exceptionalDiagonal*oneNorm(at(lo+1, lo)), 0)
	}
	a, b, c, d := at(hi-1, hi-1), at(hi-1, hi), at(hi, hi-1), at(hi, hi)
	size := oneNorm(a) + oneNorm(b) + oneNorm(c) + oneNorm(d)
	if size == 0 {
		return 0
	}
	scale := complex(size, 0)
	half := (a/scale - d/scale) / 2
	product := (b / scale) * (c / scale)
	root := cmplx.Sqrt(half*half + product)
	if real(half)*real(root)+imag(half)*imag(root) < 0 {
		root = -root
	}
	if half+root == 0 {
		return d
	}
	return d - product/(half+root)*scale
}

// sweep does one implicit single-shift QR step on the unreduced block of rows lo to hi: a rotation that belongs to the
// shift makes a bulge below the subdiagonal, and further ones chase it down and out of the block.
func (s *singleShift[W]) sweep(lo, hi int, shift complex128) error {
	t := s.t
	x, y := t.At(lo, lo)-dense.Convert[W](shift), t.At(lo+1, lo)
	for k := lo; k < hi; k++ {
		if err := poll(s.team, k); err != nil {
			return err
		}
		if k > lo {
			x, y = t.At(k, k-1), t.At(k+1, k-1)
		}
		g, r := newComplexRotation(x, y)
		if k > lo {
			t.Set(k, k-1, r)
			t.Set(k+1, k-1, 0)
		}
		g.rows(t.Row(k)[k:], t.Row(k + 1)[k:])
		g.columns(t, k, min(k+2, hi)+1)
		if s.zt.Rows > 0 {
			g.rows(s.zt.Row(k), s.zt.Row(k+1))
		}
	}
	return nil
}

// complexRotation is the unitary matrix G = [cs sn; -conj(sn) cs] with a real cs.
type complexRotation[W dense.Complex] struct{ cs, sn W }

// newComplexRotation returns the rotation that maps (x, y) to (r, 0).
func newComplexRotation[W dense.Complex](x, y W) (g complexRotation[W], r W) {
	ax, ay := dense.Abs(x), dense.Abs(y)
	if ay == 0 {
		return complexRotation[W]{cs: 1}, x
	}
	scale := safeScale(max(ax, ay))
	wide, wideY := dense.Convert[complex128](x)*complex(scale, 0), dense.Convert[complex128](y)*complex(scale, 0)
	ax, ay = ax*scale, ay*scale
	norm := math.Hypot(ax, ay)
	phase := complex128(1)
	if ax != 0 {
		phase = wide / complex(ax, 0)
	}
	g.cs = dense.FromReal[W](ax / norm)
	g.sn = dense.Convert[W](phase * cmplx.Conj(wideY) / complex(norm, 0))
	return g, dense.Convert[W](phase * complex(norm/scale, 0))
}

// rows multiplies two rows of equal length by G from the left.
func (g complexRotation[W]) rows(x, y []W) {
	y = y[:len(x)]
	adjoint := dense.Conj(g.sn)
	for j, xj := range x {
		x[j] = g.cs*xj + g.sn*y[j]
		y[j] = g.cs*y[j] - adjoint*xj
	}
}

// columns multiplies two columns of m, starting at column k, by G^H from the right, in the rows before end.
func (g complexRotation[W]) columns(m dense.Matrix[W], k, end int) {
	adjoint := dense.Conj(g.sn)
	for i := range end {
		r := m.Data[i*m.Stride+k : i*m.Stride+k+2 : i*m.Stride+k+2]
		r[0], r[1] = g.cs*r[0]+adjoint*r[1], g.cs*r[1]-g.sn*r[0]
	}
}
