package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// How much of the exponential's digits the powers of A lose is bounded in two ways, by the powers of |A|, the matrix of
// the moduli, and by the spectral norm of A. Either is enough: |A| has small powers for some matrices of large norm,
// such as nilpotent ones, and the spectral norm is much smaller than that of |A| where the signs of the elements
// differ.

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

// moduliPowers are what has been found of the powers of |A|. |A|^k times a vector of ones has their infinity norms.
// After some products with vectors the elements of the next ones are known up to powers of the largest and the smallest
// ratio of two successive elements (Collatz and Wielandt), which often is enough for a number of halvings.
type moduliPowers[T dense.Scalar] struct {
	logs        []float64 // log2 of the norm of |A|^k
	x, y        []T       // the last product, of norm 1, and memory
	least, most float64   // log2 of the ratios
}

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

// probe returns the vector with which the power method begins: the adjoint of the row of A whose sum of moduli is the
// largest, to find what stands out, and in every direction something, by the multiples of the golden ratio modulo 1,
// that no structure of A is likely to cancel.
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
