package pybind

import (
	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/sched"
)

// Subset kinds; the Python side has the same list.
const (
	subsetAll = iota
	subsetByIndex
	subsetByValue
)

// wanted returns the subset of a kind.
func wanted(kind, first, last int64, above, upTo float64) eigen.Subset {
	switch kind {
	case subsetByIndex:
		return eigen.ByIndex(int(first), int(last))
	case subsetByValue:
		return eigen.ByValue(above, upTo)
	}
	return eigen.Subset{}
}

// eighCall is the decoded argument list of Eigh.
type eighCall struct {
	jobID, threads int64
	a, b, w, v     *array // b is nil for the standard problem, v when no vectors are wanted
	problem        eigen.Problem
	options        eigen.Options
}

// Eigh computes eigenvalues, and eigenvectors unless v is 0, of every matrix of the stack a: of the standard problem when
// b is 0, otherwise of the generalized problem of the given type with b of a's shape and dtype. w has the real dtype of a
// and room for the wanted eigenvalues of each member, v for as many columns. For a single matrix it returns the number of
// eigenvalues, which for subsetByValue may be less than the room; for a stack, whose members may differ, 0. The standard problem
// is solved by Jacobi's method if jacobi is set.
func Eigh(jobID, threads int64, a, b, w, v uint64, problem int64, lower, checkFinite, overwrite, jacobi bool,
	subset, first, last int64, above, upTo float64) (count int64, err error) {
	defer guard(&err)
	c := eighCall{
		jobID: jobID, threads: threads,
		a: descriptor(a), b: descriptor(b), w: descriptor(w), v: descriptor(v),
		problem: eigen.Problem(problem),
		options: eigen.Options{
			Upper: !lower, ValuesOnly: v == 0, SkipFiniteCheck: !checkFinite, Overwrite: overwrite, Jacobi: jacobi,
			Subset: wanted(subset, first, last, above, upTo),
		},
	}
	return eigensolversByDtype[c.a.dtype].dense(c)
}

// eigensolvers are the eigensolvers for one dtype of matrices.
type eigensolvers interface {
	dense(c eighCall) (int64, error)
	small(a, w, v uint64, n int, options eigen.Options) (int64, error)
	canonical(c canonicalCall) (int64, error)
	banded(c structuredCall) (int64, error)
}

// eigensolversOf implements eigensolvers; R is the real type of T.
type eigensolversOf[T dense.Scalar, R dense.Float] struct{}

// eigensolversByDtype are the eigensolvers by dtype code.
var eigensolversByDtype = [...]eigensolvers{
	float32Code:    eigensolversOf[float32, float32]{},
	float64Code:    eigensolversOf[float64, float64]{},
	complex64Code:  eigensolversOf[complex64, float32]{},
	complex128Code: eigensolversOf[complex128, float64]{},
}

func (eigensolversOf[T, R]) dense(c eighCall) (int64, error) {
	a, values := newBatch[T](c.a), newRows[R](c.w)
	var vectors batch[T]
	if c.v != nil {
		vectors = newBatch[T](c.v)
	}
	if c.b == nil {
		return eighBatch(c, a, values, vectors)
	}
	b := newBatch[T](c.b)
	return run(c.jobID, c.threads, func(team *sched.Team) (int64, error) {
		found := 0
		if err := reserveEach(team, a.count(), "eigh", c.w.bytes()+c.v.bytes(), func(team *sched.Team) int64 {
			options := c.options
			options.Team = team
			return eigen.Workspace[T](a.order(), true, options)
		}); err != nil {
			return 0, err
		}
		err := forEach(team, a.count(), func(team *sched.Team, k int) error {
			options := c.options
			options.Team = team
			var v dense.View[T]
			if c.v != nil {
				v = vectors.at(k)
			}
			count, err := eigen.EighGeneralized(c.problem, a.at(k), b.at(k), values.at(k), v, options)
			if a.count() == 1 {
				found = count
			}
			return withRemedy(err, c.problem)
		})
		return int64(found), err
	})
}

// eighBatch is dense for the standard problem.
func eighBatch[T dense.Scalar, R dense.Float](c eighCall, a batch[T], values rows[R], vectors batch[T]) (int64, error) {
	return run(c.jobID, c.threads, func(team *sched.Team) (int64, error) {
		options := c.options
		options.Team = team
		workspace := eigen.BatchWorkspace[T](a.order(), a.count(), options)
		if err := reserve("eigh", workspace, c.w.bytes()+c.v.bytes()); err != nil {
			return 0, err
		}
		var found [1]int
		counts := found[:]
		if a.count() != 1 {
			counts = nil // the members of a stack may differ
		}
		err := eigen.EighBatch(a.count(), func(k int) eigen.Member[T, R] {
			m := eigen.Member[T, R]{A: a.at(k), W: values.at(k)}
			if c.v != nil {
				m.V = vectors.at(k)
			}
			return m
		}, counts, options)
		return int64(found[0]), err
	})
}
