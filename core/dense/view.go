package dense

// View is a matrix in foreign memory with arbitrary element strides, negative ones included: element (i, j) is
// Data[Offset+i*RowStride+j*ColStride]. A column-major matrix is a view with RowStride 1.
type View[T Scalar] struct {
	Rows, Cols           int
	Offset               int
	RowStride, ColStride int
	Data                 []T
}

// At returns element (i, j).
func (v View[T]) At(i, j int) T { return v.Data[v.Offset+i*v.RowStride+j*v.ColStride] }

// Set stores x as element (i, j).
func (v View[T]) Set(i, j int, x T) { v.Data[v.Offset+i*v.RowStride+j*v.ColStride] = x }

// T returns the transposed view of the same memory.
func (v View[T]) T() View[T] {
	return View[T]{
		Rows: v.Cols, Cols: v.Rows, Offset: v.Offset, RowStride: v.ColStride, ColStride: v.RowStride, Data: v.Data,
	}
}

// Fill sets every element of v to x.
func (v View[T]) Fill(x T) {
	for i := range v.Rows {
		for j := range v.Cols {
			v.Set(i, j, x)
		}
	}
}

// ByColumns reports whether neighbours in a column are closer in memory than neighbours in a row.
func (v View[T]) ByColumns() bool { return abs(v.RowStride) < abs(v.ColStride) }

// SliceRows returns the view of rows i0 <= i < i1.
func (v View[T]) SliceRows(i0, i1 int) View[T] {
	v.Offset += i0 * v.RowStride
	v.Rows = i1 - i0
	return v
}

// AllFinite reports whether no element of v is an infinity or a NaN. It reads v once, along its shorter stride.
func (v View[T]) AllFinite() bool {
	if v.ByColumns() {
		v = v.T()
	}
	for i := range v.Rows {
		if !rowFinite(v, i) {
			return false
		}
	}
	return true
}

func rowFinite[T Scalar](v View[T], i int) bool {
	p := v.Offset + i*v.RowStride
	if v.ColStride == 1 {
		// The sum of x-x is 0 exactly when every element is finite; no branch in the loop.
		var s T
		for _, x := range v.Data[p : p+v.Cols] {
			s += x - x
		}
		return s == 0
	}
	for range v.Cols {
		if !IsFinite(v.Data[p]) {
			return false
		}
		p += v.ColStride
	}
	return true
}

// Copy converts src, which has dst's shape, into dst.
func Copy[D, S Scalar](dst View[D], src View[S]) {
	if dst.ByColumns() {
		dst, src = dst.T(), src.T()
	}
	same, isSame := any(src.Data).([]D)
	for i := range dst.Rows {
		p, q := dst.Offset+i*dst.RowStride, src.Offset+i*src.RowStride
		if isSame && dst.ColStride == 1 && src.ColStride == 1 {
			copy(dst.Data[p:p+dst.Cols], same[q:q+dst.Cols])
			continue
		}
		if dst.ColStride == 1 && src.ColStride == 1 && convertReals(dst.Data[p:p+dst.Cols], src.Data[q:q+dst.Cols]) {
			continue
		}
		for range dst.Cols {
			if isSame {
				dst.Data[p] = same[q]
			} else {
				dst.Data[p] = Convert[D](src.Data[q])
			}
			p += dst.ColStride
			q += src.ColStride
		}
	}
}

// convertReals converts between float32 and float64 with a plain loop. It reports false for other types.
func convertReals[D, S Scalar](dst []D, src []S) bool {
	switch dst := any(dst).(type) {
	case []float32:
		if src, ok := any(src).([]float64); ok {
			for i, x := range src[:len(dst)] {
				dst[i] = float32(x)
			}
			return true
		}
	case []float64:
		if src, ok := any(src).([]float32); ok {
			for i, x := range src[:len(dst)] {
				dst[i] = float64(x)
			}
			return true
		}
	}
	return false
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}
