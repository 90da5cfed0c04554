package eigen_test

import (
	"context"
	"fmt"
	"time"

	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/sched"
)

// The vibrations of three equal masses in a row, connected by two springs.
func ExampleEigh() {
	stiffness := dense.FromRows([]float64{1, -1, 0}, []float64{-1, 2, -1}, []float64{0, -1, 1})
	w := make([]float64, 3)
	v := dense.New[float64](3, 3).View().T() // column-major: each eigenvector is contiguous
	if _, err := eigen.Eigh(stiffness.View(), w, v, eigen.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("squared frequencies %.3f, %.3f\n", w[1], w[2])
	fmt.Printf("fastest vibration (%.3f, %.3f, %.3f)\n", v.At(0, 2), v.At(1, 2), v.At(2, 2))
	// Output:
	// squared frequencies 1.000, 3.000
	// fastest vibration (-0.408, 0.816, -0.408)
}

// Eight threads and a time limit of one minute. Without a Team a call uses one thread and has no time limit.
func ExampleEigh_team() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	const n = 200
	a := dense.New[float64](n, n) // second differences: eigenvalues 2 - 2 cos(k pi/(n+1))
	for i := range n {
		a.Set(i, i, 2)
		if i > 0 {
			a.Set(i, i-1, -1) // the lower triangle is enough
		}
	}
	w, v := make([]float64, n), dense.New[float64](n, n)
	count, err := eigen.Eigh(a.View(), w, v.View(), eigen.Options{Team: sched.NewTeam(ctx, 8, nil)})
	fmt.Printf("%d eigenvalues, the largest %.6f, error %v\n", count, w[n-1], err)
	// Output:
	// 200 eigenvalues, the largest 3.999756, error <nil>
}

// The same three masses as a tridiagonal matrix.
func ExampleEighTridiagonal() {
	w, v := make([]float64, 3), dense.New[float64](3, 3).View().T()
	if _, err := eigen.EighTridiagonal([]float64{1, 2, 1}, []float64{-1, -1}, w, v, eigen.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("squared frequencies %.3f, %.3f\n", w[1], w[2])
	// Output:
	// squared frequencies 1.000, 3.000
}

// A matrix with two diagonals below the main one.
func ExampleEighBanded() {
	band := dense.FromRows([]float64{4, 4, 4, 4}, []float64{0, 0, 0, 0}, []float64{1, 1, 0, 0})
	w := make([]float64, 4)
	count, err := eigen.EighBanded(band.View(), w, dense.View[float64]{}, eigen.Options{ValuesOnly: true})
	fmt.Printf("%d eigenvalues, %.2f, error %v\n", count, w, err)
	// Output:
	// 4 eigenvalues, [3.00 3.00 5.00 5.00], error <nil>
}

// The largest eigenvalue of A x = lambda B x, without its eigenvector.
func ExampleEighGeneralized() {
	a := dense.FromRows([]float64{2, 1}, []float64{1, 2})
	b := dense.FromRows([]float64{2, 0}, []float64{0, 1})
	w := make([]float64, 1)
	opt := eigen.Options{ValuesOnly: true, Subset: eigen.ByIndex(1, 1)}
	count, err := eigen.EighGeneralized(eigen.AXEqualsLambdaBX, a.View(), b.View(), w, dense.View[float64]{}, opt)
	fmt.Printf("%d eigenvalue, %.4f, error %v\n", count, w[0], err)
	// Output:
	// 1 eigenvalue, 2.3660, error <nil>
}

// Eigenvalues of three two-level systems.
func ExampleEighBatch() {
	couplings := []float64{0, 1, 2}
	w := make([][]float64, len(couplings))
	err := eigen.EighBatch(len(couplings), func(k int) eigen.Member[float64, float64] {
		a := dense.FromRows([]float64{0, couplings[k]}, []float64{couplings[k], 0})
		w[k] = make([]float64, 2)
		return eigen.Member[float64, float64]{A: a.View(), W: w[k]}
	}, nil, eigen.Options{ValuesOnly: true})
	fmt.Println(w, err)
	// Output: [[0 0] [-1 1] [-2 2]] <nil>
}
