package pybind

import (
	"trnsci/core/ldl"
	"trnsci/core/qrupdate"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// LDL writes the factors of every matrix of the stack A into the stacks Left and D, of the same shape and dtype, and
// the order of the rows in which L is triangular into the vectors of the stack Perm: see ldl.View.
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

// QRUpdate writes the changed QR factorization of every member of the stacks Q and R to Q1 and R1: see qrupdate.Update.
func QRUpdate(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.QRUpdate](address)
	return byDtype[c.Q.Dtype].qrUpdate(jobID, c)
}

func (routinesOf[T]) qrUpdate(jobID int64, c *record.QRUpdate) (int64, error) {
	q, r, newQ, newR := newBatch[T](c.Q), newBatch[T](c.R), newBatch[T](c.Q1), newBatch[T](c.R1)
	u, v := vectorsOf[T](c.U), vectorsOf[T](c.V)
	change := qrupdate.Change[T]{
		Kind: qrupdate.Kind(c.Kind), Count: c.Count, Rcond: c.Rcond, SkipFiniteCheck: !c.CheckFinite,
	}
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		m, k, n := q.order(), r.order(), c.R.Shape[len(c.R.Shape)-1]
		if err := reserveEach(team, q.count(), "the QR update", c.Q1.Bytes()+c.R1.Bytes(), func(*sched.Team) int64 {
			return qrupdate.Workspace(change, m, k, n)
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, q.count(), func(team *sched.Team, i int) error {
			own := change
			own.U, own.V = u(i), v(i)
			if c.First != nil {
				own.First = int(vector[int64](c.First)[i])
			}
			return qrupdate.Update(team, q.at(i), r.at(i), own, newQ.at(i), newR.at(i))
		})
	})
}
