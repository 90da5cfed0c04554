package qz

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Order moves the selected eigenvalues of a generalized Schur form, as returned by Decompose, to the top by unitary
// transformations and returns their number. A complex pair of a real form moves as a whole if one of its two
// eigenvalues is selected. The order among the selected eigenvalues, and among the others, is preserved. f is
// overwritten. Alpha and Beta receive the eigenvalues in their new order, which may differ from the old ones by
// rounding errors; eigenvalues that are exactly infinite or zero remain so.
//
// It returns a *dense.ArgumentError for shapes that do not match, for infinities or NaNs, and for an S or P that is not
// of generalized Schur form; an *OrderError, with a form that is valid and partly reordered, when two eigenvalues are
// too close to be swapped; and the team's error when the call is cancelled, after which f is unspecified.
//
// Cost: at most 12 n flops for each swap of two eigenvalues of a real form, 24 n with Q and Z. Method: LAPACK's tgsen
// and tgexc, which swap adjacent diagonal blocks directly; each swap is accepted or rejected according to the size of
// the elements that it sets to zero, see swap.
func Order[T dense.Scalar](f Form[T], selected []bool, opt Options) (int, error) {
	if dense.IsComplex[T]() {
		return order[T, complex128](f, selected, opt)
	}
	return order[T, float64](f, selected, opt)
}

func order[T dense.Scalar, W dense.Wide](f Form[T], selected []bool, opt Options) (int, error) {
	n := f.S.Rows
	if err := f.check(n); err != nil {
		return 0, err
	}
	if len(selected) != n {
		return 0, dense.BadArgument("selected", "expected %d elements, got %d", n, len(selected))
	}
	if finite, err := checkFinite([2]string{"s", "p"}, f.S, f.P, opt); err != nil || !finite {
		if err == nil {
			fillValues(f.Alpha, f.Beta, math.NaN())
		}
		return 0, err
	}
	m := &pencil[W]{team: opt.Team, s: dense.New[W](n, n), p: dense.New[W](n, n)}
	m.qt, m.zt = dense.New[W](f.Q.Rows, f.Q.Cols), dense.New[W](f.Z.Rows, f.Z.Cols)
	if err := blas.CopyView(opt.Team, m.qt.View().T(), f.Q); err != nil {
		return 0, err
	}
	if err := blas.CopyView(opt.Team, m.zt.View().T(), f.Z); err != nil {
		return 0, err
	}
	powers, err := load(m, f.S, f.P)
	if err != nil {
		return 0, err
	}
	if err := m.checkForm(); err != nil {
		return 0, err
	}
	count, rejection := m.reorder(selected)
	if _, tooClose := rejection.(*OrderError); rejection != nil && !tooClose {
		return 0, rejection
	}
	for k := range n {
		if !m.inBlock(k) {
			m.makePositive(k)
		}
	}
	if err := store(m, powers, f); err != nil {
		return 0, err
	}
	return count, rejection
}

// checkForm returns an error unless the pair is in generalized Schur form. It restores the standard form of 2 x 2
// blocks that lost it when they were rounded to a type of lower precision.
func (m *pencil[T]) checkForm() error {
	n := m.order()
	real, isReal := any(m).(*pencil[float64])
	for i := range n {
		below := i
		if isReal {
			below = max(0, i-1)
		}
		if !isZero(dense.Vec(m.s.Row(i)[:below])) || (isReal && i > 1 && m.startsBlock(i-1) && m.startsBlock(i-2)) {
			return dense.BadArgument("s", "row %d is not that of a generalized Schur form", i)
		}
		if !isZero(dense.Vec(m.p.Row(i)[:i])) {
			return dense.BadArgument("p", "row %d has elements left of the diagonal", i)
		}
	}
	for k := 0; k < n; k++ {
		if !isReal || !m.startsBlock(k) {
			continue
		}
		if m.p.At(k, k) == 0 || m.p.At(k+1, k+1) == 0 {
			return dense.BadArgument("p", "the block of rows %d and %d, of a complex pair, is singular", k, k+1)
		}
		if m.p.At(k, k+1) != 0 || !isComplexPair(real, k) {
			if !standardize(real, k) {
				return dense.BadArgument("s", "the block of rows %d and %d has real eigenvalues", k, k+1)
			}
		}
		k++
	}
	return nil
}

// blockOrder returns the order of the diagonal block that starts in row k.
func (m *pencil[T]) blockOrder(k int) int {
	if m.startsBlock(k) {
		return 2
	}
	return 1
}

// reorder moves the selected blocks to the top and returns the number of their rows (LAPACK's tgsen).
func (m *pencil[T]) reorder(selected []bool) (int, error) {
	top, n := 0, m.order()
	m.team.Plan(n * n)
	for k := 0; k < n; {
		if err := m.team.Err(); err != nil {
			return top, err
		}
		rows := m.blockOrder(k)
		if selected[k] || selected[k+rows-1] {
			if err := m.moveUp(k, rows, top); err != nil {
				return top, err
			}
			top += rows
		}
		k += rows
		m.team.Reach(k * k)
	}
	return top, nil
}

// moveUp moves the block of the given order that starts in row from to row top (LAPACK's tgexc). If a complex pair
// becomes two real eigenvalues on the way, as rounding errors may cause, these are moved one after the other.
func (m *pencil[T]) moveUp(from, rows, top int) error {
	for from > top {
		if err := m.team.Err(); err != nil {
			return err
		}
		if rows == 2 && !m.startsBlock(from) {
			if err := m.moveUp(from, 1, top); err != nil {
				return err
			}
			return m.moveUp(from+1, 1, top+1)
		}
		before := 1
		if from-2 >= top && m.startsBlock(from-2) {
			before = 2
		}
		if !m.swap(from-before, before, rows) {
			return &OrderError{Row: from - before}
		}
		from -= before
	}
	return nil
}
