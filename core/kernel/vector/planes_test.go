package vector

import (
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// forPlanes runs test for pairs of vectors of normal numbers of many lengths, at either end of fenced memory, and
// memory for their pairs.
func forPlanes[T kernel.Float](t *testing.T, seed uint64, test func(x, y, z []T)) {
	rng := rand.New(rand.NewPCG(seed, 0))
	other, pairs := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	forLengths(t, seed, func(x []T) {
		y, z := other.Place(rng, len(x)), pairs.Place(rng, 2*len(x))
		kerneltest.FillNormal(rng, y)
		kerneltest.FillNaN(z)
		test(x, y, z)
	})
}

func TestMaxSquares(t *testing.T) {
	kerneltest.ForSets(t, testMaxSquares[float32], testMaxSquares[float64])
}

func testMaxSquares[T kernel.Float](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(18, 0))
	forPlanes(t, 17, func(x, y, _ []T) {
		for range 2 {
			want := 0.0
			for i := range x {
				if square := float64(x[i])*float64(x[i]) + float64(y[i])*float64(y[i]); square > want {
					want = square
				}
			}
			if got := float64(MaxSquares(s, x, y)); !(math.Abs(got-want) <= 2*kerneltest.Epsilon[T]()*want) {
				t.Fatalf("of %d: %v, want %v", len(x), got, want)
			}
			for i := range x { // some are to be left out
				if rng.IntN(3) == 0 {
					x[i] = T(math.NaN())
				}
			}
		}
	})
}

func TestInterleave(t *testing.T) {
	kerneltest.ForSets(t, testInterleave[float32], testInterleave[float64])
}

func testInterleave[T kernel.Float](t *testing.T, s kernel.Set) {
	const guard, behind = 12345, 40
	forPlanes(t, 19, func(x, y, z []T) {
		const c, d = 0.6, -0.8
		Interleave(s, c, d, x, y, z)
		for j := range x {
			for part, terms := range [][2]float64{{c * float64(x[j]), -d * float64(y[j])},
				{d * float64(x[j]), c * float64(y[j])}} {
				want, size := terms[0]+terms[1], math.Abs(terms[0])+math.Abs(terms[1])
				if got := float64(z[2*j+part]); !(math.Abs(got-want) <= 2*kerneltest.Epsilon[T]()*size) {
					t.Fatalf("part %d of pair %d of %d: %v, want %v", part, j, len(x), got, want)
				}
			}
		}
	})
	for n := range behind {
		x, z := make([]T, behind), make([]T, 3*behind)
		for i := range z {
			z[i] = guard
		}
		Interleave(s, 1, 1, x[:n], x[:n], z[:2*n])
		for i, v := range z {
			if (v == guard) != (i >= 2*n) {
				t.Fatalf("element %d is %v behind %d pairs", i, v, n)
			}
		}
	}
}

func TestPlanesMustFit(t *testing.T) {
	for name, call := range map[string]func(){
		"MaxSquares": func() { MaxSquares(kernel.Best(), make([]float64, 3), make([]float64, 2)) },
		"Interleave": func() {
			Interleave(kernel.Best(), 1, 0, make([]float32, 3), make([]float32, 3),
				make([]float32, 5))
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
