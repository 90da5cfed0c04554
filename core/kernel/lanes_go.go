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
	for i := range n {
		row := p.Vectors[i*n*step+lane:]
		for j := range n {
			row[j*step] = 0
		}
		row[i*step] = 1
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

// iterateGo is Iterate for a lane.
func (p *LaneProblem) iterateGo(lane, sweeps int) (found int) {
	step := p.Width
	n, first, count := p.Order, 0, 0
	d, e := p.D[lane:], p.E[lane:]
	for {
		floor := laneSmallest
		if count >= laneSweeps {
			floor = p.Floor[lane]
		}
		for first < n-1 && smallCoupling(d, e, first, step, floor) {
			first++
			count = 0
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
		p.sweepGo(lane, first, last)
	}
}

// smallCoupling reports whether the coupling of i and i+1 is negligible, and sets it to zero then.
func smallCoupling(d, e []float64, i, step int, floor float64) bool {
	i *= step
	if e[i]*e[i] > math.FMA(laneRoundoff*laneRoundoff, math.Abs(d[i]*d[i+step]), floor) {
		return false
	}
	e[i] = 0
	return true
}

// sweepGo does an implicit QL step on the rows first to last of a lane. It ends early where the matrix falls apart.
func (p *LaneProblem) sweepGo(lane, first, last int) {
	step := p.Width
	d, e := p.D[lane:], p.E[lane:]
	head, coupling := d[first*step], e[first*step]
	g := (d[(first+1)*step] - head) / (coupling + coupling)
	g += math.Copysign(math.Sqrt(math.FMA(g, g, 1)), g)
	g = (d[last*step] - head) + coupling/g
	s, c, shifted := 1.0, 1.0, 0.0
	for i := last - 1; i >= first; i-- {
		at, next := i*step, (i+1)*step
		f, b := s*e[at], c*e[at]
		square := math.FMA(g, g, f*f)
		behind := d[next] - shifted
		if square < laneSmallest {
			d[next], e[next], e[at] = behind, 0, b
			return
		}
		r := math.Sqrt(square)
		s, c = laneRotation(f, g, 1/r)
		if i+1 < last {
			e[next] = r
		}
		turned := math.FMA(b+b, c, (d[at]-behind)*s)
		shifted = s * turned
		g = math.FMA(turned, c, -b)
		d[next] = behind + shifted
		p.rotateLane(lane, i, c, s)
	}
	d[first*step] -= shifted
	e[first*step] = g
}

// laneRotation returns the rotation that takes (f, g) to (0, r), given 1/r.
func laneRotation(f, g, inverse float64) (s, c float64) {
	s, c = f*inverse, g*inverse
	lack := 0.5 * math.FMA(-s, s, math.FMA(-c, c, 1))
	return math.FMA(lack, s, s), math.FMA(lack, c, c)
}

// rotateLane replaces the rows (x, y) number i and i+1 of a lane's vectors by (c x - s y, c y + s x).
func (p *LaneProblem) rotateLane(lane, i int, c, s float64) {
	step := p.Width
	size := p.Cols * step
	x, y := p.Vectors[i*size:(i+1)*size], p.Vectors[(i+1)*size:(i+2)*size]
	for j := lane; j < size; j += step {
		x[j], y[j] = math.FMA(x[j], c, -(s*y[j])), math.FMA(y[j], c, s*x[j])
	}
}
