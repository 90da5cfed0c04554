package blas

import (
	"math"
	"unsafe"

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

// transpose sets dst to the transpose of src.
func transpose[T dense.Scalar](set kernel.Set, dst, src dense.Matrix[T]) {
	switch from := any(src).(type) {
	case dense.Matrix[float32]:
		to := any(dst).(dense.Matrix[float32])
		gemm.Transpose(set, from.Rows, from.Cols, from.Data, from.Stride, to.Data, to.Stride)
	case dense.Matrix[float64]:
		to := any(dst).(dense.Matrix[float64])
		gemm.Transpose(set, from.Rows, from.Cols, from.Data, from.Stride, to.Data, to.Stride)
	case dense.Matrix[complex64]:
		// A pair of float32 is moved like a float64, whatever its bits mean.
		to := any(dst).(dense.Matrix[complex64])
		gemm.Transpose(set, from.Rows, from.Cols, asDoubles(from.Data), from.Stride, asDoubles(to.Data), to.Stride)
	default:
		dense.Copy(dst.View(), src.View().T())
	}
}

// asDoubles returns the memory of pairs of float32 as float64, which have the same size.
func asDoubles[T float32 | complex64](x []T) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*dense.Bytes[T]()/dense.Bytes[float64]())
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
