package vector

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// BenchmarkRows times matrix-vector products of order n in float64, cut the way that core/blas cuts them: long rows in
// pieces, so that vectors stay in the first cache.
func BenchmarkRows(b *testing.B) {
	const rowsOfCall, colsOfCall, farOrder = 128, 1024, 2048
	for _, k := range rowsTests {
		for _, s := range kernel.Sets() {
			for _, n := range []int{16, 64, 128, 256, 512, 1024, 2048} {
				c := benchmarkCase(k, n)
				c.Prefetch = n >= farOrder
				b.Run(fmt.Sprintf("%s/%v/n=%d", k.name, s, n), func(b *testing.B) {
					for b.Loop() {
						for i := 0; i < n; i += rowsOfCall {
							for j := 0; j < n; j += colsOfCall {
								part := c.part(k.width, i, min(rowsOfCall, n-i), j, min(colsOfCall, n-j))
								part.run(s, k)
							}
						}
					}
					products := 0
					if k.dots {
						products += k.width
					}
					if k.axpys {
						products += k.width
					}
					kerneltest.ReportRate(b, 2*products*n*n)
				})
			}
		}
	}
}

// benchmarkCase returns operands that stay finite however often they are updated.
func benchmarkCase(k rowsTest, n int) *rowsCase[float64] {
	rng := rand.New(rand.NewPCG(9, 0))
	c := &rowsCase[float64]{Rows: Rows[float64]{Count: n, Cols: n, Stride: n, A: make([]float64, n*n)},
		sums: make([]float64, 2*n), alpha: make([]float64, 2*n)}
	kerneltest.FillNormal(rng, c.A)
	for v := range 2 {
		c.x[v], c.y[v] = make([]float64, n), make([]float64, n)
		kerneltest.FillNormal(rng, c.x[v])
	}
	return c
}

func BenchmarkVector(b *testing.B) {
	rng := rand.New(rand.NewPCG(10, 0))
	for _, s := range kernel.Sets() {
		for _, n := range []int{64, 1024, 16384} {
			x := make([]float64, n)
			kerneltest.FillNormal(rng, x)
			for name, f := range map[string]func(){
				"Scale":      func() { Scale(s, 1, x) },
				"SumAbs":     func() { SumAbs(s, x) },
				"SumSquares": func() { SumSquares(s, x) },
				"MaxAbs":     func() { MaxAbs(s, x) },
			} {
				b.Run(fmt.Sprintf("%s/%v/n=%d", name, s, n), func(b *testing.B) {
					for b.Loop() {
						f()
					}
					kerneltest.ReportRate(b, n)
				})
			}
		}
	}
}
