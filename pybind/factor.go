package pybind

import (
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// Cholesky writes the Cholesky factor of every matrix of the stack A into the stack Factor, of the same shape and
// dtype: L with A = L L^H when Lower is true, else U with A = U^H U. Only the triangle that Lower names is read. Factor
// may be A itself.
func Cholesky(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.Cholesky](address)
	return byDtype[c.A.Dtype].cholesky(jobID, c)
}

func (routinesOf[T]) cholesky(jobID int64, c *record.Cholesky) (int64, error) {
	matrices, factors := newBatch[T](c.A), newBatch[T](c.Factor)
	needed := c.Factor.Bytes()
	if c.Factor.Address == c.A.Address {
		needed = 0 // the memory is in use already
	}
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserve("cholesky", 0, needed); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			a, out := matrices.at(k), factors.at(k)
			if !c.Lower {
				// A = U^H U is A^T = U^T conj(U), so the transpose of U is the lower factor of the transpose of A.
				a, out = a.T(), out.T()
			}
			return factor.CholeskyView(team, a, out, c.CheckFinite)
		})
	})
}

// QR writes the parts of the QR factorization of every matrix of the stack A that are present: see factor.QRResults.
func QR(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.QR](address)
	return byDtype[c.A.Dtype].qr(jobID, c)
}

func (routinesOf[T]) qr(jobID int64, c *record.QR) (int64, error) {
	tau, pivots, q, r := rowsOf[T](c.Tau), rowsOf[int64](c.Pivots), vectorsOf[T](c.Q), vectorsOf[T](c.R)
	raw, products := vectorsOf[T](c.Raw), vectorsOf[T](c.Products)
	return eachQR(jobID, c, "qr", func(team *sched.Team, k int, a dense.View[T]) error {
		if err := blas.CheckFinite(team, products(k), "c"); err != nil && c.CheckFinite {
			return err
		}
		rows, _ := products(k).Matrix()
		return factor.QRView(team, a, factor.QRResults[T]{
			Q: q(k), R: r(k), Raw: raw(k), Tau: tau(k), Pivots: pivots(k),
			Rows: rows, Transposed: c.Transposed, Conjugate: c.Conjugate,
		}, !c.CheckFinite)
	})
}

// RQ writes R and, if it is present, Q of the RQ factorization of every matrix of the stack A.
func RQ(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.QR](address)
	return byDtype[c.A.Dtype].rq(jobID, c)
}

func (routinesOf[T]) rq(jobID int64, c *record.QR) (int64, error) {
	q, r := vectorsOf[T](c.Q), vectorsOf[T](c.R)
	return eachQR(jobID, c, "rq", func(team *sched.Team, k int, a dense.View[T]) error {
		return factor.RQView(team, a, q(k), r(k), !c.CheckFinite)
	})
}

// eachQR calls do for every matrix of the stack A, if there is memory for results and workspace.
func eachQR[T dense.Scalar](jobID int64, c *record.QR, name string,
	do func(team *sched.Team, k int, a dense.View[T]) error) (int64, error) {
	in := newBatch[T](c.A)
	last := len(c.A.Shape) - 1
	m, n, moreRows := c.A.Shape[last-1], c.A.Shape[last], 0
	for _, to := range []*record.Array{c.Q, c.Products} {
		if to != nil {
			moreRows = max(moreRows, slices.Max(to.Shape[len(to.Shape)-2:]))
		}
	}
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		results := c.Q.Bytes() + c.R.Bytes() + c.Raw.Bytes() + c.Products.Bytes()
		if err := reserveEach(team, in.count(), name, results, func(*sched.Team) int64 {
			return max(factor.QRWorkspace[T](m, n, moreRows), factor.QRWorkspace[T](n, m, moreRows))
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, in.count(), func(team *sched.Team, k int) error { return do(team, k, in.at(k)) })
	})
}

// SolveTriangular overwrites every matrix B of the stack C by the solution X of op(A) X = B; only the triangle Uplo of
// A is read, but CheckFinite checks all of A.
func SolveTriangular(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return solveStack(jobID, blasAt(address, needA|needC), triangle)
}

// CholeskySolve overwrites every matrix B of the stack C by the solution X of M X = B, given the Cholesky factor of M
// in the triangle Uplo of A.
func CholeskySolve(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return solveStack(jobID, blasAt(address, needA|needC), choleskyFactor)
}

func solveStack(jobID int64, c *record.BLAS, with solver) (int64, error) {
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		return 0, byDtype[c.C.Dtype].solve(team, c, with)
	})
}

func (routinesOf[T]) solve(team *sched.Team, c *record.BLAS, with solver) error {
	matrices, results := newBatch[T](c.A), newBatch[T](c.C)
	name := map[solver]string{triangle: "a", choleskyFactor: "c"}[with]
	return forEach(team, results.count(), func(team *sched.Team, k int) error {
		if c.CheckFinite {
			if err := blas.CheckFinite(team, matrices.at(k), name); err != nil {
				return err
			}
			if err := blas.CheckFinite(team, results.at(k), "b"); err != nil {
				return err
			}
		}
		a, b := matrices.rowMajor(k), results.rowMajor(k)
		if with == choleskyFactor {
			return factor.CholeskySolve(team, blas.Uplo(c.Uplo), a, b)
		}
		return factor.SolveTriangular(team, blas.Uplo(c.Uplo), blas.Transpose(c.TransA), blas.Diag(c.Diag), a, b)
	})
}
