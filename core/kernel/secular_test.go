package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Roundings of a term: two differences, a reciprocal of at most three units and its product on either side, and the slope's product.
const secularTermRoundings = 14

// forSecular calls test for every set with poles of up to twenty groups, some of weight 0 at the end, and a root between two of them.
func forSecular(t *testing.T, test func(t *testing.T, s Set, rng *rand.Rand, p Poles, count int)) {
	const rounds, mostGroups = 300, 20
	for _, s := range Sets() {
		t.Run(s.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(61, uint64(s)))
			at, weights := newArena[float64](t), newArena[float64](t)
			for range rounds {
				n := PoleGroup * (1 + rng.IntN(mostGroups))
				p := Poles{At: at.place(rng, n), Weights: weights.place(rng, n)}
				count, x := n-rng.IntN(PoleGroup), -1.0
				for j := range n {
					x += math.Pow(10, -12*rng.Float64()) // gaps of many sizes
					p.At[j], p.Weights[j] = x, math.Exp(rng.NormFloat64())
					if j >= count {
						p.At[j], p.Weights[j] = x+float64(n), 0
					}
				}
				test(t, s, rng, p, count)
			}
		})
	}
}

// randomRoot returns a place between two poles or behind the last one.
func randomRoot(rng *rand.Rand, p Poles, count int) (origin, shift float64, below int) {
	k := rng.IntN(count)
	if k+1 == count {
		return p.At[k], rng.Float64(), count
	}
	shift = (p.At[k+1] - p.At[k]) * (0.01 + 0.98*rng.Float64())
	return p.At[k], shift, k + 1
}

func near(x, y float64, roundings int) bool {
	return math.Abs(x-y) <= float64(roundings)*0x1p-53*math.Abs(y)
}

func TestSecularVector(t *testing.T) {
	forSecular(t, func(t *testing.T, s Set, rng *rand.Rand, p Poles, count int) {
		origin, shift, _ := randomRoot(rng, p, count)
		x, squares := make([]float64, len(p.At)+1), 0.0
		x[len(p.At)] = 1
		got := SecularVector(s, p, origin, shift, x)
		for j, at := range p.At {
			want := p.Weights[j] / ((at - origin) - shift)
			squares += want * want
			if !near(x[j], want, secularTermRoundings) {
				t.Fatalf("element %d of %d is %v, by definition %v", j, count, x[j], want)
			}
		}
		if !near(got, squares, 2*(len(p.At)+secularTermRoundings)) || x[len(p.At)] != 1 {
			t.Fatalf("%d poles: squares %v, by definition %v; the element behind the last one is %v", count, got, squares, x[len(p.At)])
		}
	})
}

func TestSecularWeights(t *testing.T) {
	forSecular(t, func(t *testing.T, s Set, rng *rand.Rand, p Poles, count int) {
		origins, shifts := make([]float64, count), make([]float64, count)
		for k := range origins {
			origins[k], shifts[k] = p.At[k], rng.Float64()
			if k+1 < count {
				shifts[k] *= p.At[k+1] - p.At[k]
			}
		}
		first := PoleGroup * rng.IntN(len(p.At)/PoleGroup)
		before := append([]float64(nil), p.Weights...)
		SecularWeights(s, p, origins, shifts, first)
		for j := range p.At {
			want := before[j]
			if first <= j && j < first+PoleGroup {
				want = 1
				for k := range origins {
					want *= (p.At[j] - origins[k]) - shifts[k]
					if k != j {
						want /= p.At[j] - p.At[k]
					}
				}
			}
			if !near(p.Weights[j], want, 2*count*secularTermRoundings) {
				t.Fatalf("weight %d of %d is %v, by definition %v", j, count, p.Weights[j], want)
			}
		}
	})
}
