package matmul

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/programtest"
)

func stack[T dense.Float](rng *rand.Rand, count, rows, cols int) []dense.Matrix[T] {
	matrices := make([]dense.Matrix[T], count)
	for i := range matrices {
		matrices[i] = dense.New[T](rows, cols)
		for j := range matrices[i].Data {
			matrices[i].Data[j] = T(rng.NormFloat64())
		}
	}
	return matrices
}

func transposedShape(rows, cols int, trans bool) (int, int) {
	if trans {
		return cols, rows
	}
	return rows, cols
}

func at[T dense.Float](x dense.Matrix[T], i, j int, trans bool) float64 {
	if trans {
		i, j = j, i
	}
	return float64(x.At(i, j))
}

func TestGemmIsWithinItsBound(t *testing.T) {
	t.Run("float32", testGemm[float32])
	t.Run("float64", testGemm[float64])
}

func testGemm[T dense.Float](t *testing.T) {
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(31, 1))
	for _, p := range product.Choices(s.Caps()) {
		worst := 0.0
		for range 12 {
			count, m, n, k := 1+rng.IntN(3), 1+rng.IntN(40), 1+rng.IntN(40), 1+rng.IntN(40)
			transA, transB, beta := rng.IntN(2) == 0, rng.IntN(2) == 0, T(rng.IntN(2))*0.5
			ar, ac := transposedShape(m, k, transA)
			br, bc := transposedShape(k, n, transB)
			a, b, c := stack[T](rng, count, ar, ac), stack[T](rng, count, br, bc), stack[T](rng, count, m, n)
			before := make([]dense.Matrix[T], count)
			for i := range c {
				before[i] = c[i].Clone()
				if beta == 0 {
					c[i].Fill(T(math.NaN())) // must not be read
				}
			}
			const alpha = 1.5
			call, err := s.Begin(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			err = Gemm(call, p, transA, transB, alpha, a, b, beta, c)
			report := call.End()
			if err != nil {
				t.Fatal(err)
			}
			if report.Dispatches != 1 || report.Compiles+report.CacheHits != 1 || report.ErrorBound <= 0 {
				t.Fatalf("%+v", report)
			}
			for l := range c {
				for i := range m {
					for j := range n {
						x := func(q int) float64 { return at(a[l], i, q, transA) }
						y := func(q int) float64 { return at(b[l], q, j, transB) }
						want := exactUpdate(alpha, k, x, y, float64(beta), float64(before[l].At(i, j)))
						off := offExact(float64(c[l].At(i, j)), want)
						if !(off <= report.ErrorBound) {
							t.Fatalf("%s %dx%dx%d: C[%d,%d] is off by %g, the bound is %g", p, m, n, k, i, j, off,
								report.ErrorBound)
						}
						worst = math.Max(worst, off)
					}
				}
			}
		}
		t.Logf("%s: at most %.2g off", p, worst)
	}
}

// A precision with more parts is more accurate. The bound alone would also hold if all were computed in a better one.
func TestPartsAddDigits(t *testing.T) {
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(32, 1))
	a, b := stack[float64](rng, 1, 24, 24), stack[float64](rng, 1, 24, 24)
	exact := stack[float64](rng, 1, 24, 24)
	off := func(p precision.Precision) float64 {
		c := stack[float64](rng, 1, 24, 24)
		call, err := s.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer call.End()
		if err := Gemm(call, p, false, false, 1, a, b, 0, c); err != nil {
			t.Fatal(err)
		}
		if p == precision.FP64 {
			exact = c
		}
		worst := 0.0
		for i, x := range c[0].Data {
			worst = math.Max(worst, math.Abs(x-exact[0].Data[i]))
		}
		return worst
	}
	off(precision.FP64)
	limits := []struct {
		p           precision.Precision
		least, most float64
	}{{precision.BF16, 1e-3, 1e-1}, {precision.BF16x2, 1e-6, 1e-3}, {precision.BF16x3, 1e-8, 1e-5}, {precision.FP32,
		1e-8, 1e-5}}
	for _, l := range limits {
		if got := off(l.p); got < l.least || got > l.most {
			t.Errorf("%s: %g off, expected %g to %g", l.p, got, l.least, l.most)
		}
	}
}

func TestSecondShapeOfABucketIsNotCompiled(t *testing.T) {
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(33, 1))
	for i, n := range []int{97, 112, 105} { // all in the bucket of 112
		call, err := s.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		a := stack[float32](rng, 1, n, n)
		err = Gemm(call, precision.FP32, false, false, 1, a, a, 0, stack[float32](rng, 1, n, n))
		report := call.End()
		if want := map[bool]int{true: 1, false: 0}[i == 0]; err != nil || report.Compiles != want ||
			report.CacheHits != 1-want {
			t.Errorf("n = %d: %v, %+v", n, err, report)
		}
	}
}
