package dfjk

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/packed"
)

// A density may differ by this, relative to its largest element, from what its orbitals make: half the digits, since both may come from
// sums in other orders, or from a file.
const orbitalTolerance = 0x1p-26

// density is a density as the products take it.
type density struct {
	symmetry Symmetry
	d        dense.Matrix[float64] // with its symmetry
	// What rows of L are multiplied by for K: the occupied orbitals, a row sqrt(n) C for each, or d.
	factor   dense.Matrix[float64]
	orbitals bool
}

// checkShapes compares the shapes of the densities with the number of pairs.
func checkShapes(densities []Density, pairs int) (nao int, err error) {
	for _, d := range densities {
		name := "dm" + d.Label
		if d.D.Rows != d.D.Cols {
			return 0, dense.BadArgument(name, "expected a square matrix, got shape (%d, %d)", d.D.Rows, d.D.Cols)
		}
		if nao = d.D.Rows; nao != densities[0].D.Rows {
			return 0, dense.BadArgument(name, "has shape (%d, %d), but the first density has (%d, %d)", nao, nao, densities[0].D.Rows, densities[0].D.Cols)
		}
		if d.Symmetry < General || d.Symmetry > Antisymmetric {
			return 0, dense.BadArgument("hermi", "expected 0, 1 or 2, got %d", int(d.Symmetry))
		}
		if o := d.Orbitals; o != nil {
			if o.Coeff.Rows != nao || o.Coeff.Cols != len(o.Occ) {
				return 0, dense.BadArgument("mo_coeff"+d.Label, "expected shape (nao, nmo) = (%d, %d), as of dm and mo_occ, got (%d, %d)",
					nao, len(o.Occ), o.Coeff.Rows, o.Coeff.Cols)
			}
			if d.Symmetry == Antisymmetric {
				return 0, dense.BadArgument("hermi", "orbitals make a symmetric density, got 2")
			}
		}
	}
	if want := packed.Pairs(nao); len(densities) > 0 && want != pairs {
		return 0, dense.BadArgument("L", "has rows of %d elements, but densities of shape (%d, %d) need nao*(nao+1)/2 = %d", pairs, nao, nao, want)
	}
	return nao, nil
}

// occupied returns the number of occupied orbitals, after a look at the occupations.
func (o *Orbitals) occupied(name string) (count int, err error) {
	for _, n := range o.Occ {
		if !dense.IsFinite(n) {
			return 0, dense.NotFinite(name)
		}
		if n < 0 {
			return 0, dense.BadArgument(name, "expected numbers that are not negative, got %g", n)
		}
		if n > 0 {
			count++
		}
	}
	return count, nil
}

func prepareAll(densities []Density, s sizes, opt Options) ([]*density, error) {
	var prepared []*density
	for k, d := range densities {
		if err := blas.CheckFinite(opt.Team, d.D, "dm"+d.Label); err != nil {
			return nil, err
		}
		p := &density{symmetry: d.Symmetry, d: d.parts(opt), orbitals: d.Orbitals != nil}
		p.factor = p.d
		if d.Orbitals != nil {
			if err := blas.CheckFinite(opt.Team, d.Orbitals.Coeff, "mo_coeff"+d.Label); err != nil {
				return nil, err
			}
			p.symmetry = Symmetric
			p.factor = d.Orbitals.scaled(s.occupied[k])
			if err := p.compare(opt, "dm"+d.Label); err != nil {
				return nil, err
			}
		}
		prepared = append(prepared, p)
	}
	return prepared, nil
}

// parts returns a copy of D, of which the part with the symmetry.
func (d Density) parts(opt Options) dense.Matrix[float64] {
	m := dense.New[float64](d.D.Rows, d.D.Cols)
	// A cancelled call fails before the copy is used.
	_ = blas.CopyView(opt.Team, m.View(), d.D)
	if d.Symmetry == General {
		return m
	}
	sign := 1.0
	if d.Symmetry == Antisymmetric {
		sign = -1
	}
	for i := range m.Rows {
		for j := range i + 1 {
			x := 0.5*m.At(i, j) + sign*0.5*m.At(j, i)
			m.Set(i, j, x)
			m.Set(j, i, sign*x)
		}
	}
	return m
}

// scaled returns the occupied orbitals times the roots of their occupations, one in each row.
func (o *Orbitals) scaled(occupied int) dense.Matrix[float64] {
	rows, i := dense.New[float64](occupied, o.Coeff.Rows), 0
	for orbital, n := range o.Occ {
		if n <= 0 {
			continue
		}
		root := math.Sqrt(n)
		for mu := range o.Coeff.Rows {
			rows.Set(i, mu, root*o.Coeff.At(mu, orbital))
		}
		i++
	}
	return rows
}

// compare returns an error if the orbitals do not make the density.
func (p *density) compare(opt Options, name string) error {
	made := dense.New[float64](p.d.Rows, p.d.Cols)
	blas.Syrk(opt.Team, blas.Lower, blas.Trans, 1, p.factor, 0, made)
	if err := opt.Team.Err(); err != nil {
		return err
	}
	mirror(made, Symmetric)
	largest, apart, at := 0.0, 0.0, 0
	for n, x := range made.Data {
		largest = max(largest, math.Abs(x), math.Abs(p.d.Data[n]))
		if distance := math.Abs(x - p.d.Data[n]); distance > apart {
			apart, at = distance, n
		}
	}
	if apart > orbitalTolerance*largest {
		i, j := at/made.Cols, at%made.Cols
		return dense.BadArgument(name, "is not mo_coeff diag(mo_occ) mo_coeff^T: element (%d, %d) is %g, that of the orbitals %g",
			i, j, p.d.Data[at], made.Data[at])
	}
	return nil
}

// refuseNonFinite returns an error if rows of L hold an infinity or a NaN. What J is made of tells where one may be: a product with such
// an element, even with 0, is no finite number.
func (e *engine) refuseNonFinite(rows dense.Matrix[float64], first int) error {
	if e.coulomb == nil {
		return packed.CheckFinite(e.team, rows, first)
	}
	for _, rho := range e.coulomb.rho {
		for _, x := range rho[:rows.Rows] {
			if !dense.IsFinite(x) {
				return packed.FirstNonFinite(e.team, rows, first)
			}
		}
	}
	return nil
}
