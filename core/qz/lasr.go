package qz

import (
	"slices"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/kernel/givens"
)

// sweep is a sequence of rotations of adjacent rows or columns: number i acts on rows i and i+1. The last one comes
// first.
type sweep[T dense.Wide] []householder.Givens[T]

// applyLeft applies rotations to adjacent rows of m, which has one row more than there are rotations: rotation i to
// rows i and i+1, in increasing order of i, or in decreasing order if backward is set (LAPACK's lasr with side L and
// pivot V).
func applyLeft[T dense.Wide](rotations []householder.Givens[T], backward bool, m dense.Matrix[T]) {
	if len(rotations) == 0 || m.Rows == 0 || m.Cols == 0 {
		return
	}
	if real, ok := any(m).(dense.Matrix[float64]); ok {
		givens.Rotate(kernel.Best(), realRotations(rotations), backward, real.Data, real.Stride, real.Cols)
		return
	}
	applyLeftComplex(any(rotations).([]householder.Givens[complex128]), backward, any(m).(dense.Matrix[complex128]))
}

// realRotations returns real rotations in the kernel's form, which has the same memory layout.
func realRotations[T dense.Wide](rotations []householder.Givens[T]) []givens.Rotation[float64] {
	data := (*givens.Rotation[float64])(unsafe.Pointer(unsafe.SliceData(rotations)))
	return unsafe.Slice(data, len(rotations))
}

// complexBatch is the number of complex rotations that are converted to the kernel's form at a time.
const complexBatch = 32

// applyLeftComplex is applyLeft for complex matrices.
func applyLeftComplex(rotations []householder.Givens[complex128], backward bool, m dense.Matrix[complex128]) {
	var converted [complexBatch]givens.ComplexRotation[float64]
	data := dense.Reals[float64](m.Data)
	for done := 0; done < len(rotations); {
		count := min(len(converted), len(rotations)-done)
		first := done
		if backward {
			first = len(rotations) - done - count
		}
		for i, g := range rotations[first : first+count] {
			converted[i] = givens.NewComplexRotation(real(g.C), real(g.S), imag(g.S))
		}
		givens.RotateComplex(kernel.Best(), converted[:count], backward, data[2*first*m.Stride:], 2*m.Stride, m.Cols)
		done += count
	}
}

// indexInOrder returns the k-th of the indices 0 to n-1, counted from the end if backward is set.
func indexInOrder(k, n int, backward bool) int {
	if backward {
		return n - 1 - k
	}
	return k
}

// The rows of a matrix whose columns are rotated are transposed in strips of stripRows, for the kernel that rotates
// rows: 33 columns of real ones, a window's, fit half of an L1 cache of 32 kB. Below transposedRows that does not pay.
const stripRows, transposedRows = 64, 8

// applyRight applies rotations to adjacent columns of a, which has one column more than there are rotations: rotation i
// to columns i and i+1, in the order of applyLeft (lasr with side R). The memory is for transposed strips; calls at the
// same time have different ones.
func applyRight[T dense.Wide](memory *[]T, rotations []householder.Givens[T], backward bool, a dense.Matrix[T]) {
	real, ok := any(a).(dense.Matrix[float64])
	switch {
	case len(rotations) == 0:
	case ok && backward:
		givens.RotateColumns(kernel.Best(), realRotations(rotations), real.Data, real.Stride, real.Rows)
	case a.Rows >= transposedRows:
		*memory = slices.Grow((*memory)[:0], a.Cols*stripRows)[:a.Cols*stripRows]
		for i := 0; i < a.Rows; i += stripRows {
			applyRightTransposed(rotations, backward, a.Slice(i, min(i+stripRows, a.Rows), 0, a.Cols), *memory)
		}
	default:
		applyRightToRows(rotations, backward, a)
	}
}

// applyRightTransposed is applyRight by way of the transpose, in the given memory.
func applyRightTransposed[T dense.Wide](
	rotations []householder.Givens[T], backward bool, a dense.Matrix[T], memory []T,
) {
	transposed := dense.Matrix[T]{Rows: a.Cols, Cols: a.Rows, Stride: a.Rows, Data: memory[:a.Rows*a.Cols]}
	transpose(transposed, a)
	applyLeft(rotations, backward, transposed)
	transpose(a, transposed)
}

