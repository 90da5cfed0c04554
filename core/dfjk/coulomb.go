package dfjk

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/packed"
	"trnsci/core/sched"
)

// Columns of L that are swept at a time. The part of a density and of J that belongs to them stays in the first cache; that of the rows,
// of which sizes.unit are swept together, in the second one. A sum over columns is cut at its multiples.
const coulombColumns = 2048

// coulomb adds up J, packed like L, of those densities that have one.
type coulomb struct {
	set     kernel.Set
	place   []int       // of each density among those that have a J; -1 where it has none
	d, j    [][]float64 // packed; d is D + D^T with the diagonal of D
	rho     [][]float64 // of each row, the coefficients of the density in the auxiliary functions
	partial []float64   // of each piece of columns, of each density, of each row
	unit    int
}

func newCoulomb(s sizes, densities []*density) *coulomb {
	c := &coulomb{set: s.set, unit: s.unit}
	for _, d := range densities {
		if d.symmetry == Antisymmetric {
			c.place = append(c.place, -1)
			continue
		}
		c.place = append(c.place, len(c.d))
		c.d = append(c.d, packSum(d.d))
		c.j = append(c.j, make([]float64, s.pairs))
		c.rho = append(c.rho, make([]float64, s.unit))
	}
	if len(c.d) == 0 {
		return nil
	}
	c.partial = make([]float64, s.pieces()*len(c.d)*s.unit)
	return c
}

// packSum returns D + D^T packed, with the diagonal of D.
func packSum(d dense.Matrix[float64]) []float64 {
	lower := make([]float64, 0, packed.Pairs(d.Rows))
	for i := range d.Rows {
		for j := range i {
			lower = append(lower, d.At(i, j)+d.At(j, i))
		}
		lower = append(lower, d.At(i, i))
	}
	return lower
}

// fit sets rho to the products of the rows with the densities.
func (c *coulomb) fit(team *sched.Team, rows dense.Matrix[float64]) error {
	err := c.sweep(team, rows, func(piece int, r *kernel.Rows[float64], j0, j1 int) {
		for k, d := range c.d {
			sums := c.sums(piece, k)[:rows.Rows]
			clear(sums)
			kernel.Dots(c.set, r, d[j0:j1], sums)
		}
	})
	if err != nil {
		return err
	}
	for k, rho := range c.rho {
		clear(rho)
		for piece := range pieces(rows.Cols) {
			for p, x := range c.sums(piece, k)[:rows.Rows] {
				rho[p] += x
			}
		}
	}
	return nil
}

// add adds the rows times rho to J.
func (c *coulomb) add(team *sched.Team, rows dense.Matrix[float64]) error {
	return c.sweep(team, rows, func(_ int, r *kernel.Rows[float64], j0, j1 int) {
		for k, j := range c.j {
			kernel.Axpys(c.set, r, c.rho[k], j[j0:j1])
		}
	})
}

// sweep visits the rows, a piece of columns at a time.
func (c *coulomb) sweep(team *sched.Team, rows dense.Matrix[float64], visit func(piece int, r *kernel.Rows[float64], j0, j1 int)) error {
	return team.For(pieces(rows.Cols), func(_, piece int) error {
		j0 := piece * coulombColumns
		j1 := min(rows.Cols, j0+coulombColumns)
		visit(piece, &kernel.Rows[float64]{Count: rows.Rows, Cols: j1 - j0, Stride: rows.Stride, A: rows.Data[j0:]}, j0, j1)
		return nil
	})
}

// sums returns the place of the sums of a piece and a density.
func (c *coulomb) sums(piece, k int) []float64 {
	from := (piece*len(c.d) + k) * c.unit
	return c.partial[from : from+c.unit]
}
