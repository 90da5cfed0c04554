package secular

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// Digits of the sums that roots are judged by.
const exactBits = 400

// exactSecular returns f(At[k] + shift) in units of the sum of the moduli of its terms, and the sum of |term / (pole -
// x)| in the same units: what a relative error of a distance does.
func exactSecular(e *Equation, origin, shift float64) (f, slope float64) {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(x) }
	fresh := func() *big.Float { return new(big.Float).SetPrec(exactBits) }
	x := fresh().Add(number(origin), number(shift))
	sum, moduli, slopes := number(e.Inverse), number(e.Inverse), fresh()
	for j := range e.Count {
		difference := fresh().Sub(number(e.At[j]), x)
		term := fresh().Quo(number(e.Weights[j]), difference)
		sum.Add(sum, term)
		slopes.Add(slopes, fresh().Quo(term, difference))
		moduli.Add(moduli, term.Abs(term))
	}
	slopes.Mul(slopes, number(shift))
	f, _ = sum.Quo(sum, moduli).Float64()
	slope, _ = slopes.Quo(slopes, moduli).Float64()
	return f, math.Abs(slope)
}

// secularFamilies are kinds of gaps and weights.
var secularFamilies = []struct {
	name        string
	gap, weight func(rng *rand.Rand, j int) float64
}{

	{"even", func(*rand.Rand, int) float64 { return 1 }, func(*rand.Rand, int) float64 { return 1 }},
	{"random", func(rng *rand.Rand, _ int) float64 { return rng.ExpFloat64() },
		func(rng *rand.Rand, _ int) float64 { return math.Pow(rng.NormFloat64(), 2) }},
	{"weights of all sizes", func(rng *rand.Rand, _ int) float64 { return 0.01 + rng.Float64() },
		func(rng *rand.Rand, _ int) float64 { return math.Pow(10, -30*rng.Float64()) }},
	{"gaps and weights of all sizes", func(rng *rand.Rand, _ int) float64 { return math.Pow(10, -12*rng.Float64()) },
		func(rng *rand.Rand, _ int) float64 { return math.Pow(10, -30*rng.Float64()) }},
	{"clusters of a few ulps", func(rng *rand.Rand, j int) float64 {
		if j%5 != 0 {
			return float64(1+rng.IntN(3)) * 0x1p-52
		}
		return rng.Float64() / 16
	}, func(rng *rand.Rand, _ int) float64 { return rng.Float64() }},
	{"clusters with tiny weights", func(rng *rand.Rand, j int) float64 {
		if j%7 != 0 {
			return float64(1+rng.IntN(3)) * 0x1p-52
		}
		return rng.Float64() / 16
	}, func(rng *rand.Rand, j int) float64 { return math.Pow(10, -float64(j%3)*15) }},
	{"huge and tiny weights by turns", func(rng *rand.Rand, _ int) float64 { return rng.Float64() },
		func(_ *rand.Rand, j int) float64 { return math.Pow(10, float64(40-80*(j%2))) }},
	{"poles that grow", func(_ *rand.Rand, j int) float64 { return math.Pow(10, float64(j%60)-30) },
		func(rng *rand.Rand, j int) float64 { return math.Pow(10, float64(j%60)-30) * rng.Float64() }},
	{"tiny", func(rng *rand.Rand, _ int) float64 { return 1e-60 * rng.Float64() },
		func(rng *rand.Rand, _ int) float64 { return 1e-60 * rng.Float64() }},
	{"huge", func(rng *rand.Rand, _ int) float64 { return 1e60 * rng.Float64() },
		func(rng *rand.Rand, _ int) float64 { return 1e60 * rng.Float64() }},
}

// randomEquation returns an equation of a family, in memory that is fenced in.
func randomEquation(rng *rand.Rand, at, weights kerneltest.Arena[float64], family, count int) *Equation {
	n := (count + PoleGroup - 1) / PoleGroup * PoleGroup
	e := &Equation{Poles: Poles{At: at.Place(rng, n), Weights: weights.Place(rng, n)}, Count: count,
		Inverse: math.Exp(rng.NormFloat64())}
	x, sum := 0.0, 0.0
	for j := range count {
		x += secularFamilies[family].gap(rng, j)
		if j > 0 && x <= e.At[j-1] {
			x = math.Nextafter(e.At[j-1], math.Inf(1))
		}
		e.At[j], e.Weights[j] = x, max(secularFamilies[family].weight(rng, j), 1e-70)
		sum += e.Weights[j]
	}
	e.Reach = 1.5 * sum / e.Inverse
	for j := count; j < n; j++ {
		e.At[j], e.Weights[j] = e.At[count-1]+2*e.Reach+math.Abs(e.At[count-1]), 0
	}
	return e
}

