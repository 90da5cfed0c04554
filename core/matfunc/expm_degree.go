package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

// choose computes powers of A, scales A and them, and returns the degree of the approximant.
//
// The choice of a degree depends on max(d_k, d_(k+1)), where d_k is the root of order 2k of the norm of A^2k; there are
// two such k for the highest degrees. d_2 and d_3 come with the powers that are computed, d_4 is at most d_2 and d_5 at
// most max(d_2, d_3): d_4 and d_5 themselves are computed only if these bounds are too large.
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
	exact := false // d4 is still a bound
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

// fits reports whether the bound admits A without scaling; size is the max(d_k, d_(k+1)) of the degree.
func (e *exponential[T]) fits(bound padeBound, size float64) bool {
	return e.scaling == 0 && size <= bound.theta && e.leastScaling(bound.degree) <= 0
}

// scale replaces A and its powers up to the sixth by those of 2^-shift A.
func (e *exponential[T]) scale(shift int) {
	e.scaleBy(e.a, -shift)
	for k, power := range e.powers[:3] {
		e.scaleBy(power, -shift*2*(k+1))
	}
	e.scaling += shift
}

// scaleBy multiplies m by 2^shift, in steps whose factors do not overflow.
func (e *exponential[T]) scaleBy(m dense.Matrix[T], shift int) {
	const step = 100
	for shift != 0 {
		part := min(max(shift, -step), step)
		blas.Scal(dense.FromReal[T](math.Ldexp(1, part)), dense.Vec(m.Data[:e.n*e.n]))
		shift -= part
	}
}

// combineElements is the number of elements that are added up at a time: they stay in the first-level cache.
const combineElements = 2048

// combine sets m to b_0 I, if identity is set, plus the sum of b_2k A^2k for k = 1 to count.
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

// productNorm returns the infinity norm of the product of a and b, or an estimate of it where the product would take
// longer. The product overwrites the last one of the powers, work[0] and work[1] are free.
func (e *exponential[T]) productNorm(a, b dense.Matrix[T]) (float64, error) {
	const largestExact = 48
	if e.n <= largestExact {
		product := e.powers[len(e.powers)-1]
		err := e.multiply(a, b, product)
		return infinityNorm(product), err
	}
	// The infinity norm is the 1-norm of the transpose.
	return estimateNorm(e.n, func(transposed bool, x, y []T) {
		first, second, trans := a, b, blas.Trans
		if transposed {
			first, second, trans = b, a, blas.NoTrans
		}
		middle := make([]T, e.n)
		blas.Gemv(e.team, trans, 1, first, dense.Vec(x), 0, dense.Vec(middle))
		blas.Gemv(e.team, trans, 1, second, dense.Vec(middle), 0, dense.Vec(y))
	}), e.team.Err()
}

// The loss of digits in the powers of A is bounded in two ways, by the powers of |A|, the matrix of the moduli, and by
// the spectral norm of A. Either bound suffices: |A| has small powers for some matrices of large norm, such as
// nilpotent ones, and the spectral norm is much smaller than that of |A| where the signs of the elements differ.

// leastScaling returns the smallest number of halvings of A, maybe a negative one, after which not only the truncation
// errors but also rounding errors in the approximant are harmless: (|c_2m+1| N_2m+1 / (|A| u))^(1/2m) is at most 2 to
// that power, where c_2m+1 is the leading coefficient of the backward error and N_k bounds the norm of what rounding
// errors in A^k are relative to. For Al-Mohy and Higham, equation (3.9), that is the norm of |A|^k; here it may be the
// k-th power of the spectral norm as well.
func (e *exponential[T]) leastScaling(degree int) float64 {
	if e.norm == 0 {
		return math.Inf(-1)
	}
	power := float64(2*degree + 1)
	constant := logErrorConstants[degree] - math.Log2(dense.Eps[T]()/2)
	logNorm := math.Log2(e.norm)
	halvings := func(logPowerNorm float64) float64 {
		return math.Ceil((constant + logPowerNorm - logNorm) / (power - 1))
	}
	least := halvings(power * logNorm)
	if least <= 0 {
		return least
	}
	// In single precision the results of symmetric matrices would have twice the errors.
	if least = e.moduli.ofPower(e, int(power), halvings); least <= 0 || dense.IsSingle[T]() {
		return least
	}
	spectral := math.Log2(e.spectralNorm())
	return min(least, math.Ceil((constant+(power-1)*spectral)/(power-1)))
}

