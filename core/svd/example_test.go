package svd_test

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/svd"
)

func ExampleDecompose() {
	a := dense.FromRows([]float64{3, 0}, []float64{0, -4}, []float64{0, 0})
	out := svd.Results[float64]{Values: make([]float64, 2)}
	if err := svd.Decompose(nil, a.View(), out, false); err != nil {
		panic(err)
	}
	fmt.Println(out.Values)
	// Output: [4 3]
}
