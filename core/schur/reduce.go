package schur

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// reduce overwrites a by the Hessenberg matrix H of A = Q H Q^T and, unless it has no rows, qt by Q^T.
func reduce(team *sched.Team, a, qt dense.Matrix[float64]) error {
	n := a.Rows
	taus, scratch, sums := make([]float64, n), make([]float64, n), make([]float64, n)
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
			if err := reflectBothSides(team, a, tau, v, sums[k+1:]); err != nil {
				return err
			}
		}
		team.Step(1)
	}
	team.Step(min(n, 2)) // the last columns need no work
	if qt.Rows == 0 {
		return nil
	}
	return accumulate(team, qt, taus)
}

// reflectBothSides overwrites the columns of a right of the eliminated one by P A P, P = I - tau v v^T acting on the
// last len(v) rows and columns. sums is scratch memory as long as v.
//
// The right side comes first: a row is final for that side as soon as it is read, so that the sums v^T A of the left
// side are formed in the same pass over memory.
func reflectBothSides(team *sched.Team, a dense.Matrix[float64], tau float64, v, sums []float64) error {
	n, first := a.Rows, a.Rows-len(v)
	vec, sumVec := dense.Vec(v), dense.Vec(sums)
	clear(sums)
	for i := range n {
		if err := poll(team, i); err != nil {
			return err
		}
		row := a.RowVec(i, first, n)
		blas.Axpy(-tau*blas.Dotc(row, vec), vec, row)
		if i >= first {
			blas.Axpy(v[i-first], row, sumVec)
		}
	}
	for i := first; i < n; i++ {
		if err := poll(team, i); err != nil {
			return err
		}
		blas.Axpy(-tau*v[i-first], sumVec, a.RowVec(i, first, n))
	}
	return nil
}

// accumulate overwrites qt, whose row k holds the vector of reflector P_k right of the diagonal, by the product
// Q^T = P_{n-3} ... P_1 P_0. Starting from the identity and the last reflector, only the trailing rows and columns that
// already differ from the identity take part.
func accumulate(team *sched.Team, qt dense.Matrix[float64], taus []float64) error {
	n := qt.Rows
	for k := n - 1; k >= 0; k-- {
		v := qt.RowVec(k, k+1, n)
		for i := k + 1; i < n && taus[k] != 0; i++ {
			if err := poll(team, i); err != nil {
				return err
			}
			row := qt.RowVec(i, k+1, n)
			blas.Axpy(-taus[k]*blas.Dotc(row, v), v, row)
		}
		clear(qt.Row(k))
		qt.Set(k, k, 1)
	}
	return nil
}
