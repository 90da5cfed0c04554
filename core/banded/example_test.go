package banded_test

import (
	"fmt"

	"trnsci/core/banded"
	"trnsci/core/dense"
)

func ExampleSolve() {
	// 2 on the diagonal, -1 next to it.
	band := dense.FromRows([]float64{0, -1, -1}, []float64{2, 2, 2}, []float64{-1, -1, 0})
	x := dense.FromRows([]float64{1}, []float64{0}, []float64{1})
	if err := banded.Solve(nil, band.View(), 1, x); err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", x.Data)
	// Output: [1.000 1.000 1.000]
}

func ExampleCholesky() {
	band := dense.FromRows([]float64{4, 5, 5}, []float64{2, 2, 0})
	if err := banded.Cholesky(nil, band.View(), band.View(), false); err != nil {
		panic(err)
	}
	fmt.Println(band)
	// Output:
	// [2 2 2]
	// [1 1 0]
}

func ExampleSolveToeplitz() {
	x := dense.FromRows([]float64{4}, []float64{4}, []float64{7})
	if err := banded.SolveToeplitz(nil, []float64{1, 2, 4}, []float64{1, 1, 2}, x); err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", x.Data)
	// Output: [1.000 1.000 1.000]
}
