package schur

import (
	"math"

	"trnsci/core/dense"
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
)

// francis is the implicit double-shift QR iteration on an upper Hessenberg matrix t. zt, the transposed accumulated
// factor, has no rows when it is not wanted.
type francis struct {
	team  *sched.Team
	t, zt dense.Matrix[float64]
	// Subdiagonal elements up to floor are zero for every purpose: rounding errors among numbers this small are no
	// longer relative to them.
	floor         float64
	sweeps, limit int
}

// triangularize overwrites the Hessenberg matrix h and the transposed factor qt by the T and Z^T of the Schur form.
func triangularize(h, qt dense.Matrix[float64], opt Options) error {
	n := h.Rows
	f := francis{team: opt.Team, t: h, zt: qt, floor: safeMin / eps * float64(n), limit: opt.MaxIterations}
	if f.limit == 0 {
		f.limit = sweepsPerEigenvalue * max(n, minSweepOrder)
	}
	for hi := n - 1; hi >= 0; {
		lo, err := f.isolate(hi)
		if err != nil {
			return err
		}
		if lo < hi {
			standardizeBlock(h, qt, lo)
		}
		f.team.Step(hi - lo + 1)
		hi = lo - 1
	}
	return nil
}

// isolate sweeps over the block that ends in row hi until a block of order 1 or 2 splits off at its end, and returns the
// first row of that.
func (f *francis) isolate(hi int) (int, error) {
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
		if err := f.sweep(lo, hi, f.chooseShift(lo, hi, stalled)); err != nil {
			return 0, err
		}
	}
}

// blockStart returns the first row of the unreduced block that ends in row hi, and clears the negligible element that
// separates it from the rows above.
func (f *francis) blockStart(hi int, relaxed bool) int {
	for k := hi; k > 0; k-- {
		if f.negligible(k, relaxed) {
			f.t.Set(k, k-1, 0)
			return k
		}
	}
	return 0
}

// negligible reports whether t[k,k-1] counts as zero. The relaxed test only bounds the backward error.
func (f *francis) negligible(k int, relaxed bool) bool {
	if math.Abs(f.t.At(k, k-1)) <= f.floor {
		return true
	}
	return f.small(k, relaxed) && (relaxed || f.separable(k))
}

// small reports whether setting t[k,k-1] to zero is a backward error of rounding size: whether it is tiny beside the
// neighbours on the diagonal or, if those are zero or the test is relaxed, on the subdiagonal.
func (f *francis) small(k int, relaxed bool) bool {
	t := f.t
	size := math.Abs(t.At(k-1, k-1)) + math.Abs(t.At(k, k))
	if size == 0 || relaxed {
		if k >= 2 {
			size += math.Abs(t.At(k-1, k-2))
		}
		if k+1 < t.Rows {
			size += math.Abs(t.At(k+1, k))
		}
	}
	return math.Abs(t.At(k, k-1)) <= eps*size
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
func (f *francis) separable(k int) bool {
	m := f.blockAt(k - 1)
	sub, super := math.Abs(m.c), math.Abs(m.b)
	// Both products are divided by the sum s of their largest factors, so that they cannot overflow.
	gap, diagonal := math.Abs(m.a-m.d), math.Abs(m.d)
	s := max(diagonal, gap) + max(sub, super)
	coupling := min(sub, super) * (max(sub, super) / s)
	if coupling <= max(f.floor, eps*(min(diagonal, gap)*(max(diagonal, gap)/s))) {
		return true
	}
	return math.Sqrt(sub)*math.Sqrt(super) <= eps*min(f.smallestBefore(k), f.smallestFrom(k))
}

// smallestBefore estimates the modulus of the smallest eigenvalue of the diagonal block that ends in row k-1.
func (f *francis) smallestBefore(k int) float64 {
	if k == 1 || f.t.At(k-1, k-2) == 0 {
		return math.Abs(f.t.At(k-1, k-1))
	}
	return f.blockAt(k - 2).smallestEigenvalue()
}

// smallestFrom estimates the modulus of the smallest eigenvalue of the diagonal block that starts in row k.
func (f *francis) smallestFrom(k int) float64 {
	if k == f.t.Rows-1 || f.t.At(k+1, k) == 0 {
		return math.Abs(f.t.At(k, k))
	}
	return f.blockAt(k).smallestEigenvalue()
}

// blockAt returns the diagonal block of rows i and i+1.
func (f *francis) blockAt(i int) block2 {
	t := f.t
	return block2{t.At(i, i), t.At(i, i+1), t.At(i+1, i), t.At(i+1, i+1)}
}

// shift is the pair re +- i im of a double-shift sweep; with im = 0, the real number re taken twice.
type shift struct{ re, im float64 }

// chooseShift returns the eigenvalues of the trailing 2 x 2 block of rows lo to hi if they are complex, and the one
// closer to the last diagonal element twice if they are real. A sweep that is due for an exceptional shift gets those of
// a made-up block of the size of the subdiagonal elements at the lower and the upper end in turn.
func (f *francis) chooseShift(lo, hi, stalled int) shift {
	t := f.t
	switch {
	case stalled%(2*exceptionalPeriod) == 0:
		return exceptionalShift(t.At(hi, hi), math.Abs(t.At(hi, hi-1))+math.Abs(t.At(hi-1, hi-2)))
	case stalled%exceptionalPeriod == 0:
		return exceptionalShift(t.At(lo, lo), math.Abs(t.At(lo+1, lo))+math.Abs(t.At(lo+2, lo+1)))
	}
	return rayleighShift(f.blockAt(hi - 1))
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
		return shift{re: mean * size, im: root * size}
	}
	if math.Abs(mean-root-m.d) < math.Abs(mean+root-m.d) {
		root = -root
	}
	return shift{re: (mean + root) * size}
}

