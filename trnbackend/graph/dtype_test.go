package graph_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/trnbackend/graph"
)

// positiveBF16 returns the numbers of type bf16 that are not negative, in order, by the definition of the format: 8
// bits of exponent, 7 of fraction. The last one is 2^128, which stands for infinity: numbers are rounded as if it were
// the next number.
func positiveBF16() []float64 {
	const fractions, exponents, bias = 1 << 7, 255, 127
	var all []float64
	for e := range exponents {
		for f := range fractions {
			if e == 0 {
				all = append(all, math.Ldexp(float64(f), 1-bias-7))
			} else {
				all = append(all, math.Ldexp(float64(fractions+f), e-bias-7))
			}
		}
	}
	return append(all, 0x1p128)
}

// checkBF16 requires that x and -x are rounded to want and -want.
func checkBF16(t *testing.T, x, want float64) {
	t.Helper()
	if want == 0x1p128 {
		want = math.Inf(1)
	}
	for _, sign := range []float64{1, -1} {
		got := graph.BF16.Round(math.Copysign(x, sign))
		if got != sign*want || math.Signbit(got) != (sign < 0) {
			t.Fatalf("%x becomes %x, not %x", math.Copysign(x, sign), got, sign*want)
		}
	}
}

func TestRoundBF16Everywhere(t *testing.T) {
	all := positiveBF16()
	for i, x := range all[:len(all)-1] {
		next := all[i+1]
		even := x
		if i%2 == 1 {
			even = next
		}
		middle := x + (next-x)/2 // exact in double precision
		checkBF16(t, x, x)
		checkBF16(t, middle, even)
		checkBF16(t, math.Nextafter(middle, 0), x)
		checkBF16(t, math.Nextafter(middle, next), next)
		checkBF16(t, math.Nextafter(x, next), x)
		checkBF16(t, math.Nextafter(next, x), next)
	}
	checkBF16(t, math.MaxFloat64, 0x1p128)
	checkBF16(t, math.Inf(1), 0x1p128)
	checkBF16(t, math.SmallestNonzeroFloat64, 0)
	if x := graph.BF16.Round(math.NaN()); x == x {
		t.Errorf("NaN becomes %v", x)
	}
}

func TestRoundBF16TakesTheNearest(t *testing.T) {
	all := positiveBF16()
	rng := rand.New(rand.NewPCG(1, 2))
	distance := func(x, y float64) *big.Float {
		return new(big.Float).Abs(new(big.Float).Sub(big.NewFloat(x), big.NewFloat(y)))
	}
	const trials = 20000
	for range trials {
		x := math.Ldexp(1+rng.Float64(), rng.IntN(270)-140) // beyond both ends
		i, _ := slices.BinarySearch(all, x)
		switch { // ties have no chance
		case i == len(all):
			checkBF16(t, x, 0x1p128)
		case i == 0 || distance(x, all[i]).Cmp(distance(x, all[i-1])) < 0:
			checkBF16(t, x, all[i])
		default:
			checkBF16(t, x, all[i-1])
		}
	}
}

func TestRound(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		d       graph.DType
		x, want float64
	}{
		{graph.F32, 1<<24 + 1, 1 << 24}, {graph.F32, 1<<24 + 3, 1<<24 + 4}, {graph.F32, 1e39, inf}, {graph.F32, -1e39,
			-inf},
		{graph.F32, 0x1p-150, 0}, {graph.F32, 0x1.8p-150, 0x1p-149},
		{graph.F64, 0.1, 0.1}, {graph.F64, inf, inf},
		{graph.S32, 2.9, 2}, {graph.S32, -2.9, -2}, {graph.S32, 0.9, 0}, {graph.S32, math.NaN(), 0}, {graph.S32, inf,
			1<<31 - 1},
		{graph.S32, -inf, -1 << 31}, {graph.S32, 1<<31 - 1, 1<<31 - 1}, {graph.S32, 1<<31 - 0.5, 1<<31 - 1}, {graph.S32,
			1 << 31, 1<<31 - 1},
		{graph.S32, -1 << 31, -1 << 31}, {graph.S32, -1<<31 - 1, -1 << 31}, {graph.S32, -1<<31 + 0.5, -1<<31 + 1},
		{graph.Pred, 0, 0}, {graph.Pred, math.Copysign(0, -1), 0}, {graph.Pred, 0.1, 1}, {graph.Pred, -7,
			1}, {graph.Pred, math.NaN(), 1},
	} {
		if got := c.d.Round(c.x); got != c.want {
			t.Errorf("%v becomes %v of type %s, not %v", c.x, got, c.d, c.want)
		}
	}
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		d               graph.DType
		name            string
		bytes           int
		isFloat, number bool
		eps             float64
	}{
		{graph.F32, "f32", 4, true, true, float64(math.Nextafter32(1, 2) - 1)},
		{graph.BF16, "bf16", 2, true, true, 1.0 / 128},
		{graph.S32, "s32", 4, false, true, 0},
		{graph.Pred, "pred", 1, false, false, 0},
		{graph.F64, "f64", 8, true, true, math.Nextafter(1, 2) - 1},
	} {
		if c.d.String() != c.name || c.d.Bytes() != c.bytes || c.d.IsFloat() != c.isFloat ||
			c.d.IsNumber() != c.number {
			t.Errorf("type %s of %d bytes, float %v, number %v", c.d, c.d.Bytes(), c.d.IsFloat(), c.d.IsNumber())
		}
		if c.d.Eps() != c.eps {
			t.Errorf("%s: eps %v, not %v", c.d, c.d.Eps(), c.eps)
		}
	}
	if s := graph.DType(9).String(); s != "type(9)" {
		t.Errorf("a type that does not exist is %s", s)
	}
}

func TestShape(t *testing.T) {
	s := graph.Of(graph.BF16, 2, 0, 3)
	if s.Rank() != 3 || s.Size() != 0 || s.Bytes() != 0 || s.String() != "bf16[2,0,3]" {
		t.Errorf("%s: rank %d, size %d, %d bytes", s, s.Rank(), s.Size(), s.Bytes())
	}
	scalar := graph.Of(graph.F64)
	if scalar.Size() != 1 || scalar.Bytes() != 8 || !scalar.Equal(graph.Shape{DType: graph.F64, Dims: []int{}}) {
		t.Errorf("%s: size %d, %d bytes", scalar, scalar.Size(), scalar.Bytes())
	}
	if s.Equal(s.As(graph.F32)) || !s.Equal(s.As(graph.F32).As(graph.BF16)) || s.Equal(graph.Of(graph.BF16, 2, 0)) {
		t.Error("shapes are compared wrongly")
	}
}
