package precision

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A split that rounds x, then the remainder, and so on, is within SplitError of x.
func TestSplitErrorBoundsTheRemainder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, p := range []Precision{BF16, BF16x2, BF16x3} {
		worst := 0.0
		for range 10_000 {
			x := rng.NormFloat64()
			rest := x
			for range p.Parts() {
				rest -= RoundBF16(rest)
			}
			worst = math.Max(worst, math.Abs(rest/x))
		}
		if worst > p.SplitError() || worst < p.SplitError()/64 {
			t.Errorf("%s: the remainder is %g, SplitError %g", p, worst, p.SplitError())
		}
	}
	if FP32.SplitError() != 0 || FP64.SplitError() != 0 {
		t.Error("operands that are used as they are have no split error")
	}
}

func TestRoundoff(t *testing.T) {
	for _, p := range append(Device(), Mixed) {
		one := 1 + 2*p.Roundoff()
		if p.IsDouble() {
			if math.Nextafter(1, 2) != one {
				t.Errorf("%s: %g", p, p.Roundoff())
			}
		} else if float64(math.Nextafter32(1, 2)) != one {
			t.Errorf("%s: %g", p, p.Roundoff())
		}
	}
}

// The bound grows with the number of terms, holds nothing where no digit is certain, and is better with more parts.
func TestProductError(t *testing.T) {
	for _, p := range Device() {
		if few, many := p.ProductError(10), p.ProductError(10_000); !(0 < few && few < many) {
			t.Errorf("%s: %g for 10 terms, %g for 10000", p, few, many)
		}
	}
	if got := FP32.ProductError(1 << 24); !math.IsInf(got, 1) {
		t.Errorf("2^24 terms: %g", got)
	}
	if !(BF16x3.ProductError(9) < BF16x2.ProductError(9) && BF16x2.ProductError(9) < BF16.ProductError(9)) {
		t.Error("more parts do not give a smaller bound")
	}
}

// The neighbours of every bfloat16 number round back to it from a quarter of the way, and from halfway to the even one.
func TestRoundBF16(t *testing.T) {
	for bits := range uint16(0x7f7f) {
		x, next := FromBF16Bits(bits), FromBF16Bits(bits+1)
		even := x
		if bits&1 == 1 {
			even = next
		}
		gap := next - x
		for _, c := range []struct{ in, want float64 }{
			{x, x}, {x + gap/4, x}, {next - gap/4, next}, {x + gap/2, even}, {-x - gap/4, -x},
			{math.Nextafter(x+gap/2, 0), x}, {math.Nextafter(x+gap/2, math.Inf(1)), next},
		} {
			if got := RoundBF16(c.in); got != c.want {
				t.Fatalf("%g rounds to %g, not %g", c.in, got, c.want)
			}
		}
		if BF16Bits(x) != bits {
			t.Fatalf("bits %x of %g became %x", bits, x, BF16Bits(x))
		}
	}
	for _, x := range []float64{math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)} {
		if math.Float64bits(RoundBF16(x)) != math.Float64bits(x) {
			t.Errorf("%g became %g", x, RoundBF16(x))
		}
	}
	if x := RoundBF16(math.NaN()); x == x {
		t.Error("NaN became a number")
	}
	if !math.IsInf(RoundBF16(0x1.ffp127), 1) || !math.IsInf(RoundBF16(1e300), 1) {
		t.Error("numbers beyond the largest one do not overflow")
	}
}

func TestNames(t *testing.T) {
	if got, want := List(Device()), "fp32, fp64, bf16, bf16x2, bf16x3"; got != want {
		t.Errorf("devices have %q, not %q", got, want)
	}
	if got, want := List(Host()), "fp64, mixed"; got != want {
		t.Errorf("the host has %q, not %q", got, want)
	}
}
