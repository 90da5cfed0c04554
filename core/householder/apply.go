package householder

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// ApplyLeft replaces A by (I - tau v v^H) A. conj is conj(v), for a real type v itself; sums has room for a row of A.
//
// Once team is cancelled, A is unspecified; callers check team.Err(). Cost: 2 multiply-adds for each element of A.
func ApplyLeft[T dense.Scalar](team *sched.Team, tau T, v, conj []T, a dense.Matrix[T], sums []T) {
	products := dense.Vec(sums[:a.Cols])
	blas.Gemv(team, blas.Trans, 1, a, dense.Vec(conj), 0, products)
	if team.Err() != nil {
		return
	}
	blas.Ger(team, -tau, dense.Vec(v), products, a)
}

// ApplyRight replaces A by A (I - tau v v^H); sums has room for a column of A.
//
// Cancellation is that of ApplyLeft. Cost: 2 multiply-adds for each element of A.
func ApplyRight[T dense.Scalar](team *sched.Team, tau T, v []T, a dense.Matrix[T], sums []T) {
	products := dense.Vec(sums[:a.Rows])
	blas.Gemv(team, blas.NoTrans, 1, a, dense.Vec(v), 0, products)
	if team.Err() != nil {
		return
	}
	blas.Gerc(team, -tau, products, dense.Vec(v), a)
}

// The compact WY form of reflectors H_0 H_1 ... H_(k-1) with vectors v_0, ..., v_(k-1) is I - V T V^H with an upper
// triangular T, which grows by a column with each reflector: t_kk = tau_k, and above it -tau_k T (V^H v_k). The
// elements of T below the diagonal are not read.

// ExtendTriangle makes the next column of t, column k = len(x), for a reflector with the factor tau whose vector v has
// the products x = V^H v with the k vectors before.
func ExtendTriangle[T dense.Scalar](t dense.Matrix[T], tau T, x []T) {
	for p := range x {
		var sum T
		for q := p; q < len(x); q++ {
			sum += t.At(p, q) * x[q]
		}
		t.Set(p, len(x), -tau*sum)
	}
	t.Set(len(x), len(x), tau)
}

// MultiplyTriangleAdjoint replaces x by -T^H x for the leading part of t that is as large as x.
func MultiplyTriangleAdjoint[T dense.Scalar](t dense.Matrix[T], x []T) {
	for q := len(x) - 1; q >= 0; q-- {
		var sum T
		for p := 0; p <= q; p++ {
			sum += dense.Conj(t.At(p, q)) * x[p]
		}
		x[q] = -sum
	}
}
