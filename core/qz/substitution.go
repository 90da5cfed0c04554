package qz

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

const (
	// Vectors whose elements grow beyond growthLimit are multiplied by shrink: the next element cannot overflow then.
	growthLimit = 0x1p+800
	shrink      = 0x1p-800
)

// substitution finds the right eigenvector of a pair in generalized Schur form, with elements of type V, that belongs
// to alpha/beta: the null vector of beta S - alpha P.
type substitution[M, V dense.Wide] struct {
	*pencil[M]
	// Multiplied by a number that makes the larger of beta |S| and alpha |P| about 1.
	alpha, beta V
	// The products of a row of S and of one of P with a vector.
	dots func(s, p []M, x []V) (V, V)
}

func newSubstitution[M, V dense.Wide](m *pencil[M], alpha, beta V,
	dots func(s, p []M, x []V) (V, V)) *substitution[M, V] {
	// Two steps: the norms are about 1, but alpha and beta may be subnormal.
	if size := max(dense.Abs(alpha)*m.normP, dense.Abs(beta)*m.normS); size > 0 {
		_, exponent := math.Frexp(size)
		half, rest := dense.FromReal[V](math.Ldexp(1, -exponent/2)), dense.FromReal[V](math.Ldexp(1, -(exponent-exponent/2)))
		alpha, beta = alpha*half*rest, beta*half*rest
	}
	return &substitution[M, V]{pencil: m, alpha: alpha, beta: beta, dots: dots}
}

// solve stores the eigenvector in x, which is zero before, with a largest element of about 1. It ends in row last, the
// last one of its diagonal block.
func (e *substitution[M, V]) solve(last int, x []V) {
	x[last] = 1
	if e.alpha == 0 && e.beta == 0 {
		return
	}
	top := last
	if last > 0 && e.startsBlock(last-1) {
		top--
		x[top], x[last] = e.nullVector(top)
	}
	for i := top - 1; i >= 0; i-- {
		if i > 0 && e.startsBlock(i-1) {
			i--
			e.solvePair(i, last, x)
		} else {
			x[i] = -e.product(i, i+1, last, x) / e.divisor(e.element(i, i))
		}
		e.restrain(x[i:last+1], max(dense.Abs(x[i]), dense.Abs(x[min(i+1, last)])))
	}
	largest := 0.0
	for _, v := range x[:last+1] {
		largest = max(largest, dense.Abs(v))
	}
	scale := dense.FromReal[V](1 / largest)
	for i := range x[:last+1] {
		x[i] *= scale
	}
}

// restrain shrinks x if its largest new element is too large.
func (e *substitution[M, V]) restrain(x []V, largest float64) {
	if largest <= growthLimit {
		return
	}
	for i := range x {
		x[i] *= shrink
	}
}

// element returns that of beta S - alpha P in row i and column j.
func (e *substitution[M, V]) element(i, j int) V {
	return e.beta*dense.Convert[V](e.s.At(i, j)) - e.alpha*dense.Convert[V](e.p.At(i, j))
}

// product returns the product of row i of beta S - alpha P, from column first to last, with x.
func (e *substitution[M, V]) product(i, first, last int, x []V) V {
	s, p := e.dots(e.s.Row(i)[first:last+1], e.p.Row(i)[first:last+1], x[first:last+1])
	return e.beta*s - e.alpha*p
}

// divisor returns d, or eps if d is smaller.
func (e *substitution[M, V]) divisor(d V) V {
	if dense.Abs(d) < eps {
		return eps
	}
	return d
}

// nullVector returns that of the singular 2 x 2 diagonal block of beta S - alpha P in row k, with a largest element of
// 1.
func (e *substitution[M, V]) nullVector(k int) (x, y V) {
	a, b, c, d := e.element(k, k), e.element(k, k+1), e.element(k+1, k), e.element(k+1, k+1)
	x, y = -b, a
	if max(dense.Abs(c), dense.Abs(d)) > max(dense.Abs(a), dense.Abs(b)) {
		x, y = -d, c
	}
	size := max(dense.Abs(x), dense.Abs(y))
	if size == 0 {
		return 0, 1
	}
	scale := dense.FromReal[V](size)
	return x / scale, y / scale
}

// solvePair sets x[i] and x[i+1] so that rows i and i+1 of beta S - alpha P, which are a diagonal block, times x are
// zero.
func (e *substitution[M, V]) solvePair(i, last int, x []V) {
	var m [2][3]V // the block and the right side
	for r := range m {
		m[r] = [3]V{e.element(i+r, i), e.element(i+r, i+1), -e.product(i+r, i+2, last, x)}
	}
	// Complete pivoting.
	row, col := 0, 0
	for r := range 2 {
		for c := range 2 {
			if dense.Abs(m[r][c]) > dense.Abs(m[row][col]) {
				row, col = r, c
			}
		}
	}
	pivot := e.divisor(m[row][col])
	factor := m[1-row][col] / pivot
	other := (m[1-row][2] - factor*m[row][2]) / e.divisor(m[1-row][1-col]-factor*m[row][1-col])
	x[i+1-col] = other
	x[i+col] = (m[row][2] - m[row][1-col]*other) / pivot
}

func dotsReal(s, p, x []float64) (float64, float64) {
	v := dense.Vec(x)
	return blas.Dotu(dense.Vec(s), v), blas.Dotu(dense.Vec(p), v)
}

func dotsComplex(s, p, x []complex128) (complex128, complex128) {
	v := dense.Vec(x)
	return blas.Dotu(dense.Vec(s), v), blas.Dotu(dense.Vec(p), v)
}

func dotsMixed(s, p []float64, x []complex128) (complex128, complex128) {
	var s0, s1, p0, p1 float64
	p, x = p[:len(s)], x[:len(s)]
	for j, v := range s {
		re, im, w := real(x[j]), imag(x[j]), p[j]
		s0, s1 = s0+v*re, s1+v*im
		p0, p1 = p0+w*re, p1+w*im
	}
	return complex(s0, s1), complex(p0, p1)
}
