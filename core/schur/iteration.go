package schur

import (
	"errors"
	"math"

	"trnsci/core/dense"
	"trnsci/core/internal/qriteration"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// iteration is the part that the double-shift and the single-shift QR iteration share: the upper Hessenberg matrix t,
// and the adjoint zt of the accumulated unitary factor, which has no rows when it is not wanted.
type iteration[W dense.Scalar] struct {
	team     *sched.Team
	set      kernel.Set // of all kernels but
	chaseSet kernel.Set // those that chase bulges, and apply their reflectors to columns
	t, zt    dense.Matrix[W]
	// eps is that of W. Subdiagonal elements up to floor are zero for every purpose: rounding errors among numbers this
	// small are no longer relative to them.
	eps, floor    float64
	sweeps, limit int
	valuesOnly    bool // of t only the diagonal blocks are wanted, of zt nothing
}

// newIteration returns the iteration for a matrix of order n, which prepare sets.
func newIteration[W dense.Scalar](n int, opt Options) iteration[W] {
	eps := dense.Eps[W]()
	return iteration[W]{
		team: opt.Team, set: kernel.Best(), chaseSet: kernel.BestForOverlaps(), eps: eps,
		floor: dense.SmallestNormal[W]() / eps * float64(n),
	}
}

// prepare makes it the iteration for t and zt, with at most limit sweeps or, if that is 0, the usual number.
func (it *iteration[W]) prepare(t, zt dense.Matrix[W], limit int) {
	it.t, it.zt, it.sweeps, it.limit = t, zt, 0, qriteration.SweepLimit(t.Rows, limit)
}

// state returns the iteration that is embedded in a bulgeIteration.
func (it *iteration[W]) state() *iteration[W] { return it }

// addSweeps counts sweeps on the block of rows lo to hi, unless that exceeds the limit.
func (it *iteration[W]) addSweeps(count, lo, hi int) error {
	if it.sweeps+count > it.limit {
		n := it.t.Rows
		return &ConvergenceError{Lo: lo, Hi: hi, Found: n - 1 - hi, N: n, Sweeps: it.sweeps}
	}
	it.sweeps += count
	return nil
}

// located turns the error of an iteration on the block of rows lo to hi into one of the whole matrix of order n.
func located(err error, lo, hi, n int) error {
	var e *ConvergenceError
	if errors.As(err, &e) {
		return &ConvergenceError{Lo: lo + e.Lo, Hi: lo + e.Hi, Found: n - 1 - hi + e.Found, N: n, Sweeps: e.Sweeps}
	}
	return err
}

// stepsDone returns how many of the n^3 progress steps of an iteration are done when left rows are left.
func stepsDone(n, left int, valuesOnly bool) int {
	if valuesOnly {
		return n*n*n - left*left*left
	}
	return n*n*n - n*left*left
}

// region is the part of a matrix that the steps of a bulge change: the rows from top on and the columns before end.
// bottom is the last row of the block.
type region struct {
	top, end, bottom int
	withZT           bool // whether the rows of zt are changed, too
}

// abs returns |x| without a branch, which would be mispredicted for random signs.
func abs[W dense.Float](x W) W { return W(math.Abs(float64(x))) }

// oneNorm returns |re x| + |im x|.
func oneNorm[W dense.Complex](x W) float64 {
	z := complex128(x)
	return math.Abs(real(z)) + math.Abs(imag(z))
}
