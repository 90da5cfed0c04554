package pybind

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/schur"
)

// eigCall is the decoded argument list of Eig.
type eigCall struct {
	jobID, threads    int64
	a, w, left, right *array // left and right are nil when those vectors are not wanted
	options           schur.Options
}

// Eig computes the eigenvalues, and the left and right eigenvectors unless left or right is 0, of every matrix of the stack a. The results have the
// complex dtype of a's precision: vectors of the stack w, matrices of the stacks left and right. It returns how many eigenvalues have a
// negative imaginary part: the pairs of real matrices, those included whose imaginary parts have become 0 and -0.
func Eig(jobID, threads int64, a, w, left, right uint64, checkFinite, overwrite bool) (pairs int64, err error) {
	defer guard(&err)
	c := eigCall{
		jobID: jobID, threads: threads, a: descriptor(a), w: descriptor(w), left: descriptor(left), right: descriptor(right),
		options: schur.Options{SkipFiniteCheck: !checkFinite, Overwrite: overwrite},
	}
	switch c.a.dtype {
	case float32Code:
		return eig[float32, complex64](c)
	case float64Code:
		return eig[float64, complex128](c)
	case complex64Code:
		return eig[complex64, complex64](c)
	}
	return eig[complex128, complex128](c)
}

func eig[T dense.Scalar, C dense.Complex](c eigCall) (int64, error) {
	a, values := newBatch[T](c.a), newRows[C](c.w)
	left, right := vectorsOf[C](c.left), vectorsOf[C](c.right)
	return run(c.jobID, c.threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, a.count(), "eig", c.w.bytes()+c.left.bytes()+c.right.bytes(), func(team *sched.Team) int64 {
			options := c.options
			options.Team = team
			return schur.EigenWorkspace[T](a.order(), c.left != nil || c.right != nil, options)
		}); err != nil {
			return 0, err
		}
		err := forEach(team, a.count(), func(team *sched.Team, k int) error {
			options := c.options
			options.Team = team
			return schur.Eigen(a.at(k), values.at(k), left(k), right(k), options)
		})
		if err != nil {
			return 0, err
		}
		pairs := int64(0)
		for k := range a.count() {
			pairs += countNegative(values.at(k))
		}
		return pairs, nil
	})
}

// countNegative returns how many values have a negative imaginary part, which may be -0.
func countNegative[C dense.Complex](values []C) (count int64) {
	for _, d := range values {
		if math.Signbit(imag(complex128(d))) {
			count++
		}
	}
	return count
}

// vectorsOf returns the function that gives matrix k of a stack, or none for an absent one.
func vectorsOf[T dense.Scalar](a *array) func(k int) dense.View[T] {
	if a == nil {
		return func(int) dense.View[T] { return dense.View[T]{} }
	}
	return newBatch[T](a).at
}
