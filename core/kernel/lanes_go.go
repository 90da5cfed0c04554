package kernel

import "math"

// The kernels of LaneProblem for real matrices in plain Go, one lane after another. Products are rounded where the assembly rounds them.

// reduceReal is Reduce for a real lane.
func (p *LaneProblem) reduceReal(lane int) {
	step := p.Width
	n := p.Order
	d, e, tau, y := p.D[lane:], p.E[lane:], p.Tau[lane:], p.Work[lane:]
	for k := n - 1; ; k-- {
		v := p.A[k*n*step+lane:]
		d[k*step] = v[k*step]
		if k == 0 {
			return
		}
		e[(k-1)*step], tau[(k-1)*step] = realReflection(v, k, step)
		for i := range k {
			row, own, sum := p.A[i*n*step+lane:], v[i*step], 0.0
			for j := 0; j < i*step; j += step {
				sum = math.FMA(v[j], row[j], sum)
				y[j] = math.FMA(own, row[j], y[j])
			}
			y[i*step] = math.FMA(own, row[i*step], sum)
		}
		laneCombination(tau[(k-1)*step], v, y, k*step, step)
		for i := range k {
			row, vi, wi := p.A[i*n*step+lane:], v[i*step], y[i*step]
			for j := 0; j <= i*step; j += step {
				row[j] = math.FMA(-wi, v[j], math.FMA(-vi, y[j], row[j]))
			}
		}
	}
}

// realReflection makes the first k numbers of x the vector v of a reflection I - tau v v^T that leaves nothing of them but the last one, the coupling.
func realReflection(x []float64, k, step int) (coupling, tau float64) {
	sum, last := 0.0, (k-1)*step
	for j := 0; j < last; j += step {
		sum = math.FMA(x[j], x[j], sum)
	}
	alpha := x[last]
	length := math.Sqrt(math.FMA(alpha, alpha, sum))
	signed := math.Copysign(length, alpha)
	x[last] = alpha + signed
	if sum < laneSmallest {
		return alpha, 0
	}
	return 0 - signed, 1 / (length * (math.Abs(alpha) + length))
}

// laneCombination replaces the product y of the matrix and v, whose parts have the given step, by tau y - tau^2/2 (v^H y) v.
func laneCombination(tau float64, v, y []float64, end, step int) {
	dot := 0.0
	for j := 0; j < end; j += step {
		dot = math.FMA(y[j], v[j], dot)
	}
	factor := tau * dot * (0.5 * tau)
	for j := 0; j < end; j += step {
		y[j] = math.FMA(-factor, v[j], tau*y[j])
	}
}

// formReal is Form for a real lane.
func (p *LaneProblem) formReal(lane int) {
	step := p.Width
	n := p.Order
	one := 1.0
	for i := range n {
		row := p.Vectors[i*n*step+lane:]
		for j := range n {
			row[j*step] = 0
		}
		row[i*step] = one
		one = math.Copysign(one, one*p.E[i*step+lane])
	}
	for k := 1; k < n; k++ {
		v, tau := p.A[k*n*step+lane:], p.Tau[(k-1)*step+lane]
		for i := range k {
			x, sum := p.Vectors[i*n*step+lane:], 0.0
			for j := 0; j < k*step; j += step {
				sum = math.FMA(x[j], v[j], sum)
			}
			sum *= tau
			for j := 0; j < k*step; j += step {
				x[j] = math.FMA(-sum, v[j], x[j])
			}
		}
	}
}

// directReal is Direct for a real lane.
func (p *LaneProblem) directReal(lane int) {
	step := p.Width
	n := p.Order
	for i := range n {
		x, largest := p.Vectors[i*n*step+lane:], 0.0
		for j := range n {
			largest = max(largest, math.Abs(x[j*step]))
		}
		limit, first := lanePhaseSlack*largest, 0
		for math.Abs(x[first*step]) < limit {
			first++
		}
		sign := math.Copysign(1, x[first*step])
		for j := range n {
			x[j*step] = sign*x[j*step] + 0 // no negative zeros
		}
	}
}

// iterateLane is Iterate for a lane, where E has the squares of the couplings. It leaves the rotations of each sweep to rotate: number i is that of rows first+i and first+i+1, and the last one
// comes first. There are none without vectors.
func (p *LaneProblem) iterateLane(lane, sweeps int, rotate func(first int, rotations []Rotation[float64])) (found int) {
	step := p.Width
	n, first, count, sign := p.Order, 0, 0, 1.0
	d, e := p.D[lane:], p.E[lane:]
	var rotations []Rotation[float64]
	if p.Cols > 0 {
		rotations = make([]Rotation[float64], n)
	}
	for {
		floor := laneSmallest
		if count >= laneSweeps {
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

// smallCoupling reports whether the coupling of i and i+1, whose square is in e, is negligible, and sets it to zero then.
func smallCoupling(d, e []float64, i, step int, floor float64) bool {
	i *= step
	if e[i] > math.FMA(laneRoundoff*laneRoundoff, math.Abs(d[i]*d[i+step]), floor) {
		return false
	}
	e[i] = 0
	return true
}

// RationalSweep does an implicit QL step with Wilkinson's shift on the rows 0 to last of a tridiagonal matrix with the diagonal d and the squares e of
// its couplings, both with the given step. It keeps the rotations, for Rotate from the last row to the first, where there is room for them. sign is that of the first coupling; the others are positive. It returns the sign that the first one has afterwards.
//
// Method: Parlett, The Symmetric Eigenvalue Problem, section 8.15. In his terms c and s are the squares of a cosine and a sine, square is pi^2 and gamma is pi times the cosine before. With t = gamma'/c
// nothing waits for more than one division: the next square is t gamma'. Here a fused multiply-add would cost a call of a function, or a look for one. No cosine leads to a square that is the limit for small ones.
func RationalSweep(d, e []float64, last, step int, sign float64, rotations []Rotation[float64]) (after float64) {
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
		if c < laneSmallest {
			turned, square = -gamma, before*coupling // with the sign of a gamma that is zero
		}
		if len(rotations) > 0 {
			direction = math.Copysign(direction, direction*gamma)
			rotations[i] = Rotation[float64]{C: math.Copysign(c, direction), S: s}
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
func laneRotation(squares Rotation[float64]) Rotation[float64] {
	cosine, sine := math.Copysign(math.Sqrt(math.Abs(squares.C)), squares.C), math.Sqrt(squares.S)
	lack := 0.5 * math.FMA(-sine, sine, math.FMA(-cosine, cosine, 1))
	return Rotation[float64]{C: math.FMA(lack, cosine, cosine), S: -math.FMA(lack, sine, sine)}
}

// rotateLane applies rotations to a lane's vectors from row first on. Products are rounded where Rotate rounds them.
func (p *LaneProblem) rotateLane(lane, first int, rotations []Rotation[float64]) {
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
