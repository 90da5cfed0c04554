package schur

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/bulge"
	"trnsci/core/sched"
)

const (
	// QR sweeps allowed for each eigenvalue; two or three are usual. Small matrices get those of minSweepOrder, so that
	// a few exceptional shifts can be tried.
	sweepsPerEigenvalue = 30
	minSweepOrder       = 10

	// Every tenth sweep without a deflation takes its shift from outside the block's spectrum, which breaks the cycles
	// of the plain iteration (a permutation matrix reproduces itself). The numbers, customary since EISPACK's HQR,
	// have no meaning of their own.
	exceptionalPeriod   = 10
	exceptionalDiagonal = 0.75
	exceptionalProduct  = -0.4375

	// A block that both kinds of exceptional shift have not split is no longer asked to keep small eigenvalues: matrices
	// that are graded over hundreds of orders of magnitude need rotations by angles that underflow.
	relaxAfter = 2 * exceptionalPeriod

	// Up to so many columns of zt follow the steps of a bulge at once, which has the time while it waits for the next reflector.
	mostAtOnce = 32
)

// francis is the implicit double-shift QR iteration on an upper Hessenberg matrix t. zt, the transposed accumulated
// factor, has no rows when it is not wanted.
type francis[W dense.Float] struct {
	team  *sched.Team
	set   kernel.Set
	t, zt dense.Matrix[W]
	// Rounding unit of W. Subdiagonal elements up to floor are zero for every purpose: rounding errors among numbers this
	// small are no longer relative to them.
	eps, rootEps, floor float64
	sweeps, limit       int
	blocksOnly          bool                    // of t only the diagonal blocks are wanted, of zt nothing
	reflectors          []bulge.Householder3[W] // of a sweep
}

// newFrancis returns the iteration for t and zt.
func newFrancis[W dense.Float](t, zt dense.Matrix[W], opt Options) *francis[W] {
	f := &francis[W]{team: opt.Team, set: kernel.Best(), eps: dense.Eps[W](), blocksOnly: opt.ValuesOnly && zt.Rows == 0}
	f.rootEps = math.Sqrt(f.eps)
	f.floor = smallestNormal[W]() / f.eps * float64(t.Rows)
	f.prepare(t, zt, opt.MaxIterations)
	return f
}

// prepare makes f the iteration for t and zt, with the rest as it was. A limit of 0 stands for the usual one.
func (f *francis[W]) prepare(t, zt dense.Matrix[W], limit int) {
	n := t.Rows
	f.t, f.zt, f.sweeps, f.limit = t, zt, 0, limit
	if cap(f.reflectors) < n {
		f.reflectors = make([]bulge.Householder3[W], n)
	}
	if limit == 0 {
		f.limit = sweepsPerEigenvalue * max(n, minSweepOrder)
	}
}

// triangularize overwrites the Hessenberg matrix h and the transposed factor qt by the T and Z^T of the Schur form.
func triangularize[W dense.Float](h, qt dense.Matrix[W], opt Options) error {
	return newFrancis(h, qt, opt).run()
}

// run isolates eigenvalues from the last row up.
func (f *francis[W]) run() error {
	f.team = f.team.Plan(iterated(f.t.Rows, 0, f.blocksOnly))
	if f.t.Rows > plainOrder {
		return f.runLarge()
	}
	for hi := f.t.Rows - 1; hi >= 0; {
		lo, err := f.isolate(hi)
		if err != nil {
			return err
		}
		switch {
		case lo == hi:
		case f.blocksOnly:
			standardizeBlock(f.t.Slice(lo, hi+1, lo, hi+1), f.zt, 0)
		default:
			standardizeBlock(f.t, f.zt, lo)
		}
		hi = lo - 1
		f.team.Reach(iterated(f.t.Rows, hi+1, f.blocksOnly))
	}
	return nil
}

// isolate sweeps over the block that ends in row hi until a block of order 1 or 2 splits off at its end, and returns the
// first row of that.
func (f *francis[W]) isolate(hi int) (int, error) {
	for stalled := 1; ; stalled++ {
		if err := f.team.Err(); err != nil {
			return 0, err
		}
		lo := f.blockStart(hi, stalled > relaxAfter)
		if lo >= hi-1 {
			return lo, nil
		}
		if f.sweeps >= f.limit {
			n := f.t.Rows
			return 0, &ConvergenceError{Lo: lo, Hi: hi, Found: n - 1 - hi, N: n, Sweeps: f.sweeps}
		}
		f.sweeps++
		f.sweep(lo, hi, f.chooseShift(lo, hi, stalled))
	}
}

