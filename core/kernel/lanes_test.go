package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// laneArenas are fenced memory for each slice of a LaneProblem.
type laneArenas struct{ a, d, e, tau, work, phases, vectors arena[float64] }

func newLaneArenas(t *testing.T) *laneArenas {
	m := newArena[float64]
	return &laneArenas{a: m(t), d: m(t), e: m(t), tau: m(t), work: m(t), phases: m(t), vectors: m(t)}
}

// random places a problem whose lanes are of different kinds. What is not input is NaN: outputs, scratch memory and the elements above the
// diagonal.
func (m *laneArenas) random(rng *rand.Rand, width, order, parts int) *LaneProblem {
	place := func(a arena[float64], places int) []float64 {
		x := a.place(rng, places*width)
		fillNaN(x)
		return x
	}
	p := &LaneProblem{Width: width, Order: order, Parts: parts, Cols: order * parts}
	p.A, p.Vectors = place(m.a, order*order*parts), place(m.vectors, order*order*parts)
	p.D, p.E, p.Tau = place(m.d, order), place(m.e, order), place(m.tau, order)
	p.Work, p.Phases = place(m.work, order*parts), place(m.phases, order*parts)
	for lane := range width {
		fillLane(rng, p, lane)
		p.Floor[lane] = laneRoundoff * laneRoundoff
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

// fillLane makes a random matrix, one with elements of very different size, one with many zeros, a diagonal one, or zero.
func fillLane(rng *rand.Rand, p *LaneProblem, lane int) {
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

func (p *LaneProblem) copied() *LaneProblem {
	c := *p
	for _, x := range []*[]float64{&c.A, &c.D, &c.E, &c.Tau, &c.Work, &c.Phases, &c.Vectors} {
		*x = slices.Clone(*x)
	}
	return &c
}

// sameAs returns an error unless p and q hold the same bits, or the same numbers if signs of zeros do not count; NaNs are equal to NaNs.
func (p *LaneProblem) sameAs(q *LaneProblem, zeros bool) error {
	same := func(x, y float64) bool {
		return x == y && (!zeros || math.Signbit(x) == math.Signbit(y)) || x != x && y != y
	}
	names := []string{"A", "D", "E", "Tau", "Phases", "Vectors"}
	for i, pair := range [][2][]float64{{p.A, q.A}, {p.D, q.D}, {p.E, q.E}, {p.Tau, q.Tau}, {p.Phases, q.Phases}, {p.Vectors, q.Vectors}} {
		for j := range pair[0] {
			if p.Idle[j%p.Width] {
				continue
			}
			if !same(pair[0][j], pair[1][j]) {
				return fmt.Errorf("place %d of %s, lane %d: %g and %g", j/p.Width, names[i], j%p.Width, pair[0][j], pair[1][j])
			}
		}
	}
	return nil
}

const laneTestSweeps = 1000

// laneSteps are the methods of LaneProblem in the order in which they solve a problem.
var laneSteps = []struct {
	name string
	run  func(p *LaneProblem, s Set)
}{
	{"Reduce", (*LaneProblem).Reduce},
	{"Form", (*LaneProblem).Form},
	{"Iterate", func(p *LaneProblem, s Set) { p.Iterate(s, laneTestSweeps) }},
	{"Direct", (*LaneProblem).Direct},
}

// forLanes calls test with problems of all small orders, real and complex.
func forLanes(t *testing.T, test func(t *testing.T, rng *rand.Rand, p *LaneProblem)) {
	const rounds, largest = 6, 12
	m := newLaneArenas(t)
	for parts := 1; parts <= 2; parts++ {
		for order := 1; order <= largest; order++ {
			t.Run(fmt.Sprintf("%d_parts/%d", parts, order), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(order), uint64(parts)))
				for range rounds {
					test(t, rng, m.random(rng, Lanes, order, parts))
					test(t, rng, m.random(rng, PairLanes, order, parts))
				}
			})
		}
	}
}

func TestLanesOfAllSetsHaveTheSameBits(t *testing.T) {
	forLanes(t, func(t *testing.T, _ *rand.Rand, p *LaneProblem) {
		for _, step := range laneSteps {
			before := p.copied()
			step.run(p, Best())
			for _, s := range Sets() {
				other := before.copied()
				step.run(other, s)
				if err := p.sameAs(other, step.name != "Iterate"); err != nil {
					t.Fatalf("%s: %v and %v: %v", step.name, Best(), s, err)
				}
			}
		}
	})
}

func TestLanesDoNotMix(t *testing.T) {
	forLanes(t, func(t *testing.T, rng *rand.Rand, p *LaneProblem) {
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
			step.run(p, Best())
			step.run(other, Best())
		}
		for i := lane; i < len(p.Vectors); i += p.Width {
			if math.Float64bits(p.Vectors[i]) != math.Float64bits(other.Vectors[i]) {
				t.Fatalf("lane %d, place %d: %v, with other neighbours %v", lane, i/p.Width, p.Vectors[i], other.Vectors[i])
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
	forLanes(t, func(t *testing.T, _ *rand.Rand, p *LaneProblem) {
		p.Reduce(Best())
		p.Form(Best())
		bare := p.copied()
		bare.Cols, bare.Vectors = 0, nil
		for _, x := range []*LaneProblem{p, bare} {
			x.Iterate(Best(), laneTestSweeps)
		}
		for i := range p.D {
			if !p.Idle[i%p.Width] && math.Float64bits(p.D[i]) != math.Float64bits(bare.D[i]) {
				t.Fatalf("lane %d, eigenvalue %d: %v, without vectors %v", i%p.Width, i/p.Width, p.D[i], bare.D[i])
			}
		}
	})
}
