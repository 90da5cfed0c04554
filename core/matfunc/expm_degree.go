package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
)

// padeBound says up to which norm the diagonal Padé approximant of a degree has a backward error of at most a rounding error.
type padeBound struct {
	degree int
	theta  float64
}

// highestDegree is the one whose approximant is computed from powers up to the sixth alone.
const highestDegree = 13

// The bounds of Higham, SIAM J. Matrix Anal. Appl. 26, 2005, table 2.3, that for degree 13 lowered as Al-Mohy and Higham propose (2009, section 3), and of
// Higham, Functions of Matrices, table 10.4, for single precision.
var (
	doubleBounds = []padeBound{
		{3, 1.495585217958292e-2}, {5, 2.539398330063230e-1}, {7, 9.504178996162932e-1}, {9, 2.097847961257068}, {highestDegree, 4.25},
	}
	singleBounds = []padeBound{{3, 4.258730016922831e-1}, {5, 1.880152677804762}, {7, 3.925724783138660}}
)

// padeCoefficients returns b_0 = 1 to b_m of the numerator of the approximant of degree m; that of the denominator has alternating signs.
func padeCoefficients(m int) []float64 {
	b := make([]float64, m+1)
	b[0] = 1
	for j := 1; j <= m; j++ {
		b[j] = b[j-1] * float64(m-j+1) / float64((2*m-j+1)*j) // b_j = (2m - j)! m! / ((2m)! (m - j)! j!)
	}
	return b
}

// errorConstant returns the modulus of the first coefficient of the backward error series of degree m: 1 / (binomial(2m, m) (2m+1)!).
func errorConstant(m int) float64 {
	c := 1.0
	for j := 1; j <= m; j++ {
		c *= float64(j) / float64(m+j)
	}
	for j := 2; j <= 2*m+1; j++ {
		c /= float64(j)
	}
	return c
}

// largestNorm is the norm up to which no power up to the tenth overflows.
func largestNorm[T dense.Scalar]() float64 {
	if dense.IsSingle[T]() {
		return 0x1p12
	}
	return 0x1p100
}

// choose computes powers of A, scales A and them, and returns the degree of the approximant.
func (e *exponential[T]) choose() (degree int, err error) {
	if e.shape != full {
		e.origin = diagonalsOf(e.a, e.shape)
	}
	norm := e.lowerNorm()
	bounds := doubleBounds
	if dense.IsSingle[T]() {
		bounds = singleBounds
	}
	a2, a4, a6 := e.powers[0], e.powers[1], e.powers[2]
	if err := e.multiply(e.a, e.a, a2); err != nil {
		return 0, err
	}
	norm2 := infinityNorm(a2)
	if e.fits(bounds[0], math.Sqrt(norm2), norm) {
		return bounds[0].degree, nil
	}
	if err := e.multiply(a2, a2, a4); err != nil {
		return 0, err
	}
	norm4 := infinityNorm(a4)
	root4 := root(norm4, 4)
	if e.fits(bounds[1], max(root4, root(norm2*norm4, 6)), norm) {
		return bounds[1].degree, nil
	}
	if err := e.multiply(a2, a4, a6); err != nil {
		return 0, err
	}
	eighth, err := e.productNorm(a4, a4)
	if err != nil {
		return 0, err
	}
	root8 := root(eighth, 8)
	size := max(root(infinityNorm(a6), 6), root8)
	if e.fits(bounds[2], size, norm) {
		return bounds[2].degree, nil
	}
	last := bounds[len(bounds)-1]
	if last.degree == highestDegree {
		if e.fits(bounds[3], size, norm) {
			return bounds[3].degree, e.multiply(a4, a4, e.powers[3])
		}
		tenth, err := e.productNorm(a4, a6)
		if err != nil {
			return 0, err
		}
		size = min(size, max(root8, root(tenth, 10)))
	}
	more := math.Ceil(math.Log2(size / last.theta))
	more = max(more, float64(-e.scaling))
	if more += e.extraScaling(last.degree, more, norm); more != 0 {
		e.scale(int(more))
	}
	return last.degree, nil
}

// root returns the k-th root of x.
func root(x float64, k int) float64 { return math.Pow(x, 1/float64(k)) }

