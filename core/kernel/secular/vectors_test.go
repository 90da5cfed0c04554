package secular

import (
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// Roundings of a term: two differences, a share of the division of four, and products.
const secularTermRoundings = 14

// forSecular calls test for every set with poles of up to twenty groups, some of weight 0 at the end, and a root
// between two of them.
func forSecular(t *testing.T, test func(t *testing.T, s kernel.Set, rng *rand.Rand, p Poles, count int)) {
	const rounds, mostGroups = 300, 20
	for _, s := range kernel.Sets() {
		t.Run(s.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(61, uint64(s)))
			at, weights := kerneltest.NewArena[float64](t), kerneltest.NewArena[float64](t)
			for range rounds {
				n := PoleGroup * (1 + rng.IntN(mostGroups))
				p := Poles{At: at.Place(rng, n), Weights: weights.Place(rng, n)}
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

func TestSecularVectors(t *testing.T) {
	t.Run("float64", testSecularVectors[float64])
	t.Run("float32", testSecularVectors[float32])
}

func testSecularVectors[T kernel.Float](t *testing.T) {
	xs := kerneltest.NewArena[T](t)
	forSecular(t, func(t *testing.T, s kernel.Set, rng *rand.Rand, p Poles, count int) {
		n, rows, padding := len(p.At), 1+rng.IntN(4), rng.IntN(3)
		origins, shifts := make([]float64, rows), make([]float64, rows)
		for k := range rows {
			origins[k], shifts[k], _ = randomRoot(rng, p, count)
		}
		stride := n + padding
		x := xs.Place(rng, (rows-1)*stride+n)
		kerneltest.FillNaN(x)
		Vectors(s, p, origins, shifts, x, stride)
		for k := range rows {
			want, squares := make([]float64, n), 0.0
			for j, at := range p.At {
				want[j] = p.Weights[j] / ((at - origins[k]) - shifts[k])
				squares += want[j] * want[j]
			}
			// The sum, its root and its reciprocal; a single is rounded three times.
			tolerance := float64(n+2*secularTermRoundings)*unitRoundoff + 2*kerneltest.Epsilon[T]()
			for j, x := range x[k*stride:][:n] {
				want := want[j] / math.Sqrt(squares)
				if !(math.Abs(float64(x)-want) <= tolerance*math.Abs(want)+0x1p-149) {
					t.Fatalf("vector %d, element %d of %d is %v, by definition %v", k, j, count, x, want)
				}
			}
			for _, x := range x[k*stride+n : min(len(x), (k+1)*stride)] {
				if !math.IsNaN(float64(x)) {
					t.Fatalf("%v behind row %d", x, k)
				}
			}
		}
	})
}

func TestSecularWeights(t *testing.T) {
	forSecular(t, func(t *testing.T, s kernel.Set, rng *rand.Rand, p Poles, count int) {
		n := len(p.At)
		origins, shifts := append([]float64(nil), p.At...), make([]float64, n)
		for k := range count {
			shifts[k] = rng.Float64()
			if k+1 < count {
				shifts[k] *= p.At[k+1] - p.At[k]
			}
		}
		groups := n / PoleGroup
		first := rng.IntN(groups)
		end := first + rng.IntN(groups-first+1)
		before := append([]float64(nil), p.Weights...)
		Weights(s, p, origins, shifts, first*PoleGroup, end*PoleGroup)
		for j := range p.At {
			want := before[j]
			if first*PoleGroup <= j && j < end*PoleGroup {
				want = 1
				for k := range count {
					want *= (p.At[j] - origins[k]) - shifts[k]
					if k != j {
						want /= p.At[j] - p.At[k]
					}
				}
				if want = math.Sqrt(math.Abs(want)); j >= count {
					want = 0
				}
			}
			if !near(p.Weights[j], want, n*secularTermRoundings) {
				t.Fatalf("weight %d of %d is %v, by definition %v", j, count, p.Weights[j], want)
			}
		}
	})
}
