package schur

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"trnsci/core/kernel"
	"trnsci/core/numtest"
)

func TestZY(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	set := kernel.Best()
	for _, n := range []int{384, 500, 1000} {
		s := paddedStride[float64](n)
		x := numtest.Random[float64](rng, n, s).Data
		v, w := numtest.Random[float64](rng, n, 1).Data, numtest.Random[float64](rng, n, 1).Data
		y, z := make([]float64, n), make([]float64, n)
		for _, both := range []bool{false, true} {
			for _, far := range []bool{false, true} {
				for _, rows := range []int{8, 16, 32, 64, 128} {
					for _, updown := range []bool{false, true} {
						best := time.Duration(1 << 60)
						for range 40 {
							t0 := time.Now()
							for rep := range 2 {
								for i := 0; i < n; i += rows {
									k := i
									if updown && rep == 1 {
										k = (n-1)/rows*rows - i
									}
									r := kernel.Rows[float64]{Count: min(rows, n-k), Cols: n, Stride: s, A: x[k*s:], Far: far}
									if both {
										kernel.DotsAxpys(set, &r, v, y[k:], w[k:], z)
									} else {
										kernel.Dots(set, &r, v, y[k:])
									}
								}
							}
							best = min(best, time.Since(t0)/2)
						}
						fmt.Printf("Y n=%d both=%v far=%v rows=%d updown=%v %v %.1f GB/s\n", n, both, far, rows, updown, best, float64(n*n*8)/float64(best.Nanoseconds()))
					}
				}
			}
		}
	}
}
