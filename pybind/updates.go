package pybind

import (
	"trnsci/core/ldl"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// LDL writes the factors of every matrix of the stack A into the stacks Left and D, of the same shape and dtype, and the
// order of the rows in which L is triangular into the vectors of the stack Perm: see ldl.View.
func LDL(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.LDL](address)
	return byDtype[c.A.Dtype].ldl(jobID, c)
}

func (routinesOf[T]) ldl(jobID int64, c *record.LDL) (int64, error) {
	matrices, left, diagonal, perm := newBatch[T](c.A), newBatch[T](c.Left), newBatch[T](c.D), newRows[int64](c.Perm)
	opt := ldl.Options{Lower: c.Lower, Hermitian: c.Hermitian, SkipFiniteCheck: !c.CheckFinite}
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, matrices.count(), "ldl", c.Left.Bytes()+c.D.Bytes(), func(*sched.Team) int64 {
			return ldl.Workspace[T](matrices.order())
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			return ldl.View(team, matrices.at(k), left.at(k), diagonal.at(k), perm.at(k), opt)
		})
	})
}
