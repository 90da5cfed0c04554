package pybind

import (
	"trnsci/core/blas"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

type solvers interface {
	solve(team *sched.Team, c *blasCall, checkFinite bool, with solver) error
}

// A solver names what the matrix of a system of equations is.
type solver int64

const (
	triangle solver = iota
	choleskyFactor
)

// SolveTriangular overwrites every matrix B of the stack b by the solution X of op(A) X = B; only the triangle uplo of A is
// read, but checkFinite looks at all of it.
func SolveTriangular(jobID, threads int64, a, b uint64, uplo, trans, diag int64, checkFinite bool) (zero int64, err error) {
	defer guard(&err)
	return solveStack(jobID, threads, triangle, checkFinite, &blasCall{
		a: descriptor(a), c: descriptor(b), uplo: blas.Uplo(uplo), transA: blas.Transpose(trans), diag: blas.Diag(diag),
	})
}

// CholeskySolve overwrites every matrix B of the stack b by the solution X of A X = B, given the Cholesky factor of A in the
// triangle uplo of c.
func CholeskySolve(jobID, threads int64, c, b uint64, uplo int64, checkFinite bool) (zero int64, err error) {
	defer guard(&err)
	return solveStack(jobID, threads, choleskyFactor, checkFinite, &blasCall{a: descriptor(c), c: descriptor(b), uplo: blas.Uplo(uplo)})
}

func solveStack(jobID, threads int64, with solver, checkFinite bool, call *blasCall) (int64, error) {
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		return 0, byDtype[call.c.dtype].solve(team, call, checkFinite, with)
	})
}

func (routinesOf[T]) solve(team *sched.Team, call *blasCall, checkFinite bool, with solver) error {
	matrices, results := newBatch[T](call.a), newBatch[T](call.c)
	name := map[solver]string{triangle: "a", choleskyFactor: "c"}[with]
	return forEach(team, results.count(), func(team *sched.Team, k int) error {
		if checkFinite {
			if err := blas.CheckFinite(team, matrices.at(k), name); err != nil {
				return err
			}
			if err := blas.CheckFinite(team, results.at(k), "b"); err != nil {
				return err
			}
		}
		a, b := matrices.rowMajor(k), results.rowMajor(k)
		if with == choleskyFactor {
			return factor.CholeskySolve(team, call.uplo, a, b)
		}
		return factor.SolveTriangular(team, call.uplo, call.transA, call.diag, a, b)
	})
}