// blockStart returns the first row of the unreduced block that ends in row hi, and clears the negligible element that
// separates it from the rows above.
func (f *francis[W]) blockStart(hi int, relaxed bool) int {
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

// lastSmall returns the last row up to k in which the element left of the diagonal may be negligible, zero if there is none. It decides in W what the
// first half of negligible decides in double precision.
func (f *francis[W]) lastSmall(k int) int {
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

// abs has no branch, which half of all numbers would take.
func abs[W dense.Float](x W) W { return W(math.Abs(float64(x))) }

// negligible reports whether t[k,k-1] counts as zero. The relaxed test only bounds the backward error.
func (f *francis[W]) negligible(k int, relaxed bool) bool {
	if math.Abs(f.at(k, k-1)) <= f.floor {
		return true
	}
	return f.small(k, relaxed) && (relaxed || f.separable(k))
}

// small reports whether setting t[k,k-1] to zero is a backward error of rounding size: whether it is tiny beside the
// neighbours on the diagonal or, if those are zero or the test is relaxed, on the subdiagonal.
func (f *francis[W]) small(k int, relaxed bool) bool {
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

// separable reports whether small eigenvalues of a graded matrix keep their leading digits when t[k,k-1] is set to zero.
// They do if the block of rows k-1 and k passes the test of Ahues and Tisseur, in which t[k,k] stands for an eigenvalue,
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
func (f *francis[W]) separable(k int) bool {
	m := block2At(f.t, k-1)
	sub, super := math.Abs(m.c), math.Abs(m.b)
	// Both products are divided by the sum s of their largest factors, so that they cannot overflow.
	gap, diagonal := math.Abs(m.a-m.d), math.Abs(m.d)
	s := max(diagonal, gap) + max(sub, super)
	coupling := min(sub, super) * (max(sub, super) / s)
	if coupling <= max(f.floor, f.eps*(min(diagonal, gap)*(max(diagonal, gap)/s))) {
		return true
	}
	return math.Sqrt(sub)*math.Sqrt(super) <= f.eps*min(f.smallestBefore(k), f.smallestFrom(k))
}

// smallestBefore estimates the modulus of the smallest eigenvalue of the diagonal block that ends in row k-1.
func (f *francis[W]) smallestBefore(k int) float64 {
	if k == 1 || f.at(k-1, k-2) == 0 {
		return math.Abs(f.at(k-1, k-1))
	}
	return block2At(f.t, k-2).smallestEigenvalue()
}

// smallestFrom estimates the modulus of the smallest eigenvalue of the diagonal block that starts in row k.
func (f *francis[W]) smallestFrom(k int) float64 {
	if k == f.t.Rows-1 || f.at(k+1, k) == 0 {
		return math.Abs(f.at(k, k))
	}
	return block2At(f.t, k).smallestEigenvalue()
}

// at returns an element of t in double precision.
func (f *francis[W]) at(i, j int) float64 { return float64(f.t.At(i, j)) }

// shift is the pair of numbers re1 + i im1, re2 + i im2 of a double-shift sweep: two real ones, or complex conjugates.
type shift struct{ re1, im1, re2, im2 float64 }

// chooseShift returns the eigenvalues of the trailing 2 x 2 block of rows lo to hi if they are complex, and the one
// closer to the last diagonal element twice if they are real. A sweep that is due for an exceptional shift gets those of
// a made-up block of the size of the subdiagonal elements at the lower and the upper end in turn.
func (f *francis[W]) chooseShift(lo, hi, stalled int) shift {
	switch {
	case stalled%(2*exceptionalPeriod) == 0:
		return exceptionalShift(f.at(hi, hi), math.Abs(f.at(hi, hi-1))+math.Abs(f.at(hi-1, hi-2)))
	case stalled%exceptionalPeriod == 0:
		return exceptionalShift(f.at(lo, lo), math.Abs(f.at(lo+1, lo))+math.Abs(f.at(lo+2, lo+1)))
	}
	return rayleighShift(block2At(f.t, hi-1))
}

func exceptionalShift(diagonal, size float64) shift {
	d := diagonal + exceptionalDiagonal*size
	return rayleighShift(block2{a: d, b: exceptionalProduct * size, c: size, d: d})
}

func rayleighShift(m block2) shift {
	size := math.Abs(m.a) + math.Abs(m.b) + math.Abs(m.c) + math.Abs(m.d)
	if size == 0 {
		return shift{}
	}
	m = block2{m.a / size, m.b / size, m.c / size, m.d / size}
	mean := (m.a + m.d) / 2
	determinant := (m.a-mean)*(m.d-mean) - m.b*m.c
	root := math.Sqrt(math.Abs(determinant))
	if determinant >= 0 {
		return shift{mean * size, root * size, mean * size, -root * size}
	}
	if math.Abs(mean-root-m.d) < math.Abs(mean+root-m.d) {
		root = -root
	}
	re := (mean + root) * size
	return shift{re1: re, re2: re}
}

// sweep does one implicit double-shift QR step on the unreduced block of rows lo to hi: a reflector that belongs to the
// shift makes a bulge below the subdiagonal, and further ones chase it down and out of the block.
func (f *francis[W]) sweep(lo, hi int, s shift) {
	t, z := f.t, zone{end: f.t.Cols, bottom: hi}
	if f.blocksOnly {
		z = zone{top: lo, end: hi + 1, bottom: hi}
	}
	z.withZT = f.zt.Cols <= mostAtOnce && f.zt.Stride == t.Stride
	row, x := f.sweepStart(lo, hi, s)
	out := f.reflectors[:hi-row]
	f.chase(z, row-1, hi-2, roundedStart[W](x), out)
	if row > lo {
		// What the first reflector adds below t[row,row-1] is negligible: sweepStart saw to it.
		t.Set(row, row-1, t.At(row, row-1)*(1-out[0].T0))
	}
	if f.zt.Rows > 0 && !z.withZT {
		bulge.ReflectRows(f.set, out, f.zt.Data[row*f.zt.Stride:], f.zt.Stride, f.zt.Cols)
	}
}

// firstColumn is the first three elements of a column.
type firstColumn struct{ x0, x1, x2 float64 }

// roundedStart returns the elements of x in the type W.
func roundedStart[W dense.Float](x firstColumn) *[3]W { return &[3]W{W(x.x0), W(x.x1), W(x.x2)} }

// sweepStart returns the row in which the sweep starts and, up to a factor, the first three elements of the first column
// of (T - s1)(T - s2) for the block that starts there. The row is lo, or one further down where two consecutive small
// subdiagonal elements make the effect on the rows above negligible.
func (f *francis[W]) sweepStart(lo, hi int, s shift) (int, firstColumn) {
	for m := hi - 2; ; m-- {
		if m = f.lastCoupled(lo, m); m == lo {
			return m, f.startVector(m, s)
		}
		x := f.startVector(m, s)
		diagonal := math.Abs(f.at(m, m)) + math.Abs(f.at(m+1, m+1))
		if math.Abs(f.at(m, m-1))*(math.Abs(x.x1)+math.Abs(x.x2)) <= f.eps*math.Abs(x.x0)*(math.Abs(f.at(m-1, m-1))+diagonal) {
			return m, x
		}
	}
}

// lastCoupled returns the last row up to m, but not above lo, in which a sweep may start: in the others the product of the subdiagonal elements is so large
// that the test of sweepStart would fail, but for shifts that are eigenvalues of the rows above.
func (f *francis[W]) lastCoupled(lo, m int) int {
	data, step, unit := f.t.Data, f.t.Stride+1, W(f.rootEps)
	at := m * step
	below, sub := abs(data[at+step]), abs(data[at+step-1])
	for ; m > lo; m-- {
		diagonal, before := abs(data[at]), abs(data[at-1])
		if size := diagonal + below; !(before*sub > unit*(size*size)) {
			return m
		}
		below, sub = diagonal, before
		at -= step
	}
	return lo
}

// startVector returns, up to a factor, the first three elements of the first column of (T - s1)(T - s2) for the block that starts in row m.
func (f *francis[W]) startVector(m int, s shift) firstColumn {
	d, below := f.at(m, m)-s.re2, f.at(m+1, m)
	size := math.Abs(d) + math.Abs(s.im2) + math.Abs(below)
	if size == 0 {
		return firstColumn{}
	}
	sub := below / size
	x := firstColumn{
		sub*f.at(m, m+1) + (f.at(m, m)-s.re1)*(d/size) - s.im1*(s.im2/size),
		sub * (d + (f.at(m+1, m+1) - s.re1)),
		sub * f.at(m+2, m+1),
	}
	if sum := math.Abs(x.x0) + math.Abs(x.x1) + math.Abs(x.x2); sum > 0 {
		x = firstColumn{x.x0 / sum, x.x1 / sum, x.x2 / sum}
	}
	return x
}
