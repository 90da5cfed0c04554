package pybind

import (
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// Cholesky writes the Cholesky factor of every matrix of the stack a into the stack out, of the same shape and dtype:
// L with A = L L^H when lower is true, else U with A = U^H U. Only the triangle that lower names is read. out may be a itself.
func Cholesky(jobID, threads int64, a, out uint64, lower, checkFinite bool) (zero int64, err error) {
	defer guard(&err)
	in, factors := descriptor(a), descriptor(out)
	return byDtype[in.dtype].cholesky(jobID, threads, in, factors, lower, checkFinite)
}

func (routinesOf[T]) cholesky(jobID, threads int64, in, out *array, lower, checkFinite bool) (int64, error) {
	matrices, factors := newBatch[T](in), newBatch[T](out)
	needed := out.bytes()
	if out.address == in.address {
		needed = 0 // memory that is there
	}
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserve("cholesky", 0, needed); err != nil {
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
