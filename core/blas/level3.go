package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// Gemm computes C = alpha op(A) op(B) + beta C; C overlaps neither A nor B. C is not read where beta is 0, A and B are not
// where alpha is 0. Each element is a sum in the order of the inner dimension, cut at places that depend on its length
// alone, whatever the threads and transposes. A cancelled team leaves C unfinished: callers look at team.Err().
func Gemm[T dense.Scalar](team *sched.Team, tA, tB Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	m, k := opShape(tA, a.Rows, a.Cols)
	kb, n := opShape(tB, b.Rows, b.Cols)
	require(k == kb && m == c.Rows && n == c.Cols, "Gemm: op(A) is %dx%d, op(B) is %dx%d, C is %dx%d", m, k, kb, n, c.Rows, c.Cols)
	if m == 0 || n == 0 {
		return
	}
	if k == 0 || alpha == 0 { // neither A nor B is read, as in the reference BLAS
		for i := range m {
			scaleOrClear(beta, c.RowVec(i, 0, n))
		}
		return
	}
	var err error
	switch c := any(c).(type) {
	case dense.Matrix[float32]:
		err = gemmReal(kernel.Best(), team, tA, tB, any(alpha).(float32), any(a).(dense.Matrix[float32]), any(b).(dense.Matrix[float32]), any(beta).(float32), c)
	case dense.Matrix[float64]:
		err = gemmReal(kernel.Best(), team, tA, tB, any(alpha).(float64), any(a).(dense.Matrix[float64]), any(b).(dense.Matrix[float64]), any(beta).(float64), c)
	case dense.Matrix[complex64]:
		err = gemmComplex[float32](kernel.Best(), team, tA, tB, any(alpha).(complex64), any(a).(dense.Matrix[complex64]), any(b).(dense.Matrix[complex64]), any(beta).(complex64), c)
	case dense.Matrix[complex128]:
		err = gemmComplex[float64](kernel.Best(), team, tA, tB, any(alpha).(complex128), any(a).(dense.Matrix[complex128]), any(b).(dense.Matrix[complex128]), any(beta).(complex128), c)
	}
	if p, ok := err.(*sched.PanicError); ok {
		panic(p)
	}
}

// Trsm solves op(A) X = alpha B (side Left) or X op(A) = alpha B (side Right) for X, which overwrites B. A is
// triangular; only the triangle uplo is read.
func Trsm[T dense.Scalar](team *sched.Team, side Side, uplo Uplo, tA Transpose, diag Diag, alpha T, a, b dense.Matrix[T]) {
	order := b.Rows
	if side == Right {
		order = b.Cols
	}
	require(a.Rows == order && a.Cols == order, "Trsm: A is %dx%d, B is %dx%d", a.Rows, a.Cols, b.Rows, b.Cols)
	if b.Rows == 0 || b.Cols == 0 {
		return
	}
	switch a := any(a).(type) {
	case dense.Matrix[float32]:
		b := any(b).(dense.Matrix[float32])
		impl.Strsm(side, uplo, tA, diag, b.Rows, b.Cols, any(alpha).(float32), a.Data, a.Stride, b.Data, b.Stride)
	case dense.Matrix[float64]:
		b := any(b).(dense.Matrix[float64])
		impl.Dtrsm(side, uplo, tA, diag, b.Rows, b.Cols, any(alpha).(float64), a.Data, a.Stride, b.Data, b.Stride)
	case dense.Matrix[complex64]:
		b := any(b).(dense.Matrix[complex64])
		impl.Ctrsm(side, uplo, tA, diag, b.Rows, b.Cols, any(alpha).(complex64), a.Data, a.Stride, b.Data, b.Stride)
	case dense.Matrix[complex128]:
		b := any(b).(dense.Matrix[complex128])
		impl.Ztrsm(side, uplo, tA, diag, b.Rows, b.Cols, any(alpha).(complex128), a.Data, a.Stride, b.Data, b.Stride)
	}
}

// Trmm computes B = alpha op(A) B (side Left) or B = alpha B op(A) (side Right) for a triangular A of which only the
// triangle uplo is read.
func Trmm[T dense.Scalar](team *sched.Team, side Side, uplo Uplo, tA Transpose, diag Diag, alpha T, a, b dense.Matrix[T]) {
	order := b.Rows
	if side == Right {
		order = b.Cols
	}
	require(a.Rows == order && a.Cols == order, "Trmm: A is %dx%d, B is %dx%d", a.Rows, a.Cols, b.Rows, b.Cols)
	if b.Rows == 0 || b.Cols == 0 {
		return
	}
	switch a := any(a).(type) {
	case dense.Matrix[float32]:
		b := any(b).(dense.Matrix[float32])
		impl.Strmm(side, uplo, tA, diag, b.Rows, b.Cols, any(alpha).(float32), a.Data, a.Stride, b.Data, b.Stride)
	case dense.Matrix[float64]:
		b := any(b).(dense.Matrix[float64])
		impl.Dtrmm(side, uplo, tA, diag, b.Rows, b.Cols, any(alpha).(float64), a.Data, a.Stride, b.Data, b.Stride)
	case dense.Matrix[complex64]:
		b := any(b).(dense.Matrix[complex64])
		impl.Ctrmm(side, uplo, tA, diag, b.Rows, b.Cols, any(alpha).(complex64), a.Data, a.Stride, b.Data, b.Stride)
	case dense.Matrix[complex128]:
		b := any(b).(dense.Matrix[complex128])
		impl.Ztrmm(side, uplo, tA, diag, b.Rows, b.Cols, any(alpha).(complex128), a.Data, a.Stride, b.Data, b.Stride)
	}
}

// ceilDiv returns the smallest integer that is at least x/y.
func ceilDiv(x, y int) int { return (x + y - 1) / y }
