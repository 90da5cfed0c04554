package pybind

import (
	"errors"
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// EighCanonical is Eigh for the generalized problem of type 1 in the space of the eigenvectors of b whose eigenvalues are above lindep. dropped is
// the address of an integer for each member of the stack: how many are not. It returns the number of eigenvalues, which is the same for all
// members: a stack of which that is not true is an error.
func EighCanonical(jobID, threads int64, a, b, w, v, dropped uint64, lindep float64, lower, checkFinite, overwrite bool,
	subset, first, last int64, above, upTo float64) (count int64, err error) {
	defer guard(&err)
	c := canonicalCall{
		eighCall: eighCall{
			jobID: jobID, threads: threads,
			a: descriptor(a), b: descriptor(b), w: descriptor(w), v: descriptor(v),
			options: eigen.Options{
				Upper: !lower, ValuesOnly: v == 0, SkipFiniteCheck: !checkFinite, Overwrite: overwrite,
				Subset: wanted(subset, first, last, above, upTo),
			},
		},
		dropped: dropped, lindep: lindep,
	}
	return eigensolversByDtype[c.a.dtype].canonical(c)
}

// canonicalCall is the decoded argument list of EighCanonical.
type canonicalCall struct {
	eighCall
	dropped uint64
	lindep  float64
}

func (eigensolversOf[T, R]) canonical(c canonicalCall) (int64, error) {
	a, b, values := newBatch[T](c.a), newBatch[T](c.b), newRows[R](c.w)
	var vectors batch[T]
	if c.v != nil {
		vectors = newBatch[T](c.v)
	}
	dropped := numbers[int64](c.dropped, a.count())
	return run(c.jobID, c.threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, a.count(), "eigh", c.w.bytes()+c.v.bytes(), func(team *sched.Team) int64 {
			options := c.options
			options.Team = team
			return eigen.WorkspaceCanonical[T](a.order(), options)
		}); err != nil {
			return 0, err
		}
		counts := make([]int, a.count())
		if err := forEach(team, a.count(), func(team *sched.Team, k int) error {
			options := c.options
			options.Team = team
			var v dense.View[T]
			if c.v != nil {
				v = vectors.at(k)
			}
			count, left, err := eigen.EighCanonical(a.at(k), b.at(k), c.lindep, values.at(k), v, options)
			counts[k], dropped[k] = count, int64(left)
			return err
		}); err != nil {
			return 0, err
		}
		for k, count := range counts {
			if count != counts[0] {
				return 0, dense.BadArgument("lindep", "the members of the stack are left with different numbers of eigenpairs: %d of member 0, %d of member %d",
					counts[0], count, k)
			}
		}
		return int64(counts[0]), nil
	})
}

// withRemedy adds to the error of a metric that has no Cholesky factor what solves the problem of type 1 all the same.
func withRemedy(err error, problem eigen.Problem) error {
	var minor *factor.NotPositiveDefiniteError
	if problem != eigen.AXEqualsLambdaBX || !errors.As(err, &minor) {
		return err
	}
	return fmt.Errorf("%w; lindep= solves in the space of its eigenvectors with larger eigenvalues", err)
}
