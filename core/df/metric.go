package df

import (
	"errors"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/factor"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// DefaultDependence is the largest eigenvalue of a metric whose eigenvector counts as linearly dependent on the others,
// as in PySCF and Q-Chem.
const DefaultDependence = 1e-7

// Pairs that are fitted between two reports of progress: enough panels of a product for every thread.
const fitPairs = 2048

// Metric is W of J^-1 = W^T W: a triangle, or rows of eigenvectors.
type Metric[T dense.Float] struct {
	order int
	lower dense.Matrix[T] // the Cholesky factor of J, with W the inverse of it; empty if J has none
	rows  dense.Matrix[T] // otherwise W, functions x order
}

// DecomposeMetric returns W of a metric, of which only the lower triangle is read: the inverse of its Cholesky factor,
// or, if it has none, diag(w)^(-1/2) V^T for its eigenvalues w above the dependence, in ascending order. Negative
// eigenvalues are dropped like small ones: the components of integrals in their directions are mere rounding.
//
// Errors: *dense.ArgumentError for a metric that is not square or holds an infinity or a NaN, for a dependence that is
// negative or not a number, and if no eigenvalue is above it; *eigen.ConvergenceError; the team's error when the call
// is cancelled.
//
// Cost: naux^3/6 multiply-adds; without a Cholesky factor about 4 naux^3 more. Memory: FitWorkspace.
func DecomposeMetric[T dense.Float](team *sched.Team, metric dense.View[T], dependence float64) (*Metric[T], error) {
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
	m := &Metric[T]{order: n}
	scratch.Allocate(m.factorLayout)
	err := factor.CholeskyView(team, metric, m.lower.View(), false)
	var indefinite *factor.NotPositiveDefiniteError
	switch {
	case err == nil:
		return m, nil
	case !errors.As(err, &indefinite):
		return nil, err
	}
	rows, err := largeEigenvectors(team, metric, dependence)
	return &Metric[T]{order: n, rows: rows}, err
}

// factorLayout takes the memory of the Cholesky factor.
func (m *Metric[T]) factorLayout(a *scratch.Arena) {
	m.lower = scratch.TakeMatrix[T](a, m.order, m.order)
}

// eigenpairs is the eigenvalues of a metric, ascending, and its eigenvectors as rows.
type eigenpairs[T dense.Float] struct {
	values  []T
	vectors dense.Matrix[T]
}

// layout takes the memory for a metric of order n.
func (e *eigenpairs[T]) layout(n int) func(a *scratch.Arena) {
	return func(a *scratch.Arena) {
		e.vectors = scratch.TakeMatrix[T](a, n, n)
		e.values = scratch.Take[T](a, n)
	}
}

// productLayout takes the memory for the product of W, with some functions, and a panel of pairs.
func productLayout[T dense.Float](work *[]T, functions, pairs int) func(a *scratch.Arena) {
	return func(a *scratch.Arena) { *work = scratch.Take[T](a, functions*pairs) }
}

// largeEigenvectors returns the eigenvectors of the eigenvalues above the dependence as rows, divided by the square
// roots of the eigenvalues.
func largeEigenvectors[T dense.Float](team *sched.Team, metric dense.View[T], dependence float64) (dense.Matrix[T],
	error) {
	n := metric.Rows
	var pairs eigenpairs[T]
	scratch.Allocate(pairs.layout(n))
	w, vectors := pairs.values, pairs.vectors
	options := eigen.Options{Team: team, SkipFiniteCheck: true, DoublePrecision: true}
	if _, err := eigen.Eigh(metric, w, vectors.View().T(), options); err != nil {
		return dense.Matrix[T]{}, err
	}
	first := 0
	for first < n && !(float64(w[first]) > dependence) {
		first++
	}
	if first == n {
		return dense.Matrix[T]{}, dense.BadArgument("metric",
			"none of its eigenvalues is above lindep = %g, the largest is %g", dependence, w[n-1])
	}
	for i := first; i < n; i++ {
		blas.Scal(T(1/math.Sqrt(float64(w[i]))), dense.Vec(vectors.Row(i)))
	}
	return vectors.Slice(first, n, 0, n), nil
}

// FitWorkspace returns an upper bound on the bytes that DecomposeMetric and Fit allocate for naux auxiliary functions,
// even for a metric without a Cholesky factor. Packing buffers of products are not included.
func FitWorkspace[T dense.Float](team *sched.Team, naux int) int64 {
	solver := eigen.Workspace[T](naux, false, eigen.Options{Team: team, DoublePrecision: true})
	if solver == math.MaxInt64 { // what no machine can hold
		return solver / 2
	}
	var e eigenpairs[T]
	var work []T
	words := scratch.Count((&Metric[T]{order: naux}).factorLayout) + scratch.Count(e.layout(naux)) +
		scratch.Count(productLayout(&work, naux, fitPairs))
	return wordBytes*int64(words) + solver + int64(team.Threads())*int64(blas.TriangularWorkspace[T](naux, math.MaxInt))
}

// Functions returns the number of rows of W: the auxiliary functions that are kept.
func (m *Metric[T]) Functions() int {
	if m.ByCholesky() {
		return m.order
	}
	return m.rows.Rows
}

// ByCholesky reports whether W is the inverse of the Cholesky factor.
func (m *Metric[T]) ByCholesky() bool { return m.rows.Data == nil }

// Fit overwrites the first Functions() rows of the integrals, naux x pairs, with W times the integrals. The other rows
// stay as they are. Rows or columns have to be contiguous: either index may run fastest.
//
// Errors: *dense.ArgumentError for another shape or layout, and for an infinity or a NaN, before anything is written;
// the team's error when the call is cancelled, and then some pairs have been overwritten. Progress counts pairs.
//
// Cost per pair: naux^2/2 multiply-adds with a Cholesky factor, naux Functions() otherwise.
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
	var work []T
	scratch.Allocate(productLayout(&work, m.rows.Rows, min(integrals.Cols, fitPairs)))
	if isByRows {
		return m.eachPanel(team, byRows.Cols, func(j0, j1 int) error {
			return m.fitRows(team, byRows.Slice(0, m.order, j0, j1), work)
		})
	}
	return m.eachPanel(team, byColumns.Rows, func(j0, j1 int) error {
		return m.fitColumns(team, byColumns.Slice(j0, j1, 0, m.order), work)
	})
}

