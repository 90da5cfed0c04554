package batch

import "math"

// The kernels for complex matrices in plain Go; the real ones have the comments. An imaginary part is stored one number
// after the real part.

// reduceComplex is Reduce for a complex lane.
func (p *Problem) reduceComplex(lane int) {
	step, pair := p.Width, 2*p.Width
	n := p.Order
	d, e, tau, phases, y := p.D[lane:], p.E[lane:], p.Tau[lane:], p.Phases[lane:], p.Work[lane:]
	phases[(n-1)*pair], phases[(n-1)*pair+step] = 1, 0
	for k := n - 1; ; k-- {
		v := p.A[k*n*pair+lane:]
		d[k*step] = v[k*pair]
		if k == 0 {
			return
		}
		e[(k-1)*step], tau[(k-1)*step] = complexReflection(v, phases, k, step)
		for i := range k {
			laneProduct(p.A[i*n*pair+lane:], v, y, i, step)
		}
		laneCombination(tau[(k-1)*step], v, y, k*pair, step)
		for i := range k {
			laneUpdate(p.A[i*n*pair+lane:], v, y, i, step)
		}
	}
}

// complexReflection makes the conjugates of the first k numbers of x the vector v of a reflection I - tau v v^H that
// leaves nothing of them but the last one. It returns that one's modulus and makes phase k-1 such that the coupling is
// real.
func complexReflection(x, phases []float64, k, step int) (coupling, tau float64) {
	pair := 2 * step
	sum, last := 0.0, (k-1)*pair
	for j := 0; j < last; j += pair {
		re, im := x[j], x[j+step]
		sum = math.FMA(im, im, math.FMA(re, re, sum))
		x[j+step] = 0 - im
	}
	re, im := x[last], 0-x[last+step]
	square := math.FMA(im, im, re*re)
	length, modulus := math.Sqrt(square+sum), math.Sqrt(square)
	inverse := 1 / modulus
	re, im = re*inverse, im*inverse
	if square < smallest {
		re, im, modulus = 1, 0, 0
	}
	longer := length + modulus
	x[last], x[last+step] = re*longer, im*longer
	coupling, tau = length, 1/(longer*length)
	if sum < smallest {
		coupling, tau = modulus, 0
	} else {
		re, im = 0-re, 0-im
	}
	a, b := phases[k*pair], phases[k*pair+step]
	phases[last], phases[last+step] = unitPhase(math.FMA(-b, im, a*re), math.FMA(b, re, a*im))
	return coupling, tau
}

// unitPhase returns a number of modulus 1 close to (re, im), whose modulus differs from that by rounding errors.
func unitPhase(re, im float64) (float64, float64) {
	lack := 0.5 * math.FMA(-im, im, math.FMA(-re, re, 1))
	return math.FMA(lack, re, re), math.FMA(lack, im, im)
}

// laneProduct adds the terms of row i to the product y of the matrix and v: those of its elements in the lower triangle
// and of their mirror images.
func laneProduct(row, v, y []float64, i, step int) {
	pair := 2 * step
	at := i * pair
	vr, vi := v[at], v[at+step]
	sumRe, sumIm := 0.0, 0.0
	for j := 0; j < at; j += pair {
		re, im := row[j], row[j+step]
		x, z := v[j], v[j+step]
		sumRe = math.FMA(-z, im, math.FMA(x, re, sumRe))
		sumIm = math.FMA(x, im, math.FMA(z, re, sumIm))
		y[j] = math.FMA(vi, im, math.FMA(vr, re, y[j]))
		y[j+step] = math.FMA(-vr, im, math.FMA(vi, re, y[j+step]))
	}
	y[at], y[at+step] = math.FMA(vr, row[at], sumRe), math.FMA(vi, row[at], sumIm)
}

// laneUpdate subtracts row i of v w^H + w v^H.
func laneUpdate(row, v, w []float64, i, step int) {
	pair := 2 * step
	at := i * pair
	vr, vi, wr, wi := v[at], v[at+step], w[at], w[at+step]
	for j := 0; j <= at; j += pair {
		x, z, p, q := v[j], v[j+step], w[j], w[j+step]
		row[j] = math.FMA(-z, wi, math.FMA(-q, vi, math.FMA(-x, wr, math.FMA(-p, vr, row[j]))))
		im := j + step
		row[im] = math.FMA(z, wr, math.FMA(-x, wi, math.FMA(q, vr, math.FMA(-p, vi, row[im]))))
	}
}

// formQComplex is FormQ for a complex lane.
func (p *Problem) formQComplex(lane int) {
	step, pair := p.Width, 2*p.Width
	n := p.Order
	for i := range n {
		row := p.Vectors[i*n*pair+lane:]
		for j := range n * p.Parts {
			row[j*step] = 0
		}
		at := i * pair
		row[at], row[at+step] = p.Phases[at+lane], p.Phases[at+step+lane]
	}
	for k := 1; k < n; k++ {
		v, tau := p.A[k*n*pair+lane:], p.Tau[(k-1)*step+lane]
		for i := range k {
			reflectComplex(p.Vectors[i*n*pair+lane:], v, tau, k*pair, step)
		}
	}
}

// reflectComplex replaces x by x - tau (v^H x) v.
func reflectComplex(x, v []float64, tau float64, end, step int) {
	pair := 2 * step
	re, im := 0.0, 0.0
	for j := 0; j < end; j += pair {
		a, b := v[j], v[j+step]
		re = math.FMA(x[j+step], b, math.FMA(x[j], a, re))
		im = math.FMA(-x[j], b, math.FMA(x[j+step], a, im))
	}
	re, im = tau*re, tau*im
	for j := 0; j < end; j += pair {
		a, b := v[j], v[j+step]
		x[j] = math.FMA(im, b, math.FMA(-re, a, x[j]))
		x[j+step] = math.FMA(-im, a, math.FMA(-re, b, x[j+step]))
	}
}

// fixPhasesComplex is FixPhases for a complex lane.
func (p *Problem) fixPhasesComplex(lane int) {
	step, pair := p.Width, 2*p.Width
	n := p.Order
	for i := range n {
		x, largest := p.Vectors[i*n*pair+lane:], 0.0
		square := func(j int) float64 {
			re, im := x[j*pair], x[j*pair+step]
			return math.FMA(im, im, re*re)
		}
		for j := range n {
			largest = max(largest, square(j))
		}
		limit, first := phaseSlack*phaseSlack*largest, 0
		for square(first) < limit {
			first++
		}
		re, im, modulus := x[first*pair], x[first*pair+step], math.Sqrt(square(first))
		re, im = re/modulus, (0-im)/modulus
		for j := 0; j < n*pair; j += pair {
			a, b := x[j], x[j+step]
			x[j], x[j+step] = math.FMA(-b, im, a*re)+0, math.FMA(b, re, a*im)+0 // no negative zeros
		}
		x[first*pair], x[first*pair+step] = modulus, 0
	}
}
