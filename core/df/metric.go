// Package df makes the three-index integrals of density fitting ready for use. With the Coulomb integrals (P|mu nu) and the metric
// J[P,Q] = (P|Q) of the auxiliary functions,
//
//	(mu nu|la si) = sum_PQ (mu nu|P) J^-1[P,Q] (Q|la si) = sum_P L[P,mu nu] L[P,la si],  L = W (P|mu nu),  J^-1 = W^T W
//
// Decompose finds W and Metric.Fit applies it, in place. Transform takes L from atomic to molecular orbitals. See O. Vahtras, J. Almlöf and
// M. W. Feyereisen, Chem. Phys. Lett. 213, 514 (1993).
//
// Results are bitwise the same for every number of threads and every memory limit.
package df

import (
	"errors"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// DefaultDependence is the eigenvalue of a metric, in PySCF and Q-Chem, up to which its eigenvector counts as linearly dependent on others.
const DefaultDependence = 1e-7

// Pairs that are fitted between two reports of progress: some for every thread, in panels of the product's size.
const fitPairs = 2048

// Metric is W of J^-1 = W^T W: a triangle, or rows of eigenvectors.
type Metric[T dense.Float] struct {
	order int
	lower dense.Matrix[T] // L of J = L L^T, with W = L^-1; without elements where there is none
	rows  dense.Matrix[T] // W otherwise, functions x order
}

// Decompose returns W of a metric, of which the lower triangle counts: the inverse of its Cholesky factor, or, if it has none,
// diag(w)^(-1/2) V^T of those of its eigenvalues w, in ascending order, that are above the dependence. A negative eigenvalue is dropped
// like a small one: integrals have no component in its direction that is more than rounding.
//
// Errors: *dense.ArgumentError for a metric that is not square or holds an infinity or a NaN, a dependence that is negative or no number,
// and eigenvalues none of which is above it; *eigen.ConvergenceError; the team's error when the call is cancelled.
//
// Cost: naux^3/6 multiply-adds; without a Cholesky factor about 4 naux^3 besides. Memory: Workspace.
func Decompose[T dense.Float](team *sched.Team, metric dense.View[T], dependence float64) (*Metric[T], error) {
	n := metric.Rows
	if metric.Cols != n {
		return nil, dense.BadArgument("metric", "expected a square matrix, got shape (%d, %d)", n, metric.Cols)
	}
	if !(dependence >= 0) || math.IsInf(dependence, 1) {
		return nil, dense.BadArgument("lindep", "expected a number that is not negative, got %g", dependence)
	}
	if err := blas.CheckFinite(team, metric, "metric"); err != nil {
		return nil, err
	}
	lower := dense.New[T](n, n)
	err := factor.CholeskyView(team, metric, lower.View(), false)
	var indefinite *factor.NotPositiveDefiniteError
	switch {
	case err == nil:
		return &Metric[T]{order: n, lower: lower}, nil
	case !errors.As(err, &indefinite):
		return nil, err
	}
	rows, err := largeEigenvectors(team, metric, dependence)
	return &Metric[T]{order: n, rows: rows}, err
}

// largeEigenvectors returns the eigenvectors of the eigenvalues above the dependence, one in each row, divided by the eigenvalues' roots.
func largeEigenvectors[T dense.Float](team *sched.Team, metric dense.View[T], dependence float64) (dense.Matrix[T], error) {
	n := metric.Rows
	w, vectors := make([]T, n), dense.New[T](n, n)
	if _, err := eigen.Eigh(metric, w, vectors.View().T(), eigen.Options{Team: team, SkipFiniteCheck: true, DoublePrecision: true}); err != nil {
		return dense.Matrix[T]{}, err
	}
	first := 0
	for first < n && !(float64(w[first]) > dependence) {
		first++
	}
	if first == n {
		return dense.Matrix[T]{}, dense.BadArgument("metric", "none of its eigenvalues is above lindep = %g, the largest is %g", dependence, w[n-1])
	}
	for i := first; i < n; i++ {
		blas.Scal(T(1/math.Sqrt(float64(w[i]))), dense.Vec(vectors.Row(i)))
	}
	return vectors.Slice(first, n, 0, n), nil
}

// Workspace returns a bound of the bytes that Decompose and Fit take beside their arguments for naux auxiliary functions, a metric without
// a Cholesky factor included. The packing of products is not in it.
func Workspace[T dense.Float](team *sched.Team, naux int) int64 {
	n, size := float64(naux), float64(wordBytes)
	if dense.IsSingle[T]() {
		size /= 2
	}
	own := size * n * (2*n + fitPairs)
	solver := eigen.Workspace[T](naux, false, eigen.Options{Team: team, DoublePrecision: true})
	solves := float64(team.Threads()) * float64(blas.TriangularWorkspace[T](naux))
	return int64(min(own+float64(solver)+solves, math.MaxInt64/2))
}

// Functions returns the rows of W: the auxiliary functions that are left.
func (m *Metric[T]) Functions() int {
	if m.ByCholesky() {
		return m.order
	}
	return m.rows.Rows
}

// ByCholesky reports whether W is the inverse of the Cholesky factor.
func (m *Metric[T]) ByCholesky() bool { return m.rows.Data == nil }

// Fit overwrites the first Functions() rows of the integrals, naux x pairs, by W times the integrals. The rows behind them stay as they
// are. The rows or the columns have to be contiguous, so that either index may run fastest.
//
// Errors: *dense.ArgumentError for another shape or layout, and for an infinity or a NaN, before anything is written; the team's error
// when the call is cancelled: some pairs have been overwritten then. Progress counts pairs.
//
// Cost: naux^2/2 multiply-adds for each pair with a Cholesky factor, naux Functions() otherwise.
func (m *Metric[T]) Fit(team *sched.Team, integrals dense.View[T], skipFiniteCheck bool) error {
	if integrals.Rows != m.order {
		return dense.BadArgument("integrals", "have %d auxiliary functions, the metric has %d", integrals.Rows, m.order)
	}
	byRows, isByRows := integrals.Matrix()
	byColumns, isByColumns := integrals.T().Matrix()
	if !isByRows && !isByColumns {
		return dense.BadArgument("integrals", "neither the auxiliary functions nor the pairs are contiguous in memory")
	}
	if !skipFiniteCheck {
		if err := blas.CheckFinite(team, integrals, "integrals"); err != nil {
			return err
		}
	}
	work := make([]T, m.rows.Rows*min(integrals.Cols, fitPairs))
	if isByRows {
		return m.overPairs(team, byRows.Cols, func(j0, j1 int) error { return m.fitRows(team, byRows.Slice(0, m.order, j0, j1), work) })
	}
	return m.overPairs(team, byColumns.Rows, func(j0, j1 int) error {
		return m.fitColumns(team, byColumns.Slice(j0, j1, 0, m.order), work)
	})
}

// overPairs calls fit for blocks of pairs.
func (m *Metric[T]) overPairs(team *sched.Team, pairs int, fit func(j0, j1 int) error) error {
	if m.order == 0 {
		return nil
	}
	team = team.Plan(pairs)
	for j := 0; j < pairs; j += fitPairs {
		end := min(pairs, j+fitPairs)
		if err := fit(j, end); err != nil {
			return err
		}
		if err := team.Err(); err != nil {
			return err
		}
		team.Step(end - j)
	}
	return nil
}

// fitRows overwrites x, naux x pairs, by W x. work has room for the product where there is one.
func (m *Metric[T]) fitRows(team *sched.Team, x dense.Matrix[T], work []T) error {
	if m.ByCholesky() {
		blas.Trsm(team, blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, 1, m.lower, x)
		return nil
	}
	product := dense.Matrix[T]{Rows: m.rows.Rows, Cols: x.Cols, Stride: x.Cols, Data: work[:m.rows.Rows*x.Cols]}
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, m.rows, x, 0, product)
	return store(team, x.Slice(0, m.rows.Rows, 0, x.Cols), product)
}

// fitColumns overwrites x, pairs x naux, by x W^T, likewise.
func (m *Metric[T]) fitColumns(team *sched.Team, x dense.Matrix[T], work []T) error {
	if m.ByCholesky() {
		blas.Trsm(team, blas.Right, blas.Lower, blas.Trans, blas.NonUnit, 1, m.lower, x)
		return nil
	}
	product := dense.Matrix[T]{Rows: x.Rows, Cols: m.rows.Rows, Stride: m.rows.Rows, Data: work[:x.Rows*m.rows.Rows]}
	blas.Gemm(team, blas.NoTrans, blas.Trans, 1, x, m.rows, 0, product)
	return store(team, x.Slice(0, x.Rows, 0, m.rows.Rows), product)
}

// store copies a product, unless the call is cancelled: it is not complete then.
func store[T dense.Float](team *sched.Team, dst, product dense.Matrix[T]) error {
	if err := team.Err(); err != nil {
		return err
	}
	return blas.CopyView(team, dst.View(), product.View())
}