func TestSecularRoots(t *testing.T) {
	for _, s := range kernel.Sets() {
		t.Run(s.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(62, 1))
			at, weights, origins, shifts := kerneltest.NewArena[float64](t), kerneltest.NewArena[float64](t),
				kerneltest.NewArena[float64](t), kerneltest.NewArena[float64](t)
			for family := range secularFamilies {
				worst := 0.0
				for _, count := range []int{1, 2, 3, 7, 8, 9, 16, 31, 64, 127} {
					e := randomEquation(rng, at, weights, family, count)
					o, x := origins.Place(rng, len(e.At)), shifts.Place(rng, len(e.At))
					for first, end := 0, 0; first < len(e.At); first = end {
						end = first + PoleGroup*(1+rng.IntN((len(e.At)-first)/PoleGroup))
						kerneltest.FillNaN(o)
						kerneltest.FillNaN(x)
						Roots(s, e, first, end, o, x)
						for k := range o {
							if (k < first || k >= end) != math.IsNaN(o[k]) || math.IsNaN(o[k]) != math.IsNaN(x[k]) {
								t.Fatalf("roots from %d: place %d has %v + %v", first, k, o[k], x[k])
							}
						}
						for k := first; k < end; k++ {
							worst = max(worst, checkRoot(t,
								fmt.Sprintf("%s, root %d of %d", secularFamilies[family].name, k,
									count), e, k, o[k], x[k]))
						}
						if t.Failed() {
							return
						}
					}
				}
				t.Logf("%s: %.3g", secularFamilies[family].name, worst)
			}
		})
	}
}

// checkRoot returns the value at a root in units of its limit.
func checkRoot(t *testing.T, name string, e *Equation, k int, origin, shift float64) float64 {
	t.Helper()
	if k >= e.Count {
		if origin != e.At[k] || shift != 0 {
			t.Errorf("%s: %v + %v behind the last root", name, origin, shift)
		}
		return 0
	}
	at, next, _, nextWeight, gap := e.neighbours(k)
	low, high := 0.0, gap/2
	if nextWeight == 0 {
		high = gap
	} else if origin == next {
		low, high = -gap/2, 0
	} else if origin != at {
		t.Errorf("%s: the origin is %v", name, origin)
	}
	if !(low <= shift && shift <= high) || shift == 0 {
		t.Errorf("%s: the shift %v is not between %v and %v", name, shift, low, high)
	}
	f, slope := exactSecular(e, origin, shift)
	limit := 2*e.tolerance() + 4*unitRoundoff*slope
	if !(math.Abs(f) <= limit) {
		t.Errorf("%s: the value is %.3g, limit %.3g", name, f, limit)
	}
	return math.Abs(f) / limit
}

// Roots, weights and vectors together diagonalize diag(At) + w w^T / Inverse, where w has the roots of the weights.
func TestSecularDecomposition(t *testing.T) {
	t.Run("float64", testSecularDecomposition[float64])
	t.Run("float32", testSecularDecomposition[float32])
}

func testSecularDecomposition[T kernel.Float](t *testing.T) {
	for _, s := range kernel.Sets() {
		t.Run(s.String(), func(t *testing.T) {
			// times count, at least 8; roots whose values are below errorUnits units account for most of it
			const limit = 3
			rng := rand.New(rand.NewPCG(64, 1))
			at, weights := kerneltest.NewArena[float64](t), kerneltest.NewArena[float64](t)
			for family := range secularFamilies {
				for _, count := range []int{1, 2, 7, 8, 9, 40, 127} {
					e := randomEquation(rng, at, weights, family, count)
					residual, orthogonality := decompositionErrors[T](s, e)
					if unit := float64(max(count,
						8)) * kerneltest.Epsilon[T](); !(residual <= limit*unit) || !(orthogonality <= limit*unit) {
						t.Errorf("%s, %d roots: residual %.3g, orthogonality %.3g units", secularFamilies[family].name,
							count, residual/unit, orthogonality/unit)
					}
				}
			}
		})
	}
}

// decompositionErrors returns |A V - V diag(x)| / |A| and |V^T V - 1| in Frobenius norms.
func decompositionErrors[T kernel.Float](s kernel.Set, e *Equation) (residual, orthogonality float64) {
	n, count := len(e.At), e.Count
	origins, shifts, w := make([]float64, n), make([]float64, n), make([]float64, n)
	Roots(s, e, 0, n, origins, shifts)
	square := 0.0 // of |A|
	for j, weight := range e.Weights {
		w[j] = math.Sqrt(weight / e.Inverse)
		square += e.At[j]*e.At[j]*float64(min(1, max(0, count-j))) + 2*e.At[j]*weight/e.Inverse
	}
	Weights(s, e.Poles, origins, shifts, 0, n)
	v := make([]T, count*n)
	Vectors(s, e.Poles, origins[:count], shifts[:count], v, n)
	for _, x := range w {
		for _, y := range w {
			square += x * x * y * y
		}
	}
	for k := range count {
		row, product := v[k*n:][:n], 0.0
		for j, x := range row {
			product += w[j] * float64(x)
		}
		for j, x := range row[:count] {
			residual += math.Pow(((e.At[j]-origins[k])-shifts[k])*float64(x)+w[j]*product, 2)
		}
		for l := range count {
			dot := 0.0
			for j, x := range v[l*n:][:n] {
				dot += float64(x) * float64(row[j])
			}
			if k == l {
				dot--
			}
			orthogonality += dot * dot
		}
	}
	return math.Sqrt(residual / square), math.Sqrt(orthogonality)
}
