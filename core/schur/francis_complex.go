package schur

import (
	"math"
	"math/cmplx"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/bulge"
	"trnsci/core/sched"
)

// singleShift is the implicit single-shift QR iteration on a complex upper Hessenberg matrix t. zt, the adjoint of the
// accumulated factor, has no rows when it is not wanted.
type singleShift[W dense.Complex] struct {
	team  *sched.Team
	set   kernel.Set
	t, zt dense.Matrix[W]
	// Rounding unit of W. Subdiagonal elements up to floor are zero for every purpose.
	eps, floor    float64
	sweeps, limit int
	diagonalOnly  bool                    // of t only the diagonal is wanted, of zt nothing
	reflectors    []bulge.Householder2[W] // of a sweep
	// Columns of t and of zt with what lies between their rows, as far as it fills lines of the cache: sweeps over whole matrices need no care for the end of a
	// row, and there is nothing to be spoilt.
	colsT, colsZ int
}

// newSingleShift returns the iteration for t and zt.
func newSingleShift[W dense.Complex](t, zt dense.Matrix[W], opt Options) *singleShift[W] {
	s := &singleShift[W]{team: opt.Team, set: kernel.Best(), eps: dense.Eps[W](), diagonalOnly: opt.ValuesOnly && zt.Rows == 0}
	s.floor = smallestNormal[W]() / s.eps * float64(t.Rows)
	s.prepare(t, zt, opt.MaxIterations)
	return s
}

// prepare makes s the iteration for t and zt, with the rest as it was. A limit of 0 stands for the usual one.
func (s *singleShift[W]) prepare(t, zt dense.Matrix[W], limit int) {
	n := t.Rows
	s.t, s.zt, s.sweeps, s.limit = t, zt, 0, limit
	s.colsT, s.colsZ = wholeLines(t), wholeLines(zt)
	if cap(s.reflectors) < n {
		s.reflectors = make([]bulge.Householder2[W], n)
	}
	if limit == 0 {
		s.limit = sweepsPerEigenvalue * max(n, minSweepOrder)
	}
}

// wholeLines returns the number of columns of m rounded up to lines of the cache, if so many elements belong to each row.
func wholeLines[W dense.Complex](m dense.Matrix[W]) int {
	cols := toLines[W](m.Cols)
	if cols > m.Stride || m.Rows*m.Stride > len(m.Data) {
		return m.Cols
	}
	return cols
}

// triangularizeComplex overwrites the Hessenberg matrix h and the adjoint factor qt by the T and Z^H of the Schur form.
func triangularizeComplex[W dense.Complex](h, qt dense.Matrix[W], opt Options) error {
	return newSingleShift(h, qt, opt).run()
}

// run isolates eigenvalues from the last row up.
func (s *singleShift[W]) run() error {
	s.team = s.team.Plan(iterated(s.t.Rows, 0, s.diagonalOnly))
	if s.t.Rows > plainComplexOrder {
		return s.runLarge()
	}
	for hi := s.t.Rows - 1; hi >= 0; hi-- {
		if err := s.isolate(hi); err != nil {
			return err
		}
		s.team.Reach(iterated(s.t.Rows, hi, s.diagonalOnly))
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
		s.sweep(lo, hi, s.chooseShift(lo, hi, stalled))
	}
}

// at returns an element of t in double precision.
func (s *singleShift[W]) at(i, j int) complex128 { return complex128(s.t.Data[i*s.t.Stride+j]) }

// size returns |re| + |im| of an element of t.
func (s *singleShift[W]) size(i, j int) float64 { return oneNorm(s.at(i, j)) }

