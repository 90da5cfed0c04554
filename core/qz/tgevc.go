package qz

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

const (
	// Vectors whose elements grow beyond growthLimit are multiplied by shrink, so that the next element cannot
	// overflow.
	growthLimit = 0x1p+800
	shrink      = 0x1p-800
)

// vectorRows returns the eigenvectors of the triangular pair as the rows of a matrix. For a complex pair of a real
// matrix, two rows hold the real and the imaginary parts. flipped says that the pair was flipped, so that these are
// left eigenvectors.
func (m *pencil[W]) vectorRows(alpha []complex128, beta []float64, flipped bool) (dense.Matrix[W], error) {
	n := m.order()
	rows := dense.New[W](n, n)
	team := m.team.Plan(n * n)
	err := team.For(n, func(_, k int) error {
		last := k // the row of S of the last nonzero element
		if flipped {
			last = n - 1 - k
		}
		defer team.Step(2*last + 1)
		switch m := any(m).(type) {
		case *pencil[complex128]:
			x := any(rows).(dense.Matrix[complex128]).Row(k)
			newBackSubstitution(m, alpha[k], complex(beta[k], 0), dots[complex128]).solve(last, x)
			undoFlip(x, flipped, true)
		case *pencil[float64]:
			real64 := any(rows).(dense.Matrix[float64])
			if imag(alpha[k]) == 0 {
				newBackSubstitution(m, real(alpha[k]), beta[k], dots[float64]).solve(last, real64.Row(k))
				undoFlip(real64.Row(k), flipped, false)
			} else if imag(alpha[k]) > 0 {
				x := make([]complex128, n)
				if !flipped {
					last++
				}
				newBackSubstitution(m, alpha[k], complex(beta[k], 0), dotsMixed).solve(last, x)
				undoFlip(x, flipped, true)
				for i, v := range x {
					real64.Set(k, i, real(v))
					real64.Set(k+1, i, imag(v))
				}
			}
		}
		return nil
	})
	return rows, err
}

// undoFlip makes a left eigenvector of the original pair of a right eigenvector of the pair that flipTranspose
// produced.
func undoFlip[T dense.Wide](x []T, flipped, isComplex bool) {
	if !flipped {
		return
	}
	for i, j := 0, len(x)-1; i < j; i, j = i+1, j-1 {
		x[i], x[j] = x[j], x[i]
	}
	if isComplex {
		for i := range x {
			x[i] = dense.Conj(x[i])
		}
	}
}

// backSubstitution computes right eigenvectors of a pair in generalized Schur form, with elements of type V: null
// vectors of beta S - alpha P for an eigenvalue alpha/beta. Method: LAPACK's tgevc.
type backSubstitution[M, V dense.Wide] struct {
	*pencil[M]
	// The eigenvalue, scaled so that the larger of beta |S| and alpha |P| is about 1.
	alpha, beta V
	// dots returns the products of a row of S and of a row of P with a vector.
	dots func(s, p []M, x []V) (V, V)
}

func newBackSubstitution[M, V dense.Wide](
	m *pencil[M], alpha, beta V, dots func(s, p []M, x []V) (V, V),
) *backSubstitution[M, V] {
	// Scaling takes two steps, because alpha and beta may be subnormal.
	if size := max(dense.Abs(alpha)*m.normP, dense.Abs(beta)*m.normS); size > 0 {
		_, exponent := math.Frexp(size)
		half := dense.FromReal[V](math.Ldexp(1, -exponent/2))
		rest := dense.FromReal[V](math.Ldexp(1, -(exponent - exponent/2)))
		alpha, beta = alpha*half*rest, beta*half*rest
	}
	return &backSubstitution[M, V]{pencil: m, alpha: alpha, beta: beta, dots: dots}
}

// solve stores the eigenvector in x, which must be zero on entry, scaled so that its largest element is about 1. Its
// last nonzero element belongs to row last, the last row of a diagonal block.
func (e *backSubstitution[M, V]) solve(last int, x []V) {
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
			e.solve2x2(i, last, x)
		} else {
			x[i] = -e.product(i, i+1, last, x) / e.divisor(e.element(i, i))
		}
		e.limitGrowth(x[i:last+1], max(size(x[i]), size(x[min(i+1, last)])))
	}
	largest := 0.0
	for _, v := range x[:last+1] {
		largest = max(largest, size(v))
	}
	scale := dense.FromReal[V](1 / largest)
	for i := range x[:last+1] {
		x[i] *= scale
	}
}

// size returns |re x| + |im x|, which takes less time than the modulus and chooses and scales as well.
func size[V dense.Wide](x V) float64 {
	if z, ok := any(x).(complex128); ok {
		return math.Abs(real(z)) + math.Abs(imag(z))
	}
	return dense.Abs(x)
}

// limitGrowth scales x down if its largest new element is too large.
func (e *backSubstitution[M, V]) limitGrowth(x []V, largest float64) {
	if largest <= growthLimit {
		return
	}
	for i := range x {
		x[i] *= shrink
	}
}

// element returns element (i, j) of beta S - alpha P.
func (e *backSubstitution[M, V]) element(i, j int) V {
	return e.beta*dense.Convert[V](e.s.At(i, j)) - e.alpha*dense.Convert[V](e.p.At(i, j))
}

// product returns the product of row i of beta S - alpha P, restricted to the columns first to last, with x.
func (e *backSubstitution[M, V]) product(i, first, last int, x []V) V {
	s, p := e.dots(e.s.Row(i)[first:last+1], e.p.Row(i)[first:last+1], x[first:last+1])
	return e.beta*s - e.alpha*p
}

// divisor returns d, or eps if |d| < eps.
func (e *backSubstitution[M, V]) divisor(d V) V {
	if dense.Abs(d) < dense.EpsDouble {
		return dense.EpsDouble
	}
	return d
}

// nullVector returns the null vector of the singular 2 x 2 diagonal block of beta S - alpha P in row k, scaled so that
// its largest element is 1.
func (e *backSubstitution[M, V]) nullVector(k int) (x, y V) {
	a, b, c, d := e.element(k, k), e.element(k, k+1), e.element(k+1, k), e.element(k+1, k+1)
	x, y = -b, a
	if max(size(c), size(d)) > max(size(a), size(b)) {
		x, y = -d, c
	}
	largest := max(size(x), size(y))
	if largest == 0 {
		return 0, 1
	}
	scale := dense.FromReal[V](largest)
	return x / scale, y / scale
}

// solve2x2 determines x[i] and x[i+1] so that rows i and i+1 of (beta S - alpha P) x, which belong to a diagonal block,
// are zero.
func (e *backSubstitution[M, V]) solve2x2(i, last int, x []V) {
	var m [2][3]V // the block and the right-hand side
	for r := range m {
		m[r] = [3]V{e.element(i+r, i), e.element(i+r, i+1), -e.product(i+r, i+2, last, x)}
	}
	// Complete pivoting.
	row, col := 0, 0
	for r := range 2 {
		for c := range 2 {
			if size(m[r][c]) > size(m[row][col]) {
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

// dots returns the products of s and of p with x.
func dots[V dense.Wide](s, p, x []V) (V, V) {
	v := dense.Vec(x)
	return blas.Dotu(dense.Vec(s), v), blas.Dotu(dense.Vec(p), v)
}

// dotsMixed is dots for real s and p and a complex x.
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
