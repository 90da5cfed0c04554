package dfjk

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/packed"
	"trnsci/core/sched"
)

// exchange adds up K of all densities: of the symmetric and the antisymmetric ones the lower triangle.
type exchange struct {
	sizes      sizes
	team       *sched.Team
	multiplier *packed.Multiplier // keeps the squares where a density has no orbitals
	densities  []*density
	k          []dense.Matrix[float64]
	// Of each density the factor, and the factor times each square of a group, one below the other.
	factors, halves []dense.Matrix[float64]
}

func newExchange(s sizes, densities []*density, team *sched.Team) *exchange {
	x := &exchange{sizes: s, team: team, multiplier: packed.NewMultiplier(team, s.nao, s.group, s.general), densities: densities}
	for _, d := range densities {
		x.k = append(x.k, dense.New[float64](s.nao, s.nao))
		x.factors = append(x.factors, d.factor)
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
	if err := x.multiplier.Multiply(rows, x.factors, x.halves); err != nil {
		return err
	}
	for k, d := range x.densities {
		half := x.halves[k].Slice(0, rows.Rows*d.factor.Rows, 0, x.sizes.nao)
		squares := x.multiplier.Squares.Slice(0, min(rows.Rows*x.sizes.nao, x.multiplier.Squares.Rows), 0, x.sizes.nao)
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
