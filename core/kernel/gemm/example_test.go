package gemm_test

import (
	"fmt"

	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
)

func ExampleMultiplyTiles() {
	// One tile of 2 rows and 3 columns: C = 1 * A B with A = [1 2; 3 4] and B = [1 0 1; 0 1 1].
	tile := gemm.Tiles[float64]{
		Count: 1, Rows: 2, Cols: 3, K: 2, Alpha: 1,
		A: []float64{1, 2, 3, 4}, RowA: 2, ColA: 1,
		B: []float64{1, 0, 1, 0, 1, 1}, RowB: 3,
		C: make([]float64, 6), RowC: 3,
	}
	gemm.MultiplyTiles(kernel.Best(), &tile)
	fmt.Println(tile.C)
	// Output: [1 2 3 3 4 7]
}
