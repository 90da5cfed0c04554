package qz

import (
	"trnsci/core/dense"
)

const (
	// QZ sweeps allowed for each eigenvalue; two or three are usual. Small matrices get those of minSweepOrder, so that a
	// few exceptional shifts can be tried.
	sweepsPerEigenvalue = 30
	minSweepOrder       = 10

	// Every tenth sweep without a deflation takes its shift from outside the block's spectrum, which breaks the cycles of
	// the plain iteration. The numbers, customary since EISPACK's HQR, have no meaning of their own.
	exceptionalPeriod   = 10
	exceptionalDiagonal = 0.75
	exceptionalProduct  = -0.4375

	// A block that both kinds of exceptional shift have not split is no longer asked to keep small elements: what is
	// negligible beside the whole matrix will do then.
	relaxAfter = 2 * exceptionalPeriod

	// Elements this small are zero for every purpose; the pair has norms of about 1.
	floor = 0x1p-960
)

// iteration is the QZ iteration on a Hessenberg-triangular pair.
type iteration[T dense.Wide] struct {
	*pencil[T]
	sweeps, limit int
	window        window[T] // of the sweep that runs; its memory serves all
}

// iterate brings the Hessenberg-triangular pair to generalized Schur form; a limit of 0 is the usual one.
func (m *pencil[T]) iterate(limit int) error {
	n := m.order()
	if limit == 0 {
		limit = sweepsPerEigenvalue * max(n, minSweepOrder)
	}
	m.team.Plan(cube(n))
	it := &iteration[T]{pencil: m, limit: limit}
	for hi := n - 1; hi >= 0; {
		lo, err := it.isolate(hi)
		if err != nil {
			return err
		}
		hi = lo - 1
		m.team.Reach(cube(n) - cube(hi+1)) // the last eigenvalues come sooner
	}
	for k := range n {
		if !m.inBlock(k) {
			m.makePositive(k)
		}
	}
	return nil
}

// isolate sweeps over the block that ends in row hi until a block of order 1, or a standardized one of order 2, splits
// off at its end, and returns the first row of that.
func (it *iteration[T]) isolate(hi int) (int, error) {
	for stalled := 1; ; stalled++ {
		if err := it.team.Err(); err != nil {
			return 0, err
		}
		lo := it.blockStart(hi, stalled > relaxAfter)
		if lo == hi || it.deflateInfinite(hi) {
			return hi, nil
		}
		if it.removeZeros(lo, hi) {
			stalled = 0 // the pair has changed, and the next eigenvalue is an infinite one
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

// blockStart returns the first row of the unreduced block that ends in row hi, and clears the negligible element that
// separates it from the rows above.
func (it *iteration[T]) blockStart(hi int, relaxed bool) int {
	for k := hi; k > 0; k-- {
		if it.negligible(k, relaxed) {
			it.s.Set(k, k-1, 0)
			return k
		}
	}
	return 0
}

// negligible reports whether setting S[k,k-1] to zero is a backward error of rounding size: whether it is tiny beside
// its neighbours on the diagonal or, if the test is relaxed, beside S.
func (it *iteration[T]) negligible(k int, relaxed bool) bool {
	size := dense.Abs(it.s.At(k, k-1))
	if relaxed && size <= eps*it.normS {
		return true
	}
	return size <= max(floor, eps*(dense.Abs(it.s.At(k-1, k-1))+dense.Abs(it.s.At(k, k))))
}

// isSingular reports whether P[k,k] is zero up to rounding errors, and makes it zero then.
func (it *iteration[T]) isSingular(k int) bool {
	if dense.Abs(it.p.At(k, k)) > max(floor, eps*it.normP) {
		return false
	}
	it.p.Set(k, k, 0)
	return true
}

// deflateInfinite splits off an infinite eigenvalue in row hi > 0 if P[hi,hi] is zero.
func (it *iteration[T]) deflateInfinite(hi int) bool {
	if !it.isSingular(hi) {
		return false
	}
	g, _ := toSecond(it.s.At(hi, hi-1), it.s.At(hi, hi))
	it.right(hi-1, g, hi+1, hi)
	it.s.Set(hi, hi-1, 0)
	return true
}

// removeZeros looks for a zero on P's diagonal above row hi in the unreduced block of rows lo to hi. One in row lo is
// an infinite eigenvalue that splits off there; others are moved down to row hi, where deflateInfinite finds them. It
// reports whether there was a zero.
func (it *iteration[T]) removeZeros(lo, hi int) bool {
	for k := lo; k < hi; k++ {
		if !it.isSingular(k) {
			continue
		}
		if k == lo {
			g, r := toFirst(it.s.At(k, k), it.s.At(k+1, k))
			it.left(k, g, k, k+1)
			it.s.Set(k, k, r)
			it.s.Set(k+1, k, 0)
			return true
		}
		for i := k; i < hi; i++ {
			it.moveZero(i)
		}
		return true
	}
	return false
}

// moveZero moves the zero P[k,k] to P[k+1,k+1] by a rotation of rows, and makes S a Hessenberg matrix again by one of
// columns.
func (it *iteration[T]) moveZero(k int) {
	g, r := toFirst(it.p.At(k, k+1), it.p.At(k+1, k+1))
	it.left(k, g, k-1, k+1)
	it.p.Set(k, k+1, r)
	it.p.Set(k+1, k+1, 0)
	h, r := toSecond(it.s.At(k+1, k-1), it.s.At(k+1, k))
	it.right(k-1, h, k+2, k)
	it.s.Set(k+1, k-1, 0)
	it.s.Set(k+1, k, r)
}

// chooseShifts returns the eigenvalues of the trailing 2 x 2 block of S P^-1 if T is real and they are complex,
// otherwise the one closer to the block's last diagonal element twice. A sweep that is due for an exceptional shift
// gets those of a made-up block of the size of the subdiagonal elements at the lower and the upper end in turn.
func (it *iteration[T]) chooseShifts(lo, hi, stalled int) [2]complex128 {
	switch {
	case stalled%(2*exceptionalPeriod) == 0:
		return closest(it.exceptional(hi, hi))
	case stalled%exceptionalPeriod == 0:
		return closest(it.exceptional(lo, lo+1))
	}
	return closest(it.quotient(hi - 1))
}

// exceptional returns a made-up block with the diagonal element of S P^-1 in row i and the size of its subdiagonal
// element in row k.
func (it *iteration[T]) exceptional(i, k int) [2][2]T {
	size := dense.Abs(it.s.At(k, k-1) / it.p.At(k-1, k-1))
	d := it.s.At(i, i)/it.p.At(i, i) + dense.FromReal[T](exceptionalDiagonal*size)
	return [2][2]T{{d, dense.FromReal[T](exceptionalProduct * size)}, {dense.FromReal[T](size), d}}
}

func widen[T dense.Wide](x T) complex128 { return complex(dense.Real(x), dense.Imag(x)) }

// quotient returns S P^-1 for the 2 x 2 blocks of rows k and k+1, P's being nonsingular.
func (m *pencil[T]) quotient(k int) (q [2][2]T) {
	p00, p01, p11 := m.p.At(k, k), m.p.At(k, k+1), m.p.At(k+1, k+1)
	for i := range q {
		q[i][0] = m.s.At(k+i, k) / p00
		q[i][1] = (m.s.At(k+i, k+1) - q[i][0]*p01) / p11
	}
	return q
}
