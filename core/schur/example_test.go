package schur_test

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/schur"
)

func ExampleSchur() {
	a := dense.FromRows(
		[]float64{0, 2, 2},
		[]float64{0, 1, 2},
		[]float64{1, 0, 1},
	)
	t, z := dense.New[float64](3, 3), dense.New[float64](3, 3)
	if err := schur.Schur(a.View(), t.View(), z.View(), schur.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	for _, value := range schur.Eigenvalues(t.View()) {
		fmt.Printf("%.6f\n", value)
	}
	// Output:
	// (2.658967+0.000000i)
	// (-0.329484+0.802255i)
	// (-0.329484-0.802255i)
}

func ExampleHessenberg() {
	a := dense.FromRows(
		[]float64{4, 3, 0},
		[]float64{3, 2, 1},
		[]float64{4, 1, 2},
	)
	h := dense.New[float64](3, 3)
	if err := schur.Hessenberg(a.View(), h.View(), dense.View[float64]{}, schur.Options{}); err != nil {
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
