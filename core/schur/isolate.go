package schur

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// isolateEigenvalues brings eigenvalues of a that can be read off to both ends of the diagonal, as Balance with Permute does, by a permutation P of which it
// returns the order: P^T A P overwrites a. The rest of the decomposition leaves them as they are, without a rounding error. The order is nil if there are no
// such eigenvalues, which a matrix without zeros shows at once, or if a is a Schur form already.
func isolateEigenvalues[W dense.Scalar](team *sched.Team, a dense.Matrix[W]) (order []int, err error) {
	b := balancer[W]{Balancing: &Balancing{Hi: a.Rows}, a: a, team: team}
	if !b.canIsolate() || hasSchurForm(a) {
		return nil, nil
	}
	b.Balancing = newBalancing(a.Rows)
	return b.Order, b.isolate()
}

// canIsolate reports whether a row or a column has no elements but that on the diagonal.
func (b *balancer[T]) canIsolate() bool {
	for i := range b.a.Rows {
		if isAlone(i, b.a.Row(i)) || b.isColumnAlone(i) {
			return true
		}
	}
	return false
}

// hasSchurForm reports whether a is triangular or, if it is real, quasi-triangular with blocks that are not triangular.
func hasSchurForm[W dense.Scalar](a dense.Matrix[W]) bool {
	coupled := dense.IsComplex[W]() // whether the row before has an element left of the diagonal, or none may have one
	for i := 1; i < a.Rows; i++ {
		row := a.Row(i)
		for _, x := range row[:i-1] {
			if x != 0 {
				return false
			}
		}
		if row[i-1] == 0 {
			coupled = dense.IsComplex[W]()
			continue
		}
		if coupled || a.At(i-1, i) == 0 {
			return false
		}
		coupled = true
	}
	return true
}

// restoreOrder moves the columns of the adjoint of the unitary factor to where they are in A: column k to column order[k].
func restoreOrder[W dense.Scalar](factorT dense.Matrix[W], order []int) {
	if order == nil {
		return
	}
	from := make([]W, len(order))
	for i := range factorT.Rows {
		row := factorT.Row(i)
		copy(from, row)
		for k, x := range from {
			row[order[k]] = x
		}
	}
}
