package workspace

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
)

// MultiplyLeft replaces x by q x, through a product in *memory (see Within). It does not look at cancellation.
func MultiplyLeft[T dense.Scalar](q, x dense.Matrix[T], memory *[]T) {
	if x.Cols == 0 {
		return
	}
	product := Within(memory, x.Rows, x.Cols)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, q, x, 0, product)
	x.CopyFrom(product)
}

// MultiplyRightAdjoint replaces x by x q^H, through a product in *memory (see Within). It does not look at
// cancellation.
func MultiplyRightAdjoint[T dense.Scalar](x, q dense.Matrix[T], memory *[]T) {
	if x.Rows == 0 {
		return
	}
	product := Within(memory, x.Rows, x.Cols)
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, x, q, 0, product)
	x.CopyFrom(product)
}
