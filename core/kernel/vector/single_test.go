package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// forLengths runs test for vectors of normal numbers of many lengths, at either end of fenced memory.
func forLengths[T kernel.Float](t *testing.T, seed uint64, test func(x []T)) {
	const small, rounds, large = 300, 100, 5000
	rng := rand.New(rand.NewPCG(seed, 0))
	m := kerneltest.NewArena[T](t)
	try := func(n int) {
		x := m.Place(rng, n)
		kerneltest.FillNormal(rng, x)
		test(x)
	}
	for n := range small {
		try(n)
	}
	for range rounds {
		try(small + rng.IntN(large))
	}
}

func TestScale(t *testing.T) { kerneltest.ForSets(t, testScale[float32], testScale[float64]) }

func testScale[T kernel.Float](t *testing.T, s kernel.Set) {
	forLengths(t, 5, func(x []T) {
		const alpha = 0.7
		want := slices.Clone(x)
		for i := range want {
			want[i] *= alpha // one rounding, the same everywhere
		}
		Scale(s, alpha, x)
		if i := kerneltest.Differ(want, x); i >= 0 {
			t.Fatalf("element %d of %d is %v, want %v", i, len(x), x[i], want[i])
		}
	})
}

func TestScaleKeepsTheRest(t *testing.T) {
	kerneltest.ForSets(t, testScaleRest[float32], testScaleRest[float64])
}

func testScaleRest[T kernel.Float](t *testing.T, s kernel.Set) {
	const most = 70
	for n := range most {
		x := slices.Repeat([]T{1}, most)
		Scale(s, T(math.Inf(1)), x[:n])
		for i := range x {
			if got := math.IsInf(float64(x[i]), 1); got != (i < n) {
				t.Fatalf("element %d behind %d is %v", i, n, x[i])
			}
		}
	}
}

func TestSums(t *testing.T) { kerneltest.ForSets(t, testSums[float32], testSums[float64]) }

func testSums[T kernel.Float](t *testing.T, s kernel.Set) {
	forLengths(t, 6, func(x []T) {
		var magnitudes, squares kerneltest.LongSum
		for _, v := range x {
			magnitudes.Add(1, math.Abs(float64(v)))
			squares.Add(float64(v), float64(v))
		}
		if err := magnitudes.Check(float64(SumAbs(s, x)), kerneltest.Epsilon[T](), len(x)); err != nil {
			t.Fatalf("SumAbs of %d: %v", len(x), err)
		}
		if err := squares.Check(float64(SumSquares(s, x)), kerneltest.Epsilon[T](), len(x)); err != nil {
			t.Fatalf("SumSquares of %d: %v", len(x), err)
		}
	})
}

func TestSumsOfSpecialNumbers(t *testing.T) {
	kerneltest.ForSets(t, testSpecialSums[float32], testSpecialSums[float64])
}

func testSpecialSums[T kernel.Float](t *testing.T, s kernel.Set) {
	const most = 70
	for _, special := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		for n := 1; n <= most; n++ {
			for i := range n {
				x := slices.Repeat([]T{-1}, most)
				kerneltest.FillNaN(x[n:])
				x[i] = T(special)
				want := []T{T(math.Abs(special)), T(math.Abs(special))}
				if at := kerneltest.Differ(want, []T{SumAbs(s, x[:n]), SumSquares(s, x[:n])}); at >= 0 {
					t.Fatalf("result %d of %v at %d of %d", at, special, i, n)
				}
			}
		}
	}
}

func TestMaxAbs(t *testing.T) { kerneltest.ForSets(t, testMaxAbs[float32], testMaxAbs[float64]) }

// testMaxAbs compares with a sorted copy, with NaNs of both signs in a random half of the places too.
func testMaxAbs[T kernel.Float](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(8, 0))
	forLengths(t, 7, func(x []T) {
		for _, nan := range []float64{0, math.NaN(), math.Copysign(math.NaN(), -1)} {
			magnitudes := []float64{0}
			for i := range x {
				if nan != 0 && rng.IntN(2) == 0 {
					x[i] = T(nan)
				}
				if x[i] == x[i] {
					magnitudes = append(magnitudes, math.Abs(float64(x[i])))
				}
			}
			slices.Sort(magnitudes)
			if got, want := float64(MaxAbs(s, x)), magnitudes[len(magnitudes)-1]; got != want {
				t.Fatalf("%v of %d, NaNs: %v, want %v", got, len(x), nan, want)
			}
		}
	})
	inf := T(math.Inf(-1))
	if got := MaxAbs(s, []T{T(math.NaN()), 1, inf, T(math.NaN())}); got != -inf {
		t.Errorf("of an infinity: %v", got)
	}
}
