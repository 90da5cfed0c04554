package pybind

import (
	"trnsci/core/banded"
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// bandRoutines holds, for one dtype, the solvers of systems whose matrix has few parameters.
type bandRoutines interface {
	solveBanded(jobID int64, c *record.BandedSystem) (int64, error)
	solveHermitianBanded(jobID int64, c *record.BandedSystem) (int64, error)
	choleskySolveBanded(jobID int64, c *record.BandedSystem) (int64, error)
	choleskyBanded(jobID int64, c *record.CholeskyBanded) (int64, error)
	solveToeplitz(jobID int64, c *record.BandedSystem) (int64, error)
}

// SolveBanded overwrites every matrix B of the stack X by the solution of A X = B, given the diagonals of A, of which
// Below[k] are below the main one in member k.
func SolveBanded(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.BandedSystem](address)
	return byDtype[c.X.Dtype].solveBanded(jobID, c)
}

func (routinesOf[T]) solveBanded(jobID int64, c *record.BandedSystem) (int64, error) {
	below := vector[int64](c.Below)
	workspace := func(rows, n, k, threads int) (bytes int64) {
		for _, lower := range below {
			bytes = max(bytes, banded.SolveWorkspace[T](n, int(lower), rows-1-int(lower), k, threads))
		}
		return bytes
	}
	return eachBanded(jobID, c, workspace, func(team *sched.Team, k int, ab dense.View[T], b dense.Matrix[T]) error {
		return banded.Solve(team, ab, int(below[k]), b)
	})
}

// SolveHermitianBanded is SolveBanded for positive definite matrices, of which A has the diagonals of one triangle.
func SolveHermitianBanded(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.BandedSystem](address)
	return byDtype[c.X.Dtype].solveHermitianBanded(jobID, c)
}

func (routinesOf[T]) solveHermitianBanded(jobID int64, c *record.BandedSystem) (int64, error) {
	return eachBanded(jobID, c, hermitianWorkspace[T],
		func(team *sched.Team, _ int, ab dense.View[T], b dense.Matrix[T]) error {
			return banded.SolveHermitian(team, ab, !c.Lower, b)
		})
}

// CholeskySolveBanded is SolveHermitianBanded with the Cholesky factors of the matrices in A.
func CholeskySolveBanded(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.BandedSystem](address)
	return byDtype[c.X.Dtype].choleskySolveBanded(jobID, c)
}

func (routinesOf[T]) choleskySolveBanded(jobID int64, c *record.BandedSystem) (int64, error) {
	return eachBanded(jobID, c, hermitianWorkspace[T],
		func(team *sched.Team, _ int, cb dense.View[T], b dense.Matrix[T]) error {
			return banded.CholeskySolve(team, cb, !c.Lower, b)
		})
}

func hermitianWorkspace[T dense.Scalar](rows, n, k, threads int) int64 {
	return banded.HermitianWorkspace[T](n, rows, k, threads)
}

// eachBanded calls solve for every matrix and right-hand side of the stacks A and X, if there is memory for the
// workspace of a matrix with the given rows and columns and k right-hand sides.
func eachBanded[T dense.Scalar](jobID int64, c *record.BandedSystem, workspace func(rows, n, k, threads int) int64,
	solve func(team *sched.Team, k int, a dense.View[T], b dense.Matrix[T]) error) (int64, error) {
	matrices, results := newBatch[T](c.A), newBatch[T](c.X)
	last := len(c.A.Shape) - 1
	rows, n, right := c.A.Shape[last-1], c.A.Shape[last], c.X.Shape[len(c.X.Shape)-1]
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, results.count(), c.Name, c.X.Bytes(), func(team *sched.Team) int64 {
			return workspace(rows, n, right, team.Threads())
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, results.count(), func(team *sched.Team, k int) error {
			if c.CheckFinite {
				if err := checkBoth(team, matrices.at(k), c.Arg, results.at(k)); err != nil {
					return err
				}
			}
			return solve(team, k, matrices.at(k), results.rowMajor(k))
		})
	})
}

// CholeskyBanded writes the Cholesky factor of every positive definite band matrix of the stack A to the stack Factor,
// of the same shape, which may be A itself.
func CholeskyBanded(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.CholeskyBanded](address)
	return byDtype[c.A.Dtype].choleskyBanded(jobID, c)
}

func (routinesOf[T]) choleskyBanded(jobID int64, c *record.CholeskyBanded) (int64, error) {
	matrices, factors := newBatch[T](c.A), newBatch[T](c.Factor)
	last := len(c.A.Shape) - 1
	rows, n := c.A.Shape[last-1], c.A.Shape[last]
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, matrices.count(), "cholesky_banded", c.Factor.Bytes(), func(*sched.Team) int64 {
			return banded.HermitianWorkspace[T](n, rows, 0, 1)
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			if c.CheckFinite {
				if err := blas.CheckFinite(team, matrices.at(k), "ab"); err != nil {
					return err
				}
			}
			return banded.Cholesky(team, matrices.at(k), factors.at(k), !c.Lower)
		})
	})
}

// SolveToeplitz overwrites every matrix B of the stack X by the solution of T X = B, given the first column and the
// first row of T in the rows of A, which are contiguous.
func SolveToeplitz(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.BandedSystem](address)
	return byDtype[c.X.Dtype].solveToeplitz(jobID, c)
}

func (routinesOf[T]) solveToeplitz(jobID int64, c *record.BandedSystem) (int64, error) {
	workspace := func(_, n, k, _ int) int64 { return banded.ToeplitzWorkspace[T](n, k) }
	return eachBanded(jobID, c, workspace, func(team *sched.Team, _ int, a dense.View[T], b dense.Matrix[T]) error {
		both, ok := a.Matrix()
		if !ok {
			panic("the first column and the first row are not contiguous")
		}
		return banded.SolveToeplitz(team, both.Row(0), both.Row(1), b)
	})
}
