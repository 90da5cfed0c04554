package denominators

import (
	"fmt"
	"math"
	"testing"
)

// geometric returns n numbers from low to high whose neighbours have one ratio.
func geometric(low, high float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = low * math.Pow(high/low, float64(i)/float64(n-1))
	}
	x[n-1] = high
	return x
}

var ratios = []float64{1.001, 2, 10, 100, 1e3, 1e4, 1e8, 1e12}

// The formula for the error holds for any points: the sum of products is compared with 1/(x + y) itself.
func TestSumHasTheErrorItClaims(t *testing.T) {
	for _, ratio := range ratios {
		for _, n := range []int{1, 2, 3, 6, 7, 19} {
			low, high := 0.3, 0.3*ratio
			x := geometric(low, high, 101)
			points := ZolotarevPoints(n, low, high)
			factors := make([][]float64, n)
			residual := make([]float64, len(x))
			for i := range x {
				for k := range factors {
					factors[k] = append(factors[k], CholeskyFactor(points[:k+1], x[i]))
				}
				residual[i] = Residual(points, x[i])
			}
			for i := range x {
				for j := range x {
					sum := 0.0
					for _, f := range factors {
						sum += f[i] * f[j]
					}
					got := 1 - sum*(x[i]+x[j])
					if want := residual[i] * residual[j]; math.Abs(got-want) > 4*float64(n+4)*0x1p-52 {
						t.Fatalf("ratio %g, %d points: relative error %g at (%g, %g), want %g", ratio, n, got, x[i],
							x[j], want)
					}
				}
			}
		}
	}
}

// A best approximation attains its largest error at n+1 places, with alternating signs (Chebyshev); and it is below the
// bound 2 exp(-pi^2 n / (2 log(4 ratio))) of B. Beckermann and A. Townsend, SIAM Review 61, 319 (2019), section 3. At
// the largest ratios the points are less exact, which costs the optimum a part in 10^5.
func TestZolotarevPointsAreTheBest(t *testing.T) {
	for _, ratio := range ratios {
		for n := 1; n <= 21; n++ {
			name := fmt.Sprintf("ratio %g, %d points", ratio, n)
			points := ZolotarevPoints(n, 1, ratio)
			middle := points[0] / math.Sqrt(ratio)
			if n%2 == 0 {
				middle *= points[1] / math.Sqrt(ratio)
			}
			if len(points) != n || math.Abs(middle-1) > 4e-16 {
				t.Fatalf("%s: %v", name, points)
			}
			x := geometric(1, ratio, 20001)
			most, _ := LargestResidual(points, x)
			if limit := (1 + 2e-5) * 2 * math.Exp(-math.Pi*math.Pi*float64(n)/(2*math.Log(4*ratio))); most > limit || most <= 0 {
				t.Errorf("%s: largest residual %g, limit %g", name, most, limit)
			}
			var residual []float64
			for _, x := range x {
				residual = append(residual, Residual(points, x))
			}
			if extrema := alternations(residual, most); most > 1e-14 && extrema != n+1 {
				t.Errorf("%s: the largest residual %g is attained %d times with alternating signs, want %d", name, most,
					extrema, n+1)
			}
		}
	}
}

// alternations counts how often a sequence goes from a largest modulus to one of the other sign. The places miss an
// extremum by a little.
func alternations(values []float64, most float64) int {
	count, sign := 0, 0.0
	for _, v := range values {
		if math.Abs(v) > 0.99*most && v*sign <= 0 {
			count, sign = count+1, v
		}
	}
	return count
}
