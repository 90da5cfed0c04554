package mp2

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Side of the tiles in which K is visited: a tile and its mirror image stay in the first-level cache.
const tile = 32

// contribution is what one pair of occupied orbitals adds to the energies, and to the bound on their error.
type contribution struct{ opposite, same, bound float64 }

// sums collects the terms of one pair. The last four bound the errors: products is the sum of the bounds on the errors
// of the numerators over |D|, magnitude that of |term|, denominators that of |term/D|.
type sums struct {
	opposite, same                                    float64
	products, magnitude, denominators, largestInverse float64
}

func (s *sums) add(t sums) {
	s.opposite += t.opposite
	s.same += t.same
	s.products += t.products
	s.magnitude += t.magnitude
	s.denominators += t.denominators
	s.largestInverse = max(s.largestInverse, t.largestInverse)
}

// pair is K_ab = (ia|jb) of one pair of occupied orbitals with what its energy needs: orbital energies, norms of
// the rows of B_i and B_j, and the weights of the two spin components.
type pair[T dense.Float] struct {
	k                          dense.Matrix[T]
	ei, ej                     float64
	ea, eb                     []float64
	normsI, normsJ             []float64
	errors                     productError
	oppositeWeight, sameWeight float64
}

// denominator is the one expression for D = e_i + e_j - e_a - e_b, given e_i - e_a and e_j - e_b. It cannot vanish
// when both differences are negative.
func denominator(first, second float64) float64 { return first + second }

// couples visits each couple K_ab, K_ba with a < b once, and the diagonal:
//
//	opposite = w_os (sum_{a<b} (K_ab^2 + K_ba^2) / D_ab + sum_a K_aa^2 / D_aa)
//	same     = w_ss sum_{a<b} (K_ab - K_ba)^2 / D_ab
//
// The diagonal is left out for w_os = 0. A cancelled team leaves the sums unfinished.
func (p *pair[T]) couples(team *sched.Team) sums {
	var total sums
	n := len(p.ea)
	for a0 := 0; a0 < n && team.Err() == nil; a0 += tile {
		for b0 := a0; b0 < n; b0 += tile {
			var s sums
			for a := a0; a < min(n, a0+tile); a++ {
				s.add(p.coupleRow(a, max(a+1, b0), min(n, b0+tile)))
				if b0 == a0 && p.oppositeWeight != 0 {
					s.add(p.square(a, a, a+1, p.oppositeWeight))
				}
			}
			total.add(s)
		}
	}
	return total
}

// coupleRow adds up the couples of row a with b0 <= b < b1.
func (p *pair[T]) coupleRow(a, b0, b1 int) (s sums) {
	row, column, stride := p.k.Row(a), p.k.Data[a:], p.k.Stride
	ia := p.ei - p.ea[a]
	// Factors of the bounds gx and gy on the errors of K_ab and K_ba.
	gi, gj := p.errors.relative*p.normsI[a], p.errors.relative*p.normsJ[a]
	for b := b0; b < b1; b++ {
		x, y := float64(row[b]), float64(column[b*stride])
		difference := x - y
		inverse := 1 / denominator(ia, p.ej-p.eb[b])
		opposite := p.oppositeWeight * (x*x + y*y)
		same := p.sameWeight * (difference * difference)
		s.opposite += opposite * inverse
		s.same += same * inverse

		gx, gy := gi*p.normsJ[b]+p.errors.absolute, gj*p.normsI[b]+p.errors.absolute
		g := gx + gy
		off := p.oppositeWeight*((2*math.Abs(x)+gx)*gx+(2*math.Abs(y)+gy)*gy) + p.sameWeight*((2*math.Abs(difference)+g)*g)
		s.bound(off, opposite+same, math.Abs(inverse))
	}
	return s
}

// square adds up weight K_ab^2 / D over b0 <= b < b1.
func (p *pair[T]) square(a, b0, b1 int, weight float64) (s sums) {
	row := p.k.Row(a)
	ia, gi := p.ei-p.ea[a], p.errors.relative*p.normsI[a]
	for b := b0; b < b1; b++ {
		x := float64(row[b])
		inverse := 1 / denominator(ia, p.ej-p.eb[b])
		numerator := weight * (x * x)
		s.opposite += numerator * inverse

		g := gi*p.normsJ[b] + p.errors.absolute
		s.bound(weight*((2*math.Abs(x)+g)*g), numerator, math.Abs(inverse))
	}
	return s
}

// bound enters a term numerator/D, with 1/|D| = inverse, whose numerator is off by at most off.
func (s *sums) bound(off, numerator, inverse float64) {
	magnitude := numerator * inverse
	s.products += off * inverse
	s.magnitude += magnitude
	s.denominators += magnitude * inverse
	if inverse > s.largestInverse {
		s.largestInverse = inverse
	}
}

// squares visits all K_ab: opposite = sum_ab K_ab^2 / D_ab.
func (p *pair[T]) squares(team *sched.Team) sums {
	var total sums
	for a0 := 0; a0 < len(p.ea) && team.Err() == nil; a0 += tile {
		for b0 := 0; b0 < len(p.eb); b0 += tile {
			var s sums
			for a := a0; a < min(len(p.ea), a0+tile); a++ {
				s.add(p.square(a, b0, min(len(p.eb), b0+tile), 1))
			}
			total.add(s)
		}
	}
	return total
}

// contribution turns the pair's sums into energies and the bound on their error. It is infinite where the denominators
// are not known well enough to have a sign.
func (p *pair[T]) contribution(s sums, largestA, largestB float64) contribution {
	spread := gamma(denominatorRoundings, unitRoundoff) * (math.Abs(p.ei) + math.Abs(p.ej) + largestA + largestB)
	certainty := 1 - spread*s.largestInverse // a lower bound on |D| over its computed value
	bound := math.Inf(1)
	if certainty > 0 {
		tiles := ((p.k.Rows + tile - 1) / tile) * ((p.k.Cols + tile - 1) / tile)
		additions := termRoundings + 2*(tile+1) + tiles + pairwiseDepth
		bound = (s.products+spread*s.denominators)/certainty + gamma(additions, unitRoundoff)*s.magnitude
		bound += float64(p.k.Rows) * float64(p.k.Cols) * underflow * (1 + s.largestInverse)
	}
	return contribution{opposite: s.opposite, same: s.same, bound: bound}
}
