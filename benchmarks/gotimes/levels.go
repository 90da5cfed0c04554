package main

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

func side(letter string) blas.Side {
	if letter == "R" {
		return blas.Right
	}
	return blas.Left
}

func uplo(letter string) blas.Uplo {
	if letter == "U" {
		return blas.Upper
	}
	return blas.Lower
}

// order returns the order of the square operand of a product from that side of an m x n matrix.
func (r *request) order() int {
	if side(r.Side) == blas.Right {
		return r.N
	}
	return r.M
}

// heavy returns a matrix whose diagonal outweighs its rows: well-conditioned as a triangle, positive definite as a
// symmetric matrix.
func heavy(n int) dense.Matrix[float64] {
	a := random[float64](n, n)
	for i := range n {
		a.Set(i, i, float64(2*n))
	}
	return a
}

func symv(r *request) job {
	a, x, y := random[float64](r.N, r.N), dense.Vec(random[float64](1, r.N).Data), dense.Vec(make([]float64, r.N))
	team := r.team()
	return plain(func() { blas.Symv(team, uplo(r.Uplo), 1, a, x, 0, y) })
}

func gemv(r *request) job {
	trans, team := transpose(r.TransA), r.team()
	rows, cols := stored(trans, r.M, r.N)
	a, x, y := random[float64](r.M, r.N), dense.Vec(random[float64](1, cols).Data), dense.Vec(make([]float64, rows))
	return plain(func() { blas.Gemv(team, trans, 1, a, x, 0, y) })
}

func syrk(r *request) job {
	a, c, team := random[float64](r.N, r.K), newMatrix[float64](r.N, r.N), r.team()
	return plain(func() { blas.Syrk(team, uplo(r.Uplo), blas.NoTrans, 1, a, 0, c) })
}

func symm(r *request) job {
	a, b, c, team := random[float64](r.order(), r.order()), random[float64](r.M, r.N),
		newMatrix[float64](r.M, r.N), r.team()
	return plain(func() { blas.Symm(team, side(r.Side), uplo(r.Uplo), 1, a, b, 0, c) })
}

func trsm(r *request) job { return triangular(r, blas.Trsm[float64]) }

func trmm(r *request) job { return triangular(r, blas.Trmm[float64]) }

// triangular returns a solve with a triangle, or the product with it, which have the same arguments.
func triangular(
	r *request,
	op func(*sched.Team, blas.Side, blas.Uplo, blas.Transpose, blas.Diag, float64, dense.Matrix[float64],
		dense.Matrix[float64]),
) job {
	a, b, team := heavy(r.order()), random[float64](r.M, r.N), r.team()
	return restored(b, func() error {
		op(team, side(r.Side), uplo(r.Uplo), transpose(r.TransA), blas.NonUnit, 1, a, b)
		return nil
	})
}
