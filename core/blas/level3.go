package blas

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Tiles of C and of the inner dimension that are handed to gonum. It runs a product of fewer than four 64x64 blocks
// on the calling goroutine, which keeps the thread limit, cancellation and recovery of panics in our hands.
const (
	tileRows  = 64
	tileCols  = 3 * 64
	tileInner = 256
	// Products of fewer multiplications than this are faster on one thread.
	minParallelWork = 1 << 18
)

// Gemm computes C = alpha op(A) op(B) + beta C. A cancelled team leaves C unfinished: callers look at team.Err().
func Gemm[T dense.Scalar](team *sched.Team, tA, tB Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	m, k := opShape(tA, a.Rows, a.Cols)
	kb, n := opShape(tB, b.Rows, b.Cols)
	require(k == kb && m == c.Rows && n == c.Cols, "Gemm: op(A) is %dx%d, op(B) is %dx%d, C is %dx%d", m, k, kb, n, c.Rows, c.Cols)
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		for i := range m {
			scaleOrClear(beta, c.RowVec(i, 0, n))
		}
		return
	}
	tilesDown, tilesAcross := ceilDiv(m, tileRows), ceilDiv(n, tileCols)
	if m*n*k < minParallelWork {
		team = team.Serial()
	}
	err := team.For(tilesDown*tilesAcross, func(_, t int) error {
		i0, j0 := (t/tilesAcross)*tileRows, (t%tilesAcross)*tileCols
		i1, j1 := min(m, i0+tileRows), min(n, j0+tileCols)
		gemmTile(team, tA, tB, alpha, opSlice(tA, a, i0, i1, 0, k), opSlice(tB, b, 0, k, j0, j1), beta, c.Slice(i0, i1, j0, j1))
		return nil
	})
	if p, ok := err.(*sched.PanicError); ok {
		panic(p)
	}
}

// gemmTile splits the inner dimension at fixed places, so that the sums do not depend on the team.
func gemmTile[T dense.Scalar](team *sched.Team, tA, tB Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	_, k := opShape(tA, a.Rows, a.Cols)
	for p0 := 0; p0 < k; p0 += tileInner {
		if team.Err() != nil {
			return
		}
		p1 := min(k, p0+tileInner)
		gemmGonum(tA, tB, alpha, opSlice(tA, a, 0, c.Rows, p0, p1), opSlice(tB, b, p0, p1, 0, c.Cols), beta, c)
		beta = 1
	}
}

// opSlice returns the part of a whose op() has rows i0..i1 and columns j0..j1.
func opSlice[T dense.Scalar](trans Transpose, a dense.Matrix[T], i0, i1, j0, j1 int) dense.Matrix[T] {
	if trans == NoTrans {
		return a.Slice(i0, i1, j0, j1)
	}
	return a.Slice(j0, j1, i0, i1)
}

func gemmGonum[T dense.Scalar](tA, tB Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	_, k := opShape(tA, a.Rows, a.Cols)
	switch c := any(c).(type) {
	case dense.Matrix[float32]:
		a, b := any(a).(dense.Matrix[float32]), any(b).(dense.Matrix[float32])
		impl.Sgemm(tA, tB, c.Rows, c.Cols, k, any(alpha).(float32), a.Data, a.Stride, b.Data, b.Stride, any(beta).(float32), c.Data, c.Stride)
	case dense.Matrix[float64]:
		a, b := any(a).(dense.Matrix[float64]), any(b).(dense.Matrix[float64])
		impl.Dgemm(tA, tB, c.Rows, c.Cols, k, any(alpha).(float64), a.Data, a.Stride, b.Data, b.Stride, any(beta).(float64), c.Data, c.Stride)
	case dense.Matrix[complex64]:
		a, b := any(a).(dense.Matrix[complex64]), any(b).(dense.Matrix[complex64])
		impl.Cgemm(tA, tB, c.Rows, c.Cols, k, any(alpha).(complex64), a.Data, a.Stride, b.Data, b.Stride, any(beta).(complex64), c.Data, c.Stride)
	case dense.Matrix[complex128]:
		a, b := any(a).(dense.Matrix[complex128]), any(b).(dense.Matrix[complex128])
		impl.Zgemm(tA, tB, c.Rows, c.Cols, k, any(alpha).(complex128), a.Data, a.Stride, b.Data, b.Stride, any(beta).(complex128), c.Data, c.Stride)
	}
}

// Trsm solves op(A) X = alpha B (side Left) or X op(A) = alpha B (side Right) for X, which overwrites B. A is
// triangular; only the triangle uplo is read.
func Trsm[T dense.Scalar](side Side, uplo Uplo, tA Transpose, diag Diag, alpha T, a, b dense.Matrix[T]) {
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
func Trmm[T dense.Scalar](side Side, uplo Uplo, tA Transpose, diag Diag, alpha T, a, b dense.Matrix[T]) {
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
