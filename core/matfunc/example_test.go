package matfunc_test

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/matfunc"
)

// Symmetric orthogonalization: three basis functions, the third of which equals the second.
func ExampleInvSqrtSPD() {
	overlap := dense.FromRows([]float64{4, 0, 0}, []float64{0, 1, 1}, []float64{0, 1, 1})
	x := dense.New[float64](3, 3)
	dropped, err := matfunc.InvSqrtSPD(overlap.View(), x.View(), matfunc.Options{})
	fmt.Println(dropped, "dropped, error", err)
	for i := range x.Rows {
		fmt.Printf("%.4f\n", x.Row(i))
	}
	// Output:
	// 1 dropped, error <nil>
	// [0.5000 0.0000 0.0000]
	// [0.0000 0.3536 0.3536]
	// [0.0000 0.3536 0.3536]
}
