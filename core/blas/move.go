package blas

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/sched"
)

// Elements moved or read between two checks of the team: about a millisecond when the pages are fresh.
const moveChunk = 1 << 18

// CopyView copies src, converted to dst's dtype, into dst of the same shape, on all of the team's threads. It returns
// the team's error when the call is cancelled.
func CopyView[D, S dense.Scalar](team *sched.Team, dst dense.View[D], src dense.View[S]) error {
	if dst.ByColumns() {
		dst, src = dst.T(), src.T()
	}
	return forRows(team, dst.Rows, dst.Cols, func(i0, i1 int) error {
		copyRows(dst.SliceRows(i0, i1), src.SliceRows(i0, i1))
		return nil
	})
}

// copyRows is CopyView on one thread. Kernels transpose.
func copyRows[D, S dense.Scalar](dst dense.View[D], src dense.View[S]) {
	if same, ok := any(src).(dense.View[D]); ok && src.ByColumns() {
		to, byRows := dst.Matrix()
		from, byColumns := same.T().Matrix()
		if byRows && byColumns && dst.Rows > 0 && dst.Cols > 0 {
			transpose(kernel.Best(), to, from)
			return
		}
	}
	dense.Copy(dst, src)
}

// CheckFinite returns dense.NotFinite(arg) if v holds an infinity or a NaN, and the team's error when the call is
// cancelled.
func CheckFinite[T dense.Scalar](team *sched.Team, v dense.View[T], arg string) error {
	if v.ByColumns() {
		v = v.T()
	}
	return forRows(team, v.Rows, v.Cols, func(i0, i1 int) error {
		rows := v.SliceRows(i0, i1)
		if m, ok := rows.Matrix(); ok && sumIsFinite(m) || rows.AllFinite() {
			return nil
		}
		return dense.NotFinite(arg)
	})
}

// sumIsFinite reports whether the absolute values of m have a finite sum: then m is finite, while a finite m may have
// none.
func sumIsFinite[T dense.Scalar](m dense.Matrix[T]) bool {
	if m.Stride == m.Cols {
		m.Rows, m.Cols = 1, m.Rows*m.Cols
	}
	for i := range m.Rows {
		if sum := Asum(dense.Vec(m.Row(i))); math.IsInf(sum, 0) || math.IsNaN(sum) {
			return false
		}
	}
	return true
}

// transpose sets dst to the transpose of src, which is not empty.
func transpose[T dense.Scalar](set kernel.Set, dst, src dense.Matrix[T]) {
	gemm.Transpose(set, src.Rows, src.Cols, src.Data, src.Stride, dst.Data, dst.Stride)
}

func forRows(team *sched.Team, rows, cols int, body func(i0, i1 int) error) error {
	step := max(1, moveChunk/max(1, cols))
	if rows <= step {
		return body(0, rows) // the usual case, without a closure call
	}
	return team.For(ceilDiv(rows, step), func(_, c int) error {
		return body(c*step, min(rows, (c+1)*step))
	})
}
