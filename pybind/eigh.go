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
	var b, vectors batch[T]
	if c.b != nil {
		b = newBatch[T](c.b)
	}
	if c.v != nil {
		vectors = newBatch[T](c.v)
	}
	if size := eigen.GroupSize[T](a.order(), a.count(), c.options); size > 1 && c.b == nil {
		return eighGroups(c, size, a, values, vectors)
	}
	return run(c.jobID, c.threads, func(team *sched.Team) (int64, error) {
		found := 0
		if err := reserveEach(team, a.count(), "eigh", c.w.bytes()+c.v.bytes(), func(team *sched.Team) int64 {
			options := c.options
			options.Team = team
			return eigen.Workspace[T](a.order(), c.b != nil, options)
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
			var count int
			var err error
			if c.b == nil {
				count, err = eigen.Eigh(a.at(k), values.at(k), v, options)
			} else {
				count, err = eigen.EighGeneralized(c.problem, a.at(k), b.at(k), values.at(k), v, options)
				err = withRemedy(err, c.problem)
			}
			if a.count() == 1 {
				found = count
			}
			return err
		})
		return int64(found), err
	})
}

// eighGroups is eigh for many small matrices, so many of which are solved at once.
func eighGroups[T dense.Scalar, R dense.Float](c eighCall, size int, a batch[T], values rows[R], vectors batch[T]) (int64, error) {
	groups := (a.count() + size - 1) / size
	return run(c.jobID, c.threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, groups, "eigh", c.w.bytes()+c.v.bytes(), func(team *sched.Team) int64 {
			options := c.options
			options.Team = team
			return eigen.Workspace[T](a.order(), false, options)
		}); err != nil {
			return 0, err
		}
		team = team.Plan(a.count())
		options := c.options
		options.Team = team.Quiet()
		return 0, team.For(groups, func(_, group int) error {
			first, end := group*size, min((group+1)*size, a.count())
			var members, v []dense.View[T]
			var w [][]R
			for k := first; k < end; k++ {
				members, w = append(members, a.at(k)), append(w, values.at(k))
				if c.v != nil {
					v = append(v, vectors.at(k))
				}
			}
			if _, failed, err := eigen.EighGroup(members, w, v, options); err != nil {
				return &memberError{member: first + failed, err: err}
			}
			team.Step(end - first)
			return nil
		})
	})
}
