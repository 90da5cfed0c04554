package factor_test

import (
	"errors"
	"fmt"

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
