package blas

import (
	"trnsci/core/dense"
)

// opMatrix is op(X): X, its transpose, its conjugate or its conjugate transpose. Shapes and indices are those of op(X).
type opMatrix[T dense.Scalar] struct {
	dense.Matrix[T]
	trans, conj bool
}

func opOf[T dense.Scalar](trans Transpose, x dense.Matrix[T]) opMatrix[T] {
	return opMatrix[T]{Matrix: x, trans: trans != NoTrans, conj: trans == ConjTrans}
}

// plain is X itself.
func plain[T dense.Scalar](x dense.Matrix[T]) opMatrix[T] { return opMatrix[T]{Matrix: x} }

// transposed returns the transpose of op(X).
func (f opMatrix[T]) transposed() opMatrix[T] {
	f.trans = !f.trans
	return f
}

// adjoint returns the conjugate transpose of op(X).
func (f opMatrix[T]) adjoint() opMatrix[T] {
	f.trans, f.conj = !f.trans, !f.conj
	return f
}

func (f opMatrix[T]) shape() (rows, cols int) {
	if f.trans {
		return f.Cols, f.Rows
	}
	return f.Rows, f.Cols
}

// slice returns the rows i0 <= i < i1 and the columns j0 <= j < j1 of op(X).
func (f opMatrix[T]) slice(i0, i1, j0, j1 int) opMatrix[T] {
	if f.trans {
		i0, i1, j0, j1 = j0, j1, i0, i1
	}
	f.Matrix = f.Matrix.Slice(i0, i1, j0, j1)
	return f
}

// at returns element (i, j) of op(X).
func (f opMatrix[T]) at(i, j int) T {
	if f.trans {
		i, j = j, i
	}
	if x := f.At(i, j); f.conj {
		return dense.Conj(x)
	} else {
		return x
	}
}

// isLower reports whether op(X) is lower triangular when X is the triangle uplo.
func (f opMatrix[T]) isLower(uplo Uplo) bool { return (uplo == Lower) != f.trans }

// part is the part of a product that is computed: all of it, or a triangle with its diagonal.
type part uint8

const (
	full part = iota
	lower
	upper
)

func partOf(uplo Uplo) part {
	if uplo == Lower {
		return lower
	}
	return upper
}

// columns returns the columns of the part in row i within j0 <= j < j1, where an element takes the given number of
// columns.
func (p part) columns(i, j0, j1, width int) (first, last int) {
	switch p {
	case lower:
		return j0, min(j1, (i+1)*width)
	case upper:
		return max(j0, i*width), j1
	}
	return j0, j1
}
