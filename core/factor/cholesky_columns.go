package factor

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

const (
	// Matrices above the first and up to the second order, half of it for complex ones, are factored by block columns:
	// smaller ones leave threads too little to share, and larger ones would read all columns on the left of a block from
	// memory.
	leastColumnsOrder, mostColumnsOrder = 128, 1024
	// Rows whose update by one column on the left takes as long as the factorization of a block on the diagonal.
	blockRows = 3072
)

// choleskyRun is a factorization by block columns, in two rounds for each: update subtracts what the columns on the
// left of k0 <= k < k1 contribute to these, and factors their block on the diagonal; solve divides the rows below by
// this block. The rows are divided into parts, one for each thread.
type choleskyRun[T dense.Scalar] struct {
	team   *sched.Team // of a part
	a      dense.Matrix[T]
	parts  int
	k0, k1 int
	solves bool // the round
	order  int  // of the first leading minor that is not positive, 0 if there is none
}

// choleskyColumns is choleskyFrom for the orders that are factored by block columns.
func choleskyColumns[T dense.Scalar](team *sched.Team, a dense.Matrix[T], row int) error {
	n := a.Rows
	team = team.Plan(cube(n))
	c := &choleskyRun[T]{team: team.SerialWithoutProgress(), a: a, parts: 1}
	multiplications := cube(n*dense.Parts[T]()) / (6 * dense.Parts[T]())
	if team.WorthSharing(multiplications, kernel.BlockingOf[float64](kernel.Best()).ThreadWork) {
		c.parts = team.Threads()
	}
	return team.Rounds(c.parts, c.part, func(r *sched.Rounds) error {
		for c.k1 < n && c.order == 0 {
			c.k0, c.k1 = c.k1, min(n, c.k1+choleskyBase/dense.Parts[T]())
			for _, c.solves = range []bool{false, true} {
				if err := r.Do(); err != nil {
					return err
				}
				if err := team.Err(); err != nil {
					return err
				}
			}
			team.Reach((3*n - 2*c.k1) * c.k1 * c.k1)
		}
		if c.order > 0 {
			return &NotPositiveDefiniteError{Arg: "a", Order: row + c.order}
		}
		return nil
	})
}

// part does part p of a round.
func (c *choleskyRun[T]) part(p int) {
	n, k0, k1 := c.a.Rows, c.k0, c.k1
	diagonal, left := c.a.Slice(k0, k1, k0, k1), c.a.Slice(k0, k1, 0, k0)
	if p == 0 && !c.solves {
		blas.Herk(c.team, blas.Lower, blas.NoTrans, -1, left, 1, diagonal)
		if order := choleskyBlock(diagonal); order > 0 {
			c.order = k0 + order
		}
		c.a.Slice(k0, k1, k1, n).Clear()
	}
	i0, i1 := c.rows(p), c.rows(p+1)
	below := c.a.Slice(i0, i1, k0, k1)
	switch {
	case !c.solves:
		blas.Gemm(c.team, blas.NoTrans, blas.ConjTrans, -1, c.a.Slice(i0, i1, 0, k0), left, 1, below)
	case c.order == 0:
		blas.Trsm(c.team, blas.Right, blas.Lower, blas.ConjTrans, blas.NonUnit, 1, diagonal, below)
	}
}

// rows returns the first of the rows below the block on the diagonal that part p has. The update of the first part
// begins with this block, and its rows are fewer by as many as take as long.
func (c *choleskyRun[T]) rows(p int) int {
	n, block := c.a.Rows-c.k1, 0
	if !c.solves {
		block = c.k1 - c.k0 + blockRows/dense.Parts[T]()/max(c.k0, 1)
	}
	if p == 0 {
		return c.k1
	}
	return c.k1 + max(0, (n+block)*p/c.parts-block)
}
