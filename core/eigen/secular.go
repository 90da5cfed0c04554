package eigen

import (
	"math"

	"trnsci/core/kernel"
)

const (
	// A value of the secular function below this many units of rounding errors of the sum of the moduli of its terms is zero; the second number
	// is for each pole. The sums of the kernels have errors of this size, and the vectors are orthogonal for much larger ones, as the
	// weights are computed again from the roots.
	secularErrors, secularErrorsPerPole = 16, 1.0 / 32
	// Four steps are typical. With a halving of the bracket in every second step at least this many are never taken.
	maxSecularSteps = 250
)

// secular is the function f(x) = 1/rho + sum_j z_j^2 / (d_j - x), which has a root between each two neighbours of its ascending poles d and
// one behind the last of them.
type secular struct {
	poles   kernel.Poles // with weights z^2 > 0
	count   int          // poles, less those that fill up a group
	inverse float64      // 1/rho > 0
	reach   float64      // the last root is closer than this to the last pole
}

// bracket is where a root is sought: x, low and high are distances from the pole origin, left and right those of the poles around the root.
type bracket struct{ origin, left, right, low, x, high float64 }

// root returns root k as a sum of one of the poles next to it, the nearer one, and a shift with a small relative error.
//
// Method: Li, "Solving secular equations stably and efficiently", LAPACK Working Note 89, 1993: the sums over the poles on either side are
// interpolated, values and slopes, by a constant and the pole next to the root, the middle way. A step that leaves the
// bracket, and one that follows a step without much progress, halves the bracket instead.
func (s *secular) root(k int) (origin, shift float64) {
	b := s.start(k)
	tolerance := unitRoundoff * (secularErrors + secularErrorsPerPole*float64(s.count))
	previous := math.Inf(1)
	for range maxSecularSteps {
		sums := kernel.Secular(kernel.Best(), s.poles, b.origin, b.x)
		f, slope := s.inverse+sums.Below+sums.Above, sums.SlopeBelow+sums.SlopeAbove
		if math.Abs(f) <= tolerance*(s.inverse-sums.Below+sums.Above) || math.Abs(f) <= unitRoundoff*math.Abs(b.x)*slope {
			break
		}
		if f < 0 {
			b.low = b.x
		} else {
			b.high = b.x
		}
		next := b.x + s.step(&b, k, f, &sums)
		if !(b.low < next && next < b.high) || math.Abs(f) > previous/2 {
			next = b.low + (b.high-b.low)/2
		}
		if next == b.x {
			break
		}
		b.x, previous = next, math.Abs(f)
	}
	return b.origin, b.x
}

// start chooses the origin for root k and a first x, by the sign of f in the middle and with the poles far away taken to have the sum
// that they have there.
func (s *secular) start(k int) bracket {
	d, weights := s.poles.At, s.poles.Weights
	gap, weight, nextWeight := s.reach, weights[k], 0.0
	if k+1 < s.count {
		gap, nextWeight = d[k+1]-d[k], weights[k+1]
	}
	middle := gap / 2
	sums := kernel.Secular(kernel.Best(), s.poles, d[k], middle)
	f := s.inverse + sums.Below + sums.Above
	far := f + weight/middle - nextWeight/middle
	b := bracket{origin: d[k], right: gap, high: middle}
	var x float64
	if f < 0 && k+1 < s.count {
		b = bracket{origin: d[k+1], left: -gap, low: -middle}
		x = quadraticRoot(far, weight+nextWeight-far*gap, -nextWeight*gap)
	} else {
		if f < 0 {
			b.low, b.high = middle, gap
		}
		x = quadraticRoot(far, weight+nextWeight+far*gap, weight*gap)
	}
	if !(b.low < x && x < b.high) {
		x = b.low + (b.high-b.low)/2
	}
	b.x = x
	return b
}

// step returns how far the interpolating function has its root from x. The result may be anything where it has none.
func (s *secular) step(b *bracket, k int, f float64, sums *kernel.SecularSums) float64 {
	left, right := b.left-b.x, b.right-b.x
	if k+1 == s.count {
		return left + left*left*sums.SlopeBelow/(f-left*sums.SlopeBelow)
	}
	slope := sums.SlopeBelow + sums.SlopeAbove
	constant := f - left*sums.SlopeBelow - right*sums.SlopeAbove
	eta := quadraticRoot(constant, (left+right)*f-left*right*slope, left*right*f)
	if f*eta >= 0 { // by rounding errors
		eta = -f / slope
	}
	return eta
}

// quadraticRoot returns the root of c x^2 - a x + b with the smaller modulus if a > 0, else the larger one if c > 0.
func quadraticRoot(c, a, b float64) float64 {
	root := math.Sqrt(max(0, a*a-4*b*c))
	if a > 0 {
		return 2 * b / (a + root)
	}
	return (a - root) / (2 * c)
}
