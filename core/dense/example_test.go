package dense_test

import (
	"fmt"

	"trnsci/core/dense"
)

func ExampleView() {
	// A 2 by 3 matrix stored by columns, as Fortran does it, seen without a copy.
	columns := dense.View[float64]{Rows: 2, Cols: 3, RowStride: 1, ColStride: 2, Data: []float64{1, 4, 2, 5, 3, 6}}
	m := dense.New[float64](2, 3)
	dense.Copy(m.View(), columns)
	fmt.Println(m.Row(0), m.Row(1))
	// Output: [1 2 3] [4 5 6]
}

func ExampleMatrix() {
	m := dense.FromRows([]float64{2, 1}, []float64{1, 2})
	m.Set(0, 1, 1.0/3)
	fmt.Println(m.Slice(1, 2, 0, 2))
	fmt.Printf("%.3f\n", m)
	// Output:
	// [1 2]
	// [2.000 0.333]
	// [1.000 2.000]
}
