package schur

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// reduce overwrites a by the Hessenberg matrix H of A = Q H Q^H and, unless it has no rows, qt by Q^H.
func reduce[W dense.Scalar](team *sched.Team, a, qt dense.Matrix[W]) error {
	n := a.Rows
	taus, scratch := make([]W, n), make([]W, n)
	r := twoSided[W]{team: team, a: a, conj: make([]W, n), sums: make([]W, n)}
	for k := range n - 2 {
		// Row k of qt is free until the reflectors to the right of column k are accumulated: it keeps v.
		v := scratch[k+1:]
		if qt.Rows > 0 {
			v = qt.Row(k)[k+1:]
		}
		for i := range v {
			v[i] = a.At(k+1+i, k)
			a.Set(k+1+i, k, 0)
		}
		beta, tau := householder(v)
		a.Set(k+1, k, beta)
		taus[k] = tau
		if tau != 0 {
			if err := r.reflect(tau, v); err != nil {
				return err
			}
		}
		team.Step(1)
	}
	team.Step(min(n, 2)) // the last columns need no work
	if qt.Rows == 0 {
		return nil
	}
	return accumulate(team, qt, taus, r.conj)
}

// twoSided applies reflectors to both sides of a. conj and sums are scratch memory for a row each.
type twoSided[W dense.Scalar] struct {
	team       *sched.Team
	a          dense.Matrix[W]
	conj, sums []W
}

// reflect overwrites the columns of a right of the eliminated one by P^H A P, P = I - tau v v^H acting on the last
// len(v) rows and columns.
//
// The right side comes first: a row is final for that side as soon as it is read, so that the sums v^H A of the left
// side are formed in the same pass over memory.
func (r twoSided[W]) reflect(tau W, v []W) error {
	n, first := r.a.Rows, r.a.Rows-len(v)
	vector, adjoint, sums := dense.Vec(v), dense.Vec(r.conj[first:]), dense.Vec(r.sums[first:])
	conjugateTo(adjoint.Data, v)
	clear(sums.Data)
	for i := range n {
		if err := poll(r.team, i); err != nil {
			return err
		}
		row := r.a.RowVec(i, first, n)
		blas.Axpy(-tau*blas.Dotu(row, vector), adjoint, row)
		if i >= first {
			blas.Axpy(adjoint.Data[i-first], row, sums)
		}
	}
	for i := first; i < n; i++ {
		if err := poll(r.team, i); err != nil {
			return err
		}
		blas.Axpy(-dense.Conj(tau)*v[i-first], sums, r.a.RowVec(i, first, n))
	}
	return nil
}

// accumulate overwrites qt, whose row k holds the vector of reflector P_k right of the diagonal, by the product
// Q^H = P_{n-3}^H ... P_1^H P_0^H. Starting from the identity and the last reflector, only the trailing rows and columns
// that already differ from the identity take part. scratch has room for a row.
func accumulate[W dense.Scalar](team *sched.Team, qt dense.Matrix[W], taus, scratch []W) error {
	n := qt.Rows
	for k := n - 1; k >= 0; k-- {
		v, adjoint := qt.RowVec(k, k+1, n), dense.Vec(scratch[k+1:])
		conjugateTo(adjoint.Data, v.Data)
		for i := k + 1; i < n && taus[k] != 0; i++ {
			if err := poll(team, i); err != nil {
				return err
			}
			row := qt.RowVec(i, k+1, n)
			blas.Axpy(-dense.Conj(taus[k])*blas.Dotu(row, v), adjoint, row)
		}
		clear(qt.Row(k))
		qt.Set(k, k, 1)
	}
	return nil
}

// conjugateTo sets to to the complex conjugate of from.
func conjugateTo[W dense.Scalar](to, from []W) {
	for i, x := range from {
		to[i] = dense.Conj(x)
	}
}
