package vector_test

import (
	"fmt"

	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

func ExampleDotsAxpys() {
	// Both products of the matrix A = [1 2 3; 4 5 6]: A x and A^T z, while A is read once.
	rows := vector.Rows[float64]{Count: 2, Cols: 3, Stride: 3, A: []float64{1, 2, 3, 4, 5, 6}}
	x, z := []float64{1, 0, 1}, []float64{1, 1}
	ax, atz := make([]float64, 2), make([]float64, 3)
	vector.DotsAxpys(kernel.Best(), &rows, x, ax, z, atz)
	fmt.Println(ax, atz)
	// Output: [4 10] [5 7 9]
}
