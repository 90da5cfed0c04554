package qrupdate_test

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/qrupdate"
)

func ExampleUpdate() {
	q, r := dense.FromRows([]float64{1, 0}, []float64{0, 1}), dense.FromRows([]float64{3, 1}, []float64{0, 2})
	row := dense.FromRows([]float64{4, 5})
	change := qrupdate.Change[float64]{Kind: qrupdate.InsertRows, Count: 1, First: 2, U: row.View()}
	q1, r1 := dense.New[float64](3, 3), dense.New[float64](3, 2)
	if err := qrupdate.Update(nil, q.View(), r.View(), change, q1.View(), r1.View()); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.1f\n", r1.At(0, 0)) // the length of (3, 0, 4)
	// Output: 5.0
}
