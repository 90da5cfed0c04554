package pybind

import (
	"trnsci/core/matfunc"
	"trnsci/core/sched"
)

// matrixFunctions are the functions of general matrices for one dtype.
type matrixFunctions interface {
	expm(jobID, threads int64, a, x *array) (int64, error)
}

// Expm writes the exponential of every matrix of the stack a into the stack x, of the same shape and dtype.
func Expm(jobID, threads int64, a, x uint64) (zero int64, err error) {
	defer guard(&err)
	in := descriptor(a)
	return byDtype[in.dtype].expm(jobID, threads, in, descriptor(x))
}

func (routinesOf[T]) expm(jobID, threads int64, a, x *array) (int64, error) {
	matrices, results := newBatch[T](a), newBatch[T](x)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, matrices.count(), "expm", x.bytes(), func(team *sched.Team) int64 {
			return matfunc.ExpmWorkspace[T](team, matrices.order())
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			return matfunc.Expm(team, matrices.at(k), results.at(k))
		})
	})
}
