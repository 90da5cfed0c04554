package batch

import (
	"math"

	"trnsci/core/kernel/givens"
)

// diagonalizeLane is Diagonalize for a lane, with the squares of the off-diagonal elements in E. It passes the
// rotations of each sweep to rotate: rotation i acts on rows first+i and first+i+1, and the last one is applied first.
// Without vectors there are none.
func (p *Problem) diagonalizeLane(lane, sweeps int, rotate func(first int,
	rotations []givens.Rotation[float64])) (found int) {
	step := p.Width
	n, first, count, sign := p.Order, 0, 0, 1.0
	d, e := p.D[lane:], p.E[lane:]
	var rotations []givens.Rotation[float64]
	if p.Cols > 0 {
		rotations = make([]givens.Rotation[float64], n)
	}
	for {
		floor := smallest
		if count >= patience {
			floor = p.Floor[lane]
		}
		for first < n-1 && smallCoupling(d, e, first, step, floor) {
			first++
			count, sign = 0, 1
		}
		if first == n-1 {
			return n
		}
		if sweeps == 0 {
			return first
		}
		sweeps--
		count++
		last := first + 1
		for last < n-1 && !smallCoupling(d, e, last, step, floor) {
			last++
		}
		own := rotations[:min(last-first, len(rotations))]
		sign = RationalSweep(d[first*step:], e[first*step:], last-first, step, sign, own)
		if len(own) > 0 {
			rotate(first, own)
		}
	}
}

// smallCoupling reports whether the element between i and i+1, whose square is in e, is negligible, and then sets it to
// zero.
func smallCoupling(d, e []float64, i, step int, floor float64) bool {
	i *= step
	if e[i] > math.FMA(unitRoundoff*unitRoundoff, math.Abs(d[i]*d[i+step]), floor) {
		return false
	}
	e[i] = 0
	return true
}

// RationalSweep does an implicit QL step with Wilkinson's shift on the rows 0 to last of a tridiagonal matrix with the
// diagonal d and the squares e of its off-diagonal elements, both with the given step. It stores the rotations, to be
// applied from the last row to the first, unless rotations is empty. sign is that of the first off-diagonal element;
// the others are positive. It returns the sign of the first one afterwards.
//
// Method: Parlett, The Symmetric Eigenvalue Problem, section 8.15. In his terms c and s are the squares of a cosine and
// a sine, square is pi^2, and gamma is pi times the previous cosine. With t = gamma'/c nothing waits for more than one
// division: the next square is t gamma'. A fused multiply-add would cost a function call here, or a test whether the
// processor has one. If c vanishes, square is its limit for small c.
func RationalSweep(d, e []float64, last, step int, sign float64, rotations []givens.Rotation[float64]) (after float64) {
	root := math.Sqrt(e[0])
	shift := (d[step] - d[0]) / (root + root)
	shift = d[0] - root/(shift+math.Copysign(math.Sqrt(math.FMA(shift, shift, 1)), shift))
	gamma := d[last*step] - shift
	square := gamma * gamma
	c, s, direction := 1.0, 0.0, 1.0
	for i := last - 1; i >= 0; i-- {
		at, next := i*step, (i+1)*step
		coupling := e[at]
		r := square + coupling
		e[next] = s * r
		distance, inverse := d[at]-shift, 1/r
		before := c
		c, s = square*inverse, coupling*inverse
		t := distance - float64(coupling/square*gamma)
		turned := c * t
		square = turned * t
		if c < smallest {
			turned, square = -gamma, before*coupling // with the sign of a gamma that is zero
		}
		if len(rotations) > 0 {
			direction = math.Copysign(direction, direction*gamma)
			rotations[i] = givens.Rotation[float64]{C: math.Copysign(c, direction), S: s}
		}
		d[next] = gamma + (d[at] - turned)
		gamma = turned
	}
	e[0] = s * square
	d[0] = shift + gamma
	if len(rotations) == 0 {
		return 1
	}
	for i, squares := range rotations {
		rotations[i] = laneRotation(squares)
	}
	rotations[0].S *= sign
	return sign * math.Copysign(direction, direction*gamma)
}

// laneRotation returns the rotation with the squares of the given cosine, whose sign it takes, and sine.
func laneRotation(squares givens.Rotation[float64]) givens.Rotation[float64] {
	cosine, sine := math.Copysign(math.Sqrt(math.Abs(squares.C)), squares.C), math.Sqrt(squares.S)
	lack := 0.5 * math.FMA(-sine, sine, math.FMA(-cosine, cosine, 1))
	return givens.Rotation[float64]{C: math.FMA(lack, cosine, cosine), S: -math.FMA(lack, sine, sine)}
}

// rotateLane applies rotations to a lane's vectors from row first on. Products are rounded where Rotate rounds them.
func (p *Problem) rotateLane(lane, first int, rotations []givens.Rotation[float64]) {
	step := p.Width
	size := p.Cols * step
	for k := len(rotations) - 1; k >= 0; k-- {
		i, c, s := first+k, rotations[k].C, -rotations[k].S
		x, y := p.Vectors[i*size:(i+1)*size], p.Vectors[(i+1)*size:(i+2)*size]
		for j := lane; j < size; j += step {
			x[j], y[j] = math.FMA(-s, y[j], c*x[j]), math.FMA(c, y[j], s*x[j])
		}
	}
}
