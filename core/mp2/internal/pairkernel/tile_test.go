package pairkernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

func TestCouples(t *testing.T) { kerneltest.ForSets(t, testCouples[float32], testCouples[float64]) }

// testCouples compares tiles with the definition of each sum. What lies between the rows of a tile is NaN.
func testCouples[T kernel.Float](t *testing.T, s kernel.Set) {
	const rounds, most, padding = 1500, 40, 5
	rng := rand.New(rand.NewPCG(51, uint64(s)))
	xs, ys := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	var sides [6]kerneltest.Arena[float64]
	for i := range sides {
		sides[i] = kerneltest.NewArena[float64](t)
	}
	for round := range rounds {
		c := Tile[T]{Rows: 1 + rng.IntN(most), Cols: 1 + rng.IntN(most), Relative: 1e-3, Absolute: 1e-4,
			Opposite: rng.Float64(), Same: rng.Float64()}
		tile := func(from kerneltest.Arena[T]) ([]T, int) {
			stride := c.Cols + rng.IntN(padding)
			x := from.Place(rng, (c.Rows-1)*stride+c.Cols)
			kerneltest.FillNaN(x)
			for a := range c.Rows {
				kerneltest.FillNormal(rng, x[a*stride:][:c.Cols])
			}
			return x, stride
		}
		side := func(i, n int, sign float64) []float64 {
			x := sides[i].Place(rng, n)
			for k := range x {
				x[k] = sign * (0.1 + rng.Float64())
			}
			return x
		}
		c.X, c.StrideX = tile(xs)
		c.RowEnergies, c.ColEnergies = side(0, c.Rows, -1), side(1, c.Cols, -1)
		c.RowNormsX, c.ColNormsX = side(2, c.Rows, 1), side(3, c.Cols, 1)
		if round%3 > 0 {
			c.Y, c.StrideY = tile(ys)
			c.RowNormsY, c.ColNormsY = side(4, c.Rows, 1), side(5, c.Cols, 1)
		}
		if round%7 == 0 { // a denominator of either sign
			c.RowEnergies[rng.IntN(c.Rows)] = 3.7
		}
		got, want := c.Sum(s), definition(&c)
		for i, pair := range [...][3]float64{
			{got.Opposite, want.Opposite, want.Magnitude}, {got.Same, want.Same, want.Magnitude}, {got.Products,
				want.Products, want.Products},
			{got.Magnitude, want.Magnitude, want.Magnitude}, {got.Denominators, want.Denominators,
				want.Denominators}, {got.Largest, want.Largest, 0},
		} {
			// A term is the result of less than twelve roundings on either side, and definition adds the terms one
			// after the other.
			limit := float64(12+Additions(c.Rows, c.Cols)+c.Rows*c.Cols) * 0x1p-53 * pair[2]
			if !(math.Abs(pair[0]-pair[1]) <= limit) {
				t.Fatalf("round %d, %dx%d: sum %d is %v, by definition %v", round, c.Rows, c.Cols, i, pair[0], pair[1])
			}
		}
		if again := c.Sum(s); again != got {
			t.Fatalf("a second call gives %v, the first gave %v", again, got)
		}
	}
}

// definition returns the sums as the comment of Sums has them.
func definition[T kernel.Float](c *Tile[T]) (s Sums) {
	for a := range c.Rows {
		for b := range c.Cols {
			d := c.RowEnergies[a] + c.ColEnergies[b]
			x, y, gx, gy, same := float64(c.X[a*c.StrideX+b]), 0.0,
				c.Relative*c.RowNormsX[a]*c.ColNormsX[b]+c.Absolute, 0.0, 0.0
			if c.Y != nil {
				y, gy, same = float64(c.Y[a*c.StrideY+b]), c.Relative*c.RowNormsY[a]*c.ColNormsY[b]+c.Absolute, c.Same
			}
			off := c.Opposite*((2*math.Abs(x)+gx)*gx+(2*math.Abs(y)+gy)*gy) + same*((2*math.Abs(x-y)+gx+gy)*(gx+gy))
			numerator := c.Opposite*(x*x+y*y) + same*(x-y)*(x-y)
			s.Opposite += c.Opposite * (x*x + y*y) / d
			s.Same += same * (x - y) * (x - y) / d
			s.Products += off / math.Abs(d)
			s.Magnitude += numerator / math.Abs(d)
			s.Denominators += numerator / (d * d)
			s.Largest = max(s.Largest, 1/math.Abs(d))
		}
	}
	return s
}

// Infinities and NaNs in a tile make its sums infinite or NaN, never finite.
func TestCouplesPassOnNaN(t *testing.T) {
	for _, s := range kernel.Sets() {
		for at := range 9 {
			c := Tile[float64]{
				Rows: 1, Cols: 9, X: make([]float64, 9), Y: make([]float64,
					9), RowEnergies: []float64{-1}, ColEnergies: make([]float64, 9),
				RowNormsX: []float64{1}, ColNormsX: make([]float64,
					9), RowNormsY: []float64{1}, ColNormsY: make([]float64, 9), Opposite: 1, Same: 1,
			}
			for _, bad := range []float64{math.NaN(), math.Inf(1)} {
				c.X[at] = bad
				if sum := c.Sum(s); !math.IsNaN(sum.Opposite) && !math.IsInf(sum.Opposite, 0) {
					t.Errorf("%v: %v in column %d gives %v", s, bad, at, sum)
				}
			}
		}
	}
}
