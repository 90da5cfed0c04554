package df

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// exchange accumulates K of all densities, the lower triangle alone for symmetric and antisymmetric ones.
type exchange struct {
	plan       jkPlan
	team       *sched.Team
	multiplier *multiplier // keeps the unpacked rows if a density has no orbitals
	densities  []*density
	k          []dense.Matrix[float64]
	// The factor of each density, and its products with the unpacked rows of a group, one below the other.
	factors, halves []dense.Matrix[float64]
}

func newExchange(p jkPlan, densities []*density, team *sched.Team, w *jkWork) *exchange {
	x := &exchange{
		plan: p, team: team, densities: densities,
		multiplier: newMultiplier(team, p.nao, p.group, p.general, w.squares),
	}
	for k, d := range densities {
		x.k = append(x.k, dense.New[float64](p.nao, p.nao))
		x.factors = append(x.factors, d.factor)
		x.halves = append(x.halves, w.densities[k].half)
	}
	return x
}

// add adds the terms of some rows of L; the number of the first of them is a multiple of the size of a group.
func (x *exchange) add(rows dense.Matrix[float64]) error {
	for p := 0; p < rows.Rows; p += x.plan.group {
		if err := x.addGroup(rows.Slice(p, min(rows.Rows, p+x.plan.group), 0, rows.Cols)); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) addGroup(rows dense.Matrix[float64]) error {
	if err := x.multiplier.multiply(rows, x.factors, x.halves); err != nil {
		return err
	}
	for k, d := range x.densities {
		half := x.halves[k].Slice(0, rows.Rows*d.factor.Rows, 0, x.plan.nao)
		squares := x.multiplier.squares.Slice(0, min(rows.Rows*x.plan.nao, x.multiplier.squares.Rows), 0, x.plan.nao)
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
