package dfjk

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/packed"
)

// Tuning. None of it depends on the threads or on the memory limit, so that sums are cut at the same places always.
const (
	// Rows of L that are swept together for J at least, and that go into a product for K at most.
	minUnit, maxGroup = kernel.RowGroup, 32
	// Elements that the operand of a product for K has at most, where a group of one row, or with orbitals of minUnit rows, has not more.
	groupElements = 1 << 18

	wordBytes = 8 // of a float64
)

// sizes are the numbers that steer a call.
type sizes struct {
	set              kernel.Set
	naux, pairs, nao int
	occupied         []int // orbitals of each density that has some; nao of the others
	general          bool  // a density has no orbitals, and K is wanted
	group            int   // rows of L in a product for K, a power of two
	unit             int   // rows of L that are worked on together, a multiple of group
	blocks           packed.Blocks
}

// newSizes checks the arguments, but for what the arrays hold, and returns the sizes.
func newSizes(l packed.Source, densities []Density, opt Options) (s sizes, err error) {
	if l == nil {
		return s, dense.BadArgument("L", "expected integrals, got none")
	}
	if err := l.Check(); err != nil {
		return s, err
	}
	s.set = kernel.Best()
	s.naux, s.pairs = l.Shape()
	if s.nao, err = checkShapes(densities, s.pairs); err != nil {
		return s, err
	}
	widest := 0
	for _, d := range densities {
		m := s.nao
		if d.Orbitals != nil {
			if m, err = d.Orbitals.occupied("mo_occ" + d.Label); err != nil {
				return s, err
			}
		} else {
			s.general = true
		}
		s.occupied = append(s.occupied, m)
		widest = max(widest, m)
	}
	s.group = groupOf(s.nao, widest, s.general)
	s.unit = max(minUnit, s.group)
	s.blocks, err = packed.PlanBlocks(l, s.unit, opt.MaxBytes)
	return s, err
}

// groupOf returns how many rows of L go into a product for K.
func groupOf(nao, widest int, general bool) int {
	group, least := maxGroup, minUnit
	if general {
		least = 1
	}
	for group > least && group*nao*widest > groupElements {
		group /= 2
	}
	return group
}

// pieces returns into how many pieces the columns of L are cut for J.
func pieces(pairs int) int { return (pairs + coulombColumns - 1) / coulombColumns }

func (s *sizes) pieces() int { return pieces(s.pairs) }

// Workspace returns the bytes that Compute takes beside its arguments, the results included. The packing of products is not in it.
// Errors are those of Compute for sizes that do not fit.
func Workspace(l packed.Source, densities []Density, opt Options) (int64, error) {
	s, err := newSizes(l, densities, opt)
	if err != nil {
		return 0, err
	}
	square, pairs := float64(s.nao)*float64(s.nao), float64(s.pairs)
	words := float64(s.blocks.Buffers) * float64(s.blocks.Width) * pairs
	for _, m := range s.occupied {
		orbitals := float64(m) * float64(s.nao)
		words += square + orbitals // the density and the factor
		if !opt.NoJ {
			words += 2*pairs + square + float64(s.pieces()+1)*float64(s.unit)
		}
		if !opt.NoK {
			words += square + float64(s.group)*orbitals
		}
	}
	if !opt.NoK {
		words += float64(packed.SquaresOf(opt.Team, s.group, s.general)) * square
	}
	words += square // what orbitals are compared with
	return int64(min(words*wordBytes, math.MaxInt64/2)), nil
}
