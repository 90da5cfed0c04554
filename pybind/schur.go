package pybind

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/schur"
)

// Schur writes the Schur form T, real for real matrices, and the unitary Z of every matrix of the stack a, A = Z T Z^H,
// into stacks of the same shape and dtype.
func Schur(jobID, threads int64, a, t, z uint64, checkFinite, overwrite bool) (zero int64, err error) {
	defer guard(&err)
	c := newSimilarity(jobID, threads, "schur", a, t, z, checkFinite, overwrite)
	return byDtype[c.a.dtype].schur(c)
}

// Hessenberg writes the Hessenberg form H and, unless q is 0, the unitary Q of every matrix of the stack a, A = Q H Q^H,
// into stacks of the same shape and dtype.
func Hessenberg(jobID, threads int64, a, h, q uint64, checkFinite, overwrite bool) (zero int64, err error) {
	defer guard(&err)
	c := newSimilarity(jobID, threads, "hessenberg", a, h, q, checkFinite, overwrite)
	return byDtype[c.a.dtype].hessenberg(c)
}

func (routinesOf[T]) schur(c similarity) (int64, error) { return decompose(c, schur.Schur[T]) }
func (routinesOf[T]) hessenberg(c similarity) (int64, error) {
	return decompose(c, schur.Hessenberg[T])
}

// similarity holds the arguments of Schur or Hessenberg; the factor is nil when it is not wanted.
type similarity struct {
	jobID, threads  int64
	name            string // for messages
	a, form, factor *array
	options         schur.Options
}

func newSimilarity(jobID, threads int64, name string, a, form, factor uint64, checkFinite, overwrite bool) similarity {
	return similarity{
		jobID: jobID, threads: threads, name: name, a: descriptor(a), form: descriptor(form), factor: descriptor(factor),
		options: schur.Options{SkipFiniteCheck: !checkFinite, Overwrite: overwrite},
	}
}

func decompose[T dense.Scalar](c similarity, do func(a, form, factor dense.View[T], options schur.Options) error) (int64, error) {
	in, forms, factor := newBatch[T](c.a), newBatch[T](c.form), vectorsOf[T](c.factor)
	return run(c.jobID, c.threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, in.count(), c.name, c.form.bytes()+c.factor.bytes(), func(*sched.Team) int64 {
			return schur.Workspace[T](in.order(), c.options)
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, in.count(), func(team *sched.Team, k int) error {
			options := c.options
			options.Team = team
			return do(in.at(k), forms.at(k), factor(k), options)
		})
	})
}
