package factor

import (
	"math"
	"math/rand/v2"
	"testing"
)

// residual returns the largest difference between the sides of the first n equations.
func residual(m SmallSystem, n int, x [4]float64) (worst float64) {
	for i := range n {
		s := m[i][n]
		for j := range n {
			s -= m[i][j] * x[j]
		}
		worst = max(worst, math.Abs(s))
	}
	return worst
}

func TestSmallSystems(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 4; n++ {
		for range 1000 {
			var m SmallSystem
			for i := range n {
				for j := range n + 1 {
					m[i][j] = rng.NormFloat64() * math.Pow(10, 6*rng.Float64())
				}
			}
			work := m
			x, perturbed := work.Solve(n, 0)
			size := 0.0
			for _, v := range x {
				size = max(size, math.Abs(v))
			}
			if bound := 64 * 0x1p-52 * (1e6*4*size + 1e6); perturbed || !(residual(m, n, x) <= bound) {
				t.Fatalf("n = %d, %v: residual %g above %g", n, m, residual(m, n, x), bound)
			}
		}
	}
}

// A pivot that vanishes counts as least, so that the solution is as large as that makes it.
func TestSingularSmallSystem(t *testing.T) {
	const least = 0x1p-20
	m := SmallSystem{{1, 2, 3}, {2, 4, 7}}
	x, perturbed := m.Solve(2, least)
	if !perturbed {
		t.Error("a singular system was not reported")
	}
	// By hand: 4 is the pivot, the rest of the first equation is 0 x = -1/2, so that x0 = -1/(2 least) and x1 = (7 - 2
	// x0) / 4.
	if want := -0.5 / least; x[0] != want || x[1] != (7-2*want)/4 {
		t.Errorf("x = %v", x)
	}
}
