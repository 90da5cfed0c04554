package pybind

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/schur"
	"trnsci/core/sylvester"
)

// formStacks are stacks of Schur forms T and, unless z is nil, of their unitary factors Z, of the same shape and dtype.
type formStacks struct{ t, z *array }

// eachForm calls do for every pair of matrices of s. workspace returns that of a call.
func eachForm[T dense.Scalar](jobID, threads int64, name string, s formStacks, workspace func(*sched.Team) int64, do func(team *sched.Team, k int, t, z dense.View[T]) error) (int64, error) {
	forms := newBatch[T](s.t)
	var factors batch[T]
	if s.z != nil {
		factors = newBatch[T](s.z)
	}
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, forms.count(), name, 0, workspace); err != nil {
			return 0, err
		}
		return 0, forEach(team, forms.count(), func(team *sched.Team, k int) error {
			var z dense.View[T]
			if s.z != nil {
				z = factors.at(k)
			}
			return do(team, k, forms.at(k), z)
		})
	})
}

// SchurOrder reorders the Schur forms t and their factors z in place: the eigenvalues that are not 0 in selected, a float64 stack of
// vectors, come first.
func SchurOrder(jobID, threads int64, t, z, selected uint64) (zero int64, err error) {
	defer guard(&err)
	s, flags := formStacks{descriptor(t), descriptor(z)}, newRows[float64](descriptor(selected))
	return byDtype[s.t.dtype].order(jobID, threads, s, flags)
}

func (routinesOf[T]) order(jobID, threads int64, s formStacks, flags rows[float64]) (int64, error) {
	n := newBatch[T](s.t).order()
	workspace := func(*sched.Team) int64 { return schur.OrderWorkspace[T](n) }
	return eachForm(jobID, threads, "schur", s, workspace, func(team *sched.Team, k int, t, z dense.View[T]) error {
		selected := make([]bool, t.Rows)
		for i, x := range flags.at(k) {
			selected[i] = x != 0
		}
		_, err := schur.Order(t, z, selected, schur.Options{Team: team})
		return err
	})
}

// SchurToComplex makes complex Schur forms of real ones, which the complex stacks t and z hold, in place.
func SchurToComplex(jobID, threads int64, t, z uint64) (zero int64, err error) {
	defer guard(&err)
	s := formStacks{descriptor(t), descriptor(z)}
	if s.t.dtype == complex64Code {
		return toComplex[complex64](jobID, threads, s)
	}
	return toComplex[complex128](jobID, threads, s)
}

func toComplex[T dense.Complex](jobID, threads int64, s formStacks) (int64, error) {
	n := newBatch[T](s.t).order()
	workspace := func(*sched.Team) int64 { return schur.OrderWorkspace[T](n) }
	return eachForm(jobID, threads, "rsf2csf", s, workspace, func(team *sched.Team, _ int, t, z dense.View[T]) error {
		return schur.ToComplex(t, z, schur.Options{Team: team})
	})
}

// SchurCondition writes the condition numbers s and sep of the first eigenvalues of every Schur form of the stack t into results, a
// float64 stack of vectors of two elements. counts, a float64 stack of vectors of one, says how many eigenvalues these are.
func SchurCondition(jobID, threads int64, t, counts, results uint64) (zero int64, err error) {
	defer guard(&err)
	s, in, out := formStacks{t: descriptor(t)}, newRows[float64](descriptor(counts)), newRows[float64](descriptor(results))
	return byDtype[s.t.dtype].condition(jobID, threads, s, in, out)
}

func (routinesOf[T]) condition(jobID, threads int64, s formStacks, counts, results rows[float64]) (int64, error) {
	n := newBatch[T](s.t).order()
	workspace := func(team *sched.Team) int64 { return sylvester.ConditionWorkspace[T](team, n) }
	return eachForm(jobID, threads, "schur_condition", s, workspace, func(team *sched.Team, k int, t, _ dense.View[T]) error {
		result := results.at(k)
		var err error
		result[0], result[1], err = sylvester.ClusterCondition(t, int(counts.at(k)[0]), sylvester.Options{Team: team})
		return withNames(err)
	})
}
