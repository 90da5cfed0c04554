package schur_test

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/quasi"
	"trnsci/core/schur"
)

func ExampleDecompose() {
	a := dense.FromRows(
		[]float64{0, 2, 2},
		[]float64{0, 1, 2},
		[]float64{1, 0, 1},
	)
	t, z := dense.New[float64](3, 3), dense.New[float64](3, 3)
	if err := schur.Decompose(a.View(), t.View(), z.View(), schur.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	for _, value := range quasi.Eigenvalues(t.View()) {
		fmt.Printf("%.6f\n", value)
	}
	// Output:
	// (2.658967+0.000000i)
	// (-0.329484+0.802255i)
	// (-0.329484-0.802255i)
}
