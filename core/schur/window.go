package schur

import (
	"trnsci/core/dense"
	"trnsci/core/hessenberg"
	"trnsci/core/householder"
	"trnsci/core/internal/workspace"
	"trnsci/core/sched"
)

// reduceWindow brings the leading part of the deflation window t, of the given order, and the spike left of it back to
// Hessenberg form, the last part of LAPACK's laqr3. Only the first element of the spike is left, of which it returns
// the factor: element i of the spike is a multiple of zt[i][0]. The memory is used for products.
func reduceWindow[W dense.Scalar](team *sched.Team, t, zt dense.Matrix[W], order int, factor, product *[]W) W {
	if order == 1 {
		return zt.At(0, 0)
	}
	v := make([]W, order)
	for i := range v {
		v[i] = zt.At(i, 0)
	}
	beta, tau := householder.Generate(v)
	rows, leading := t.Slice(0, order, 0, t.Cols), zt.Slice(0, order, 0, zt.Cols)
	block := t.Slice(0, order, 0, order)
	if tau != 0 {
		conj, sums := make([]W, order), make([]W, max(t.Cols, zt.Cols))
		dense.ConjugateTo(conj, v)
		householder.ApplyLeft(nil, dense.Conj(tau), v, conj, rows, sums)
		householder.ApplyLeft(nil, dense.Conj(tau), v, conj, leading, sums)
		householder.ApplyRight(nil, tau, v, block, sums)
	}
	q := workspace.Within(factor, order, order)
	if err := hessenberg.InPlace(team.SerialWithoutProgress(), block, q); err != nil {
		return beta // cancelled: none of this is used
	}
	workspace.MultiplyLeft(q, rows.Slice(0, order, order, rows.Cols), product)
	workspace.MultiplyLeft(q, leading, product)
	return beta
}
