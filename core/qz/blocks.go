package qz

import (
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// panelWidth is the number of columns of a panel. More of them make matrix products faster; the work within a panel
// grows with them.
const panelWidth = 32

// stripWidth is the number of columns or rows of a matrix to which the blocks of a panel are applied together: two
// buffers of so many columns fit a second-level cache. It is a multiple of the width of all tiles of products.
const stripWidth = 96

// blocks is the product of some sweeps, of which number t does nothing before rotation t, as a product of unitary
// matrices of small order. Block k consists of the rotations k panelWidth + t to (k+1) panelWidth + t - 1 of each sweep
// t, the last block of all further ones: a rotation has to wait for those of the sweeps before that are not above it.
// Two adjacent blocks share as many rows as there are sweeps. The last block acts first.
type blocks[T dense.Wide] struct {
	top, shared int
	forColumns  bool
	factors     []dense.Matrix[T] // U: rows x become U x
	others      []dense.Matrix[T] // U^T, with forColumns: columns x^T become x^T U^T; otherwise conj(U)
	memory      []T
}

// blockElements returns how many numbers of memory blocks take for up to panelWidth sweeps of n-1 rotations.
func blockElements[T dense.Wide](n int, forColumns bool) int {
	copies := 1
	if forColumns || dense.IsComplex[T]() {
		copies = 2
	}
	const size = 2 * panelWidth
	return copies * (n/panelWidth + 1) * size * size
}

// accumulate returns the parts of the work that makes b the product of the sweeps, which act on the rows from top on.
func (b *blocks[T]) accumulate(top int, sweeps []sweep[T]) (parts []part[T]) {
	n := len(sweeps[0]) + 1
	b.top, b.shared = top, len(sweeps)
	b.factors, b.others = b.factors[:0], b.others[:0]
	memory := b.memory
	take := func(size int) dense.Matrix[T] {
		taken := dense.Matrix[T]{Rows: size, Cols: size, Stride: size, Data: memory[:size*size]}
		memory = memory[size*size:]
		return taken
	}
	for first := 0; first == 0 || first+b.shared < n; first += panelWidth {
		size := min(n-first, panelWidth+b.shared)
		k := len(b.factors)
		b.factors = append(b.factors, take(size))
		if b.forColumns || dense.IsComplex[T]() {
			b.others = append(b.others, take(size))
		} else {
			b.others = append(b.others, b.factors[k])
		}
		parts = append(parts, func(*buffer[T]) { b.form(k, sweeps) })
	}
	return parts
}

// form computes block k.
func (b *blocks[T]) form(k int, sweeps []sweep[T]) {
	u, other, first := b.factors[k], b.others[k], k*panelWidth
	u.SetIdentity()
	for t, rotations := range sweeps {
		end := min(first+panelWidth+t, len(rotations))
		if k == len(b.factors)-1 {
			end = len(rotations)
		}
		if begin := first + t; begin < end {
			// Columns behind those of the rotated rows are still zero in these rows.
			const backward, line = true, 8
			rows := end - first + 1
			applyLeft(rotations[begin:end], backward, u.Slice(t, rows, 0, min(u.Cols, (rows+line-1)/line*line)))
		}
	}
	switch {
	case b.forColumns:
		transpose(other, u)
	case dense.IsComplex[T]():
		for i := range u.Rows {
			dense.ConjugateTo(other.Row(i), u.Row(i))
		}
	}
}

// part is a part of the work at the end of a panel that is independent of others. It may use the buffer.
type part[T dense.Wide] func(b *buffer[T])

// buffer is memory for the rows or columns that a block acts on, and for those of the next block.
type buffer[T dense.Wide] struct{ current, next []T }

// swap returns a matrix in the memory that was the next block's, which becomes the current one's.
func (b *buffer[T]) swap(rows, cols int) dense.Matrix[T] {
	b.current, b.next = slices.Grow(b.next[:0], rows*cols)[:rows*cols], b.current
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: b.current}
}

// toRows returns the parts of the multiplication of x by the blocks, or by their complex conjugates, from the left.
func (b *blocks[T]) toRows(x dense.Matrix[T], conj bool) (parts []part[T]) {
	factors := b.factors
	if conj {
		factors = b.others
	}
	for j := 0; x.Rows > 0 && j < x.Cols; j += stripWidth {
		strip := x.Slice(b.top, x.Rows, j, min(j+stripWidth, x.Cols))
		parts = append(parts, func(buf *buffer[T]) { b.multiplyRows(factors, strip, buf) })
	}
	return parts
}

// multiplyRows multiplies a strip of columns. Before a block acts, its rows are in the buffer; the rows that it does
// not share with the next one go back to x.
func (b *blocks[T]) multiplyRows(factors []dense.Matrix[T], x dense.Matrix[T], buf *buffer[T]) {
	rows := func(first, end int) dense.Matrix[T] { return x.Slice(first, end, 0, x.Cols) }
	k := len(factors) - 1
	y := buf.swap(factors[k].Rows, x.Cols)
	y.CopyFrom(rows(k*panelWidth, x.Rows))
	for ; k > 0; k-- {
		first, u := k*panelWidth, factors[k]
		multiply(u.Slice(b.shared, u.Rows, 0, u.Cols), y, rows(first+b.shared, first+u.Rows))
		z := buf.swap(panelWidth+b.shared, x.Cols)
		z.Slice(0, panelWidth, 0, x.Cols).CopyFrom(rows(first-panelWidth, first))
		multiply(u.Slice(0, b.shared, 0, u.Cols), y, z.Slice(panelWidth, z.Rows, 0, x.Cols))
		y = z
	}
	multiply(factors[0], y, rows(0, y.Rows))
}

// toColumns is toRows for the columns of x.
func (b *blocks[T]) toColumns(x dense.Matrix[T]) (parts []part[T]) {
	for i := 0; i < x.Rows; i += stripWidth {
		strip := x.Slice(i, min(i+stripWidth, x.Rows), b.top, x.Cols)
		parts = append(parts, func(buf *buffer[T]) { b.multiplyColumns(strip, buf) })
	}
	return parts
}

// multiplyColumns is multiplyRows for a strip of rows.
func (b *blocks[T]) multiplyColumns(x dense.Matrix[T], buf *buffer[T]) {
	columns := func(first, end int) dense.Matrix[T] { return x.Slice(0, x.Rows, first, end) }
	k := len(b.others) - 1
	y := buf.swap(x.Rows, b.others[k].Rows)
	y.CopyFrom(columns(k*panelWidth, x.Cols))
	for ; k > 0; k-- {
		first, u := k*panelWidth, b.others[k]
		multiply(y, u.Slice(0, u.Rows, b.shared, u.Cols), columns(first+b.shared, first+u.Rows))
		z := buf.swap(x.Rows, panelWidth+b.shared)
		z.Slice(0, x.Rows, 0, panelWidth).CopyFrom(columns(first-panelWidth, first))
		multiply(y, u.Slice(0, u.Rows, 0, b.shared), z.Slice(0, x.Rows, panelWidth, z.Cols))
		y = z
	}
	multiply(y, b.others[0], columns(0, y.Cols))
}

// multiply computes c = a b.
func multiply[T dense.Wide](a, b, c dense.Matrix[T]) {
	if c, ok := any(c).(dense.Matrix[float64]); ok {
		blas.GemmDirect(1, any(a).(dense.Matrix[float64]), any(b).(dense.Matrix[float64]), 0, c)
		return
	}
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
}
