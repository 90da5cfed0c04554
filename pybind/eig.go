package pybind

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/eig"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// Eig computes the eigenvalues, and the left and right eigenvectors where Left or Right is present, of every matrix of
// the stack A. The results have the complex dtype of A's precision: vectors of the stack W, matrices of the stacks Left
// and Right. It returns the number of eigenvalues with a negative imaginary part, -0 included: for real matrices the
// number of conjugate pairs.
func Eig(jobID int64, address uint64) (pairs int64, err error) {
	defer guard(&err)
	c := record.At[record.Eig](address)
	return byDtype[c.A.Dtype].eig(jobID, c)
}

func (routinesOf[T]) eig(jobID int64, c *record.Eig) (int64, error) {
	if dense.IsSingle[T]() {
		return solveEig[T, complex64](jobID, c)
	}
	return solveEig[T, complex128](jobID, c)
}

func solveEig[T dense.Scalar, C dense.Complex](jobID int64, c *record.Eig) (int64, error) {
	a, values := newBatch[T](c.A), newRows[C](c.W)
	left, right := vectorsOf[C](c.Left), vectorsOf[C](c.Right)
	with := func(team *sched.Team) eig.Options {
		return eig.Options{Team: team, SkipFiniteCheck: !c.CheckFinite}
	}
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		results := c.W.Bytes() + c.Left.Bytes() + c.Right.Bytes()
		if err := reserveEach(team, a.count(), "eig", results, func(team *sched.Team) int64 {
			return eig.Workspace[T](a.order(), c.Left != nil || c.Right != nil, with(team))
		}); err != nil {
			return 0, err
		}
		err := forEach(team, a.count(), func(team *sched.Team, k int) error {
			return eig.Eig(a.at(k), values.at(k), left(k), right(k), with(team))
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

// countNegative returns the number of values with a negative imaginary part, -0 included.
func countNegative[C dense.Complex](values []C) (count int64) {
	for _, d := range values {
		if math.Signbit(imag(complex128(d))) {
			count++
		}
	}
	return count
}

// vectorsOf returns a function that returns matrix k of a stack, or an empty matrix if the stack is absent.
func vectorsOf[T dense.Scalar](a *record.Array) func(k int) dense.View[T] {
	if a == nil {
		return func(int) dense.View[T] { return dense.View[T]{} }
	}
	return newBatch[T](a).at
}

// rowsOf returns a function that returns vector k of a stack, or nil if the stack is absent.
func rowsOf[T record.Element](a *record.Array) func(k int) []T {
	if a == nil {
		return func(int) []T { return nil }
	}
	return newRows[T](a).at
}
