package pybind

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// Cholesky writes the Cholesky factor of every matrix of the stack a into the stack out, of the same shape and dtype:
// L with A = L L^H when lower is true, else U with A = U^H U. Only the triangle that lower names is read.
func Cholesky(jobID, threads int64, a, out uint64, lower, checkFinite bool) (zero int64, err error) {
	defer guard(&err)
	in, factors := descriptor(a), descriptor(out)
	switch in.dtype {
	case float32Code:
		return cholesky[float32](jobID, threads, in, factors, lower, checkFinite)
	case float64Code:
		return cholesky[float64](jobID, threads, in, factors, lower, checkFinite)
	case complex64Code:
		return cholesky[complex64](jobID, threads, in, factors, lower, checkFinite)
	case complex128Code:
		return cholesky[complex128](jobID, threads, in, factors, lower, checkFinite)
	}
	panic(unknownDtype(in))
}

func cholesky[T dense.Scalar](jobID, threads int64, in, out *array, lower, checkFinite bool) (int64, error) {
	matrices, factors := newBatch[T](in), newBatch[T](out)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserve("cholesky", 0, out.bytes()); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			a, out := matrices.at(k), factors.at(k)
			if !lower {
				// A = U^H U is A^T = U^T conj(U), so the transpose of U is the lower factor of the transpose of A.
				a, out = a.T(), out.T()
			}
			return factor.CholeskyView(team, a, out, checkFinite)
		})
	})
}

func unknownDtype(a *array) string {
	return fmt.Sprintf("array descriptor with dtype code %d", a.dtype)
}
