package condense

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

func BenchmarkReduction(b *testing.B) {
	for _, n := range []int{32, 48, 64, 128, 256, 512, 1024} {
		b.Run(fmt.Sprintf("f64/%d", n), func(b *testing.B) { benchmarkReduction[float64](b, n) })
		b.Run(fmt.Sprintf("f32/%d", n), func(b *testing.B) { benchmarkReduction[float32](b, n) })
		b.Run(fmt.Sprintf("c64/%d", n), func(b *testing.B) { benchmarkReduction[complex64](b, n) })
		b.Run(fmt.Sprintf("c128/%d", n), func(b *testing.B) { benchmarkReduction[complex128](b, n) })
	}
}

func benchmarkReduction[E kernel.Scalar](b *testing.B, n int) {
	rng := rand.New(rand.NewPCG(1, 2))
	vec := func() []E {
		x := make([]E, n)
		for i := range x {
			x[i] = vec.FromReal[E](rng.NormFloat64() * 1e-15)
		}
		return x
	}
	r := TridiagStep[E]{First: 0, Rows: n, Stride: n + 16, A: make([]E, n*(n+16)), V: vec(), W: vec(), X: vec(),
		Y: vec()}
	for b.Loop() {
		r.Run(kernel.Best())
	}
	fma := 4.0
	if kerneltest.IsComplex[E]() {
		fma = 16
	}
	b.ReportMetric(fma*float64(n)*float64(n)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GF")
}
