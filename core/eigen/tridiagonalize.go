package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// tridiagonalize reduces the Hermitian matrix in the lower triangle of h to a real tridiagonal one, whose elements it
// stores in t:
//
//	H = Q T Q^H,  Q = P_{n-1} ... P_2 P_1,  P_i = I - tau_i v_i v_i^H
//
// v_i has i elements, the last of which is 1, and overwrites row i of h left of the diagonal. Rows are reduced from the
// last to the first, so that all work is on contiguous rows and leading submatrices.
//
// Cost: 2/3 n^3 multiply-adds. Method: Golub and Van Loan, Matrix Computations, 4th ed., algorithm 8.3.1, with
// reflections that make the off-diagonal real for complex matrices, too.
func tridiagonalize[W dense.Wide](team *sched.Team, h dense.Matrix[W], t *tridiagonal) (tau []W, err error) {
	n := h.Rows
	workspace := make([]W, 2*n)
	tau, update := workspace[:n], workspace[n:]
	for i := n - 1; i > 0; i-- {
		if err := team.Err(); err != nil {
			return nil, err
		}
		// Row i holds the conjugate of the column that is to be eliminated.
		column := h.Row(i)[:i]
		conjugate(column)
		tau[i], t.e[i-1] = reflector(column)
		t.d[i] = dense.Real(h.At(i, i))
		if tau[i] != 0 {
			reflectBothSides(h.Slice(0, i, 0, i), tau[i], dense.Vec(column), dense.Vec(update[:i]))
		}
		team.Step(1)
	}
	t.d[0] = dense.Real(h.At(0, 0))
	team.Step(1)
	return tau, nil
}

// reflectBothSides overwrites the lower triangle of A by that of P^H A P with P = I - tau v v^H, as the update of rank
// two A - v w^H - w v^H with w = p - (tau/2) (p^H v) v, p = tau A v.
func reflectBothSides[W dense.Wide](a dense.Matrix[W], tau W, v, w dense.Vector[W]) {
	blas.Hemv(nil, blas.Lower, tau, a, v, 0, w)
	blas.Axpy(-tau*blas.Dotc(w, v)/2, v, w)
	blas.Her2(nil, blas.Lower, -1, v, w, a)
}

// reflector overwrites the k >= 1 elements of x by v and returns tau and beta so that
//
//	(I - tau v v^H)^H x = beta e_{k-1},  v_{k-1} = 1,  beta real
//
// tau is 0 if x is a real multiple of e_{k-1}, or shorter than smallestCoupling and thus taken to be 0. Method: Lehoucq,
// "The computation of elementary unitary matrices", ACM Trans. Math. Softw. 22, 1996: the choice that LAPACK made.
func reflector[W dense.Wide](x []W) (tau W, beta float64) {
	last := len(x) - 1
	alpha, rest := x[last], dense.Vec(x[:last])
	norm := blas.Nrm2(rest)
	x[last] = 1
	if norm == 0 && dense.Imag(alpha) == 0 {
		return 0, dense.Real(alpha)
	}
	beta = -math.Copysign(length(dense.Abs(alpha), norm), dense.Real(alpha))
	if math.Abs(beta) < smallestCoupling {
		return 0, 0
	}
	pivot := alpha - dense.FromReal[W](beta)
	blas.Scal(1/pivot, rest)
	return -pivot / dense.FromReal[W](beta), beta
}
