package ldl_test

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/ldl"
)

func ExampleFactor() {
	a := dense.FromRows([]float64{0, 2}, []float64{2, 0})
	f, err := ldl.Factor(nil, a, false)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(f.Above, f.Pivots)
	b := dense.FromRows([]float64{4}, []float64{6})
	if err := f.Solve(nil, b); err != nil {
		fmt.Println(err)
	}
	fmt.Println(b.Row(0), b.Row(1))
	// Output:
	// [2 0] [0 1]
	// [3] [2]
}