// lowerNorm scales A by a power of two so that its powers do not overflow and returns its norm.
func (e *exponential[T]) lowerNorm() float64 {
	const step = 64
	for norm := infinityNorm(e.a); ; norm = infinityNorm(e.a) {
		if math.IsInf(norm, 0) {
			e.scaleBy(e.a, -step)
			e.scaling += step
			continue
		}
		_, exponent := math.Frexp(norm / largestNorm[T]())
		if exponent <= 0 {
			return norm
		}
		e.scaleBy(e.a, -exponent)
		e.scaling += exponent
	}
}

// fits reports whether the bound admits A as it came, where size is a norm that counts for the degree.
func (e *exponential[T]) fits(bound padeBound, size, norm float64) bool {
	return e.scaling == 0 && size <= bound.theta && e.extraScaling(bound.degree, 0, norm) == 0
}

// extraScaling returns by how many powers of two A times 2^-shift, A of the given norm, has to be made smaller so that not only the truncation
// errors but rounding errors in the approximant are harmless: the function l of Al-Mohy and Higham, equation (3.9).
func (e *exponential[T]) extraScaling(degree int, shift, norm float64) float64 {
	if norm == 0 {
		return 0
	}
	p := float64(2 * degree)
	excess := math.Log2(errorConstant(degree)) - shift*p - math.Log2(dense.Eps[T]()/2)
	if bound := excess + p*math.Log2(norm); bound <= 0 {
		return 0
	}
	excess += e.logPowerNorm(2*degree+1) - math.Log2(norm)
	return max(0, math.Ceil(excess/p))
}

// logPowerNorm returns log2 of the infinity norm of |A|^p, which is that of |A|^p times a vector of ones.
func (e *exponential[T]) logPowerNorm(p int) float64 {
	moduli := e.work[1]
	setModuli(moduli, e.a)
	x, y := make([]T, e.n), make([]T, e.n)
	for i := range x {
		x[i] = 1
	}
	sum := 0.0
	for range p {
		blas.Gemv(e.team, blas.NoTrans, 1, moduli, dense.Vec(x), 0, dense.Vec(y))
		largest := dense.Abs(y[blas.Iamax(dense.Vec(y))])
		if largest == 0 {
			return math.Inf(-1)
		}
		sum += math.Log2(largest)
		blas.Scal(dense.FromReal[T](1/largest), dense.Vec(y))
		x, y = y, x
	}
	return sum
}

// scale multiplies A and its powers up to the sixth by what belongs to 2^-shift A.
func (e *exponential[T]) scale(shift int) {
	e.scaleBy(e.a, -shift)
	for k, power := range e.powers[:3] {
		e.scaleBy(power, -shift*2*(k+1))
	}
	e.scaling += shift
}

// scaleBy multiplies m by 2^shift, in steps whose factors are in range.
func (e *exponential[T]) scaleBy(m dense.Matrix[T], shift int) {
	const step = 100
	for shift != 0 {
		part := min(max(shift, -step), step)
		blas.Scal(dense.FromReal[T](math.Ldexp(1, part)), dense.Vec(m.Data[:e.n*e.n]))
		shift -= part
	}
}

// combineElements are added up at a time: they stay in the first cache.
const combineElements = 2048

// combine sets m to b_0 I, if that is wanted, plus the sum of b_2k A^2k for k = 1 to count.
func (e *exponential[T]) combine(m dense.Matrix[T], b []float64, count int, identity bool) {
	if dense.IsSingle[T]() {
		combinePowers(dense.Reals[float32](m.Data), dense.Reals[float32](e.block), b, count)
	} else {
		combinePowers(dense.Reals[float64](m.Data), dense.Reals[float64](e.block), b, count)
	}
	if identity {
		for i := range e.n {
			m.Data[i*m.Stride+i] += dense.FromReal[T](b[0])
		}
	}
}

// combinePowers sets y to the sum of b_2k times block k - 1 of the powers, which are as long as y.
func combinePowers[R dense.Float](y, powers []R, b []float64, count int) {
	alpha := make([]R, count)
	for k := range alpha {
		alpha[k] = R(b[2*(k+1)])
	}
	clear(y)
	for first := 0; first < len(y); first += combineElements {
		last := min(len(y), first+combineElements)
		rows := kernel.Rows[R]{Count: count, Cols: last - first, Stride: len(y), A: powers[first:]}
		kernel.Axpys(kernel.Best(), &rows, alpha, y[first:last])
	}
}
