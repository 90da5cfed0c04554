package pybind

import (
	"slices"

	"trnsci/core/banded"
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

// LUFactor writes LAPACK's LU factors of every matrix of the stack A into the stack Factor, of the same shape and
// dtype, the exchanges of rows into the vectors of the stack Pivots, and the number of the first pivot that is zero, or
// 0, into Zeros. Factor may be A itself.
func LUFactor(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.LUFactor](address)
	return byDtype[c.A.Dtype].luFactor(jobID, c)
}

func (routinesOf[T]) luFactor(jobID int64, c *record.LUFactor) (int64, error) {
	matrices, factors := newBatch[T](c.A), newBatch[T](c.Factor)
	pivots, zeros := newRows[int64](c.Pivots), vector[int64](c.Zeros)
	needed := c.Factor.Bytes()
	if c.Factor.Address == c.A.Address {
		needed = 0 // the memory is in use already
	}
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserve("lu_factor", 0, needed); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			to := pivots.at(k)
			own := make([]int, len(to))
			zero, err := factor.LUView(team, matrices.at(k), factors.at(k), own, c.CheckFinite)
			zeros[k] = int64(zero)
			for i, p := range own {
				to[i] = int64(p)
			}
			return err
		})
	})
}

// LUSolve overwrites every matrix B of the stack X by the solution of op(A) X = B, given the factors of A that LUFactor
// writes.
func LUSolve(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.LUSolve](address)
	return byDtype[c.X.Dtype].luSolve(jobID, c)
}

func (routinesOf[T]) luSolve(jobID int64, c *record.LUSolve) (int64, error) {
	factors, pivots, results := newBatch[T](c.Factor), newRows[int64](c.Pivots), newBatch[T](c.X)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		return 0, forEach(team, results.count(), func(team *sched.Team, k int) error {
			if c.CheckFinite {
				if err := checkBoth(team, factors.at(k), "lu", results.at(k)); err != nil {
					return err
				}
			}
			stored, ok := factors.at(k).T().Matrix()
			if !ok {
				panic("the columns of the factors are not contiguous")
			}
			own := make([]int, factors.order())
			for i, p := range pivots.at(k) {
				own[i] = int(p)
			}
			// The rows that are stored are the factors of the transpose of A.
			b := results.rowMajor(k)
			switch blas.Transpose(c.Trans) {
			case blas.NoTrans:
				return factor.LUSolve(team, blas.Trans, stored, own, b)
			case blas.Trans:
				return factor.LUSolve(team, blas.NoTrans, stored, own, b)
			}
			conjugate(b)
			defer conjugate(b)
			return factor.LUSolve(team, blas.NoTrans, stored, own, b)
		})
	})
}

// checkBoth checks the matrix and the right-hand sides of a system.
func checkBoth[T dense.Scalar](team *sched.Team, a dense.View[T], name string, b dense.View[T]) error {
	if err := blas.CheckFinite(team, a, name); err != nil {
		return err
	}
	return blas.CheckFinite(team, b, "b")
}

func conjugate[T dense.Scalar](a dense.Matrix[T]) {
	for i := range a.Rows {
		dense.Conjugate(a.Row(i))
	}
}

// Determinant writes the determinants of the matrices of the stack A as Mantissas[k] * 2^Exponents[k].
func Determinant(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.Determinant](address)
	return byDtype[c.A.Dtype].determinant(jobID, c)
}

func (routinesOf[T]) determinant(jobID int64, c *record.Determinant) (int64, error) {
	matrices := newBatch[T](c.A)
	mantissas, exponents := vector[complex128](c.Mantissas), vector[int64](c.Exponents)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, matrices.count(), "det", 0, func(*sched.Team) int64 {
			return factor.SystemWorkspace[T](matrices.order())
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			mantissa, exponent, err := factor.Determinant(team, matrices.at(k), c.CheckFinite)
			mantissas[k], exponents[k] = mantissa, int64(exponent)
			return err
		})
	})
}

// Solve overwrites every matrix B of the stack X by the solution of A X = B, or A^T X = B, and writes estimates of the
// reciprocal condition numbers to Conditions.
func Solve(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return solveSystems(jobID, "solve", record.At[record.LinearSystem](address))
}

// Inverse writes the inverse of every matrix of the stack A into the stack X, of the same shape and stored by columns;
// otherwise it is Solve.
func Inverse(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return solveSystems(jobID, "inv", record.At[record.LinearSystem](address))
}

func solveSystems(jobID int64, name string, c *record.LinearSystem) (int64, error) {
	return byDtype[c.X.Dtype].solveSystems(jobID, name, c)
}

func (routinesOf[T]) solveSystems(jobID int64, name string, c *record.LinearSystem) (int64, error) {
	matrices, results, conditions := newBatch[T](c.A), newBatch[T](c.X), vector[float64](c.Conditions)
	solve := solveOne[T]
	workspace := func(team *sched.Team) int64 {
		return banded.SystemWorkspace[T](matrices.order(), c.X.Shape[len(c.X.Shape)-1], team.Threads())
	}
	if name == "inv" {
		solve = invertOne[T]
		workspace = func(*sched.Team) int64 { return factor.SystemWorkspace[T](matrices.order()) }
	}
	opt := factor.SystemOptions{Structure: factor.Structure(c.Structure), Lower: c.Lower, Transposed: c.Transposed}
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, results.count(), name, c.X.Bytes(), workspace); err != nil {
			return 0, err
		}
		return 0, forEach(team, results.count(), func(team *sched.Team, k int) (err error) {
			conditions[k], err = solve(team, matrices.at(k), results.at(k), c.CheckFinite, opt)
			return err
		})
	})
}

func solveOne[T dense.Scalar](team *sched.Team, a, x dense.View[T], checkFinite bool, opt factor.SystemOptions) (
	rcond float64, err error) {
	if checkFinite {
		if err := checkBoth(team, a, "a", x); err != nil {
			return 0, err
		}
	}
	b, ok := x.Matrix()
	if !ok {
		panic("the rows of the right-hand sides are not contiguous")
	}
	return banded.SolveSystem(team, a, b, opt)
}

func invertOne[T dense.Scalar](team *sched.Team, a, x dense.View[T], checkFinite bool, opt factor.SystemOptions) (
	rcond float64, err error) {
	if checkFinite {
		if err := blas.CheckFinite(team, a, "a"); err != nil {
			return 0, err
		}
	}
	stored, ok := x.T().Matrix()
	if !ok {
		panic("the columns of the inverse are not contiguous")
	}
	return factor.InverseTransposed(team, a, stored, opt)
}
