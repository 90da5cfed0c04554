package df

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
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

// workspace returns the bytes of the arrays of a call.
func (p jkPlan) workspace(team *sched.Team, opt JKOptions) int64 {
	square, pairs := float64(p.nao)*float64(p.nao), float64(p.pairs)
	words := float64(p.blocks.Buffers) * float64(p.blocks.Width) * pairs
	for _, m := range p.occupied {
		orbitals := float64(m) * float64(p.nao)
		words += square + orbitals // the density and the factor
		if !opt.NoJ {
			words += 2*pairs + square + float64(columnPieces(p.pairs)+1)*float64(p.unit)
		}
		if !opt.NoK {
			words += square + float64(p.group)*orbitals
		}
	}
	if !opt.NoK {
		words += float64(squareCount(team, p.group, p.general)) * square
	}
	words += square // what orbitals are compared with
	return int64(min(words*wordBytes, math.MaxInt64/2))
}
