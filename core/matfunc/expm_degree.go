package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

// padeBound says up to which norm the diagonal Padé approximant of a degree has a backward error of at most a rounding
// error.
type padeBound struct {
	degree int
	theta  float64
}

// highestDegree is the one whose approximant is computed from powers up to the sixth alone.
const highestDegree = 13

// The bounds of Higham, SIAM J. Matrix Anal. Appl. 26, 2005, table 2.3, that for degree 13 lowered as Al-Mohy and
// Higham propose (2009, section 3), and of Higham, Functions of Matrices, table 10.4, for single precision.
var (
	doubleBounds = []padeBound{
		{3, 1.495585217958292e-2}, {5, 2.539398330063230e-1}, {7, 9.504178996162932e-1}, {9,
			2.097847961257068}, {highestDegree, 4.25},
	}
	singleBounds = []padeBound{{3, 4.258730016922831e-1}, {5, 1.880152677804762}, {7, 3.925724783138660}}
)

// padeCoefficients returns b_0 = 1 to b_m of the numerator of the approximant of degree m; that of the denominator has
// alternating signs.
func padeCoefficients(m int) []float64 {
	b := make([]float64, m+1)
	b[0] = 1
	for j := 1; j <= m; j++ {
		b[j] = b[j-1] * float64(m-j+1) / float64((2*m-j+1)*j) // b_j = (2m - j)! m! / ((2m)! (m - j)! j!)
	}
	return b
}

// errorConstant returns the modulus of the first coefficient of the backward error series of degree m: 1 /
// (binomial(2m, m) (2m+1)!).
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
//
// A degree counts on max(d_k, d_(k+1)), where d_k is the root of order 2k of the norm of A^2k; there are two such k for
// the highest degrees. d_2 and d_3 come with the powers that are computed, d_4 is at most d_2 and d_5 at most max(d_2,
// d_3): only if these are too large, d_4 and d_5 themselves are looked at.
func (e *exponential[T]) choose() (degree int, err error) {
	if e.shape != full {
		e.origin = diagonalsOf(e.a, e.shape)
	}
	e.lowerNorm()
	bounds := doubleBounds
	if dense.IsSingle[T]() {
		bounds = singleBounds
	}
	a2, a4, a6 := e.powers[0], e.powers[1], e.powers[2]
	if err := e.multiply(e.a, e.a, a2); err != nil {
		return 0, err
	}
	norm2 := infinityNorm(a2)
	if e.fits(bounds[0], math.Sqrt(norm2)) {
		return bounds[0].degree, nil
	}
	if err := e.multiply(a2, a2, a4); err != nil {
		return 0, err
	}
	norm4 := infinityNorm(a4)
	d2 := root(norm4, 4)
	if e.fits(bounds[1], max(d2, root(norm2*norm4, 6))) {
		return bounds[1].degree, nil
	}
	if err := e.multiply(a2, a4, a6); err != nil {
		return 0, err
	}
	d3, d4 := root(infinityNorm(a6), 6), d2
	exact := false // d4 is no bound any more
	for _, bound := range bounds[2:] {
		if bound.degree == highestDegree {
			break
		}
		if !exact && e.scaling == 0 && d3 <= bound.theta && bound.theta < d4 {
			if d4, err = e.rootOfProduct(8, a4, a4); err != nil {
				return 0, err
			}
			exact = true
		}
		if !e.fits(bound, max(d3, d4)) {
			continue
		}
		if bound.degree == 9 {
			err = e.multiply(a4, a4, e.powers[3])
		}
		return bound.degree, err
	}
	return e.chooseScaling(bounds[len(bounds)-1], d2, d3, d4, exact)
}

// chooseScaling scales A and its powers for the degree of the bound, where d4 is exact or a bound itself.
func (e *exponential[T]) chooseScaling(bound padeBound, d2, d3, d4 float64, exact bool) (degree int, err error) {
	halvings := func(size float64) float64 { return max(float64(-e.scaling), math.Ceil(math.Log2(size/bound.theta))) }
	least := max(float64(-e.scaling), e.leastScaling(bound.degree))
	size := max(d3, d4)
	if !exact && halvings(size) > least && d4 > d3 {
		if d4, err = e.rootOfProduct(8, e.powers[1], e.powers[1]); err != nil {
			return 0, err
		}
		size, exact = max(d3, d4), true
	}
	if exact && bound.degree == highestDegree && halvings(size) > least && halvings(d4) < halvings(size) {
		d5, err := e.rootOfProduct(10, e.powers[1], e.powers[2])
		if err != nil {
			return 0, err
		}
		size = min(size, max(d4, d5))
	}
	if shift := max(least, halvings(size)); shift != 0 {
		e.scale(int(shift))
	}
	return bound.degree, nil
}

// root returns the k-th root of x.
func root(x float64, k int) float64 { return math.Pow(x, 1/float64(k)) }

// rootOfProduct returns the root of order k of the norm of a product, exact or estimated.
func (e *exponential[T]) rootOfProduct(k int, a, b dense.Matrix[T]) (float64, error) {
	norm, err := e.productNorm(a, b)
	return root(norm, k), err
}

// lowerNorm scales A by a power of two so that its powers do not overflow, and notes its norm.
func (e *exponential[T]) lowerNorm() {
	const step = 64
	for {
		e.norm = infinityNorm(e.a)
		shift := step
		if !math.IsInf(e.norm, 0) {
			if _, shift = math.Frexp(e.norm / largestNorm[T]()); shift <= 0 {
				return
			}
		}
		e.scaleBy(e.a, -shift)
		e.scaling += shift
	}
}

// fits reports whether the bound admits A as it came, where size is what counts for the degree.
func (e *exponential[T]) fits(bound padeBound, size float64) bool {
	return e.scaling == 0 && size <= bound.theta && e.leastScaling(bound.degree) <= 0
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
		rows := vector.Rows[R]{Count: count, Cols: last - first, Stride: len(y), A: powers[first:]}
		vector.Axpys(kernel.Best(), &rows, alpha, y[first:last])
	}
}
