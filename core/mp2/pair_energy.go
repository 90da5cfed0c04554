package mp2

import (
	"math"
	"slices"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/mp2/internal/pairkernel"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// The order of the tiles in which K is visited: a tile and its mirror image stay in the first-level cache.
const tile = 32

// contribution is the terms of one pair of occupied orbitals in the energies, and in the bound on their error.
type contribution struct{ opposite, same, bound float64 }

// total adds up contributions in a fixed order.
func total(contributions []contribution) contribution {
	var opposite, same compensated
	bound := 0.0
	for _, c := range contributions {
		opposite.add(c.opposite)
		same.add(c.same)
		bound += c.bound
	}
	return contribution{opposite: opposite.value(), same: same.value(), bound: bound}
}

// sums accumulates the terms of one pair. The last four bound the errors: products is the sum of the bounds on the
// errors of the numerators over |D|, magnitude that of |term|, denominators that of |term/D|, largest the largest
// 1/|D|.
type sums struct {
	opposite, same                             compensated
	products, magnitude, denominators, largest float64
}

func (s *sums) add(t pairkernel.Sums) {
	s.opposite.add(t.Opposite)
	s.same.add(t.Same)
	s.products += t.Products
	s.magnitude += t.Magnitude
	s.denominators += t.Denominators
	s.largest = max(s.largest, t.Largest)
}

// pair is K_ab = (ia|jb) of one pair of occupied orbitals with the orbital energies, the norms of the rows of B_i and
// B_j, and the weights of the two spin components.
type pair[T dense.Float] struct {
	k                          dense.Matrix[T]
	ei, ej                     float64
	ea, eb                     []float64
	normsI, normsJ             []float64
	errors                     productError
	oppositeWeight, sameWeight float64
	scratch                    *workerMemory[T]
}

// workerMemory is the memory of a worker for the pairs that it visits.
type workerMemory[T dense.Float] struct {
	set           kernel.Set
	k             []T       // the K of several pairs
	mirror        []T       // the transposed mirror image of a tile
	first, second []float64 // e_i - e_a and e_j - e_b, the parts of D
}

// layout takes the memory for pairs of at most nvir virtual orbitals.
func (w *workerMemory[T]) layout(a *scratch.Arena, kElements, nvir int) {
	w.k, w.mirror = scratch.Take[T](a, kElements), scratch.Take[T](a, tile*tile)
	w.first, w.second = scratch.Take[float64](a, nvir), scratch.Take[float64](a, nvir)
}

// differences sets out to e - eps.
func differences(out []float64, e float64, eps []float64) []float64 {
	out = out[:len(eps)]
	for n, x := range eps {
		out[n] = e - x
	}
	return out
}

// bothSpins visits K_ab with K_ba once for each a < b, and the diagonal:
//
//	opposite = w_os (sum_{a<b} (K_ab^2 + K_ba^2) / D_ab + sum_a K_aa^2 / D_aa)
//	same     = w_ss sum_{a<b} (K_ab - K_ba)^2 / D_ab
//
// The diagonal is left out for w_os = 0. A cancelled team leaves the sums unfinished.
func (p *pair[T]) bothSpins(team *sched.Team) sums {
	var total sums
	p.prepare()
	n := len(p.ea)
	for a0 := 0; a0 < n && team.Err() == nil; a0 += tile {
		a1 := min(n, a0+tile)
		p.onDiagonal(&total, a0, a1)
		for b0 := a1; b0 < n; b0 += tile {
			b1 := min(n, b0+tile)
			gemm.Transpose(p.scratch.set, b1-b0, a1-a0, p.k.Data[b0*p.k.Stride+a0:], p.k.Stride, p.scratch.mirror,
				tile)
			c := p.tile(a0, a1, b0, b1)
			p.mirror(&c, p.scratch.mirror, a0, b0)
			total.add(c.Sum(p.scratch.set))
		}
	}
	return total
}

func (p *pair[T]) prepare() {
	p.scratch.first, p.scratch.second = differences(p.scratch.first, p.ei, p.ea), differences(p.scratch.second, p.ej,
		p.eb)
}

// onDiagonal adds the tile of rows and columns a0 <= a < a1. If the diagonal counts, the whole tile is visited, K_ab
// with K_ba twice with half the weight; otherwise row by row, since a denominator on the diagonal may vanish.
func (p *pair[T]) onDiagonal(total *sums, a0, a1 int) {
	n := a1 - a0
	gemm.Transpose(p.scratch.set, n, n, p.k.Data[a0*p.k.Stride+a0:], p.k.Stride, p.scratch.mirror, tile)
	if p.oppositeWeight != 0 {
		c := p.tile(a0, a1, a0, a1)
		p.mirror(&c, p.scratch.mirror, a0, a0)
		c.Opposite, c.Same = c.Opposite/2, c.Same/2
		total.add(c.Sum(p.scratch.set))
		return
	}
	for a := a0; a+1 < a1; a++ {
		c := p.tile(a, a+1, a+1, a1)
		p.mirror(&c, p.scratch.mirror[(a-a0)*tile+a+1-a0:], a, a+1)
		total.add(c.Sum(p.scratch.set))
	}
}

// tile returns the terms of rows a0 <= a < a1 and columns b0 <= b < b1, without K_ba.
func (p *pair[T]) tile(a0, a1, b0, b1 int) pairkernel.Tile[T] {
	return pairkernel.Tile[T]{
		Rows: a1 - a0, Cols: b1 - b0, X: p.k.Data[a0*p.k.Stride+b0:], StrideX: p.k.Stride,
		RowEnergies: p.scratch.first[a0:a1], ColEnergies: p.scratch.second[b0:b1],
		RowNormsX: p.normsI[a0:a1], ColNormsX: p.normsJ[b0:b1],
		Relative: p.errors.relative, Absolute: p.errors.absolute, Opposite: p.oppositeWeight, Same: p.sameWeight,
	}
}

// mirror adds K_ba for row a and column b to the tile at (a0, b0).
func (p *pair[T]) mirror(c *pairkernel.Tile[T], y []T, a0, b0 int) {
	c.Y, c.StrideY = y, tile
	c.RowNormsY, c.ColNormsY = p.normsJ[a0:a0+c.Rows], p.normsI[b0:b0+c.Cols]
}

// oppositeSpin visits all K_ab: opposite = w_os sum_ab K_ab^2 / D_ab.
func (p *pair[T]) oppositeSpin(team *sched.Team) sums {
	var total sums
	p.prepare()
	for a0 := 0; a0 < len(p.ea) && team.Err() == nil; a0 += tile {
		for b0 := 0; b0 < len(p.eb); b0 += tile {
			c := p.tile(a0, min(len(p.ea), a0+tile), b0, min(len(p.eb), b0+tile))
			total.add(c.Sum(p.scratch.set))
		}
	}
	return total
}

// contribution turns the pair's sums into energies and the bound on their error, which is infinite if the sign of a
// denominator is not certain.
func (p *pair[T]) contribution(s sums) contribution {
	x, y := extentOf(p.scratch.first), extentOf(p.scratch.second)
	off := newDenominatorError(x, y)
	certainty := 1 - off.relative - off.absolute*s.largest // a lower bound on |D| over its computed value
	bound := math.Inf(1)
	if certainty > 0 {
		additions := termRoundings + pairkernel.Additions(min(p.k.Rows, tile),
			min(p.k.Cols, tile)) + 2*compensatedRoundings
		bound = (s.products+off.relative*s.magnitude+off.absolute*s.denominators)/certainty + gamma(additions,
			dense.RoundoffDouble)*s.magnitude
		elements := float64(p.k.Rows) * float64(p.k.Cols)
		bound += elements * underflow * (1 + s.largest) * (1 + off.absolute)
		if x.modulus()+y.modulus() > hugeDenominator {
			k := slices.Max(p.normsI) * slices.Max(p.normsJ)
			bound += elements * mostTerms * k * k * inverseOfHuge
		}
	}
	return contribution{opposite: s.opposite.value(), same: s.same.value(), bound: bound}
}

// quotientRounding bounds the rounding of a term |z|^2 / D, relative to it: two subtractions for z, two squares, their
// sum, and a quotient.
var quotientRounding = gamma(termRoundings+3+2*compensatedRoundings, dense.RoundoffDouble)

// quotient is D with the bounds that the terms of complex integrals over it need.
type quotient struct {
	d        float64
	inverse  float64 // an upper bound on 1/|D|, infinite if the sign of D is not certain
	relative float64 // a bound on the error of a term, relative to it
	lost     float64 // 1/|D| is at most this if D overflows, so that terms come out as 0
}

// overDenominator returns the quotient of D = first + second, differences of energies.
func overDenominator(first, second float64) quotient {
	d := denominator(first, second)
	if math.IsInf(d, 0) {
		return quotient{d: d, inverse: inverseOfHuge, lost: inverseOfHuge}
	}
	spread := gamma(denominatorRoundings, dense.RoundoffDouble) * (math.Abs(first) + math.Abs(second))
	least, inverse := math.Abs(d)-spread, math.Inf(1)
	if least > 0 {
		inverse = max(1/least, inverseOfHuge)
	}
	return quotient{d: d, inverse: inverse, relative: quotientRounding + spread*inverse}
}

// Squares of smaller moduli may underflow.
const smallModulus = 0x1p-500

// term returns |z|^2 / D and a bound on its error, given that z is off by at most off.
func (q quotient) term(z complex128, off float64) (value, bound float64) {
	square := real(z)*real(z) + imag(z)*imag(z)
	value = square / q.d
	modulus := math.Sqrt(square) + smallModulus
	return value, (2*modulus+off)*off*q.inverse + math.Abs(value)*q.relative + square*q.lost + underflow*(1+q.inverse)
}
