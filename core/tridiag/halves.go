package tridiag

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/givens"
	"trnsci/core/sched"
)

// halvedRows are vectors of the halves of a node, as rows, which are nonzero before column end or from column begin on,
// and what a merge packs of them.
type halvedRows[R dense.Float] struct {
	rows                    dense.Matrix[R]
	end, begin              int
	first, second, deflated dense.Matrix[R] // old vectors of the first and the second half, and those that stay
	memory                  []R
}

// rotate replaces row i by c times itself plus s times row j, and row j by c times itself minus s times row i. both
// says in which halves one of them is nonzero.
func (x *halvedRows[R]) rotate(i, j int, both uint8, kind []uint8, c, s float64) {
	start, end := 0, x.rows.Cols
	switch both {
	case firstHalf:
		end = x.end
	case secondHalf:
		start = x.begin
	default:
		x.fillUp(i, kind[i])
		x.fillUp(j, kind[j])
	}
	upper, lower, rotation := i, j, givens.Rotation[R]{C: R(c), S: R(s)}
	if i > j {
		upper, lower, rotation.S = j, i, -rotation.S
	}
	stride := x.rows.Stride
	givens.Rotate(kernel.Best(), []givens.Rotation[R]{rotation}, true,
		x.rows.Data[upper*stride+start:lower*stride+end], (lower-upper)*stride, end-start)
}

// fillUp sets the undefined elements of a row of a half to zero.
func (x *halvedRows[R]) fillUp(i int, kind uint8) {
	switch kind {
	case firstHalf:
		clear(x.rows.Row(i)[x.end:])
	case secondHalf:
		clear(x.rows.Row(i)[:x.begin])
	}
}

// divide gives the packed vectors their memory.
func (x *halvedRows[R]) divide(first, second, deflated int) {
	memory, cols := x.memory, x.rows.Cols
	take := func(rows, cols int) dense.Matrix[R] {
		taken := dense.Matrix[R]{Rows: rows, Cols: cols, Stride: cols, Data: memory[:rows*cols]}
		memory = memory[rows*cols:]
		return taken
	}
	x.first, x.second, x.deflated = take(first, x.end), take(second, cols-x.begin), take(deflated, cols)
}

// pack copies a group of old vectors: kept ones sorted by kind, without most of their zeros.
func (x *halvedRows[R]) pack(u *rankOneUpdate, group int) {
	kept := len(u.kept)
	for r := group * groupRows; r < min(len(u.d), (group+1)*groupRows); r++ {
		i := u.sorted[r]
		row := x.rows.Row(i)
		if r < x.first.Rows {
			copy(x.first.Row(r), row[:x.end])
		}
		if u.first <= r && r < kept {
			copy(x.second.Row(r-u.first), row[x.begin:])
		}
		if r >= kept {
			x.fillUp(i, u.kind[i])
			copy(x.deflated.Row(r-kept), row)
		}
	}
}

// multiply stores the rows from <= i < to of the new vectors: the secular ones times the old ones.
func (x *halvedRows[R]) multiply(team *sched.Team, s dense.Matrix[R], first, from, to int) {
	rows := x.rows.Slice(from, to, 0, x.rows.Cols)
	product(team, s.Slice(0, s.Rows, 0, x.first.Rows), x.first, rows.Slice(0, rows.Rows, 0, x.end))
	product(team, s.Slice(0, s.Rows, first, s.Cols), x.second, rows.Slice(0, rows.Rows, x.begin, rows.Cols))
}

// product computes C = A B, also for an inner dimension of 0.
func product[R dense.Float](team *sched.Team, a, b, c dense.Matrix[R]) {
	if a.Cols == 0 {
		c.Clear()
		return
	}
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
}
