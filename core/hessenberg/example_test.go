package hessenberg_test

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/hessenberg"
)

func ExampleReduce() {
	a := dense.FromRows(
		[]float64{4, 3, 0},
		[]float64{3, 2, 1},
		[]float64{4, 1, 2},
	)
	h := dense.New[float64](3, 3)
	if err := hessenberg.Reduce(a.View(), h.View(), dense.View[float64]{}, hessenberg.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	for i := range 3 {
		fmt.Printf("%.2f\n", h.Row(i))
	}
	// Output:
	// [4.00 -1.80 -2.40]
	// [-5.00 2.96 0.28]
	// [0.00 0.28 1.04]
}