// logErrorConstants[m] is log2 of errorConstant(m).
var logErrorConstants = func() (logs [highestDegree + 1]float64) {
	for m := range logs {
		logs[m] = math.Log2(errorConstant(m))
	}
	return logs
}()

// ofPower returns answer(log2 of the infinity norm of |A|^p), which grows with its argument.
func (m *moduliPowers[T]) ofPower(e *exponential[T], p int, answer func(logNorm float64) float64) float64 {
	if m.logs == nil {
		m.begin(e)
	}
	for last := len(m.logs) - 1; last < p; last++ {
		known, left := m.logs[last], float64(p-last)
		if low := answer(known + left*m.least); low == answer(known+left*m.most) {
			return low
		}
		m.next(e)
	}
	return answer(m.logs[p])
}

// begin writes |A| into work and its norm into logs.
func (m *moduliPowers[T]) begin(e *exponential[T]) {
	setModuli(e.work[1], e.a)
	m.x, m.y = make([]T, e.n), make([]T, e.n)
	for i := range m.x {
		m.x[i] = 1
	}
	m.logs = append(make([]float64, 0, 2*highestDegree+2), 0)
	m.next(e)
}

// next takes the next power.
func (m *moduliPowers[T]) next(e *exponential[T]) {
	blas.Gemv(e.team, blas.NoTrans, 1, e.work[1], dense.Vec(m.x), 0, dense.Vec(m.y))
	least, most, largest := math.Inf(1), 0.0, 0.0
	for i, v := range m.y {
		now, before := dense.Real(v), dense.Real(m.x[i])
		largest = max(largest, now)
		if before > 0 {
			least, most = min(least, now/before), max(most, now/before)
		}
	}
	m.least, m.most = math.Log2(least), math.Log2(most)
	m.logs = append(m.logs, m.logs[len(m.logs)-1]+math.Log2(largest))
	if largest > 0 {
		blas.Scal(dense.FromReal[T](1/largest), dense.Vec(m.y))
	}
	m.x, m.y = m.y, m.x
}

// setModuli sets m to the matrix of |re| + |im| of a.
func setModuli[T dense.Scalar](m, a dense.Matrix[T]) {
	for i := range a.Rows {
		to, from := m.Row(i), a.Row(i)
		switch from := any(from).(type) {
		case []float32:
			realModuli(any(to).([]float32), from)
		case []float64:
			realModuli(any(to).([]float64), from)
		default:
			for j, x := range any(a.Row(i)).([]T) {
				to[j] = dense.FromReal[T](math.Abs(dense.Real(x)) + math.Abs(dense.Imag(x)))
			}
		}
	}
}

func realModuli[R dense.Float](to, from []R) {
	for j, x := range from {
		to[j] = R(math.Abs(float64(x)))
	}
}

// spectralNorm returns an estimate from below of the spectral norm of A, for random matrices within a tenth or so, by
// the power method for A^H A.
func (e *exponential[T]) spectralNorm() float64 {
	const steps = 4
	if e.spectral > 0 {
		return e.spectral
	}
	x, y := e.probe(), make([]T, e.n)
	for range steps {
		length := blas.Nrm2(dense.Vec(x))
		if length == 0 {
			break
		}
		blas.Scal(dense.FromReal[T](1/length), dense.Vec(x))
		blas.Gemv(e.team, blas.NoTrans, 1, e.a, dense.Vec(x), 0, dense.Vec(y))
		e.spectral = max(e.spectral, blas.Nrm2(dense.Vec(y)))
		blas.Gemv(e.team, blas.ConjTrans, 1, e.a, dense.Vec(y), 0, dense.Vec(x))
	}
	return e.spectral
}

// probe returns the vector with which the power method begins: the adjoint of the row of A with the largest sum of
// moduli, which finds dominant elements, plus multiples of the golden ratio modulo 1, so that the vector is unlikely to
// be orthogonal to the dominant singular vector.
func (e *exponential[T]) probe() []T {
	most, row := -1.0, 0
	for i := range e.n {
		if sum := blas.Asum(dense.Vec(e.a.Row(i))); sum > most {
			most, row = sum, i
		}
	}
	x := make([]T, e.n)
	for j, v := range e.a.Row(row) {
		_, part := math.Modf(float64(j+1) * math.Phi)
		x[j] = dense.Conj(v) + dense.FromReal[T]((part-0.5)*most/float64(e.n))
	}
	return x
}
