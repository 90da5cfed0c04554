package factor_test

import (
	"errors"
	"fmt"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
)

func ExampleCholesky() {
	a := dense.FromRows([]float64{4, 2}, []float64{2, 5})
	if err := factor.Cholesky(nil, a); err != nil {
		fmt.Println(err)
	}
	fmt.Println(a.Row(0), a.Row(1))

	indefinite := dense.FromRows([]float64{1, 2}, []float64{2, 1})
	var minor *factor.NotPositiveDefiniteError
	if errors.As(factor.Cholesky(nil, indefinite), &minor) {
		fmt.Println("order", minor.Order)
	}
	// Output:
	// [2 0] [1 2]
	// order 2
}

func ExampleLU() {
	a := dense.FromRows([]float64{1, 2}, []float64{3, 4})
	pivots := make([]int, 2)
	if _, err := factor.LU(nil, a, pivots); err != nil {
		fmt.Println(err)
	}
	x := dense.FromRows([]float64{5}, []float64{11})
	if err := factor.LUSolve(nil, blas.NoTrans, a, pivots, x); err != nil {
		fmt.Println(err)
	}
	fmt.Println(x.Row(0), x.Row(1))
	// Output:
	// [1] [2]
}

func ExampleQRView() {
	a := dense.FromRows([]float64{3, 1}, []float64{4, 7}, []float64{0, 2})
	// The columns of Q and R are contiguous: they are transposes of matrices stored by rows.
	qt, rt := dense.New[float64](2, 3), dense.New[float64](2, 2)
	out := factor.QRResults[float64]{Q: qt.View().T(), R: rt.View().T()}
	if err := factor.QRView(nil, a.View(), out, false); err != nil {
		fmt.Println(err)
	}
	for i := range 2 {
		fmt.Printf("%.2f %.2f\n", out.R.At(i, 0), out.R.At(i, 1))
	}
	// Output:
	// -5.00 -6.20
	// 0.00 -3.94
}
