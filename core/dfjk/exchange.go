package dfjk

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// exchange adds up K of all densities: of the symmetric and the antisymmetric ones the lower triangle.
type exchange struct {
	sizes     sizes
	team      *sched.Team
	serial    *sched.Team
	densities []*density
	k         []dense.Matrix[float64]
	// Rows of L as squares, one below the other: those of a group where a density has no orbitals, else one for each worker.
	squares dense.Matrix[float64]
	// Of each density the factor times each square of a group, one below the other.
	halves []dense.Matrix[float64]
}

func newExchange(s sizes, densities []*density, team *sched.Team) *exchange {
	x := &exchange{sizes: s, team: team, serial: team.Serial(), densities: densities}
	x.squares = dense.New[float64](s.squares(team)*s.nao, s.nao)
	for _, d := range densities {
		x.k = append(x.k, dense.New[float64](s.nao, s.nao))
		x.halves = append(x.halves, dense.New[float64](s.group*d.factor.Rows, s.nao))
	}
	return x
}

// add adds what rows of L contribute, the first of them being a multiple of the size of a group.
func (x *exchange) add(rows dense.Matrix[float64]) error {
	for p := 0; p < rows.Rows; p += x.sizes.group {
		end := min(rows.Rows, p+x.sizes.group)
		if err := x.addGroup(rows.Slice(p, end, 0, rows.Cols)); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) addGroup(rows dense.Matrix[float64]) error {
	if err := x.multiplyHalves(rows); err != nil {
		return err
	}
	for k, d := range x.densities {
		half := x.halves[k].Slice(0, rows.Rows*d.factor.Rows, 0, x.sizes.nao)
		squares := x.squares.Slice(0, min(rows.Rows*x.sizes.nao, x.squares.Rows), 0, x.sizes.nao)
		switch {
		case d.orbitals:
			blas.Syrk(x.team, blas.Lower, blas.Trans, 1, half, 1, x.k[k])
		case d.symmetry == General:
			blas.Gemm(x.team, blas.Trans, blas.NoTrans, 1, squares, half, 1, x.k[k])
		default:
			blas.Gemmt(x.team, blas.Lower, blas.Trans, blas.NoTrans, 1, squares, half, 1, x.k[k])
		}
	}
	return x.team.Err()
}

// multiplyHalves writes rows of L out and multiplies them by the factors. The threads take a row each where there are enough of them, and
// share the products of one row else. The bits are the same.
func (x *exchange) multiplyHalves(rows dense.Matrix[float64]) error {
	if x.sizes.rowsInParallel(x.team) {
		return x.team.For(rows.Rows, func(worker, p int) error {
			x.multiplyRow(x.serial, worker, rows.Row(p), p)
			return nil
		})
	}
	for p := range rows.Rows {
		if err := x.team.Err(); err != nil {
			return err
		}
		x.multiplyRow(x.team, 0, rows.Row(p), p)
	}
	return nil
}

// multiplyRow writes out row p of a group and multiplies the factors by it.
func (x *exchange) multiplyRow(team *sched.Team, worker int, row []float64, p int) {
	nao, place := x.sizes.nao, worker
	if x.sizes.general {
		place = p
	}
	square := x.squares.Slice(place*nao, (place+1)*nao, 0, nao)
	unpack(x.sizes.set, row, nao, square.Data)
	for k, d := range x.densities {
		m := d.factor.Rows
		if m > 0 {
			blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, d.factor, square, 0, x.halves[k].Slice(p*m, (p+1)*m, 0, nao))
		}
	}
}
