package kernel

import "math"

// The kernels of LaneProblem for real matrices in plain Go, one lane after another. Products are rounded where the assembly rounds them.

// reduceReal is Reduce for a real lane.
func (p *LaneProblem) reduceReal(lane int) {
	n := p.Order
	d, e, tau, y := p.D[lane:], p.E[lane:], p.Tau[lane:], p.Work[lane:]
	for k := n - 1; ; k-- {
		v := p.A[k*n*Lanes+lane:]
		d[k*Lanes] = v[k*Lanes]
		if k == 0 {
			return
		}
		e[(k-1)*Lanes], tau[(k-1)*Lanes] = realReflection(v, k)
		for i := range k {
			row, own, sum := p.A[i*n*Lanes+lane:], v[i*Lanes], 0.0
			for j := 0; j < i*Lanes; j += Lanes {
				sum = math.FMA(v[j], row[j], sum)
				y[j] = math.FMA(own, row[j], y[j])
			}
			y[i*Lanes] = math.FMA(own, row[i*Lanes], sum)
		}
		laneCombination(tau[(k-1)*Lanes], v, y, k*Lanes, Lanes)
		for i := range k {
			row, vi, wi := p.A[i*n*Lanes+lane:], v[i*Lanes], y[i*Lanes]
			for j := 0; j <= i*Lanes; j += Lanes {
				row[j] = math.FMA(-wi, v[j], math.FMA(-vi, y[j], row[j]))
			}
		}
	}
}

// realReflection makes the first k numbers of x the vector v of a reflection I - tau v v^T that leaves nothing of them but the last one, the coupling.
func realReflection(x []float64, k int) (coupling, tau float64) {
	sum, last := 0.0, (k-1)*Lanes
	for j := 0; j < last; j += Lanes {
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
	n := p.Order
	for i := range n {
		row := p.Vectors[i*n*Lanes+lane:]
		for j := range n {
			row[j*Lanes] = 0
		}
		row[i*Lanes] = 1
	}
	for k := 1; k < n; k++ {
		v, tau := p.A[k*n*Lanes+lane:], p.Tau[(k-1)*Lanes+lane]
		for i := range k {
			x, sum := p.Vectors[i*n*Lanes+lane:], 0.0
			for j := 0; j < k*Lanes; j += Lanes {
				sum = math.FMA(x[j], v[j], sum)
			}
			sum *= tau
			for j := 0; j < k*Lanes; j += Lanes {
				x[j] = math.FMA(-sum, v[j], x[j])
			}
		}
	}
}

// directReal is Direct for a real lane.
func (p *LaneProblem) directReal(lane int) {
	n := p.Order
	for i := range n {
		x, largest := p.Vectors[i*n*Lanes+lane:], 0.0
		for j := range n {
			largest = max(largest, math.Abs(x[j*Lanes]))
		}
		limit, first := lanePhaseSlack*largest, 0
		for math.Abs(x[first*Lanes]) < limit {
			first++
		}
		sign := math.Copysign(1, x[first*Lanes])
		for j := range n {
			x[j*Lanes] = sign*x[j*Lanes] + 0 // no negative zeros
		}
	}
}

// iterateGo is Iterate for a lane.
func (p *LaneProblem) iterateGo(lane, sweeps int) (found int) {
	n, first, count := p.Order, 0, 0
	d, e := p.D[lane:], p.E[lane:]
	for {
		floor := laneSmallest
		if count >= laneSweeps {
			floor = p.Floor[lane]
		}
		for first < n-1 && smallCoupling(d, e, first, floor) {
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
		for last < n-1 && !smallCoupling(d, e, last, floor) {
			last++
		}
		p.sweepGo(lane, first, last)
	}
}

// smallCoupling reports whether the coupling of i and i+1 is negligible, and sets it to zero then.
func smallCoupling(d, e []float64, i int, floor float64) bool {
	i *= Lanes
	if e[i]*e[i] > math.FMA(laneRoundoff*laneRoundoff, math.Abs(d[i]*d[i+Lanes]), floor) {
		return false
	}
	e[i] = 0
	return true
}

// sweepGo does an implicit QL step on the rows first to last of a lane. It ends early where the matrix falls apart.
func (p *LaneProblem) sweepGo(lane, first, last int) {
	d, e := p.D[lane:], p.E[lane:]
	head, coupling := d[first*Lanes], e[first*Lanes]
	g := (d[(first+1)*Lanes] - head) / (coupling + coupling)
	g += math.Copysign(math.Sqrt(math.FMA(g, g, 1)), g)
	g = (d[last*Lanes] - head) + coupling/g
	s, c, shifted := 1.0, 1.0, 0.0
	for i := last - 1; i >= first; i-- {
		at, next := i*Lanes, (i+1)*Lanes
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
	d[first*Lanes] -= shifted
	e[first*Lanes] = g
}

// laneRotation returns the rotation that takes (f, g) to (0, r), given 1/r.
func laneRotation(f, g, inverse float64) (s, c float64) {
	s, c = f*inverse, g*inverse
	lack := 0.5 * math.FMA(-s, s, math.FMA(-c, c, 1))
	return math.FMA(lack, s, s), math.FMA(lack, c, c)
}

// rotateLane replaces the rows (x, y) number i and i+1 of a lane's vectors by (c x - s y, c y + s x).
func (p *LaneProblem) rotateLane(lane, i int, c, s float64) {
	size := p.Cols * Lanes
	x, y := p.Vectors[i*size:(i+1)*size], p.Vectors[(i+1)*size:(i+2)*size]
	for j := lane; j < size; j += Lanes {
		x[j], y[j] = math.FMA(x[j], c, -(s*y[j])), math.FMA(y[j], c, s*x[j])
	}
}
