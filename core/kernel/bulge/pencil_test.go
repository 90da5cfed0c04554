package bulge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// pencilSets calls f for the sets of instructions.
func pencilSets(t *testing.T, f func(t *testing.T, s kernel.Set)) {
	kerneltest.ForSets(t, func(*testing.T, kernel.Set) {}, f)
}

func TestPencilChase(t *testing.T) { pencilSets(t, testPencilChase) }

// testPencilChase places a pair that has a bulge. All that a chase does not name is NaN, and some elements that make it
// end before a left reflector or before a right one.
func testPencilChase(t *testing.T, set kernel.Set) {
	rng := rand.New(rand.NewPCG(31, uint64(set)))
	arenaS, arenaP := kerneltest.NewArena[float64](t), kerneltest.NewArena[float64](t)
	for trial := range 3000 {
		top, steps := rng.IntN(12), 2+rng.IntN(20)
		c := PencilChase{First: top - 1 + rng.IntN(20), Top: top}
		if c.First < top || rng.IntN(2) == 0 {
			c.Start = &[3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		}
		c.Last = c.First + steps + 1 + rng.IntN(5)
		c.End = min(c.First+steps+3, c.Last+1) + rng.IntN(40)
		c.placePair(rng, arenaS, arenaP, min(c.First+steps+4, c.Last+1))
		possible, leftMade := steps, false
		if k := c.First + 1 + rng.IntN(steps-1); k+3 <= c.Last {
			switch rng.IntN(6) {
			case 0: // gets into column k of S
				possible = k - c.First
				c.S[(k+3)*c.Stride+k+2] = math.NaN()
			case 1: // gets into the block of P of step k
				possible, leftMade = k-c.First, true
				c.P[(k+3)*c.Stride+k+3] = math.NaN()
			}
		}
		c.Left, c.Right = make([]Householder3[float64], steps), make([]Householder3[float64], steps)
		want := c
		want.S, want.P = slices.Clone(c.S), slices.Clone(c.P)
		want.Left, want.Right = slices.Clone(c.Left), slices.Clone(c.Right)
		wantSteps, wantMade := want.runPlain(SweepRows(set))
		if wantSteps > possible || wantSteps == possible && wantMade != leftMade {
			t.Fatalf("trial %d: %d steps done of %d, left reflector made: %v", trial, wantSteps, possible, wantMade)
		}
		done, made := c.Run(set)
		if done != wantSteps || made != wantMade {
			t.Fatalf("trial %d: %d steps done of %d, left reflector made: %v", trial, done, wantSteps, made)
		}
		requireClose(t, c.S, want.S, 1000*roundings(steps))
		requireClose(t, c.P, want.P, 1000*roundings(steps))
		for i := range done {
			for _, r := range [][2]Householder3[float64]{{c.Left[i], want.Left[i]}, {c.Right[i], want.Right[i]}} {
				got, want := r[0], r[1]
				requireClose(t, []float64{got.V1, got.V2, got.T0, got.T1, got.T2},
					[]float64{want.V1, want.V2, want.T0, want.T1, want.T2}, 1000*roundings(steps))
			}
		}
	}
}

// placePair places S and P with so many rows. Both have a bulge in the columns of step First.
func (c *PencilChase) placePair(rng *rand.Rand, s, p kerneltest.Arena[float64], rows int) {
	const padding = 5
	c.Stride = c.End + rng.IntN(padding)
	place := func(a kerneltest.Arena[float64], below int, isZero func(row, col int) bool) []float64 {
		m := a.Place(rng, (rows-1)*c.Stride+c.End)
		for i := range m {
			row, col := i/c.Stride, i%c.Stride
			m[i] = rng.NormFloat64()
			switch {
			case row < c.Top || col >= c.End || row > c.First && col < c.First+below:
				m[i] = math.NaN()
			case isZero(row, col):
				m[i] = 0
			}
		}
		return m
	}
	first := 0
	if c.Start != nil {
		first = 1
	}
	c.S = place(s, first, func(row, col int) bool { return row > c.First+3 && row > col+1 && col > c.First })
	c.P = place(p, 1, func(row, col int) bool { return row > col && row > c.First+2 })
	for j := c.First + 1; c.Start != nil && j < min(c.First+3, c.End); j++ { // triangular before the bulge is made
		for i := j + 1; i < min(c.First+4, rows); i++ {
			c.P[i*c.Stride+j] = 0
		}
	}
}

// TestPencilChaseIsSimilarity asks for the structure of the pair after whole sweeps, and that the reflectors are
// orthogonal and give the result when they are applied to the pair as it was.
func TestPencilChaseIsSimilarity(t *testing.T) { pencilSets(t, testPencilSimilarity) }

func testPencilSimilarity(t *testing.T, set kernel.Set) {
	rng := rand.New(rand.NewPCG(32, uint64(set)))
	for n := 3; n < 30; n++ {
		c := PencilChase{
			First: -1, Last: n - 1, End: n, Stride: n, S: make([]float64, n*n), P: make([]float64, n*n),
			Start: &[3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()},
			Left:  make([]Householder3[float64], n-1), Right: make([]Householder3[float64], n-1),
		}
		for i := range n {
			for j := range n {
				if i <= j+1 {
					c.S[i*n+j] = rng.NormFloat64()
				}
				if i <= j {
					c.P[i*n+j] = rng.NormFloat64()
				}
			}
		}
		s, p := slices.Clone(c.S), slices.Clone(c.P)
		if done, _ := c.Run(set); done < n-1 {
			continue // nearly parallel rows
		}
		for g := SweepRows(set); g < n-1; g += SweepRows(set) { // the groups above the last one
			for _, m := range [][]float64{c.S, c.P} {
				ReflectColumns(set, c.Right[g:], m[(g-SweepRows(set))*n+g:], n, 1, false)
			}
		}
		for _, pair := range [][2][]float64{{s, c.S}, {p, c.P}} {
			ReflectRows(kernel.Go, c.Left, pair[0], n, n)
			for i := range n {
				ReflectRows(kernel.Go, c.Right, pair[0][i*n:], 1, 1)
			}
			requireClose(t, pair[1], pair[0], 100*roundings(n)/leastSine)
		}
		for i := range n {
			for j := range n {
				if i > j+1 && c.S[i*n+j] != 0 || i > j && c.P[i*n+j] != 0 {
					t.Fatalf("n = %d: element (%d, %d) is not zero", n, i, j)
				}
			}
		}
	}
}
