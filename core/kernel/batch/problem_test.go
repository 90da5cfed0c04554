package batch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// laneArenas are fenced memory for each slice of a Problem.
type laneArenas struct{ a, d, e, tau, work, phases, vectors kerneltest.Arena[float64] }

func newLaneArenas(t *testing.T) *laneArenas {
	m := kerneltest.NewArena[float64]
	return &laneArenas{a: m(t), d: m(t), e: m(t), tau: m(t), work: m(t), phases: m(t), vectors: m(t)}
}

// random places a problem whose lanes are of different kinds. What is not input is NaN: outputs, scratch memory and the
// elements above the diagonal.
func (m *laneArenas) random(rng *rand.Rand, width, order, parts int) *Problem {
	place := func(a kerneltest.Arena[float64], places int) []float64 {
		x := a.Place(rng, places*width)
		kerneltest.FillNaN(x)
		return x
	}
	p := &Problem{Width: width, Order: order, Parts: parts, Cols: order * parts}
	p.A, p.Vectors = place(m.a, order*order*parts), place(m.vectors, order*order*parts)
	p.D, p.E, p.Tau = place(m.d, order), place(m.e, order), place(m.tau, order)
	p.Work, p.Phases = place(m.work, order*parts), place(m.phases, order*parts)
	for lane := range width {
		fillLane(rng, p, lane)
		p.Floor[lane] = unitRoundoff * unitRoundoff
	}
	for lane := 1 + rng.IntN(width); lane < width; lane++ { // their NaNs must not matter
		p.Idle[lane] = true
		for i := lane; i < len(p.A); i += p.Width {
			p.A[i] = math.NaN()
		}
	}
	p.Idle[0] = rng.IntN(8) == 0
	return p
}

// fillLane makes a random matrix, one with elements of very different size, one with many zeros, a diagonal one, or
// zero.
func fillLane(rng *rand.Rand, p *Problem, lane int) {
	kind := rng.IntN(6)
	for i := range p.Order {
		for j := range i + 1 {
			for part := range p.Parts {
				x := 2*rng.Float64() - 1
				switch {
				case kind == 1 || kind == 2:
					x *= math.Pow(10, -20*rng.Float64()*float64(min(i, j)+1))
				case kind == 3 && rng.IntN(3) > 0, kind == 4 && i != j, kind == 5:
					x = 0
				}
				if i == j && part == 1 {
					x = math.NaN()
				}
				p.A[((i*p.Order+j)*p.Parts+part)*p.Width+lane] = x
			}
		}
	}
}

func (p *Problem) copied() *Problem {
	c := *p
	for _, x := range []*[]float64{&c.A, &c.D, &c.E, &c.Tau, &c.Work, &c.Phases, &c.Vectors} {
		*x = slices.Clone(*x)
	}
	return &c
}

// sameAs returns an error unless p and q hold the same bits, or the same numbers if signs of zeros do not count; NaNs
// are equal to NaNs.
func (p *Problem) sameAs(q *Problem, zeros bool) error {
	same := func(x, y float64) bool {
		return x == y && (!zeros || math.Signbit(x) == math.Signbit(y)) || x != x && y != y
	}
	names := []string{"A", "D", "E", "Tau", "Phases", "Vectors"}
	for i, pair := range [][2][]float64{{p.A, q.A}, {p.D, q.D}, {p.E, q.E}, {p.Tau, q.Tau}, {p.Phases, q.Phases},
		{p.Vectors, q.Vectors}} {
		for j := range pair[0] {
			if p.Idle[j%p.Width] {
				continue
			}
			if !same(pair[0][j], pair[1][j]) {
				return fmt.Errorf("place %d of %s, lane %d: %g and %g", j/p.Width, names[i], j%p.Width, pair[0][j],
					pair[1][j])
			}
		}
	}
	return nil
}

const laneTestSweeps = 1000

// laneSteps are the methods of Problem in the order in which they solve a problem.
var laneSteps = []struct {
	name string
	run  func(p *Problem, s kernel.Set)
}{

	{"Reduce", (*Problem).Reduce},
	{"FormQ", (*Problem).FormQ},
	{"Diagonalize", func(p *Problem, s kernel.Set) { p.Diagonalize(s, laneTestSweeps) }},
	{"FixPhases", (*Problem).FixPhases},
}

// forLanes calls test with problems of all small orders, real and complex.
func forLanes(t *testing.T, test func(t *testing.T, rng *rand.Rand, p *Problem)) {
	const rounds, largest = 6, 12
	m := newLaneArenas(t)
	for parts := 1; parts <= 2; parts++ {
		for order := 1; order <= largest; order++ {
			t.Run(fmt.Sprintf("%d_parts/%d", parts, order), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(order), uint64(parts)))
				for range rounds {
					test(t, rng, m.random(rng, Width, order, parts))
					test(t, rng, m.random(rng, PairWidth, order, parts))
				}
			})
		}
	}
}

func TestLanesOfAllSetsHaveTheSameBits(t *testing.T) {
	forLanes(t, func(t *testing.T, _ *rand.Rand, p *Problem) {
		for _, step := range laneSteps {
			before := p.copied()
			step.run(p, kernel.Best())
			for _, s := range kernel.Sets() {
				other := before.copied()
				step.run(other, s)
				if err := p.sameAs(other, step.name != "Diagonalize"); err != nil {
					t.Fatalf("%s: %v and %v: %v", step.name, kernel.Best(), s, err)
				}
			}
		}
	})
}

func TestLanesDoNotMix(t *testing.T) {
	forLanes(t, func(t *testing.T, rng *rand.Rand, p *Problem) {
		lane := rng.IntN(p.Width)
		p.Idle[lane] = false
		fillLane(rng, p, lane)
		other := p.copied()
		for l := range p.Width {
			if l != lane {
				fillLane(rng, other, l)
				other.Idle[l] = rng.IntN(2) == 0
			}
		}
		for _, step := range laneSteps {
			step.run(p, kernel.Best())
			step.run(other, kernel.Best())
		}
		for i := lane; i < len(p.Vectors); i += p.Width {
			if math.Float64bits(p.Vectors[i]) != math.Float64bits(other.Vectors[i]) {
				t.Fatalf("lane %d, place %d: %v, with other neighbours %v", lane, i/p.Width, p.Vectors[i],
					other.Vectors[i])
			}
		}
		for i := lane; i < len(p.D); i += p.Width {
			if p.D[i] != other.D[i] {
				t.Fatalf("lane %d, eigenvalue %d: %v, with other neighbours %v", lane, i/p.Width, p.D[i], other.D[i])
			}
		}
	})
}

func TestLanesHaveTheSameValuesWithoutVectors(t *testing.T) {
	forLanes(t, func(t *testing.T, _ *rand.Rand, p *Problem) {
		p.Reduce(kernel.Best())
		p.FormQ(kernel.Best())
		bare := p.copied()
		bare.Cols, bare.Vectors = 0, nil
		for _, x := range []*Problem{p, bare} {
			x.Diagonalize(kernel.Best(), laneTestSweeps)
		}
		for i := range p.D {
			if !p.Idle[i%p.Width] && math.Float64bits(p.D[i]) != math.Float64bits(bare.D[i]) {
				t.Fatalf("lane %d, eigenvalue %d: %v, without vectors %v", i%p.Width, i/p.Width, p.D[i], bare.D[i])
			}
		}
	})
}
