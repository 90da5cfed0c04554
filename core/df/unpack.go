package df

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// Rows of a square matrix that are copied before they are transposed: a few cache lines of every column.
const unpackRows = 16

// unpack writes the symmetric matrix of order n whose lower triangle is packed row by row.
func unpack(set kernel.Set, packed []float64, n int, square []float64) {
	at := 0
	for i0 := 0; i0 < n; i0 += unpackRows {
		i1 := min(n, i0+unpackRows)
		for i := i0; i < i1; i++ {
			at += copy(square[i*n:i*n+i+1], packed[at:])
		}
		if i0 > 0 {
			gemm.Transpose(set, i1-i0, i0, square[i0*n:], n, square[i0:], n)
		}
		for i := i0; i < i1; i++ {
			for j, x := range square[i*n+i0 : i*n+i] {
				square[(i0+j)*n+i] = x
			}
		}
	}
}

// multiplier multiplies matrices by unpacked rows of L, a group of rows at a time.
type multiplier struct {
	team, serial *sched.Team
	nao, group   int
	keep         bool
	// The unpacked rows, one below the other: of the whole group if they are kept, else one for each worker.
	squares dense.Matrix[float64]
}

// newMultiplier returns a multiplier for at most group rows of L at a time, with rows of nao orbitals. keep says that
// the unpacked rows of the whole group are used afterwards. squares is from takeSquares.
func newMultiplier(team *sched.Team, nao, group int, keep bool, squares dense.Matrix[float64]) *multiplier {
	return &multiplier{team: team, serial: team.Serial(), nao: nao, group: group, keep: keep, squares: squares}
}

// takeSquares takes the memory of a multiplier's unpacked rows.
func takeSquares(a *scratch.Arena, team *sched.Team, nao, group int, keep bool) dense.Matrix[float64] {
	count := 1
	switch {
	case keep:
		count = group
	case rowsInParallel(team, group):
		count = team.Threads()
	}
	return scratch.TakeMatrix[float64](a, count*nao, nao)
}

// rowsInParallel reports whether the threads take a row of L each.
func rowsInParallel(team *sched.Team, group int) bool { return team.Threads() <= group }

// multiply computes factor times unpacked row for every row and every factor, a matrix with nao columns. The products
// of a factor go into its matrix of products, those of one row below those of the row before.
//
// If there are enough rows, each thread takes one; otherwise the threads share the products of each row. The bits are
// the same.
func (m *multiplier) multiply(rows dense.Matrix[float64], factors, products []dense.Matrix[float64]) error {
	if rowsInParallel(m.team, m.group) {
		return m.team.For(rows.Rows, func(worker, p int) error {
			m.multiplyRow(m.serial, worker, rows.Row(p), p, factors, products)
			return nil
		})
	}
	for p := range rows.Rows {
		if err := m.team.Err(); err != nil {
			return err
		}
		m.multiplyRow(m.team, 0, rows.Row(p), p, factors, products)
	}
	return m.team.Err()
}

// multiplyRow unpacks row p and multiplies the factors by it.
func (m *multiplier) multiplyRow(team *sched.Team, worker int, row []float64, p int, factors,
	products []dense.Matrix[float64]) {
	place := worker
	if m.keep {
		place = p
	}
	square := m.squares.Slice(place*m.nao, (place+1)*m.nao, 0, m.nao)
	unpack(kernel.Best(), row, m.nao, square.Data)
	for k, f := range factors {
		if f.Rows > 0 {
			blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, f, square, 0,
				products[k].Slice(p*f.Rows, (p+1)*f.Rows, 0, m.nao))
		}
	}
}
