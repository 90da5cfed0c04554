package df_test

import (
	"fmt"
	"log"

	"trnsci/core/dense"
	"trnsci/core/df"
)

func ExampleMetric_Fit() {
	// J = L L^T with L = [[2, 0], [1, 3]]; a column of integrals for each of two pairs.
	metric := dense.FromRows([]float64{4, 2}, []float64{2, 10})
	integrals := dense.FromRows([]float64{2, 4}, []float64{4, 11})
	m, err := df.DecomposeMetric(nil, metric.View(), df.DefaultDependence)
	if err != nil {
		log.Fatal(err)
	}
	if err := m.Fit(nil, integrals.View(), false); err != nil {
		log.Fatal(err)
	}
	fmt.Println(integrals.Data)
	// Output: [1 2 1 3]
}

func ExampleTransform() {
	// One auxiliary function, two basis functions: (00|P), (10|P), (11|P).
	l := df.Packed[float64]{View: dense.FromRows([]float64{2, 1, 5}).View()}
	occ, vir := dense.FromRows([]float64{1}, []float64{0}), dense.FromRows([]float64{0}, []float64{1})
	b := dense.New[float64](1, 1)
	if err := df.Transform(l, occ.View(), vir.View(), b.View(), df.Options{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Data)
	// Output: [1]
}

func ExampleJK() {
	// Two basis functions, one auxiliary function: (00|P), (10|P), (11|P).
	l := df.Packed[float64]{View: dense.FromRows([]float64{2, 1, 0}).View()}
	d := dense.FromRows([]float64{1, 0}, []float64{0, 0})
	r, err := df.JK(l, []df.Density{{D: d.View(), Symmetry: df.Symmetric}}, df.JKOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("J", r.J[0].Data)
	fmt.Println("K", r.K[0].Data)
	// Output:
	// J [4 2 2 0]
	// K [4 2 2 1]
}
