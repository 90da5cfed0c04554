package blas

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/kernel/vector"
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

// solveReal solves strip by strip: the contribution of the previous strips is a product, the rest is left to gemm.Trsm.
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

// strip is a triangle of at most gemm.TriangleOrder rows in the form that the kernels take: lower, in the order in
// which its rows are solved.
type strip[T dense.Float] struct {
	l             [gemm.TriangleOrder * gemm.TriangleOrder]T
	first, stride int // offset of the first row of the panel, and distance to the next
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

// hasReciprocal reports whether multiplication by 1/d is as accurate as division by d, whose modulus is size: neither
// number is so small that it loses digits in T's precision. It holds for 0, infinities and NaN, where both ways give
// the same.
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

// multiplyInPlace overwrites x by t x, strip by strip in the opposite order of solveReal: the strips that contribute
// are still unchanged.
func multiplyInPlace[T dense.Float](set kernel.Set, t triangular[T], x dense.Matrix[T]) {
	forStrips(t.Rows, !t.lower, func(i0, i1 int) {
		j0, j1 := besideDiagonal(t.lower, i0, i1, t.Rows)
		rows := x.Slice(i0, i1, 0, x.Cols)
		s := newStrip(t.diagonal(i0, i1), x.Stride)
		gemm.Trmm(set, i1-i0, s.l[:], x.Data[i0*x.Stride:], s.first, s.stride, x.Cols)
		_ = multiply(set, nil, full, 1, t.slice(i0, i1, j0, j1), plain(x.Slice(j0, j1, 0, x.Cols)), 1, rows)
	})
}

// Base blocks of complex triangular solves and products are done as real ones of twice the order: element x of the
// triangle becomes the block (re, -im; im, re), a row of the panel becomes one of real and one of imaginary parts, and
// a column becomes two.

// hasRealDiagonal reports whether the triangle has ones or real numbers on its diagonal, as Cholesky factors do. Its
// real form is then a triangle, too.
func (t triangular[T]) hasRealDiagonal() bool {
	for i := range t.Rows {
		if !t.unit && dense.Imag(t.at(i, i)) != 0 {
			return false
		}
	}
	return true
}

// setRealForm sets l to the real form of t, of twice the order: the blocks on the diagonal and those on their side of
// it.
func setRealForm[R dense.Float, T dense.Complex](t triangular[T], l dense.Matrix[R]) {
	parts, row, col, sign := dense.Reals[R](t.Data), 2*t.Stride, 2, R(1)
	if t.trans {
		row, col = col, row
	}
	if t.conj {
		sign = -1
	}
	for i := range t.Rows {
		upper, lower := l.Row(2*i), l.Row(2*i+1)
		first, last := t.strictColumns(i)
		at := i*row + first*col
		for j := 2 * first; j < 2*last; j += 2 {
			re, im := parts[at], sign*parts[at+1]
			upper[j], upper[j+1] = re, -im
			lower[j], lower[j+1] = im, re
			at += col
		}
		x := t.element(i, i)
		re, im := R(dense.Real(x)), R(dense.Imag(x))
		upper[2*i], upper[2*i+1], lower[2*i], lower[2*i+1] = re, -im, im, re
	}
}

// rowsBaseOrder is the order up to which real triangles are applied to rows by way of the transposes of these.
const rowsBaseOrder = 128

// overwriteRows replaces the rows x^T of x by (t x)^T, or by the solutions y^T of t y = x, for a t with a real
// diagonal. A row of complex numbers is one of twice as many reals, so nothing is rearranged.
func (w *triangularWork[T]) overwriteRows(solve bool, t triangular[T], x dense.Matrix[T]) error {
	h := half[T](t.Rows)
	if !dense.IsComplex[T]() && t.Rows <= rowsBaseOrder {
		h = 0
	}
	if h == 0 {
		if err := rowsBase(w, solve, t, x); err != nil {
			return err
		}
		w.team.Step(t.Rows * t.Rows * x.Rows)
		return w.team.Err()
	}
	head, tail, off, first, second := t.cut(h)
	early, late := x.Slice(0, x.Rows, first.begin, first.end), x.Slice(0, x.Rows, second.begin, second.end)
	if !solve {
		if err := w.overwriteRows(solve, tail, late); err != nil {
			return err
		}
		if err := multiply(w.set, w.team, full, 1, plain(early), off.transposed(), 1, late); err != nil {
			return err
		}
		if err := w.step(h, t.Rows-h, x.Rows); err != nil {
			return err
		}
		return w.overwriteRows(solve, head, early)
	}
	if err := w.overwriteRows(solve, head, early); err != nil {
		return err
	}
	if err := multiply(w.set, w.team, full, -1, plain(early), off.transposed(), 1, late); err != nil {
		return err
	}
	if err := w.step(h, t.Rows-h, x.Rows); err != nil {
		return err
	}
	return w.overwriteRows(solve, tail, late)
}

// rowsBase is overwriteRows for a small t.
func rowsBase[T dense.Scalar](w *triangularWork[T], solve bool, t triangular[T], x dense.Matrix[T]) error {
	switch x := any(x).(type) {
	case dense.Matrix[complex64]:
		return rowsAsReals[float32](any(w).(*triangularWork[complex64]), solve, any(t).(triangular[complex64]), x)
	case dense.Matrix[complex128]:
		return rowsAsReals[float64](any(w).(*triangularWork[complex128]), solve, any(t).(triangular[complex128]), x)
	}
	return triangular[T]{t.transposed(), !t.lower, t.unit}.overwrite(w.set, w.team.Plan(0), solve, Right, 1, x)
}

func rowsAsReals[R dense.Float, T dense.Complex](
	w *triangularWork[T], solve bool, t triangular[T], x dense.Matrix[T],
) error {
	n := t.Rows
	memory := borrow[R](4 * n * n)
	defer memory.GiveBack()
	l := memory.matrix(2*n, 2*n)
	setRealForm(t, l)
	reals := dense.Matrix[R]{Rows: x.Rows, Cols: 2 * n, Stride: 2 * x.Stride, Data: dense.Reals[R](x.Data)}
	return triangular[R]{plain(l), t.lower, t.unit}.panel(w.set, w.team.Plan(0), solve, Right, 1, reals)
}

// solveComplex overwrites x by the solution y of t y = x. Unless the diagonal is real, each row of the triangle and of
// x is divided by it first, so that the real triangle has ones there.
func solveComplex[R dense.Float, T dense.Complex](set kernel.Set, t triangular[T], x dense.Matrix[T]) {
	n, isReal := t.Rows, t.hasRealDiagonal()
	if !isReal {
		for i := range n {
			if !hasReciprocal[T](dense.Abs(t.at(i, i))) {
				divideStrip(t, x)
				return
			}
		}
	}
	memory := borrow[R](4*n*n + 2*n*x.Cols)
	defer memory.GiveBack()
	l, y := memory.matrix(2*n, 2*n), memory.matrix(2*n, x.Cols)
	setRealForm(t, l)
	for i := range n {
		scale := T(1)
		if !isReal {
			scale = 1 / t.at(i, i)
			first, last := t.strictColumns(i)
			scaleBlocks(scale, l.Row(2 * i)[2*first:2*last], l.Row(2*i + 1)[2*first:2*last])
			l.Set(2*i, 2*i+1, 0)
			l.Set(2*i+1, 2*i, 0)
		}
		splitRow(scale, x.Row(i), y.Row(2*i), y.Row(2*i+1))
	}
	solveReal(set, triangular[R]{plain(l), t.lower, t.unit || !isReal}, y)
	for i := range n {
		joinRow(y.Row(2*i), y.Row(2*i+1), x.Row(i))
	}
}

// scaleBlocks multiplies the complex numbers that the 2 x 2 blocks in two rows of a real form represent.
func scaleBlocks[R dense.Float, T dense.Complex](scale T, upper, lower []R) {
	sr, si := R(dense.Real(scale)), R(dense.Imag(scale))
	for j := 0; j+1 < len(upper); j += 2 {
		re, im := multiplied(upper[j], lower[j], sr, si)
		upper[j], upper[j+1], lower[j], lower[j+1] = re, -im, im, re
	}
}

// splitRow sets re and im to the parts of scale*x.
func splitRow[R dense.Float, T dense.Complex](scale T, x []T, re, im []R) {
	parts := dense.Reals[R](x)
	re, im = re[:len(x)], im[:len(x)]
	if scale == 1 {
		for j := range re {
			re[j], im[j] = parts[2*j], parts[2*j+1]
		}
		return
	}
	sr, si := R(dense.Real(scale)), R(dense.Imag(scale))
	for j := range re {
		re[j], im[j] = multiplied(parts[2*j], parts[2*j+1], sr, si)
	}
}

// joinRow sets x to re + i im.
func joinRow[R dense.Float, T dense.Complex](re, im []R, x []T) {
	parts := dense.Reals[R](x)
	for j := range re {
		parts[2*j], parts[2*j+1] = re[j], im[j]
	}
}

// multiplyPairs computes y = t x for the real form t of a complex triangle, whose diagonal consists of 2 x 2 blocks.
// The part of a strip beside them is a product; the diagonal is processed row by row, so that nothing outside the
// triangle is multiplied.
func multiplyPairs[T dense.Float](set kernel.Set, t triangular[T], x, y dense.Matrix[T]) {
	const width = 2
	n := t.Rows
	var alpha [gemm.TriangleOrder]T
	for i0 := 0; i0 < n; i0 += gemm.TriangleOrder {
		i1 := min(n, i0+gemm.TriangleOrder)
		j0, j1 := besideDiagonal(t.lower, i0, i1, n)
		_ = multiply(set, nil, full, 1, t.slice(i0, i1, j0, j1), plain(x.Slice(j0, j1, 0, x.Cols)), 0,
			y.Slice(i0, i1, 0, x.Cols))
		for i := i0; i < i1; i++ {
			first, last := i0, i/width*width+width
			if !t.lower {
				first, last = i/width*width, i1
			}
			for j := first; j < last; j++ {
				alpha[j-first] = t.element(i, j)
			}
			rows := vector.Rows[T]{Count: last - first, Cols: x.Cols, Stride: x.Stride, A: x.Data[first*x.Stride:]}
			vector.Axpys(set, &rows, alpha[:last-first], y.Row(i))
		}
	}
}

// multiplyComplex overwrites x by t x.
func multiplyComplex[R dense.Float, T dense.Complex](set kernel.Set, t triangular[T], x dense.Matrix[T]) {
	n := t.Rows
	memory := borrow[R](4*n*n + 4*n*x.Cols)
	defer memory.GiveBack()
	l, from, to := memory.matrix(2*n, 2*n), memory.matrix(2*n, x.Cols), memory.matrix(2*n, x.Cols)
	setRealForm(t, l)
	for i := range n {
		splitRow(T(1), x.Row(i), from.Row(2*i), from.Row(2*i+1))
	}
	if t.hasRealDiagonal() {
		multiplyInPlace(set, triangular[R]{plain(l), t.lower, t.unit}, from)
		to = from
	} else {
		multiplyPairs(set, triangular[R]{plain(l), t.lower, false}, from, to)
	}
	for i := range n {
		joinRow(to.Row(2*i), to.Row(2*i+1), x.Row(i))
	}
}
