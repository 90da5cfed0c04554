package pybind

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/schur"
)

// Balance balances every matrix of the stack b, which is stored by rows, in place. It writes the numbers of the rows of the original matrix that the rows
// are, and the scales, into the float64 stacks of vectors order and scales.
func Balance(jobID, threads int64, b, order, scales uint64, permute, scale bool) (zero int64, err error) {
	defer guard(&err)
	s := formStacks{t: descriptor(b)}
	c := balancing{jobID, threads, newRows[float64](descriptor(order)), newRows[float64](descriptor(scales)), permute, scale}
	return byDtype[s.t.dtype].balance(c, s)
}

// balancing holds the arguments of Balance.
type balancing struct {
	jobID, threads int64
	order, scales  rows[float64]
	permute, scale bool
}

func (routinesOf[T]) balance(c balancing, s formStacks) (int64, error) {
	none := func(*sched.Team) int64 { return 0 }
	return eachForm(c.jobID, c.threads, "matrix_balance", s, none, func(team *sched.Team, k int, b, _ dense.View[T]) error {
		m, ok := b.Matrix()
		if !ok {
			panic("the matrices to balance are not stored by rows")
		}
		done, err := schur.Balance(m, schur.BalanceOptions{Team: team, Permute: c.permute, Scale: c.scale})
		if err != nil {
			return withNames(err)
		}
		order := c.order.at(k)
		for i, from := range done.Order {
			order[i] = float64(from)
		}
		copy(c.scales.at(k), done.Scale)
		return nil
	})
}
