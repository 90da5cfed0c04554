package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

// isDirect reports whether alpha op(A) x + beta y is what the kernels add to y, or to zeros, for vectors without gaps and a matrix that one
// thread takes: then the workspace of a sweep is spared.
func isDirect[T dense.Scalar](alpha T, a *dense.Matrix[T], x *dense.Vector[T], beta T, y *dense.Vector[T]) bool {
	return alpha == 1 && (beta == 0 || beta == 1) && x.Inc == 1 && y.Inc == 1 && a.Rows*a.Cols*dense.Bytes[T]() < sweepBytes
}

// gemvDirect does Gemv's work if it is direct and T is real, and reports whether it did.
func gemvDirect[T dense.Scalar](set kernel.Set, trans Transpose, alpha T, a *dense.Matrix[T], x *dense.Vector[T], beta T, y *dense.Vector[T]) bool {
	if !isDirect(alpha, a, x, beta, y) {
		return false
	}
	switch y := any(y).(type) {
	case *dense.Vector[float32]:
		addProduct(set, trans, any(a).(*dense.Matrix[float32]), any(x).(*dense.Vector[float32]), beta == 0, y)
	case *dense.Vector[float64]:
		addProduct(set, trans, any(a).(*dense.Matrix[float64]), any(x).(*dense.Vector[float64]), beta == 0, y)
	default:
		return false
	}
	return true
}

// addProduct adds op(A) x to y, or sets y to it if afresh.
func addProduct[T dense.Float](set kernel.Set, trans Transpose, a *dense.Matrix[T], x *dense.Vector[T], afresh bool, y *dense.Vector[T]) {
	in, out := x.Data[:x.N], y.Data[:y.N]
	if afresh {
		clear(out)
	}
	rows := vector.Rows[T]{Count: a.Rows, Cols: a.Cols, Stride: a.Stride, A: a.Data}
	if trans == NoTrans {
		vector.Dots(set, &rows, in, out)
	} else {
		vector.Axpys(set, &rows, in, out)
	}
}

// symvDirect does Symv's work if it is direct and one chunk, and T is real, and reports whether it did.
func symvDirect[T dense.Scalar](set kernel.Set, uplo Uplo, alpha T, a *dense.Matrix[T], x *dense.Vector[T], beta T, y *dense.Vector[T]) bool {
	if triangleChunks(y.N) > 1 || !isDirect(alpha, a, x, beta, y) {
		return false
	}
	switch y := any(y).(type) {
	case *dense.Vector[float32]:
		addSymmetric(set, uplo, any(a).(*dense.Matrix[float32]), any(x).(*dense.Vector[float32]), beta == 0, y)
	case *dense.Vector[float64]:
		addSymmetric(set, uplo, any(a).(*dense.Matrix[float64]), any(x).(*dense.Vector[float64]), beta == 0, y)
	default:
		return false
	}
	return true
}

// addSymmetric adds A x to y for the triangle uplo of a symmetric A, or sets y to it if afresh.
func addSymmetric[T dense.Float](set kernel.Set, uplo Uplo, a *dense.Matrix[T], x *dense.Vector[T], afresh bool, y *dense.Vector[T]) {
	in, out := x.Data[:x.N], y.Data[:y.N]
	if afresh {
		clear(out)
	}
	rows := vector.Rows[T]{Count: a.Rows, Cols: a.Cols, Stride: a.Stride, A: a.Data}
	vector.Symv(set, uplo == Upper, &rows, 0, in, out)
}
