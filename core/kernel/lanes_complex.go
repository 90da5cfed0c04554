package kernel

import "math"

// The kernels of LaneProblem for complex matrices in plain Go: see those for real ones. An imaginary part is Lanes numbers behind the real one.
const (
	lanePair = 2 * Lanes // from a complex number to the next
	laneImag = Lanes
)

// reduceComplex is Reduce for a complex lane.
func (p *LaneProblem) reduceComplex(lane int) {
	n := p.Order
	d, e, tau, phases, y := p.D[lane:], p.E[lane:], p.Tau[lane:], p.Phases[lane:], p.Work[lane:]
	phases[(n-1)*lanePair], phases[(n-1)*lanePair+laneImag] = 1, 0
	for k := n - 1; ; k-- {
		v := p.A[k*n*lanePair+lane:]
		d[k*Lanes] = v[k*lanePair]
		if k == 0 {
			return
		}
		e[(k-1)*Lanes], tau[(k-1)*Lanes] = complexReflection(v, phases, k)
		for i := range k {
			laneProduct(p.A[i*n*lanePair+lane:], v, y, i)
		}
		laneCombination(tau[(k-1)*Lanes], v, y, k*lanePair, Lanes)
		for i := range k {
			laneUpdate(p.A[i*n*lanePair+lane:], v, y, i)
		}
	}
}

// complexReflection makes the conjugates of the first k numbers of x the vector v of a reflection I - tau v v^H that leaves nothing of them but the
// last one. It returns that one's modulus and makes phase k-1 such that the coupling is real.
func complexReflection(x, phases []float64, k int) (coupling, tau float64) {
	sum, last := 0.0, (k-1)*lanePair
	for j := 0; j < last; j += lanePair {
		re, im := x[j], x[j+laneImag]
		sum = math.FMA(im, im, math.FMA(re, re, sum))
		x[j+laneImag] = 0 - im
	}
	re, im := x[last], 0-x[last+laneImag]
	square := math.FMA(im, im, re*re)
	length, modulus := math.Sqrt(square+sum), math.Sqrt(square)
	inverse := 1 / modulus
	re, im = re*inverse, im*inverse
	if square < laneSmallest {
		re, im, modulus = 1, 0, 0
	}
	longer := length + modulus
	x[last], x[last+laneImag] = re*longer, im*longer
	coupling, tau = length, 1/(longer*length)
	if sum < laneSmallest {
		coupling, tau = modulus, 0
	} else {
		re, im = 0-re, 0-im
	}
	a, b := phases[k*lanePair], phases[k*lanePair+laneImag]
	phases[last], phases[last+laneImag] = unitPhase(math.FMA(-b, im, a*re), math.FMA(b, re, a*im))
	return coupling, tau
}

// unitPhase returns a number of modulus 1 close to (re, im), whose modulus differs from that by rounding errors.
func unitPhase(re, im float64) (float64, float64) {
	lack := 0.5 * math.FMA(-im, im, math.FMA(-re, re, 1))
	return math.FMA(lack, re, re), math.FMA(lack, im, im)
}

// laneProduct adds the share of row i to the product y of the matrix and v: of its elements in the lower triangle and their mirror images.
func laneProduct(row, v, y []float64, i int) {
	at := i * lanePair
	vr, vi := v[at], v[at+laneImag]
	sumRe, sumIm := 0.0, 0.0
	for j := 0; j < at; j += lanePair {
		re, im := row[j], row[j+laneImag]
		x, z := v[j], v[j+laneImag]
		sumRe = math.FMA(-z, im, math.FMA(x, re, sumRe))
		sumIm = math.FMA(x, im, math.FMA(z, re, sumIm))
		y[j] = math.FMA(vi, im, math.FMA(vr, re, y[j]))
		y[j+laneImag] = math.FMA(-vr, im, math.FMA(vi, re, y[j+laneImag]))
	}
	y[at], y[at+laneImag] = math.FMA(vr, row[at], sumRe), math.FMA(vi, row[at], sumIm)
}

// laneUpdate subtracts row i of v w^H + w v^H.
func laneUpdate(row, v, w []float64, i int) {
	at := i * lanePair
	vr, vi, wr, wi := v[at], v[at+laneImag], w[at], w[at+laneImag]
	for j := 0; j <= at; j += lanePair {
		x, z, p, q := v[j], v[j+laneImag], w[j], w[j+laneImag]
		row[j] = math.FMA(-z, wi, math.FMA(-q, vi, math.FMA(-x, wr, math.FMA(-p, vr, row[j]))))
		im := j + laneImag
		row[im] = math.FMA(z, wr, math.FMA(-x, wi, math.FMA(q, vr, math.FMA(-p, vi, row[im]))))
	}
}

// formComplex is Form for a complex lane.
func (p *LaneProblem) formComplex(lane int) {
	n := p.Order
	for i := range n {
		row := p.Vectors[i*n*lanePair+lane:]
		for j := range n * p.Parts {
			row[j*Lanes] = 0
		}
		at := i * lanePair
		row[at], row[at+laneImag] = p.Phases[at+lane], p.Phases[at+laneImag+lane]
	}
	for k := 1; k < n; k++ {
		v, tau := p.A[k*n*lanePair+lane:], p.Tau[(k-1)*Lanes+lane]
		for i := range k {
			reflectComplex(p.Vectors[i*n*lanePair+lane:], v, tau, k*lanePair)
		}
	}
}

// reflectComplex replaces x by x - tau (v^H x) v.
func reflectComplex(x, v []float64, tau float64, end int) {
	re, im := 0.0, 0.0
	for j := 0; j < end; j += lanePair {
		a, b := v[j], v[j+laneImag]
		re = math.FMA(x[j+laneImag], b, math.FMA(x[j], a, re))
		im = math.FMA(-x[j], b, math.FMA(x[j+laneImag], a, im))
	}
	re, im = tau*re, tau*im
	for j := 0; j < end; j += lanePair {
		a, b := v[j], v[j+laneImag]
		x[j] = math.FMA(im, b, math.FMA(-re, a, x[j]))
		x[j+laneImag] = math.FMA(-im, a, math.FMA(-re, b, x[j+laneImag]))
	}
}

// directComplex is Direct for a complex lane.
func (p *LaneProblem) directComplex(lane int) {
	n := p.Order
	for i := range n {
		x, largest := p.Vectors[i*n*lanePair+lane:], 0.0
		square := func(j int) float64 {
			re, im := x[j*lanePair], x[j*lanePair+laneImag]
			return math.FMA(im, im, re*re)
		}
		for j := range n {
			largest = max(largest, square(j))
		}
		limit, first := lanePhaseSlack*lanePhaseSlack*largest, 0
		for square(first) < limit {
			first++
		}
		re, im, modulus := x[first*lanePair], x[first*lanePair+laneImag], math.Sqrt(square(first))
		re, im = re/modulus, (0-im)/modulus
		for j := 0; j < n*lanePair; j += lanePair {
			a, b := x[j], x[j+laneImag]
			x[j], x[j+laneImag] = math.FMA(-b, im, a*re)+0, math.FMA(b, re, a*im)+0 // no negative zeros
		}
		x[first*lanePair], x[first*lanePair+laneImag] = modulus, 0
	}
}
