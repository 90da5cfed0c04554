package pybind

import (
	"trnsci/core/sched"
	"trnsci/core/svd"
	"trnsci/pybind/record"
)

// SVD writes the singular values of every matrix of the stack A to S, in descending order, and its singular vectors to
// U and Vh if they are present: see svd.Results.
func SVD(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.SVD](address)
	return eigensolversByDtype[c.A.Dtype].svd(jobID, c)
}

func (eigensolversOf[T, R]) svd(jobID int64, c *record.SVD) (int64, error) {
	a, values, u, vh := newBatch[T](c.A), newRows[R](c.S), vectorsOf[T](c.U), vectorsOf[T](c.Vh)
	last := len(c.A.Shape) - 1
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		results := c.S.Bytes() + c.U.Bytes() + c.Vh.Bytes()
		if err := reserveEach(team, a.count(), "svd", results, func(team *sched.Team) int64 {
			return svd.Workspace[T](c.A.Shape[last-1], c.A.Shape[last], team.Threads(), c.U != nil)
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, a.count(), func(team *sched.Team, k int) error {
			found := values.at(k)
			wide := make([]float64, len(found))
			err := svd.Decompose(team, a.at(k), svd.Results[T]{Values: wide, U: u(k), Vh: vh(k)}, !c.CheckFinite)
			for i, s := range wide {
				found[i] = R(s)
			}
			return err
		})
	})
}
