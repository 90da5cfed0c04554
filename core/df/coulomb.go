package df

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// coulomb accumulates J, packed like L, of the densities whose J is not 0.
type coulomb struct {
	set     kernel.Set
	place   []int       // the number of each density among those with a J, -1 for the others
	d, j    [][]float64 // packed; d is D + D^T with the diagonal of D
	rho     [][]float64 // rho_P = sum_(la si) L[P,la si] D[si,la] for the rows of a unit
	partial []float64   // the partial sums of rho by piece of columns, density and row
	unit    int
}

// newCoulomb returns nil if every J is 0.
func newCoulomb(s jkPlan, densities []*density, w *jkWork) *coulomb {
	c := &coulomb{set: s.set, unit: s.unit, partial: w.partial}
	for k, d := range densities {
		if d.symmetry == Antisymmetric {
			c.place = append(c.place, -1)
			continue
		}
		c.place = append(c.place, len(c.d))
		t := &w.densities[k]
		packSum(t.packedD, d.d)
		clear(t.packedJ)
		c.d, c.j, c.rho = append(c.d, t.packedD), append(c.j, t.packedJ), append(c.rho, t.rho)
	}
	if len(c.d) == 0 {
		return nil
	}
	return c
}

// packSum sets lower to D + D^T packed, with the diagonal of D.
func packSum(lower []float64, d dense.Matrix[float64]) {
	at := 0
	for i := range d.Rows {
		for j := range i {
			lower[at] = d.At(i, j) + d.At(j, i)
			at++
		}
		lower[at] = d.At(i, i)
		at++
	}
}

// fit sets rho for some rows of L.
func (c *coulomb) fit(team *sched.Team, rows dense.Matrix[float64]) error {
	err := c.sweep(team, rows, func(piece int, r *vector.Rows[float64], j0, j1 int) {
		for k, d := range c.d {
			sums := c.sums(piece, k)[:rows.Rows]
			clear(sums)
			vector.Dots(c.set, r, d[j0:j1], sums)
		}
	})
	if err != nil {
		return err
	}
	for k, rho := range c.rho {
		clear(rho)
		for piece := range columnPieces(rows.Cols) {
			for p, x := range c.sums(piece, k)[:rows.Rows] {
				rho[p] += x
			}
		}
	}
	return nil
}

// add adds the rows times rho to J.
func (c *coulomb) add(team *sched.Team, rows dense.Matrix[float64]) error {
	return c.sweep(team, rows, func(_ int, r *vector.Rows[float64], j0, j1 int) {
		for k, j := range c.j {
			vector.Axpys(c.set, r, c.rho[k], j[j0:j1])
		}
	})
}

// sweep visits some rows of L, a piece of columns at a time.
func (c *coulomb) sweep(
	team *sched.Team, rows dense.Matrix[float64], visit func(piece int, r *vector.Rows[float64], j0, j1 int),
) error {
	return team.For(columnPieces(rows.Cols), func(_, piece int) error {
		j0 := piece * coulombColumns
		j1 := min(rows.Cols, j0+coulombColumns)
		r := &vector.Rows[float64]{Count: rows.Rows, Cols: j1 - j0, Stride: rows.Stride, A: rows.Data[j0:]}
		visit(piece, r, j0, j1)
		return nil
	})
}

// sums returns the partial sums of a piece of columns and a density.
func (c *coulomb) sums(piece, k int) []float64 {
	from := (piece*len(c.d) + k) * c.unit
	return c.partial[from : from+c.unit]
}
