package df

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// JKResult holds an nao x nao matrix for each density, nil if it was left out.
type JKResult struct{ J, K []dense.Matrix[float64] }

// JK returns the Coulomb and exchange matrices of some densities D in one pass over L,
//
//	J[mu,nu] = sum_P L[P,mu nu] sum_(la si) L[P,la si] D[si,la]
//	K[mu,nu] = sum_P sum_(la si) L[P,mu la] D[la,si] L[P,si nu]
//
// J is computed from packed rows. For K a row is unpacked and multiplied by the orbitals or by D while it is in the
// second-level cache, and a group of rows makes one product that is added to K. J is exactly symmetric, and so is K of
// a symmetric density; K of an antisymmetric one is exactly antisymmetric. Without rows in L they are 0.
//
// The last bits may change with the number of densities and of their orbitals, since these determine how many rows go
// into a product.
//
// Errors: *dense.ArgumentError for sizes that do not fit, infinities and NaNs, orbitals whose product is not their
// density, occupations below 0, and a memory limit that holds no block, with the least that works; the source's errors;
// the team's error when the call is cancelled.
//
// Cost for each density: 4 naux pairs operations for J, with pairs = nao(nao+1)/2, and for K 3 naux nao^2 nocc with
// orbitals (only a triangle of the last product is computed), 3 naux nao^3 without, and 4 naux nao^3 for a general
// density. Memory: JKWorkspace.
func JK(l Source, densities []Density, opt JKOptions) (JKResult, error) {
	p, err := newJKPlan(l, densities, opt.Options)
	if err != nil {
		return JKResult{}, err
	}
	opt.Team = opt.Team.Plan(p.naux) // before products plan
	var w jkWork
	scratch.Allocate(w.layout(p, densities, opt))
	prepared, err := prepareDensities(densities, &w, opt.Options)
	if err != nil {
		return JKResult{}, err
	}
	b := newJKBuilder(p, prepared, &w, opt)
	if p.naux > 0 && p.pairs > 0 && len(densities) > 0 {
		if err := eachBlock(opt.Team, l, p.blocks, w.buffers, b.add); err != nil {
			return JKResult{}, err
		}
	}
	return b.result(), nil
}

// JKWorkspace returns the bytes that JK allocates, its results included. Packing buffers of products are not included.
// Errors are those of JK for sizes that do not fit.
func JKWorkspace(l Source, densities []Density, opt JKOptions) (int64, error) {
	p, err := newJKPlan(l, densities, opt.Options)
	if err != nil {
		return 0, err
	}
	var w jkWork
	words := int64(scratch.Count(w.layout(p, densities, opt)))
	results := int64(len(densities)) * int64(p.nao) * int64(p.nao)
	if !opt.NoJ {
		words += results
	}
	if !opt.NoK {
		words += results
	}
	return words * wordBytes, nil
}

// prepareDensities checks the elements of the densities and returns their factors, in the memory of w.
func prepareDensities(densities []Density, w *jkWork, opt Options) ([]*density, error) {
	var prepared []*density
	for k, d := range densities {
		if err := blas.CheckFinite(opt.Team, d.D, "dm"+d.Label); err != nil {
			return nil, err
		}
		p := &density{symmetry: d.Symmetry, d: d.symmetrized(opt, w.densities[k].d), orbitals: d.Orbitals != nil}
		p.factor = p.d
		if d.Orbitals != nil {
			if err := blas.CheckFinite(opt.Team, d.Orbitals.Coeff, "mo_coeff"+d.Label); err != nil {
				return nil, err
			}
			p.symmetry = Symmetric
			p.factor = d.Orbitals.scaledRows(w.densities[k].factor)
			if err := p.compareWithOrbitals(opt, w.product, "dm"+d.Label); err != nil {
				return nil, err
			}
		}
		prepared = append(prepared, p)
	}
	return prepared, nil
}

// jkBuilder accumulates the matrices, a unit of rows of L at a time.
type jkBuilder struct {
	plan        jkPlan
	team        *sched.Team
	checkFinite bool
	coulomb     *coulomb  // nil if there is nothing to do
	exchange    *exchange // likewise
	densities   []*density
	options     JKOptions
}

func newJKBuilder(p jkPlan, densities []*density, w *jkWork, opt JKOptions) *jkBuilder {
	b := &jkBuilder{plan: p, team: opt.Team, checkFinite: !opt.SkipFiniteCheck, densities: densities, options: opt}
	if !opt.NoJ {
		b.coulomb = newCoulomb(p, densities, w)
	}
	if !opt.NoK && len(densities) > 0 {
		b.exchange = newExchange(p, densities, opt.Team, w)
	}
	return b
}

// add adds the terms of some rows of L; first, the number of the first of them, is a multiple of jkPlan.unit.
func (b *jkBuilder) add(rows dense.Matrix[float64], first int) error {
	for p := 0; p < rows.Rows; p += b.plan.unit {
		end := min(rows.Rows, p+b.plan.unit)
		if err := b.addUnit(rows.Slice(p, end, 0, rows.Cols), first+p); err != nil {
			return err
		}
		b.team.Step(end - p)
	}
	return nil
}

func (b *jkBuilder) addUnit(rows dense.Matrix[float64], first int) error {
	if b.coulomb != nil {
		if err := b.coulomb.fit(b.team, rows); err != nil {
			return err
		}
	}
	if b.checkFinite {
		if err := b.refuseNonFinite(rows, first); err != nil {
			return err
		}
	}
	if b.coulomb != nil {
		if err := b.coulomb.add(b.team, rows); err != nil {
			return err
		}
	}
	if b.exchange != nil {
		return b.exchange.add(rows)
	}
	return nil
}

// refuseNonFinite returns an error if rows of L hold an infinity or a NaN. Those whose products with the densities are
// finite hold none: a product with an infinity or a NaN, even with 0, is not finite.
func (b *jkBuilder) refuseNonFinite(rows dense.Matrix[float64], first int) error {
	if b.coulomb == nil {
		return checkFinite(b.team, rows, first)
	}
	for _, rho := range b.coulomb.rho {
		for _, x := range rho[:rows.Rows] {
			if !dense.IsFinite(x) {
				return firstNonFinite(b.team, rows, first)
			}
		}
	}
	return nil
}

// result returns the matrices, J unpacked.
func (b *jkBuilder) result() JKResult {
	var r JKResult
	for k, d := range b.densities {
		if !b.options.NoJ {
			j := dense.New[float64](b.plan.nao, b.plan.nao)
			if b.coulomb != nil && b.coulomb.place[k] >= 0 {
				unpack(b.plan.set, b.coulomb.j[b.coulomb.place[k]], b.plan.nao, j.Data)
			}
			r.J = append(r.J, j)
		}
		if !b.options.NoK {
			mirrorLower(b.exchange.k[k], d.symmetry)
			r.K = append(r.K, b.exchange.k[k])
		}
	}
	return r
}
