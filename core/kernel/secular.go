package kernel

import (
	"fmt"
)

// Poles are the poles and weights of a secular function
//
//	f(x) = constant + sum_j Weights[j] / (At[j] - x)
//
// of a diagonal matrix plus one of rank one. An x is given as the sum of an origin, which is one of the poles, and a shift, so that the
// difference to the poles nearby, (At[j] - origin) - shift, has all its digits. Both slices have the same length, a multiple of
// PoleGroup; what is added to get there are poles of weight 0 far from every x.
type Poles struct{ At, Weights []float64 }

// PoleGroup divides the number of poles that the kernels take.
const PoleGroup = 8

func (p Poles) check() {
	if n := len(p.At); len(p.Weights) != n || n%PoleGroup != 0 {
		panic(fmt.Sprintf("kernel: %d poles with %d weights", n, len(p.Weights)))
	}
}

// SecularVector stores Weights[j] / ((At[j] - origin) - shift) in the first elements of x, and returns the sum of their squares.
func SecularVector(s Set, p Poles, origin, shift float64, x []float64) (squares float64) {
	p.check()
	if len(x) < len(p.At) {
		panic(fmt.Sprintf("kernel: %d poles for a vector of %d", len(p.At), len(x)))
	}
	if s == Go || len(p.At) == 0 {
		return secularVectorGo(p, origin, shift, x)
	}
	return secularVectorAssembly(s, p, origin, shift, x)
}

func secularVectorGo(p Poles, origin, shift float64, x []float64) (squares float64) {
	weights := p.Weights[:len(p.At)]
	for j, at := range p.At {
		x[j] = weights[j] / ((at - origin) - shift)
		squares += x[j] * x[j]
	}
	return squares
}

// SecularWeights stores in Weights[first:first+PoleGroup] the products over all k of
//
//	((At[j] - origins[k]) - shifts[k]) / (At[j] - At[k])
//
// where the divisor for k = j is 1. No other two poles are equal.
func SecularWeights(s Set, p Poles, origins, shifts []float64, first int) {
	p.check()
	if count := len(origins); len(shifts) != count || count > len(p.At) || first%PoleGroup != 0 || first < 0 || first >= len(p.At) {
		panic(fmt.Sprintf("kernel: %d origins, %d shifts and first %d for %d poles", len(origins), len(shifts), first, len(p.At)))
	}
	if s == Go || len(origins) == 0 {
		secularWeightsGo(p, origins, shifts, first)
		return
	}
	secularWeightsAssembly(s, p, origins, shifts, first)
}

func secularWeightsGo(p Poles, origins, shifts []float64, first int) {
	for j := first; j < first+PoleGroup; j++ {
		at, product := p.At[j], 1.0
		for k, origin := range origins {
			divisor := at - p.At[k]
			if divisor == 0 {
				divisor = 1
			}
			product *= ((at - origin) - shifts[k]) / divisor
		}
		p.Weights[j] = product
	}
}
