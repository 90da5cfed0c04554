package matmul

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/programtest"
)

// exactBits are enough for every sum of a few products of three float64 numbers: these have exponents from -3 * 1074 to
// 3 * 1024.
const exactBits = 6400

// exactUpdate returns alpha times the sum of k products x(q) y(q), plus beta c, without rounding. c may be NaN where
// beta is 0.
func exactUpdate(alpha float64, k int, x, y func(q int) float64, beta, c float64) *big.Float {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }
	sum, term := number(0), number(0)
	for q := range k {
		sum.Add(sum, term.Mul(number(x(q)), number(y(q))))
	}
	sum.Mul(sum, number(alpha))
	if beta != 0 {
		sum.Add(sum, term.Mul(number(beta), number(c)))
	}
	return sum
}

// offExact returns |got - want|, rounded once.
func offExact(got float64, want *big.Float) float64 {
	off := new(big.Float).SetPrec(exactBits).SetFloat64(got)
	f, _ := off.Abs(off.Sub(off, want)).Float64()
	return f
}

// gemmBound runs Gemm on a copy of C and returns the result and the bound.
func gemmBound[T dense.Float](t *testing.T, s *device.Session, p precision.Precision, alpha T, a, b dense.Matrix[T],
	beta T, c dense.Matrix[T]) (dense.Matrix[T], float64) {
	t.Helper()
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	result := c.Clone()
	err = Gemm(call, p, false, false, alpha, []dense.Matrix[T]{a}, []dense.Matrix[T]{b}, beta,
		[]dense.Matrix[T]{result})
	report := call.End()
	if err != nil {
		t.Fatal(err)
	}
	return result, report.ErrorBound
}

func TestUpdateBoundOfNumbersOfAnySize(t *testing.T) {
	for _, s := range programtest.OnEach(t) {
		for _, p := range product.Choices(s.Caps()) {
			// float64 numbers beyond single precision on both sides, where it is what the device has.
			least, most := -170, 70
			if p == precision.FP64 {
				least, most = -1080, 520
			}
			testBoundOfAnySize[float64](t, s, p, least, most)
			testBoundOfAnySize[float32](t, s, p, -150, 64)
		}
	}
}

// testBoundOfAnySize draws each argument near its own power of two, with an exponent between two limits.
func testBoundOfAnySize[T dense.Float](t *testing.T, s *device.Session, p precision.Precision, least, most int) {
	const rounds, n, k, spread = 60, 3, 7, 30
	rng := rand.New(rand.NewPCG(81, uint64(most)))
	known := 0
	for range rounds {
		draw := func(rows, cols int) dense.Matrix[T] {
			x, near := dense.New[T](rows, cols), least+rng.IntN(most-least)
			for i := range x.Data {
				x.Data[i] = T(math.Ldexp(rng.NormFloat64(), max(least, near-rng.IntN(spread))))
			}
			return x
		}
		alpha, beta, a, b, c := draw(1, 1).Data[0], draw(1, 1).Data[0], draw(n, k), draw(k, n), draw(n, n)
		got, bound := gemmBound(t, s, p, alpha, a, b, beta, c)
		finite := true
		for i := range n {
			for j := range n {
				v := float64(got.At(i, j))
				if finite = finite && dense.IsFinite(v); !finite {
					continue
				}
				x, y := func(q int) float64 { return float64(a.At(i, q)) }, func(q int) float64 {
					return float64(b.At(q,
						j))
				}
				off := offExact(v, exactUpdate(float64(alpha), k, x, y, float64(beta), float64(c.At(i, j))))
				if !(off <= bound) {
					t.Errorf("%s on %s, alpha %g, beta %g: C[%d,%d] is %g, off by %g, the bound is %g", p, s.Name(),
						alpha, beta, i, j, v, off, bound)
				}
			}
		}
		if !finite && !math.IsInf(bound, 1) {
			t.Errorf("%s on %s: the result is not finite, the bound is %g", p, s.Name(), bound)
		}
		if !math.IsInf(bound, 1) {
			known++
		}
	}
	if known < rounds/4 {
		t.Errorf("%s on %s: only %d of %d bounds are finite", p, s.Name(), known, rounds)
	}
}

// Each argument in turn overflows in the type of the device or of the arrays, or makes a result overflow.
func TestUpdateBoundIsInfiniteWhereSomethingOverflows(t *testing.T) {
	const beyond, large = 1e39, 1e30
	for _, s := range programtest.OnEach(t) {
		for name, v := range map[string][4]float64{ // alpha, A, beta, C
			"alpha": {beyond, 1e-20, 1, 1}, "A": {1, beyond, 1, 1}, "beta": {1, 1, beyond, 1e-20}, "C": {1, 1, 1,
				beyond},
			"product": {1, large, 0, 0}, "alpha times product": {large, 1e10, 0, 0}, "beta times C": {1, 1, large,
				large}, "sum": {1, 1.5e19, 1, 2e38},
		} {
			one := func(x float64) dense.Matrix[float64] { return dense.FromRows([]float64{x}) }
			b := one(1)
			if name == "product" || name == "sum" {
				b = one(v[1])
			}
			if _, bound := gemmBound(t, s, precision.FP32, v[0], one(v[1]), b, v[2], one(v[3])); !math.IsInf(bound, 1) {
				t.Errorf("%s on %s: the bound is %g", name, s.Name(), bound)
			}
		}
		single := dense.FromRows([]float32{large})
		if _, bound := gemmBound(t, s, precision.FP64, 1, single, single, 0, single); !math.IsInf(bound, 1) {
			t.Errorf("float32 arrays with fp64 on %s: the bound is %g", s.Name(), bound)
		}
		single.Fill(0x1.8p120) // beyond what split takes
		if _, bound := gemmBound(t, s, precision.BF16x2, 1, single, dense.FromRows([]float32{1}), 0,
			single); !math.IsInf(bound, 1) {
			t.Errorf("bf16x2 on %s: the bound is %g", s.Name(), bound)
		}
	}
}

// If the only error is one rounding, of C to the device's type or of the result to that of the arrays, the bound
// includes it.
func TestUpdateBoundHasTheRoundingOfCAndOfTheResult(t *testing.T) {
	const c = 1 + 0x1p-24 // halfway between two numbers of single precision
	for _, s := range programtest.OnEach(t) {
		got, bound := gemmBound(t, s, precision.FP32, 0, dense.FromRows([]float64{0}), dense.FromRows([]float64{0}), 1,
			dense.FromRows([]float64{c}))
		if off := math.Abs(got.At(0, 0) - c); off != 0x1p-24 || !(off <= bound && bound <= 8*off) {
			t.Errorf("C on %s: off by %g, the bound is %g", s.Name(), off, bound)
		}
		x := dense.FromRows([]float32{1 + 0x1p-12})
		want := float64(x.At(0, 0)) * float64(x.At(0, 0)) // 25 bits
		single, bound := gemmBound(t, s, precision.FP64, 1, x, x, 0, x)
		if off := math.Abs(float64(single.At(0, 0)) - want); off != 0x1p-24 || !(off <= bound && bound <= 4*off) {
			t.Errorf("result on %s: off by %g, the bound is %g", s.Name(), off, bound)
		}
	}
}
