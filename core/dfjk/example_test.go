package dfjk_test

import (
	"fmt"
	"log"

	"trnsci/core/dense"
	"trnsci/core/dfjk"
	"trnsci/core/packed"
)

func ExampleCompute() {
	// Two basis functions, one auxiliary function: (00|P), (10|P), (11|P).
	l := packed.Tensor[float64]{View: dense.FromRows([]float64{2, 1, 0}).View()}
	d := dense.FromRows([]float64{1, 0}, []float64{0, 0})
	r, err := dfjk.Compute(l, []dfjk.Density{{D: d.View(), Symmetry: dfjk.Symmetric}}, dfjk.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("J", r.J[0].Data)
	fmt.Println("K", r.K[0].Data)
	// Output:
	// J [4 2 2 0]
	// K [4 2 2 1]
}
