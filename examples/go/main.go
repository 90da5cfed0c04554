// Command go uses the packages without Python: an eigenproblem and a product on two threads, with a context that ends
// the computation after a minute.
//
// Run it with:  go run ./examples/go
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/sched"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	team := sched.NewTeam(ctx, 2, nil)

	// The second difference of n points and its eigenvalues 2 - 2 cos(j pi / (n+1)).
	const n = 100
	a := dense.New[float64](n, n)
	for i := range n {
		a.Set(i, i, 2)
		if i > 0 {
			a.Set(i, i-1, -1)
			a.Set(i-1, i, -1)
		}
	}
	w, v := make([]float64, n), dense.New[float64](n, n)
	if _, err := eigen.Eigh(a.View(), w, v.View(), eigen.Options{Team: team}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("smallest eigenvalues: %.6f\n", w[:3])

	// V^T V is the unit matrix.
	product := dense.New[float64](n, n)
	blas.Gemm(team, blas.Trans, blas.NoTrans, 1, v, v, 0, product)
	worst := 0.0
	for i := range n {
		for j := range n {
			want := 0.0
			if i == j {
				want = 1
			}
			worst = max(worst, product.At(i, j)-want, want-product.At(i, j))
		}
	}
	fmt.Println("orthonormal:", worst < 1e-13)
}