// sweep does one implicit double-shift QR step on the unreduced block of rows lo to hi: a reflector that belongs to the
// shift makes a bulge below the subdiagonal, and further ones chase it down and out of the block.
func (f *francis) sweep(lo, hi int, s shift) error {
	t := f.t
	start, x := f.sweepStart(lo, hi, s)
	for k := start; k < hi; k++ {
		if err := poll(f.team, k); err != nil {
			return err
		}
		if k > start {
			x = [3]float64{t.At(k, k-1), t.At(k+1, k-1), 0}
			if k+2 <= hi {
				x[2] = t.At(k+2, k-1)
			}
		}
		p, beta := newReflector(x[0], x[1], x[2])
		switch {
		case k > start:
			t.Set(k, k-1, beta)
			t.Set(k+1, k-1, 0)
			if k+2 <= hi {
				t.Set(k+2, k-1, 0)
			}
		case k > lo:
			// What the first reflector adds below t[k,k-1] is negligible: sweepStart saw to it.
			t.Set(k, k-1, t.At(k, k-1)*(1-p.tau))
		}
		if p.tau != 0 {
			f.reflect(p, k, hi)
		}
	}
	return nil
}

// reflect applies p to the rows and columns k to min(k+2, hi) of t, and to the columns of z.
func (f *francis) reflect(p reflector, k, hi int) {
	t, zt := f.t, f.zt
	if k+2 > hi {
		p.rows2(t.Row(k)[k:], t.Row(k + 1)[k:])
		p.columns2(t, k, hi+1)
		if zt.Rows > 0 {
			p.rows2(zt.Row(k), zt.Row(k+1))
		}
		return
	}
	p.rows3(t.Row(k)[k:], t.Row(k + 1)[k:], t.Row(k + 2)[k:])
	p.columns3(t, k, min(k+3, hi)+1)
	if zt.Rows > 0 {
		p.rows3(zt.Row(k), zt.Row(k+1), zt.Row(k+2))
	}
}

// sweepStart returns the row in which the sweep starts and, up to a factor, the first three elements of the first column
// of (T - s)(T - conj s) for the block that starts there. The row is lo, or one further down where two consecutive small
// subdiagonal elements make the effect on the rows above negligible.
func (f *francis) sweepStart(lo, hi int, s shift) (int, [3]float64) {
	t := f.t
	for m := hi - 2; ; m-- {
		r0, r1 := t.Row(m)[m:], t.Row(m + 1)[m:]
		d := r0[0] - s.re
		size := math.Abs(d) + math.Abs(s.im) + math.Abs(r1[0])
		sub := r1[0] / size
		x := [3]float64{
			sub*r0[1] + d*(d/size) + s.im*(s.im/size),
			sub * (d + (r1[1] - s.re)),
			sub * t.At(m+2, m+1),
		}
		if sum := math.Abs(x[0]) + math.Abs(x[1]) + math.Abs(x[2]); sum > 0 {
			x = [3]float64{x[0] / sum, x[1] / sum, x[2] / sum}
		}
		if m == lo {
			return m, x
		}
		diagonal := math.Abs(t.At(m-1, m-1)) + math.Abs(r0[0]) + math.Abs(r1[1])
		if math.Abs(t.At(m, m-1))*(math.Abs(x[1])+math.Abs(x[2])) <= eps*math.Abs(x[0])*diagonal {
			return m, x
		}
	}
}
