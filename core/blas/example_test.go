package blas_test

import (
	"fmt"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

func ExampleGemm() {
	a := dense.FromRows([]float64{1, 2}, []float64{3, 4})
	b := dense.FromRows([]float64{0, 1}, []float64{1, 0})
	c := dense.New[float64](2, 2)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
	fmt.Println(c.Row(0), c.Row(1))
	// Output: [2 1] [4 3]
}

func ExampleTrsm() {
	l := dense.FromRows([]float64{2, 0}, []float64{1, 4})
	b := dense.FromRows([]float64{2}, []float64{9})
	blas.Trsm(nil, blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, 1, l, b)
	fmt.Println(b.At(0, 0), b.At(1, 0))
	// Output: 1 2
}