// transpose sets to to the transpose of a.
func transpose[T dense.Wide](to, a dense.Matrix[T]) {
	if real, ok := any(a).(dense.Matrix[float64]); ok {
		to := any(to).(dense.Matrix[float64])
		gemm.Transpose(kernel.Best(), a.Rows, a.Cols, real.Data, real.Stride, to.Data, to.Stride)
		return
	}
	const rowsAtOnce = 4 // whole cache lines of complex numbers
	i := 0
	for ; i+rowsAtOnce <= a.Rows; i += rowsAtOnce {
		r0, r1, r2, r3 := a.Row(i), a.Row(i+1), a.Row(i+2), a.Row(i+3)
		r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		for j, x := range r0 {
			line := to.Data[j*to.Stride+i:][:rowsAtOnce]
			line[0], line[1], line[2], line[3] = x, r1[j], r2[j], r3[j]
		}
	}
	for ; i < a.Rows; i++ {
		for j, x := range a.Row(i) {
			to.Set(j, i, x)
		}
	}
}

// applyRightToRows is applyRight row by row. Four rows are processed at once to hide latency, because each rotation of
// a row depends on the one before.
func applyRightToRows[T dense.Wide](rotations []householder.Givens[T], backward bool, m dense.Matrix[T]) {
	const rowsAtOnce = 4
	i := 0
	for ; i+rowsAtOnce <= m.Rows; i += rowsAtOnce {
		if r := [rowsAtOnce][]T{m.Row(i), m.Row(i + 1), m.Row(i + 2), m.Row(i + 3)}; backward {
			backwardToFourRows(rotations, r[0], r[1], r[2], r[3])
		} else {
			forwardToFourRows(rotations, r[0], r[1], r[2], r[3])
		}
	}
	for ; i < m.Rows; i++ {
		applyRightToRow(rotations, backward, m.Row(i))
	}
}

// forwardToFourRows applies the rotations to four rows in increasing order. The second element of a rotated pair is the
// first element of the next pair.
func forwardToFourRows[T dense.Wide](rotations []householder.Givens[T], r0, r1, r2, r3 []T) {
	x0, x1, x2, x3 := r0[0], r1[0], r2[0], r3[0]
	n := len(rotations)
	r0, r1, r2, r3 = r0[:n+1], r1[:n+1], r2[:n+1], r3[:n+1]
	for j, g := range rotations {
		c, s, t := g.C, g.S, dense.Conj(g.S)
		y0, y1, y2, y3 := r0[j+1], r1[j+1], r2[j+1], r3[j+1]
		r0[j], r1[j], r2[j], r3[j] = c*x0+s*y0, c*x1+s*y1, c*x2+s*y2, c*x3+s*y3
		x0, x1, x2, x3 = c*y0-t*x0, c*y1-t*x1, c*y2-t*x2, c*y3-t*x3
	}
	r0[n], r1[n], r2[n], r3[n] = x0, x1, x2, x3
}

// backwardToFourRows is forwardToFourRows in decreasing order.
func backwardToFourRows[T dense.Wide](rotations []householder.Givens[T], r0, r1, r2, r3 []T) {
	n := len(rotations)
	y0, y1, y2, y3 := r0[n], r1[n], r2[n], r3[n]
	r0, r1, r2, r3 = r0[:n+1], r1[:n+1], r2[:n+1], r3[:n+1]
	for j := n - 1; j >= 0; j-- {
		c, s, t := rotations[j].C, rotations[j].S, dense.Conj(rotations[j].S)
		x0, x1, x2, x3 := r0[j], r1[j], r2[j], r3[j]
		r0[j+1], r1[j+1], r2[j+1], r3[j+1] = c*y0-t*x0, c*y1-t*x1, c*y2-t*x2, c*y3-t*x3
		y0, y1, y2, y3 = c*x0+s*y0, c*x1+s*y1, c*x2+s*y2, c*x3+s*y3
	}
	r0[0], r1[0], r2[0], r3[0] = y0, y1, y2, y3
}

// applyRightToRow is applyRightToRows for one row.
func applyRightToRow[T dense.Wide](rotations []householder.Givens[T], backward bool, row []T) {
	for k := range rotations {
		j := indexInOrder(k, len(rotations), backward)
		row[j], row[j+1] = rotations[j].Turn(row[j], row[j+1])
	}
}

// conjugates returns the complex conjugates of the rotations. Real ones are returned without a copy.
func conjugates[T dense.Wide](rotations []householder.Givens[T]) []householder.Givens[T] {
	if !dense.IsComplex[T]() {
		return rotations
	}
	conj := make([]householder.Givens[T], len(rotations))
	for i, g := range rotations {
		conj[i] = g.Conj()
	}
	return conj
}
