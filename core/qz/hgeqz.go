package qz

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/internal/qriteration"
)

// floor is the modulus up to which elements of S and P, whose norms are about 1, are always negligible.
const floor = 0x1p-960

// iteration is the QZ iteration on a Hessenberg-triangular pair.
type iteration[T dense.Wide] struct {
	*pencil[T]
	sweeps, limit int
	// Memory that all sweeps share.
	window      window[T]
	doubleShift doubleShift
}

// iterate brings the Hessenberg-triangular pair to generalized Schur form in at most the given number of sweeps; 0
// stands for the usual limit. Method: LAPACK's hgeqz.
func (m *pencil[T]) iterate(limit int) error {
	n := m.order()
	m.team.Plan(cube(n))
	it := &iteration[T]{pencil: m, limit: qriteration.SweepLimit(n, limit)}
	for hi := n - 1; hi >= 0; {
		lo, err := it.deflate(hi)
		if err != nil {
			return err
		}
		hi = lo - 1
		m.team.Reach(cube(n) - cube(hi+1)) // the last eigenvalues take less time
	}
	for k := range n {
		if !m.inBlock(k) {
			m.makePositive(k)
		}
	}
	return nil
}

// deflate sweeps over the unreduced block that ends in row hi until a diagonal block of order 1, or of order 2 in
// standard form, splits off at its end. It returns the first row of that diagonal block.
func (it *iteration[T]) deflate(hi int) (int, error) {
	for stalled := 1; ; stalled++ {
		if err := it.team.Err(); err != nil {
			return 0, err
		}
		lo := it.blockStart(hi, stalled > qriteration.RelaxAfter)
		if lo == hi || it.deflateInfinite(hi) {
			return hi, nil
		}
		if it.removeZeros(lo, hi) {
			stalled = 0 // the pair has changed, and the next eigenvalue is infinite
			continue
		}
		if real, ok := any(it.pencil).(*pencil[float64]); ok && lo == hi-1 && standardize(real, lo) {
			if it.s.At(hi, lo) != 0 {
				return lo, nil
			}
			return hi, nil
		}
		if it.sweeps >= it.limit {
			n := it.order()
			return 0, &ConvergenceError{Lo: lo, Hi: hi, Found: n - 1 - hi, N: n, Sweeps: it.sweeps}
		}
		it.sweeps++
		if err := it.sweep(lo, hi, it.chooseShifts(lo, hi, stalled)); err != nil {
			return 0, err
		}
	}
}

// sweep does an implicit QZ sweep on the unreduced block of rows lo to hi: a double-shift sweep for real pairs, where
// the shifts are a complex conjugate pair or equal, and a single-shift sweep for complex pairs and blocks of order 2.
func (it *iteration[T]) sweep(lo, hi int, shifts [2]complex128) error {
	if real, ok := any(it.pencil).(*pencil[float64]); ok && hi-lo > 1 {
		return it.doubleShift.sweep(real, lo, hi, shifts)
	}
	return it.singleShift(&it.window, lo, hi, shifts[0])
}

// blockStart returns the first row of the unreduced block that ends in row hi, and sets the negligible element that
// separates it from the rows above to zero.
func (it *iteration[T]) blockStart(hi int, relaxed bool) int {
	for k := hi; k > 0; k-- {
		if real, ok := any(it.pencil).(*pencil[float64]); ok && !relaxed {
			if k = lastSmall(real.s, k); k == 0 {
				break
			}
		}
		if it.negligible(k, relaxed) {
			it.s.Set(k, k-1, 0)
			return k
		}
	}
	return 0
}

// lastSmall returns the last row up to k in which the element left of the diagonal of s is negligible, zero if there is
// none: the test of negligible, without its calls.
func lastSmall(s dense.Matrix[float64], k int) int {
	below := math.Abs(s.At(k, k))
	for ; k > 0; k-- {
		diagonal := math.Abs(s.At(k-1, k-1))
		if math.Abs(s.At(k, k-1)) <= max(floor, dense.EpsDouble*(diagonal+below)) {
			return k
		}
		below = diagonal
	}
	return 0
}

// negligible reports whether setting S[k,k-1] to zero is a backward error of rounding size: whether the element is
// negligible relative to its neighbours on the diagonal or, if the test is relaxed, to the norm of S.
func (it *iteration[T]) negligible(k int, relaxed bool) bool {
	size := dense.Abs(it.s.At(k, k-1))
	if relaxed && size <= dense.EpsDouble*it.normS {
		return true
	}
	return size <= max(floor, dense.EpsDouble*(dense.Abs(it.s.At(k-1, k-1))+dense.Abs(it.s.At(k, k))))
}

