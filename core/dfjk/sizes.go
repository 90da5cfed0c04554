package dfjk

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// DefaultMaxBytes is the memory for blocks of L where Options.MaxBytes is 0.
const DefaultMaxBytes = 256 << 20

// Tuning. None of it depends on the threads or on the memory limit, so that sums are cut at the same places always.
const (
	// Rows of L that are swept together for J at least, and that go into a product for K at most.
	minUnit, maxGroup = kernel.RowGroup, 32
	// Elements that the operand of a product for K has at most, where a group of one row, or with orbitals of minUnit rows, has not more.
	groupElements = 1 << 18
	// A block of L that is read ahead has about so many bytes, where the memory limit allows more: what is read before the work begins
	// is waited for.
	blockBytes = 16 << 20

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
	width, buffers   int   // rows of L in a block that is read, a multiple of unit, and blocks; no blocks where L is used in place
}

// newSizes checks the arguments, but for what the arrays hold, and returns the sizes.
func newSizes(l Source, densities []Density, opt Options) (s sizes, err error) {
	if l == nil {
		return s, dense.BadArgument("L", "expected integrals, got none")
	}
	if err := l.check(); err != nil {
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
	return s, s.planBlocks(l, opt.MaxBytes)
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

// planBlocks chooses the blocks in which L is read.
func (s *sizes) planBlocks(l Source, maxBytes int64) error {
	if maxBytes < 0 {
		return dense.BadArgument("max_memory", "expected a number of bytes, or 0 for the default, got %d", maxBytes)
	}
	if maxBytes == 0 {
		maxBytes = DefaultMaxBytes
	}
	if _, inPlace := l.rows(); inPlace || s.naux == 0 || s.pairs == 0 {
		return nil
	}
	bytesOfUnit := int64(min(s.unit, s.naux)) * int64(s.pairs) * wordBytes
	if maxBytes < bytesOfUnit {
		return dense.BadArgument("max_memory", "%d bytes hold no block of L: %d rows of %d elements need %d bytes",
			maxBytes, min(s.unit, s.naux), s.pairs, bytesOfUnit)
	}
	s.buffers = 2
	if maxBytes < 2*bytesOfUnit || s.naux <= s.unit {
		s.buffers = 1
	}
	units := max(1, min(maxBytes/int64(s.buffers), blockBytes)/bytesOfUnit)
	s.width = int(min(int64(s.naux), units*int64(s.unit)))
	return nil
}

// pieces returns into how many pieces the columns of L are cut for J.
func pieces(pairs int) int { return (pairs + coulombColumns - 1) / coulombColumns }

func (s *sizes) pieces() int { return pieces(s.pairs) }

// rowsInParallel reports whether the threads take a row of L each.
func (s *sizes) rowsInParallel(team *sched.Team) bool { return team.Threads() <= s.group }

// squares returns how many rows of L are written out at once.
func (s *sizes) squares(team *sched.Team) int {
	switch {
	case s.general:
		return s.group
	case s.rowsInParallel(team):
		return team.Threads()
	}
	return 1
}

// Workspace returns the bytes that Compute takes beside its arguments, the results included. The packing of products is not in it.
// Errors are those of Compute for sizes that do not fit.
func Workspace(l Source, densities []Density, opt Options) (int64, error) {
	s, err := newSizes(l, densities, opt)
	if err != nil {
		return 0, err
	}
	square, pairs := float64(s.nao)*float64(s.nao), float64(s.pairs)
	words := float64(s.buffers) * float64(s.width) * pairs
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
		words += float64(s.squares(opt.Team)) * square
	}
	words += square // what orbitals are compared with
	return int64(min(words*wordBytes, math.MaxInt64/2)), nil
}
