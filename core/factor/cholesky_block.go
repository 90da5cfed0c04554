package factor

import (
	"fmt"
	"math"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/scratch"
)

// NotPositiveDefiniteError reports that a Hermitian matrix has no Cholesky factorization: its leading minor of the
// given order (1-based) is not positive.
type NotPositiveDefiniteError struct {
	Arg   string
	Order int
}

func (e *NotPositiveDefiniteError) Error() string {
	return fmt.Sprintf("%s: the leading minor of order %d is not positive definite", e.Arg, e.Order)
}

// cube returns the steps of a factorization of order n, six for each multiply-add. For the orders h and r of the
// halves, n^3 = h^3 + 3 h^2 r + 3 h r^2 + r^3.
func cube(n int) int { return n * n * n }

// Blocks on the diagonal are factored as U^T U in real arithmetic. A strip of rows of U is then the solution of a
// triangular system, after a product with the rows above it, and the right-hand sides are contiguous, as the kernels
// need them. A complex matrix is replaced by the real one of twice the order in which x becomes the block (re, -im; im,
// re). The factor of this matrix is that of the complex one in the same form, since the diagonal is real.

// choleskyBlock overwrites a by its lower factor, zeros above the diagonal included. It returns the order of the first
// leading minor that is not positive, or 0.
func choleskyBlock[T dense.Scalar](a dense.Matrix[T]) (order int) {
	switch a := any(a).(type) {
	case dense.Matrix[float32]:
		order = choleskyReal(a)
	case dense.Matrix[float64]:
		order = choleskyReal(a)
	case dense.Matrix[complex64]:
		order = choleskyComplex[float32](a)
	case dense.Matrix[complex128]:
		order = choleskyComplex[float64](a)
	}
	for i := range a.Rows {
		clear(a.Row(i)[i+1:])
	}
	return order
}

// Matrices of at most this order, half of it for complex ones, are factored strip by strip.
const choleskyBase = 64

// packedTriangle is memory for a triangular matrix in the layout of gemm.Trsm.
type packedTriangle[R dense.Float] [gemm.TriangleOrder * gemm.TriangleOrder]R

// blockMemory is the memory of the factorization of a block: the block and the transpose of a small triangle.
type blockMemory[R dense.Float] struct {
	block [choleskyBase * choleskyBase]R
	small packedTriangle[R]
}

var blocks scratch.Cache[blockMemory[float64]]

// withBlock calls body with an n x n matrix of unknown values and a small triangle.
func withBlock[R dense.Float](n int, body func(u dense.Matrix[R], small *packedTriangle[R]) (order int)) (order int) {
	kept := blocks.Get()
	if kept == nil {
		kept = new(blockMemory[float64])
	}
	defer blocks.Put(kept)
	memory := (*blockMemory[R])(unsafe.Pointer(kept)) // a float32 takes no more
	return body(dense.Matrix[R]{Rows: n, Cols: n, Stride: n, Data: memory.block[:n*n]}, &memory.small)
}

func choleskyReal[R dense.Float](a dense.Matrix[R]) int {
	n, set := a.Rows, kernel.Best()
	return withBlock(n, func(u dense.Matrix[R], small *packedTriangle[R]) int {
		gemm.Transpose(set, n, n, a.Data, a.Stride, u.Data, n)
		order := choleskyUpper(u, small)
		gemm.Transpose(set, n, n, u.Data, n, a.Data, a.Stride)
		return order
	})
}

func choleskyComplex[R dense.Float, T dense.Complex](a dense.Matrix[T]) int {
	return withBlock(2*a.Rows, func(u dense.Matrix[R], small *packedTriangle[R]) int {
		n := u.Rows
		for i := range a.Rows {
			row := dense.Reals[R](a.Row(i))[:2*i+2]
			for j, at := 0, 2*i; j < len(row); j, at = j+2, at+2*n {
				re, im := row[j], row[j+1]
				u.Data[at], u.Data[at+1] = re, im
				u.Data[at+n], u.Data[at+n+1] = -im, re
			}
		}
		order := choleskyUpper(u, small)
		for i := range a.Rows {
			row := dense.Reals[R](a.Row(i))[:2*i+2]
			for j, at := 0, 2*i; j < len(row); j, at = j+2, at+2*n {
				row[j], row[j+1] = u.Data[at], u.Data[at+1]
			}
			row[2*i+1] = 0
		}
		return (order + 1) / 2
	})
}

// choleskyUpper overwrites the upper triangle of u by the factor U of U^T U. It returns the order of the first leading
// minor that is not positive, or 0. Nothing below the diagonal blocks of gemm.TriangleOrder is read or written. small
// is scratch memory.
func choleskyUpper[R dense.Float](u dense.Matrix[R], small *packedTriangle[R]) int {
	n := u.Rows
	for i0 := 0; i0 < n; i0 += gemm.TriangleOrder {
		i1 := min(n, i0+gemm.TriangleOrder)
		strip := u.Slice(i0, i1, i0, n)
		blas.Gemm(nil, blas.Trans, blas.NoTrans, -1, u.Slice(0, i0, i0, i1), u.Slice(0, i0, i0, n), 1, strip)
		if order := choleskyStrip(strip, small); order > 0 {
			return i0 + order
		}
		if i1 < n {
			gemm.Trsm(kernel.Best(), i1-i0, small[:], strip.Data, i1-i0, strip.Stride, n-i1)
		}
	}
	return 0
}

// choleskyStrip factors the square at the left of a strip of at most gemm.TriangleOrder rows and sets l to the
// transpose of the factor with reciprocals on the diagonal. It returns the order of the first leading minor that is not
// positive, or 0.
func choleskyStrip[R dense.Float](u dense.Matrix[R], l *packedTriangle[R]) int {
	n := u.Rows
	for i := range n {
		row := u.Row(i)[:n]
		pivot := row[i]
		if !(pivot > 0) || math.IsInf(float64(pivot), 0) {
			return i + 1
		}
		root := R(math.Sqrt(float64(pivot)))
		reciprocal := 1 / root
		row[i] = root
		l[i*gemm.TriangleOrder+i] = reciprocal
		for j := i + 1; j < n; j++ {
			row[j] *= reciprocal
			l[j*gemm.TriangleOrder+i] = row[j]
		}
		for k := i + 1; k < n; k++ {
			x, below := row[k], u.Row(k)[:n]
			for j := k; j < n; j++ {
				below[j] -= x * row[j]
			}
		}
	}
	return 0
}
