package secular

import (
	"fmt"
	"math"

	"trnsci/core/kernel"
)

// Roots finds the roots first <= k < end, numbered from 0 like the poles below them. It stores each as the sum of the
// nearer one of the two poles next to it, in origins[k], and a shift of small relative error, in shifts[k]. For k >=
// Count it stores the pole and 0. origins and shifts are as long as the poles; first and end are multiples of
// PoleGroup.
//
// A shift lies strictly between 0 and the middle of the two poles, the last one between 0 and Reach. The root makes all
// terms of f accurate to a few rounding errors, or f smaller than the errors of its sum. Differences of poles and
// weights must be far from overflow and underflow, such as between 1e-100 and 1e100: their products are formed.
//
// Method: Li, "Solving secular equations stably and efficiently", LAPACK Working Note 89, 1993, with the fixed weight
// of the nearer pole: value and slope of f are interpolated by a constant, that pole with its own weight, and the pole
// on the other side of the root. A step that leaves the bracket, or follows a step without much progress, goes to the
// geometric mean of the bracket's ends instead, or to the arithmetic mean where there is none. The error of the
// interpolation grows with the square of the step; after a step for which it is below the limit of a root, f is not
// evaluated again.
//
// Cost: four to five sums over all poles for each group of roots.
func Roots(s kernel.Set, e *Equation, first, end int, origins, shifts []float64) {
	e.check()
	checkRange(e.Poles, origins, shifts, first, end)
	switch {
	case e.Count > len(e.At):
		panic(fmt.Sprintf("secular: %d of %d poles", e.Count, len(e.At)))
	case s == kernel.Go:
		rootsGo(e, first, end, origins, shifts)
	default:
		rootsAssembly(s, e, first, end, origins, shifts)
	}
}

func rootsGo(e *Equation, first, end int, origins, shifts []float64) {
	for k := first; k < end; k++ {
		origins[k], shifts[k] = e.At[k], 0
		if k < e.Count {
			origins[k], shifts[k] = e.root(k)
		}
	}
}

// sideSums are sums over the poles below and above of an x, which is not a pole: of the terms of the secular function,
// and of their derivatives with respect to x. Those of the terms below are not positive, all others are not negative.
type sideSums struct{ below, above, slopeBelow, slopeAbove float64 }

// sums returns the sums at origin + shift.
func (e *Equation) sums(origin, shift float64) (sums sideSums) {
	weights := e.Weights[:len(e.At)]
	for j, at := range e.At {
		difference := (at - origin) - shift
		term := weights[j] / difference
		if slope := term / difference; difference < 0 {
			sums.below += term
			sums.slopeBelow += slope
		} else {
			sums.above += term
			sums.slopeAbove += slope
		}
	}
	return sums
}

// bracket is where a root is sought: x, low and high are distances from the pole origin, other is that of the pole on
// the other side of the root, and near is the weight of the origin.
type bracket struct{ origin, other, near, low, x, high float64 }

// root returns root k.
func (e *Equation) root(k int) (origin, shift float64) {
	b := e.start(k)
	tolerance, previous := e.tolerance(), math.Inf(1)
	for range maxSteps {
		sums := e.sums(b.origin, b.x)
		f, slope := e.Inverse+sums.below+sums.above, sums.slopeBelow+sums.slopeAbove
		limit, modulus, distance := tolerance*(e.Inverse-sums.below+sums.above), math.Abs(f), math.Abs(b.x)
		if modulus <= limit || modulus <= unitRoundoff*distance*slope {
			break
		}
		if f < 0 {
			b.low = b.x
		} else {
			b.high = b.x
		}
		step := b.step(f, slope)
		next, last := b.x+step, 2*slope*step*step <= limit*distance
		if !(b.low < next && next < b.high) || 2*modulus > previous {
			next, last = b.halve(), false
		}
		last = last || next == b.x
		b.x, previous = next, modulus
		if last {
			break
		}
	}
	return b.origin, b.x
}

// start chooses the origin for root k and a first x, by the value in the middle.
func (e *Equation) start(k int) bracket {
	at, next, weight, nextWeight, gap := e.neighbours(k)
	middle := gap / 2
	sums := e.sums(at, middle)
	f, far := e.Inverse+sums.below+sums.above, 0.0
	b := bracket{origin: at, other: gap, near: weight, high: middle}
	if f < 0 && nextWeight != 0 {
		b = bracket{origin: next, other: -gap, near: nextWeight, low: -middle}
	} else if f < 0 {
		b.low, b.high = middle, gap
	}
	if nextWeight != 0 {
		far = max(0, (sums.slopeBelow+sums.slopeAbove)*middle*middle-b.near)
	}
	constant := f + (b.near-far)/(b.other/2)
	b.x = quadraticRoot(constant, constant*b.other+b.near+far, b.near*b.other)
	if !(b.low < b.x && b.x < b.high) {
		b.x = b.low + (b.high-b.low)/2
	}
	return b
}

// step returns how far the interpolating function has its root from x. The result may be anything where it has none.
func (b *bracket) step(f, slope float64) float64 {
	near, other := -b.x, b.other-b.x
	nearTerm := b.near / near
	constant := f - nearTerm - other*(slope-nearTerm/near)
	step := quadraticRoot(constant, (near+other)*f-near*other*slope, near*other*f)
	if !(f*step < 0) { // by rounding errors
		return -f / slope
	}
	return step
}

// halve returns a place well inside the bracket.
func (b *bracket) halve() float64 {
	if mean := b.low * math.Sqrt(b.high/b.low); b.low < mean && mean < b.high {
		return mean
	}
	return b.low + (b.high-b.low)/2
}

// quadraticRoot returns the root of c x^2 - a x + b with the smaller modulus if a > 0, else the larger one if c > 0.
func quadraticRoot(c, a, b float64) float64 {
	root := math.Sqrt(max(0, a*a-4*b*c))
	if a > 0 {
		return 2 * b / (a + root)
	}
	return (a - root) / (2 * c)
}
