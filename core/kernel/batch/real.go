package batch

import "math"

// The kernels for real matrices in plain Go, one lane after another. Products are rounded where the assembly rounds
// them.

// reduceReal is Reduce for a real lane.
func (p *Problem) reduceReal(lane int) {
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

// realReflection makes the first k numbers of x the vector v of a reflection I - tau v v^T that leaves nothing of them
// but the last one, the coupling.
func realReflection(x []float64, k, step int) (coupling, tau float64) {
	sum, last := 0.0, (k-1)*step
	for j := 0; j < last; j += step {
		sum = math.FMA(x[j], x[j], sum)
	}
	alpha := x[last]
	length := math.Sqrt(math.FMA(alpha, alpha, sum))
	signed := math.Copysign(length, alpha)
	x[last] = alpha + signed
	if sum < smallest {
		return alpha, 0
	}
	return 0 - signed, 1 / (length * (math.Abs(alpha) + length))
}

// laneCombination replaces the product y of the matrix and v, whose parts have the given step, by tau y - tau^2/2 (v^H
// y) v.
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

// formQReal is FormQ for a real lane.
func (p *Problem) formQReal(lane int) {
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

// fixPhasesReal is FixPhases for a real lane.
func (p *Problem) fixPhasesReal(lane int) {
	step := p.Width
	n := p.Order
	for i := range n {
		x, largest := p.Vectors[i*n*step+lane:], 0.0
		for j := range n {
			largest = max(largest, math.Abs(x[j*step]))
		}
		limit, first := phaseSlack*largest, 0
		for math.Abs(x[first*step]) < limit {
			first++
		}
		sign := math.Copysign(1, x[first*step])
		for j := range n {
			x[j*step] = sign*x[j*step] + 0 // no negative zeros
		}
	}
}
