// Package dfjk computes Coulomb and exchange matrices from density-fitted integrals: with L[P,mu nu] = L[P,nu mu], the metric
// folded in, so that (mu nu|la si) = sum_P L[P,mu nu] L[P,la si],
//
//	J[mu,nu] = sum_P L[P,mu nu] sum_(la si) L[P,la si] D[si,la]
//	K[mu,nu] = sum_P sum_(la si) L[P,mu la] D[la,si] L[P,si nu]
//
// for any number of densities D in one pass over L. See O. Vahtras, J. Almlöf and M. W. Feyereisen, Chem. Phys. Lett. 213, 514
// (1993), and for the exchange through occupied orbitals F. Weigend, Phys. Chem. Chem. Phys. 4, 4285 (2002).
//
// L is packed: row P holds its lower triangle, the element mu >= nu at mu(mu+1)/2 + nu, as PySCF has it. J is computed from the
// packed rows. For K a row is written out as a square matrix, multiplied by the orbitals or by D while it is in the second cache, and
// some rows together make one product that is added to K.
//
// Results are bitwise the same for every number of threads, every memory limit and every kind of source. They may change in the last
// bits with the number of densities and their orbitals, since these decide how many rows go into a product.
package dfjk

import (
	"trnsci/core/dense"
	"trnsci/core/packed"
	"trnsci/core/sched"
)

// Symmetry says what is known of a density.
type Symmetry int

// The symmetries, with PySCF's numbers (hermi). Of a density that is said to have one only the part that has it counts:
// (D + D^T)/2 or (D - D^T)/2.
const (
	General Symmetry = iota
	Symmetric
	Antisymmetric // J is 0
)

// Orbitals are what a density is made of: D = Coeff diag(Occ) Coeff^T.
type Orbitals struct {
	Coeff dense.View[float64] // nao x nmo
	Occ   []float64           // nmo numbers that are not negative
}

// Density is one matrix D with what is known of it.
type Density struct {
	Label    string              // stands behind the names of its arguments in messages, such as [1] in dm[1]
	D        dense.View[float64] // nao x nao
	Symmetry Symmetry
	// Orbitals, where they are known, make K with nao*nocc instead of nao^2 elements for each row of L, nocc being those with Occ > 0. D is
	// compared with them, and they are what K is made of.
	Orbitals *Orbitals
}

// Options holds what a call may use and what it leaves out. The zero value is one thread, both matrices, and the default memory limit.
type Options struct {
	Team            *sched.Team // threads, cancellation, progress in rows of L; nil is one thread
	NoJ, NoK        bool        // leave out J or K
	SkipFiniteCheck bool        // do not refuse infinities and NaNs in L: what they touch is then not finite
	// MaxBytes limits the memory for blocks of L: those that are read, and copies of rows that no product accepts. 0 is packed.DefaultMaxBytes.
	MaxBytes int64
}

// Result holds a matrix of nao x nao for each density, nil where they were left out.
type Result struct{ J, K []dense.Matrix[float64] }

// Compute returns J and K of the densities.
//
// J is symmetric to the last bit, and so is K of a symmetric density; K of an antisymmetric one is antisymmetric. Without rows in L they
// are 0.
//
// Errors: *dense.ArgumentError for sizes that do not fit, infinities and NaNs, orbitals that do not make their density, occupations below
// 0, and a memory limit that holds no block, with the least that works; the source's errors; the team's error when the call is cancelled.
//
// Cost for each density: 4 naux pairs operations for J, with pairs = nao(nao+1)/2, and naux nao^2 nocc 3 for K through orbitals (a
// triangle of the last product is computed), else 3 naux nao^3, and 4 naux nao^3 for a general density. Memory: Workspace.
func Compute(l packed.Source, densities []Density, opt Options) (Result, error) {
	s, err := newSizes(l, densities, opt)
	if err != nil {
		return Result{}, err
	}
	opt.Team = opt.Team.Plan(s.naux) // before products plan
	prepared, err := prepareAll(densities, s, opt)
	if err != nil {
		return Result{}, err
	}
	e := newEngine(s, prepared, opt)
	if s.naux > 0 && s.pairs > 0 && len(densities) > 0 {
		if err := s.blocks.Each(opt.Team, l, e.add); err != nil {
			return Result{}, err
		}
	}
	return e.result(), nil
}

// engine adds up the matrices, some rows of L at a time.
type engine struct {
	sizes       sizes
	team        *sched.Team
	checkFinite bool
	coulomb     *coulomb  // nil where there is nothing to do
	exchange    *exchange // likewise
	densities   []*density
	options     Options
}

func newEngine(s sizes, densities []*density, opt Options) *engine {
	e := &engine{sizes: s, team: opt.Team, checkFinite: !opt.SkipFiniteCheck, densities: densities, options: opt}
	if !opt.NoJ {
		e.coulomb = newCoulomb(s, densities)
	}
	if !opt.NoK && len(densities) > 0 {
		e.exchange = newExchange(s, densities, opt.Team)
	}
	return e
}

// add adds what rows of L contribute; the first is a multiple of sizes.unit.
func (e *engine) add(rows dense.Matrix[float64], first int) error {
	for p := 0; p < rows.Rows; p += e.sizes.unit {
		end := min(rows.Rows, p+e.sizes.unit)
		if err := e.addUnit(rows.Slice(p, end, 0, rows.Cols), first+p); err != nil {
			return err
		}
		e.team.Step(end - p)
	}
	return nil
}

func (e *engine) addUnit(rows dense.Matrix[float64], first int) error {
	if e.coulomb != nil {
		if err := e.coulomb.fit(e.team, rows); err != nil {
			return err
		}
	}
	if e.checkFinite {
		if err := e.refuseNonFinite(rows, first); err != nil {
			return err
		}
	}
	if e.coulomb != nil {
		if err := e.coulomb.add(e.team, rows); err != nil {
			return err
		}
	}
	if e.exchange != nil {
		return e.exchange.add(rows)
	}
	return nil
}

// result returns the matrices as squares.
func (e *engine) result() Result {
	var r Result
	for k, d := range e.densities {
		if !e.options.NoJ {
			j := dense.New[float64](e.sizes.nao, e.sizes.nao)
			if e.coulomb != nil && e.coulomb.place[k] >= 0 {
				packed.Unpack(e.sizes.set, e.coulomb.j[e.coulomb.place[k]], e.sizes.nao, j.Data)
			}
			r.J = append(r.J, j)
		}
		if !e.options.NoK {
			mirror(e.exchange.k[k], d.symmetry)
			r.K = append(r.K, e.exchange.k[k])
		}
	}
	return r
}

// mirror writes the upper triangle of a matrix whose lower one has been computed.
func mirror(k dense.Matrix[float64], symmetry Symmetry) {
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
