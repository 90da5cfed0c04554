package df

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/scratch"
	"trnsci/core/stream"
)

// JKOptions holds what a call of JK may use and what it leaves out. The zero value computes both matrices.
type JKOptions struct {
	Options
	NoJ, NoK bool // leave out J or K
}

// Tuning. Nothing here depends on the threads or on the memory limit, so that sums are always cut at the same places.
const (
	// The least rows of L that are swept together for J, and the most that go into a product for K.
	minUnit, maxGroup = vector.RowGroup, 32
	// The most elements of the operand of a product for K, unless a group of one row, or with orbitals of minUnit rows,
	// has more.
	groupElements = 1 << 18
	// Columns of L that are swept together for J. Their part of a density and of J stays in the first-level cache, that
	// of the rows, of which jkPlan.unit are swept together, in the second-level cache. A sum over columns is cut at
	// multiples of this.
	coulombColumns = 2048
)

// jkPlan is the sizes that determine the loops of a call.
type jkPlan struct {
	set              kernel.Set
	naux, pairs, nao int
	occupied         []int // occupied orbitals of each density, nao without orbitals
	general          bool  // a density has no orbitals
	group            int   // rows of L in a product for K, a power of two
	unit             int   // rows of L that are worked on together, a multiple of group
	blocks           stream.Blocks
}

// newJKPlan checks the arguments, except for the elements of arrays, and returns the sizes.
func newJKPlan(l Source, densities []Density, opt Options) (p jkPlan, err error) {
	if l == nil {
		return p, dense.BadArgument("L", "expected integrals, got none")
	}
	if err := l.check(); err != nil {
		return p, err
	}
	p.set = kernel.Best()
	p.naux, p.pairs = l.Shape()
	if p.nao, err = checkDensities(densities, p.pairs); err != nil {
		return p, err
	}
	widest := 0
	for _, d := range densities {
		m := p.nao
		if d.Orbitals != nil {
			if m, err = d.Orbitals.occupied("mo_occ" + d.Label); err != nil {
				return p, err
			}
		} else {
			p.general = true
		}
		p.occupied = append(p.occupied, m)
		widest = max(widest, m)
	}
	p.group = groupRows(p.nao, widest, p.general)
	p.unit = max(minUnit, p.group)
	p.blocks, err = opt.planBlocks(l, p.unit)
	return p, err
}

// groupRows returns how many rows of L go into a product for K.
func groupRows(nao, widest int, general bool) int {
	group, least := maxGroup, minUnit
	if general {
		least = 1
	}
	for group > least && group*nao*widest > groupElements {
		group /= 2
	}
	return group
}

// columnPieces returns into how many pieces the columns of L are cut for J.
func columnPieces(pairs int) int { return (pairs + coulombColumns - 1) / coulombColumns }

// jkWork is the memory of a call, without its results.
type jkWork struct {
	buffers   []dense.Matrix[float64] // blocks of L
	densities []densityWork
	product   dense.Matrix[float64] // of orbitals, to be compared with their density
	partial   []float64             // see coulomb
	squares   dense.Matrix[float64] // unpacked rows of L
}

// densityWork is the memory for a density.
type densityWork struct {
	d, factor             dense.Matrix[float64] // see density; factor only with orbitals
	packedD, packedJ, rho []float64             // see coulomb
	half                  dense.Matrix[float64] // see exchange
}

// layout returns the function that takes the memory of a call.
func (w *jkWork) layout(p jkPlan, densities []Density, opt JKOptions) func(a *scratch.Arena) {
	w.densities = make([]densityWork, len(densities))
	return func(a *scratch.Arena) {
		w.buffers = takeBuffers(a, p.blocks, p.pairs)
		coulombs, compared := 0, false
		for k, d := range densities {
			t := &w.densities[k]
			t.d = scratch.TakeMatrix[float64](a, p.nao, p.nao)
			if d.Orbitals != nil {
				t.factor = scratch.TakeMatrix[float64](a, p.occupied[k], p.nao)
				compared = true
			}
			if !opt.NoJ && d.Symmetry != Antisymmetric {
				coulombs++
				t.packedD, t.packedJ = scratch.Take[float64](a, p.pairs), scratch.Take[float64](a, p.pairs)
				t.rho = scratch.Take[float64](a, p.unit)
			}
			if !opt.NoK {
				t.half = scratch.TakeMatrix[float64](a, p.group*p.occupied[k], p.nao)
			}
		}
		if compared {
			w.product = scratch.TakeMatrix[float64](a, p.nao, p.nao)
		}
		w.partial = scratch.Take[float64](a, columnPieces(p.pairs)*coulombs*p.unit)
		if !opt.NoK && len(densities) > 0 {
			w.squares = takeSquares(a, opt.Team, p.nao, p.group, p.general)
		}
	}
}
