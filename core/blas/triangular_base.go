package blas

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
)

// The base blocks of triangular solves and products.

// solveBase overwrites x by the solution y of t y = x for a small t.
func solveBase[T dense.Scalar](set kernel.Set, t triangular[T], x dense.Matrix[T]) {
	switch x := any(x).(type) {
	case dense.Matrix[float32]:
		solveReal(set, any(t).(triangular[float32]), x)
	case dense.Matrix[float64]:
		solveReal(set, any(t).(triangular[float64]), x)
	case dense.Matrix[complex64]:
		solveComplex[float32](set, any(t).(triangular[complex64]), x)
	case dense.Matrix[complex128]:
		solveComplex[float64](set, any(t).(triangular[complex128]), x)
	}
}

// multiplyBase overwrites x by t x for a small t.
func multiplyBase[T dense.Scalar](set kernel.Set, t triangular[T], x dense.Matrix[T]) {
	switch x := any(x).(type) {
	case dense.Matrix[float32]:
		multiplyInPlace(set, any(t).(triangular[float32]), x)
	case dense.Matrix[float64]:
		multiplyInPlace(set, any(t).(triangular[float64]), x)
	case dense.Matrix[complex64]:
		multiplyComplex[float32](set, any(t).(triangular[complex64]), x)
	case dense.Matrix[complex128]:
		multiplyComplex[float64](set, any(t).(triangular[complex128]), x)
	}
}

// forStrips visits strips of at most gemm.TriangleOrder of n rows, from the first down or from the last up.
func forStrips(n int, down bool, visit func(i0, i1 int)) {
	for done := 0; done < n; done += gemm.TriangleOrder {
		rows := min(gemm.TriangleOrder, n-done)
		if down {
			visit(done, done+rows)
		} else {
			visit(n-done-rows, n-done)
		}
	}
}

// solveReal solves strip by strip: what the strips before contribute is a product, what is left is for gemm.Trsm.
func solveReal[T dense.Float](set kernel.Set, t triangular[T], x dense.Matrix[T]) {
	forStrips(t.Rows, t.lower, func(i0, i1 int) {
		j0, j1 := besideDiagonal(t.lower, i0, i1, t.Rows)
		rows := x.Slice(i0, i1, 0, x.Cols)
		if j0 < j1 {
			_ = multiply(set, nil, full, -1, t.slice(i0, i1, j0, j1), plain(x.Slice(j0, j1, 0, x.Cols)), 1, rows)
		}
		solveStrip(set, t.diagonal(i0, i1), rows)
	})
}

// strip is a triangle of at most gemm.TriangleOrder rows as the kernels take it: lower, in the order in which its rows are solved.
type strip[T dense.Float] struct {
	l             [gemm.TriangleOrder * gemm.TriangleOrder]T
	first, stride int // where the row of the panel that comes first is, and from there to the next
}

// newStrip returns t for a panel whose rows are stride apart.
func newStrip[T dense.Float](t triangular[T], stride int) (s strip[T]) {
	n, at := t.Rows, 0
	row, col := t.Stride, 1
	if t.trans {
		row, col = col, row
	}
	s.stride = stride
	if !t.lower {
		s.first, s.stride = (n-1)*stride, -stride
		at, row, col = (n-1)*(row+col), -row, -col
	}
	for i := range n {
		line := s.l[i*gemm.TriangleOrder:][:i+1]
		for j := range line {
			line[j] = t.Data[at+j*col]
		}
		if t.unit {
			line[i] = 1
		}
		at += row
	}
	return s
}

// solveStrip solves with a triangle of at most gemm.TriangleOrder rows.
func solveStrip[T dense.Float](set kernel.Set, t triangular[T], x dense.Matrix[T]) {
	n, s := t.Rows, newStrip(t, x.Stride)
	for i := range n {
		d := &s.l[i*(gemm.TriangleOrder+1)]
		if !hasReciprocal[T](math.Abs(float64(*d))) {
			divideStrip(t, x)
			return
		}
		*d = 1 / *d
	}
	gemm.Trsm(set, n, s.l[:], x.Data, s.first, s.stride, x.Cols)
}

// hasReciprocal reports whether to multiply by 1/d is as good as to divide by d, whose modulus is size: neither is so small that digits are
// lost in T's precision. It holds for 0, infinities and NaN, where both ways give the same.
func hasReciprocal[T dense.Scalar](size float64) bool {
	smallest := 0x1p-1020
	if dense.IsSingle[T]() {
		smallest = 0x1p-124
	}
	return !(size < smallest && size > 0) && !(size > 1/smallest && !math.IsInf(size, 0))
}

// strictColumns returns the columns of row i beside the diagonal.
func (t triangular[T]) strictColumns(i int) (first, last int) {
	if t.lower {
		return 0, i
	}
	return i + 1, t.Rows
}

// divideStrip solves with diagonal elements whose reciprocals are not safe.
func divideStrip[T dense.Scalar](t triangular[T], x dense.Matrix[T]) {
	n := t.Rows
	for k := range n {
		i := k
		if !t.lower {
			i = n - 1 - k
		}
		to := x.Row(i)
		first, last := t.strictColumns(i)
		for j := first; j < last; j++ {
			Axpy(-t.at(i, j), dense.Vec(x.Row(j)), dense.Vec(to))
		}
		for j, d := 0, t.at(i, i); j < len(to); j++ {
			to[j] /= d
		}
	}
}

// multiplyInPlace overwrites x by t x, the strips in the opposite order of solveReal: those that contribute are still what they were.
func multiplyInPlace[T dense.Float](set kernel.Set, t triangular[T], x dense.Matrix[T]) {
	forStrips(t.Rows, !t.lower, func(i0, i1 int) {
		j0, j1 := besideDiagonal(t.lower, i0, i1, t.Rows)
		rows := x.Slice(i0, i1, 0, x.Cols)
		s := newStrip(t.diagonal(i0, i1), x.Stride)
		gemm.Trmm(set, i1-i0, s.l[:], x.Data[i0*x.Stride:], s.first, s.stride, x.Cols)
		_ = multiply(set, nil, full, 1, t.slice(i0, i1, j0, j1), plain(x.Slice(j0, j1, 0, x.Cols)), 1, rows)
	})
}