// blockStart returns the first row of the unreduced block that ends in row hi, and clears the negligible element that
// separates it from the rows above.
func (s *singleShift[W]) blockStart(hi int, relaxed bool) int {
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

// lastSmall returns the last row up to k in which the element left of the diagonal passes the first half of the test of negligible, zero if there is none.
func (s *singleShift[W]) lastSmall(k int) int {
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

// negligible reports whether t[k,k-1] counts as zero: by the test of Ahues and Tisseur, see francis.separable, or if
// relaxed as soon as that is a backward error of rounding size.
func (s *singleShift[W]) negligible(k int, relaxed bool) bool {
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

// separable is francis.separable for complex matrices: t[k,k] and t[k-1,k-1] stand for eigenvalues unless their neighbours are coupled to them.
func (s *singleShift[W]) separable(k int, sub float64) bool {
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

// smallestEigenvalue estimates the smaller modulus of the eigenvalues of the 2 x 2 block that starts in row i, as |det| divided by the larger.
func (s *singleShift[W]) smallestEigenvalue(i int) float64 {
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

// oneNorm returns |re x| + |im x|.
func oneNorm[W dense.Complex](x W) float64 {
	z := complex128(x)
	return math.Abs(real(z)) + math.Abs(imag(z))
}

// chooseShift returns the eigenvalue of the trailing 2 x 2 block of rows lo to hi that is closer to the last diagonal
// element, Wilkinson's shift. A sweep that is due for an exceptional shift gets a number of the size of the subdiagonal
// element at the lower and the upper end in turn.
func (s *singleShift[W]) chooseShift(lo, hi, stalled int) complex128 {
	switch {
	case stalled%(2*exceptionalPeriod) == 0:
		return s.at(hi, hi) + complex(exceptionalDiagonal*s.size(hi, hi-1), 0)
	case stalled%exceptionalPeriod == 0:
		return s.at(lo, lo) + complex(exceptionalDiagonal*s.size(lo+1, lo), 0)
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

// sweep does one implicit single-shift QR step on the unreduced block of rows lo to hi: a reflector that belongs to the
// shift makes a bulge below the subdiagonal, and further ones chase it down and out of the block.
func (s *singleShift[W]) sweep(lo, hi int, shift complex128) {
	z := zone{end: s.colsT, bottom: hi}
	if s.diagonalOnly {
		z = zone{top: lo, end: hi + 1, bottom: hi}
	}
	out := s.reflectors[:hi-lo]
	s.chase(z, lo-1, s.startVector(lo, shift), out)
	if s.zt.Rows > 0 {
		bulge.ReflectRowPairs(s.set, out, false, s.zt.Data[lo*s.zt.Stride:], s.zt.Stride, s.colsZ)
	}
}

// startVector returns the first two elements of the first column of T - shift for the block that starts in row lo.
func (s *singleShift[W]) startVector(lo int, shift complex128) *[2]W {
	return &[2]W{W(s.at(lo, lo) - shift), s.t.At(lo+1, lo)}
}

// chase moves a bulge through a step for each element of out, from step first on: step k applies a reflector to the rows and columns k+1 and k+2 that
// eliminates what column k has below row k+1. With start, the first step makes the bulge instead: its reflector maps start to a multiple of e_1.
func (s *singleShift[W]) chase(z zone, first int, start *[2]W, out []bulge.Householder2[W]) {
	for done := 0; done < len(out); {
		if done > 0 {
			start = nil
		}
		b := bulge.SingleShiftChase[W]{
			A: s.t.Data, Stride: s.t.Stride, First: first + done, Last: z.bottom, End: z.end, Top: z.top, Start: start, Reflectors: out[done:],
		}
		steps := b.Run(s.set)
		done += steps
		if steps > 0 {
			start = nil
		}
		if done < len(out) {
			s.step(z, first+done, start, &out[done])
			done++
		}
	}
}

// step is a step of chase with the care that the kernel does not take.
func (s *singleShift[W]) step(z zone, k int, start *[2]W, out *bulge.Householder2[W]) {
	t := s.t
	if start != nil {
		*out, _ = newTwoRows(start[0], start[1])
	} else {
		var beta W
		*out, beta = newTwoRows(t.At(k+1, k), t.At(k+2, k))
		t.Set(k+1, k, beta)
		t.Set(k+2, k, 0)
	}
	bulge.ReflectRowPairs(s.set, []bulge.Householder2[W]{*out}, false, t.Data[(k+1)*t.Stride+k+1:], t.Stride, z.end-k-1)
	for i := z.top; i <= min(k+3, z.bottom); i++ {
		r := t.Data[i*t.Stride+k+1 : i*t.Stride+k+3 : i*t.Stride+k+3]
		sum := r[0] + out.V*r[1]
		r[0] -= out.T0 * sum
		r[1] -= dense.Conj(out.T1) * sum
	}
}

// newTwoRows returns the reflector that maps (x, y) to (beta, 0). It is the identity only for y = 0.
func newTwoRows[W dense.Complex](x, y W) (r bulge.Householder2[W], beta W) {
	if y == 0 {
		return r, x
	}
	scale := safeScale(max(dense.Abs(x), dense.Abs(y)))
	wide, wideY := complex128(x)*complex(scale, 0), complex128(y)*complex(scale, 0)
	modulus := cmplx.Abs(wide)
	norm := math.Hypot(modulus, cmplx.Abs(wideY))
	phase := complex128(1)
	if modulus != 0 {
		unit := complex(safeScale(modulus), 0) // a subnormal modulus would not give a number of modulus 1
		phase = wide * unit / complex(cmplx.Abs(wide*unit), 0)
	}
	tau := 1 + modulus/norm
	product := wideY * cmplx.Conj(phase) / complex(norm, 0)
	return bulge.Householder2[W]{V: W(product / complex(tau, 0)), T1: W(product), T0: W(complex(tau, 0))}, W(-phase * complex(norm/scale, 0))
}
