package packed

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// Multiplier multiplies matrices by rows of L that are written out as squares, some rows at a time.
type Multiplier struct {
	team, serial *sched.Team
	nao, group   int
	keep         bool
	// The squares, one below the other: those of all rows where they are kept, else one for each worker.
	Squares dense.Matrix[float64]
}

// NewMultiplier returns a multiplier for at most group rows of L at a time, with rows of nao orbitals. keep says that the squares of all
// of them are wanted afterwards.
func NewMultiplier(team *sched.Team, nao, group int, keep bool) *Multiplier {
	m := &Multiplier{team: team, serial: team.Serial(), nao: nao, group: group, keep: keep}
	m.Squares = dense.New[float64](SquaresOf(team, group, keep)*nao, nao)
	return m
}

// SquaresOf returns how many squares a multiplier holds.
func SquaresOf(team *sched.Team, group int, keep bool) int {
	switch {
	case keep:
		return group
	case rowsInParallel(team, group):
		return team.Threads()
	}
	return 1
}

// rowsInParallel reports whether the threads take a row of L each.
func rowsInParallel(team *sched.Team, group int) bool { return team.Threads() <= group }

// Multiply computes factor times square for each of the rows and each factor, a matrix with nao columns. The products of a factor go into
// its matrix of products, those of one row below those of the row before.
//
// The threads take a row each where there are enough of them, and share the products of one row else. The bits are the same.
func (m *Multiplier) Multiply(rows dense.Matrix[float64], factors, products []dense.Matrix[float64]) error {
	if rowsInParallel(m.team, m.group) {
		return m.team.For(rows.Rows, func(worker, p int) error {
			m.row(m.serial, worker, rows.Row(p), p, factors, products)
			return nil
		})
	}
	for p := range rows.Rows {
		if err := m.team.Err(); err != nil {
			return err
		}
		m.row(m.team, 0, rows.Row(p), p, factors, products)
	}
	return m.team.Err()
}

// row writes row p out and multiplies the factors by it.
func (m *Multiplier) row(team *sched.Team, worker int, row []float64, p int, factors, products []dense.Matrix[float64]) {
	place := worker
	if m.keep {
		place = p
	}
	square := m.Squares.Slice(place*m.nao, (place+1)*m.nao, 0, m.nao)
	Unpack(kernel.Best(), row, m.nao, square.Data)
	for k, f := range factors {
		if f.Rows > 0 {
			blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, f, square, 0, products[k].Slice(p*f.Rows, (p+1)*f.Rows, 0, m.nao))
		}
	}
}