// eachPanel calls fit for panels of pairs.
func (m *Metric[T]) eachPanel(team *sched.Team, pairs int, fit func(j0, j1 int) error) error {
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

// fitRows overwrites x, naux x pairs, with W x. work holds the product unless the solve is in place.
func (m *Metric[T]) fitRows(team *sched.Team, x dense.Matrix[T], work []T) error {
	if m.ByCholesky() {
		blas.Trsm(team, blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, 1, m.lower, x)
		return nil
	}
	product := dense.Matrix[T]{Rows: m.rows.Rows, Cols: x.Cols, Stride: x.Cols, Data: work[:m.rows.Rows*x.Cols]}
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, m.rows, x, 0, product)
	return store(team, x.Slice(0, m.rows.Rows, 0, x.Cols), product)
}

// fitColumns overwrites x, pairs x naux, with x W^T.
func (m *Metric[T]) fitColumns(team *sched.Team, x dense.Matrix[T], work []T) error {
	if m.ByCholesky() {
		blas.Trsm(team, blas.Right, blas.Lower, blas.Trans, blas.NonUnit, 1, m.lower, x)
		return nil
	}
	product := dense.Matrix[T]{Rows: x.Rows, Cols: m.rows.Rows, Stride: m.rows.Rows, Data: work[:x.Rows*m.rows.Rows]}
	blas.Gemm(team, blas.NoTrans, blas.Trans, 1, x, m.rows, 0, product)
	return store(team, x.Slice(0, x.Rows, 0, m.rows.Rows), product)
}

// store copies a product, unless the call is cancelled: the product is then incomplete.
func store[T dense.Float](team *sched.Team, dst, product dense.Matrix[T]) error {
	if err := team.Err(); err != nil {
		return err
	}
	return blas.CopyView(team, dst.View(), product.View())
}