// allRegular reports whether none of the diagonal elements of a real P in the rows lo to hi is zero up to rounding
// errors.
func (it *iteration[T]) allRegular(lo, hi int) bool {
	real, ok := any(it.p).(dense.Matrix[float64])
	for k, least := lo, max(floor, dense.EpsDouble*it.normP); ok && k <= hi; k++ {
		ok = math.Abs(real.At(k, k)) > least
	}
	return ok
}

// isSingular reports whether P[k,k] is zero up to rounding errors; if so, it sets the element to zero.
func (it *iteration[T]) isSingular(k int) bool {
	if dense.Abs(it.p.At(k, k)) > max(floor, dense.EpsDouble*it.normP) {
		return false
	}
	it.p.Set(k, k, 0)
	return true
}

// deflateInfinite splits off an infinite eigenvalue in row hi > 0 if P[hi,hi] is zero, and reports whether it did.
func (it *iteration[T]) deflateInfinite(hi int) bool {
	if !it.isSingular(hi) {
		return false
	}
	g, _ := householder.ToSecond(it.s.At(hi, hi-1), it.s.At(hi, hi))
	it.rotateColumns(hi-1, g, hi+1, hi)
	it.s.Set(hi, hi-1, 0)
	return true
}

// removeZeros searches the diagonal of P for a zero above row hi in the unreduced block of rows lo to hi, and reports
// whether there was one. A zero in row lo is an infinite eigenvalue that splits off there; any other zero is chased
// down to row hi, where deflateInfinite finds it.
func (it *iteration[T]) removeZeros(lo, hi int) bool {
	if it.allRegular(lo, hi-1) {
		return false
	}
	for k := lo; k < hi; k++ {
		if !it.isSingular(k) {
			continue
		}
		if k == lo {
			g, r := householder.ToFirst(it.s.At(k, k), it.s.At(k+1, k))
			it.rotateRows(k, g, k, k+1)
			it.s.Set(k, k, r)
			it.s.Set(k+1, k, 0)
			return true
		}
		for i := k; i < hi; i++ {
			it.chaseZero(i)
		}
		return true
	}
	return false
}

// chaseZero moves the zero P[k,k] to P[k+1,k+1] by a rotation of rows, and restores the Hessenberg form of S by a
// rotation of columns.
func (it *iteration[T]) chaseZero(k int) {
	g, r := householder.ToFirst(it.p.At(k, k+1), it.p.At(k+1, k+1))
	it.rotateRows(k, g, k-1, k+1)
	it.p.Set(k, k+1, r)
	it.p.Set(k+1, k+1, 0)
	h, r := householder.ToSecond(it.s.At(k+1, k-1), it.s.At(k+1, k))
	it.rotateColumns(k-1, h, k+2, k)
	it.s.Set(k+1, k-1, 0)
	it.s.Set(k+1, k, r)
}

// chooseShifts returns the Wilkinson shifts of the trailing 2 x 2 block of S P^-1, or those of a block made up for an
// exceptional sweep from elements at the lower or the upper end.
func (it *iteration[T]) chooseShifts(lo, hi, stalled int) [2]complex128 {
	switch qriteration.KindOfShift(stalled) {
	case qriteration.ExceptionalAtEnd:
		return wilkinsonShifts(it.exceptional(hi, hi))
	case qriteration.ExceptionalAtStart:
		return wilkinsonShifts(it.exceptional(lo, lo+1))
	}
	return wilkinsonShifts(it.quotient(hi - 1))
}

// exceptional returns the block that determines exceptional shifts, see package qriteration: with the diagonal element
// of S P^-1 in row i and the modulus of its subdiagonal element in row k.
func (it *iteration[T]) exceptional(i, k int) [2][2]T {
	size := dense.Abs(it.s.At(k, k-1) / it.p.At(k-1, k-1))
	d := it.s.At(i, i)/it.p.At(i, i) + dense.FromReal[T](qriteration.ExceptionalDiagonal*size)
	return [2][2]T{{d, dense.FromReal[T](qriteration.ExceptionalProduct * size)}, {dense.FromReal[T](size), d}}
}
