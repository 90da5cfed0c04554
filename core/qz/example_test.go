package qz_test

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/qz"
)

func ExampleDecompose() {
	a := dense.FromRows([]float64{1, 2}, []float64{3, 4})
	b := dense.FromRows([]float64{0, 1}, []float64{0, 2})
	s, p := dense.New[float64](2, 2), dense.New[float64](2, 2)
	alpha, beta := make([]complex128, 2), make([]float64, 2)
	form := qz.Form[float64]{S: s.View(), P: p.View(), Alpha: alpha, Beta: beta}
	if err := qz.Decompose(a.View(), b.View(), form, qz.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	// det(A - x B) = 1 (4 - 2x) - 3 (2 - x) = x - 2; the other eigenvalue is infinite.
	for k := range alpha {
		if beta[k] == 0 {
			fmt.Println("infinite")
		} else {
			fmt.Printf("%.6f\n", real(alpha[k])/beta[k])
		}
	}
	// Output:
	// infinite
	// 2.000000
}

func ExampleOrder() {
	a := dense.FromRows([]float64{1, 5}, []float64{0, 2})
	b := dense.FromRows([]float64{1, 0}, []float64{0, 1})
	alpha, beta := make([]complex128, 2), make([]float64, 2)
	form := qz.Form[float64]{S: a.View(), P: b.View(), Alpha: alpha, Beta: beta}
	count, err := qz.Order(form, []bool{false, true}, qz.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d: %.6f %.6f\n", count, real(alpha[0])/beta[0], real(alpha[1])/beta[1])
	// Output:
	// 1: 2.000000 1.000000
}

func ExampleEigen() {
	a := dense.FromRows([]float64{2, 0}, []float64{0, 3})
	b := dense.FromRows([]float64{1, 0}, []float64{0, 2})
	alpha, beta := make([]complex128, 2), make([]float64, 2)
	right := dense.New[complex128](2, 2)
	noLeft := dense.View[complex128]{}
	if err := qz.Eigen(a.View(), b.View(), alpha, beta, noLeft, right.View(), qz.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	for k := range alpha {
		fmt.Printf("%.3f: %.3f %.3f\n", real(alpha[k])/beta[k], right.At(0, k), right.At(1, k))
	}
	// Output:
	// 2.000: (1.000+0.000i) (0.000+0.000i)
	// 1.500: (0.000+0.000i) (1.000+0.000i)
}
