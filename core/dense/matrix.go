package dense

import (
	"fmt"
	"io"
)

// Matrix is a row-major view: element (i, j) is Data[i*Stride+j]. Stride is at least Cols.
type Matrix[T Scalar] struct {
	Rows, Cols, Stride int
	Data               []T
}

// New returns a zero matrix with contiguous rows.
func New[T Scalar](rows, cols int) Matrix[T] {
	return Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: make([]T, rows*cols)}
}

// FromRows returns a matrix that holds a copy of the given rows, which have equal lengths.
func FromRows[T Scalar](rows ...[]T) Matrix[T] {
	cols := 0
	if len(rows) > 0 {
		cols = len(rows[0])
	}
	m := New[T](len(rows), cols)
	for i, r := range rows {
		if len(r) != cols {
			panic(fmt.Sprintf("dense: row %d has %d elements, row 0 has %d", i, len(r), cols))
		}
		copy(m.Row(i), r)
	}
	return m
}

// At returns element (i, j).
func (m Matrix[T]) At(i, j int) T { return m.Data[i*m.Stride+j] }

// Set stores x as element (i, j).
func (m Matrix[T]) Set(i, j int, x T) { m.Data[i*m.Stride+j] = x }

// Row returns row i as a slice of m's memory.
func (m Matrix[T]) Row(i int) []T {
	if m.Cols == 0 {
		return nil // an empty view has no memory to point into
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols : i*m.Stride+m.Cols]
}

// Slice returns the view of rows i0 <= i < i1 and columns j0 <= j < j1.
func (m Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	s := Matrix[T]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
	if s.Rows > 0 && s.Cols > 0 {
		s.Data = m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1]
	}
	return s
}

// View returns m as a strided view of the same memory.
func (m Matrix[T]) View() View[T] {
	return View[T]{Rows: m.Rows, Cols: m.Cols, RowStride: m.Stride, ColStride: 1, Data: m.Data}
}

// Matrix returns v as a row-major matrix of the same memory. ok is false if v's rows are not contiguous or overlap.
func (v View[T]) Matrix() (m Matrix[T], ok bool) {
	if v.Rows == 0 || v.Cols == 0 {
		return Matrix[T]{Rows: v.Rows, Cols: v.Cols, Stride: max(1, v.Cols)}, true
	}
	stride := v.RowStride
	if v.Rows == 1 {
		stride = v.Cols
	}
	if (v.ColStride != 1 && v.Cols > 1) || stride < v.Cols {
		return Matrix[T]{}, false
	}
	end := v.Offset + (v.Rows-1)*stride + v.Cols
	return Matrix[T]{Rows: v.Rows, Cols: v.Cols, Stride: stride, Data: v.Data[v.Offset:end]}, true
}

// CopyFrom copies src, which has the same shape, into m.
func (m Matrix[T]) CopyFrom(src Matrix[T]) {
	for i := range m.Rows {
		copy(m.Row(i), src.Row(i))
	}
}

// Clone returns a copy of m with contiguous rows.
func (m Matrix[T]) Clone() Matrix[T] {
	c := New[T](m.Rows, m.Cols)
	c.CopyFrom(m)
	return c
}

// Fill sets every element of m to x.
func (m Matrix[T]) Fill(x T) {
	for i := range m.Rows {
		row := m.Row(i)
		for j := range row {
			row[j] = x
		}
	}
}

// Clear sets every element of m to zero, several times as fast as Fill.
func (m Matrix[T]) Clear() {
	for i := range m.Rows {
		clear(m.Row(i))
	}
}

// SetIdentity makes m the identity matrix (ones on the main diagonal of a rectangular one).
func (m Matrix[T]) SetIdentity() {
	for i := range m.Rows {
		clear(m.Row(i))
	}
	for i := range min(m.Rows, m.Cols) {
		m.Set(i, i, 1)
	}
}

// Format prints the elements with any verb for T, each row in brackets on its own line: fmt.Printf("%.3f\n", m).
func (m Matrix[T]) Format(s fmt.State, verb rune) {
	format := fmt.FormatString(s, verb)
	for i := range m.Rows {
		if i > 0 {
			io.WriteString(s, "\n")
		}
		fmt.Fprintf(s, format, m.Row(i))
	}
}

// String returns the elements, each row in brackets on its own line.
func (m Matrix[T]) String() string { return fmt.Sprintf("%v", m) }
