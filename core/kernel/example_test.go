package kernel_test

import (
	"fmt"

	"trnsci/core/kernel"
)

func ExampleGemm() {
	// One tile of 2 rows and 3 columns: C = 1 * A B with A = [1 2; 3 4] and B = [1 0 1; 0 1 1].
	tile := kernel.Tiles[float64]{
		Count: 1, Rows: 2, Cols: 3, K: 2, Alpha: 1,
		A: []float64{1, 2, 3, 4}, RowA: 2, ColA: 1,
		B: []float64{1, 0, 1, 0, 1, 1}, RowB: 3,
		C: make([]float64, 6), RowC: 3,
	}
	kernel.Gemm(kernel.Best(), &tile)
	fmt.Println(tile.C)
	// Output: [1 2 3 3 4 7]
}

func ExampleDotsAxpys() {
	// Both products of the matrix A = [1 2 3; 4 5 6]: A x and A^T z, while A is read once.
	rows := kernel.Rows[float64]{Count: 2, Cols: 3, Stride: 3, A: []float64{1, 2, 3, 4, 5, 6}}
	x, z := []float64{1, 0, 1}, []float64{1, 1}
	ax, atz := make([]float64, 2), make([]float64, 3)
	kernel.DotsAxpys(kernel.Best(), &rows, x, ax, z, atz)
	fmt.Println(ax, atz)
	// Output: [4 10] [5 7 9]
}
