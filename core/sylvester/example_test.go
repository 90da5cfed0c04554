package sylvester_test

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/sylvester"
)

// The stationary covariance of a damped process dx = A x dt + dw: A X + X A^T = -I.
func ExampleLyapunov() {
	a := dense.FromRows([]float64{-1, 0}, []float64{0, -2})
	q := dense.FromRows([]float64{-1, 0}, []float64{0, -1})
	x := dense.New[float64](2, 2)
	if _, err := sylvester.Lyapunov(a.View(), q.View(), x.View(), sylvester.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.At(0, 0), x.At(1, 1))
	// Output: 0.5 0.25
}
