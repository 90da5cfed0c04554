package df

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Symmetry says what is known of a density matrix.
type Symmetry int

// The symmetries, with PySCF's numbers (hermi). A density that is said to be symmetric or antisymmetric is replaced
// with its symmetric or antisymmetric part, (D + D^T)/2 or (D - D^T)/2.
const (
	General Symmetry = iota
	Symmetric
	Antisymmetric // J is 0
)

// Orbitals are the factors of a density matrix: D = Coeff diag(Occ) Coeff^T.
type Orbitals struct {
	Coeff dense.View[float64] // nao x nmo
	Occ   []float64           // nmo numbers that are not negative
}

// Density is one density matrix D with what is known of it.
type Density struct {
	Label    string              // follows the names of its arguments in messages, such as [1] in dm[1]
	D        dense.View[float64] // nao x nao
	Symmetry Symmetry
	// Orbitals, if they are known, reduce the operand of K from nao^2 to nao*nocc elements for each row of L, with nocc
	// the number of orbitals with Occ > 0. K is computed from them; D is compared with them.
	Orbitals *Orbitals
}

// A density may differ by this, relative to its largest element, from the product of its orbitals: half the digits,
// since either may come from sums in another order, or from a file.
const orbitalTolerance = 0x1p-26

// density is a density matrix as the products take it.
type density struct {
	symmetry Symmetry
	d        dense.Matrix[float64] // symmetrized
	// What unpacked rows of L are multiplied by for K: the occupied orbitals as rows sqrt(n) C, or d.
	factor   dense.Matrix[float64]
	orbitals bool
}

// checkDensities compares the shapes of the densities with the number of pairs.
func checkDensities(densities []Density, pairs int) (nao int, err error) {
	for _, d := range densities {
		name := "dm" + d.Label
		if d.D.Rows != d.D.Cols {
			return 0, dense.BadArgument(name, "expected a square matrix, got shape (%d, %d)", d.D.Rows, d.D.Cols)
		}
		if nao = d.D.Rows; nao != densities[0].D.Rows {
			return 0, dense.BadArgument(name, "has shape (%d, %d), but the first density has (%d, %d)",
				nao, nao, densities[0].D.Rows, densities[0].D.Cols)
		}
		if d.Symmetry < General || d.Symmetry > Antisymmetric {
			return 0, dense.BadArgument("hermi", "expected 0, 1 or 2, got %d", int(d.Symmetry))
		}
		if o := d.Orbitals; o != nil {
			if o.Coeff.Rows != nao || o.Coeff.Cols != len(o.Occ) {
				return 0, dense.BadArgument("mo_coeff"+d.Label,
					"expected shape (nao, nmo) = (%d, %d), as of dm and mo_occ, got (%d, %d)",
					nao, len(o.Occ), o.Coeff.Rows, o.Coeff.Cols)
			}
			if d.Symmetry == Antisymmetric {
				return 0, dense.BadArgument("hermi", "orbitals make a symmetric density, got 2")
			}
		}
	}
	if want := PackedSize(nao); len(densities) > 0 && want != pairs {
		return 0, dense.BadArgument("L",
			"has rows of %d elements, but densities of shape (%d, %d) need nao*(nao+1)/2 = %d",
			pairs, nao, nao, want)
	}
	return nao, nil
}

// occupied checks the occupations and returns the number of occupied orbitals.
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

// symmetrized sets m to D, or to the part of it with its symmetry, and returns it.
func (d Density) symmetrized(opt Options, m dense.Matrix[float64]) dense.Matrix[float64] {
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

// scaledRows sets the rows to the occupied orbitals times the square roots of their occupations, and returns them.
func (o *Orbitals) scaledRows(rows dense.Matrix[float64]) dense.Matrix[float64] {
	i := 0
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

// compareWithOrbitals returns an error if the density is not the product of its orbitals, which it computes in made.
func (p *density) compareWithOrbitals(opt Options, made dense.Matrix[float64], name string) error {
	blas.Syrk(opt.Team, blas.Lower, blas.Trans, 1, p.factor, 0, made)
	if err := opt.Team.Err(); err != nil {
		return err
	}
	mirrorLower(made, Symmetric)
	largest, apart, at := 0.0, 0.0, 0
	for n, x := range made.Data {
		largest = max(largest, math.Abs(x), math.Abs(p.d.Data[n]))
		if distance := math.Abs(x - p.d.Data[n]); distance > apart {
			apart, at = distance, n
		}
	}
	if apart > orbitalTolerance*largest {
		i, j := at/made.Cols, at%made.Cols
		return dense.BadArgument(name,
			"is not mo_coeff diag(mo_occ) mo_coeff^T: element (%d, %d) is %g, that of the orbitals %g",
			i, j, p.d.Data[at], made.Data[at])
	}
	return nil
}

// mirrorLower sets the upper triangle of a symmetric or antisymmetric matrix from its lower one.
func mirrorLower(k dense.Matrix[float64], symmetry Symmetry) {
	if symmetry == General {
		return
	}
	sign := 1.0
	if symmetry == Antisymmetric {
		sign = -1
	}
	for i := range k.Rows {
		for j, x := range k.Row(i)[:i] {
			k.Set(j, i, sign*x)
		}
		if symmetry == Antisymmetric {
			k.Set(i, i, 0)
		}
	}
}
