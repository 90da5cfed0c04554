package pybind

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/schur"
)

// Schur writes the real Schur form T and the orthogonal Z of every matrix of the float64 stack a, A = Z T Z^T, into
// stacks of the same shape.
func Schur(jobID, threads int64, a, t, z uint64, checkFinite, overwrite bool) (zero int64, err error) {
	defer guard(&err)
	return decompose(jobID, threads, "schur", schur.Schur, a, t, z, checkFinite, overwrite)
}

// Hessenberg writes the Hessenberg form H and, unless q is 0, the orthogonal Q of every matrix of the float64 stack a,
// A = Q H Q^T, into stacks of the same shape.
func Hessenberg(jobID, threads int64, a, h, q uint64, checkFinite, overwrite bool) (zero int64, err error) {
	defer guard(&err)
	return decompose(jobID, threads, "hessenberg", schur.Hessenberg, a, h, q, checkFinite, overwrite)
}

// decomposition is an orthogonal similarity A = Q H Q^T; q may be empty.
type decomposition func(a, h, q dense.View[float64], options schur.Options) error

func decompose(jobID, threads int64, name string, do decomposition, a, h, q uint64, checkFinite, overwrite bool) (int64, error) {
	in, form, factor := newBatch[float64](descriptor(a)), descriptor(h), descriptor(q)
	forms := newBatch[float64](form)
	var factors batch[float64]
	if factor != nil {
		factors = newBatch[float64](factor)
	}
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		options := schur.Options{SkipFiniteCheck: !checkFinite, Overwrite: overwrite}
		if err := reserveEach(team, in.count(), name, form.bytes()+factor.bytes(), func(*sched.Team) int64 {
			return schur.Workspace(in.order(), options)
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, in.count(), func(team *sched.Team, k int) error {
			options := options
			options.Team = team
			var factor dense.View[float64]
			if q != 0 {
				factor = factors.at(k)
			}
			return do(in.at(k), forms.at(k), factor, options)
		})
	})
}
