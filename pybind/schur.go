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
	c := similarity{jobID: jobID, threads: threads, name: "schur", a: a, form: t, factor: z, checkFinite: checkFinite, overwrite: overwrite}
	return byDtype[descriptor(a).dtype].schur(c)
}

// Hessenberg writes the Hessenberg form H and, unless q is 0, the unitary Q of every matrix of the stack a, A = Q H Q^H,
// into stacks of the same shape and dtype.
func Hessenberg(jobID, threads int64, a, h, q uint64, checkFinite, overwrite bool) (zero int64, err error) {
	defer guard(&err)
	c := similarity{jobID: jobID, threads: threads, name: "hessenberg", a: a, form: h, factor: q, checkFinite: checkFinite, overwrite: overwrite}
	return byDtype[descriptor(a).dtype].hessenberg(c)
}

func (routinesOf[T]) schur(c similarity) (int64, error) { return decompose(c, schur.Schur[T]) }
func (routinesOf[T]) hessenberg(c similarity) (int64, error) {
	return decompose(c, schur.Hessenberg[T])
}

// similarity holds the arguments of Schur or Hessenberg; a factor of 0 is not wanted.
type similarity struct {
	jobID, threads         int64
	name                   string // for messages
	a, form, factor        uint64
	checkFinite, overwrite bool
}

func decompose[T dense.Scalar](c similarity, do func(a, form, factor dense.View[T], options schur.Options) error) (int64, error) {
	form, factor := descriptor(c.form), descriptor(c.factor)
	in, forms := newBatch[T](descriptor(c.a)), newBatch[T](form)
	var factors batch[T]
	if factor != nil {
		factors = newBatch[T](factor)
	}
	return run(c.jobID, c.threads, func(team *sched.Team) (int64, error) {
		options := schur.Options{SkipFiniteCheck: !c.checkFinite, Overwrite: c.overwrite}
		if err := reserveEach(team, in.count(), c.name, form.bytes()+factor.bytes(), func(*sched.Team) int64 {
			return schur.Workspace[T](in.order(), options)
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, in.count(), func(team *sched.Team, k int) error {
			options := options
			options.Team = team
			var factor dense.View[T]
			if c.factor != 0 {
				factor = factors.at(k)
			}
			return do(in.at(k), forms.at(k), factor, options)
		})
	})
}
