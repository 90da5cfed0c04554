package factor_test

import (
	"errors"
	"fmt"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
)

func ExampleCholesky() {
	a := dense.FromRows([]float64{4, 2}, []float64{2, 5})
	if err := factor.Cholesky(nil, a); err != nil {
		fmt.Println(err)
	}
	fmt.Println(a.Row(0), a.Row(1))

	indefinite := dense.FromRows([]float64{1, 2}, []float64{2, 1})
	var minor *factor.NotPositiveDefiniteError
	if errors.As(factor.Cholesky(nil, indefinite), &minor) {
		fmt.Println("order", minor.Order)
	}
	// Output:
	// [2 0] [1 2]
	// order 2
}

func ExampleLU() {
	a := dense.FromRows([]float64{1, 2}, []float64{3, 4})
	pivots := make([]int, 2)
	if _, err := factor.LU(nil, a, pivots); err != nil {
		fmt.Println(err)
	}
	x := dense.FromRows([]float64{5}, []float64{11})
	if err := factor.LUSolve(nil, blas.NoTrans, a, pivots, x); err != nil {
		fmt.Println(err)
	}
	fmt.Println(x.Row(0), x.Row(1))
	// Output:
	// [1] [2]
}
