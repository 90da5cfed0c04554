package qz

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/householder"
)

const (
	// Elements that a rotation should have made zero are set to zero if they are below this many eps times the norm of
	// their block.
	zeroingUnits = 20
	// Limit of Jacobi rotations, after which two columns are orthogonal to working precision; two are usual.
	jacobiRotations = 4
)

// matrix2 is the matrix [a b; c d].
type matrix2 struct{ a, b, c, d float64 }

func matrix2At(m dense.Matrix[float64], k int) matrix2 {
	return matrix2{m.At(k, k), m.At(k, k+1), m.At(k+1, k), m.At(k+1, k+1)}
}

// complexPair returns the eigenvalues of the pair of the block s of S and the diagonal block diag(p, q) of P, p and q
// positive: the alpha with positive imaginary part and the beta of both. isComplex is false if the eigenvalues are
// real. beta is the geometric mean of p and q; alpha is an eigenvalue of [a r, b; c, d/r], r = sqrt(q/p).
func complexPair(s matrix2, p, q float64) (alpha complex128, beta float64, isComplex bool) {
	r := math.Sqrt(q / p)
	half := (s.a*r - s.d/r) / 2
	// square = |b c| - half^2; b and c have opposite signs.
	product := math.Sqrt(math.Abs(s.b)) * math.Sqrt(math.Abs(s.c))
	square := (product - math.Abs(half)) * (product + math.Abs(half))
	if !(square > 0) || math.Signbit(s.b) == math.Signbit(s.c) {
		return 0, 0, false
	}
	return complex((s.a*r+s.d/r)/2, math.Sqrt(square)), math.Sqrt(p) * math.Sqrt(q), true
}

// eigenvalues stores the eigenvalues of the pair, which is in generalized Schur form.
func (m *pencil[T]) eigenvalues(alpha []complex128, beta []float64) {
	real, isReal := any(m).(*pencil[float64])
	for k := 0; k < m.order(); k++ {
		if isReal && m.startsBlock(k) {
			value, common, _ := complexPair(matrix2At(real.s, k), real.p.At(k, k), real.p.At(k+1, k+1))
			alpha[k], alpha[k+1] = value, complex(dense.Real(value), -dense.Imag(value))
			beta[k], beta[k+1] = common, common
			k++
			continue
		}
		alpha[k], beta[k] = widen(m.s.At(k, k)), dense.Real(m.p.At(k, k))
	}
}

// standardize brings the 2 x 2 block of a real pair in rows k and k+1, where P is triangular and nonsingular, to
// standard form: it splits the block if its eigenvalues are real, and makes the block of P diagonal and positive
// otherwise. It returns false if the eigenvalues are real and the block cannot be split within rounding errors.
// LAPACK's lagv2 has the same purpose.
func standardize(m *pencil[float64], k int) bool {
	q := m.quotient(k)
	half := (q[0][0] - q[1][1]) / 2
	if half*half+q[0][1]*q[1][0] >= 0 {
		return splitReal(m, k)
	}
	if diagonalizeP(m, k); !isComplexPair(m, k) {
		return splitReal(m, k) // real up to rounding errors
	}
	return true
}

// isComplexPair reports whether the block of rows k and k+1 is in standard form with complex eigenvalues.
func isComplexPair(m *pencil[float64], k int) bool {
	_, _, ok := complexPair(matrix2At(m.s, k), m.p.At(k, k), m.p.At(k+1, k+1))
	return ok
}

// diagonalizeP makes the block of P in rows k and k+1 diagonal and positive, with the larger element first: one-sided
// Jacobi rotations make its columns orthogonal, and a rotation of rows makes these multiples of the unit vectors.
func diagonalizeP(m *pencil[float64], k int) {
	for range jacobiRotations {
		p := matrix2At(m.p, k)
		first, second := math.Hypot(p.a, p.c), math.Hypot(p.b, p.d)
		inner := p.a*p.b + p.c*p.d
		if math.Abs(inner) <= dense.EpsDouble*first*second && first >= second {
			break
		}
		m.rotateColumns(k, jacobiRotation(first, second, inner), k+2, k+2)
	}
	p := matrix2At(m.p, k)
	if p.b != 0 || p.c != 0 {
		g, r := householder.ToFirst(p.a, p.c)
		m.rotateRows(k, g, k, k+1)
		m.p.Set(k, k, r)
		m.p.Set(k+1, k, 0)
		m.p.Set(k, k+1, 0)
	}
	for i := k; i < k+2; i++ {
		if m.p.At(i, i) < 0 {
			m.multiplyColumn(i, k+1, -1)
			m.p.Set(k, k+1, 0)
		}
	}
	if m.p.At(k, k) < m.p.At(k+1, k+1) { // equal up to a rounding error
		exchange := householder.NewGivens(0, 1.)
		m.rotateColumns(k, exchange, k+2, k+2)
		m.rotateRows(k, exchange, k, k)
	}
}

// jacobiRotation returns the rotation that makes two columns with these norms and this inner product orthogonal, and
// the first one the longer.
func jacobiRotation(first, second, inner float64) householder.Givens[float64] {
	angle := math.Atan2(2*inner, (first-second)*(first+second)) / 2
	return householder.NewGivens(math.Cos(angle), math.Sin(angle))
}

// splitReal makes the block of rows k and k+1, whose eigenvalues are real, triangular, and reports whether this
// succeeded. The order of the eigenvalues is that of the diagonal elements of S P^-1, the larger one first if these are
// equal, as in LAPACK's standard form of a real block.
//
// The eigenvalue alpha/beta of larger modulus is computed, since this involves no cancellation. If it comes first, a
// rotation of columns maps the null vector of beta S - alpha P to e_1, and one of rows maps the images of that vector
// under S and P, which are parallel, to multiples of e_1. Otherwise rows and columns change roles.
func splitReal(m *pencil[float64], k int) bool {
	q := m.quotient(k)
	s, p := matrix2At(m.s, k), matrix2At(m.p, k)
	alpha, beta, isLargest := largerEigenvalue(q)
	c := matrix2{beta*s.a - alpha*p.a, beta*s.b - alpha*p.b, beta*s.c - alpha*p.c, beta*s.d - alpha*p.d}
	if isLargest != (q[0][0] >= q[1][1]) {
		x, y := c.a, c.c
		if math.Hypot(c.b, c.d) > math.Hypot(c.a, c.c) {
			x, y = c.b, c.d
		}
		g, _ := householder.ToFirst(x, y)
		return triangularizeByRows(m, k, g)
	}
	x, y := c.a, c.b
	if math.Hypot(c.c, c.d) > math.Hypot(c.a, c.b) {
		x, y = c.c, c.d
	}
	h, _ := householder.ToSecond(x, y)
	return triangularizeByColumns(m, k, h)
}

// largerEigenvalue returns the eigenvalue alpha/beta of larger modulus of a block q with real eigenvalues, with alpha
// and beta at most 1 in modulus. isLargest reports whether it is also the larger one when the signs count.
func largerEigenvalue(q [2][2]float64) (alpha, beta float64, isLargest bool) {
	mean, half := (q[0][0]+q[1][1])/2, (q[0][0]-q[1][1])/2
	root := math.Sqrt(max(0, half*half+q[0][1]*q[1][0]))
	value := mean + math.Copysign(root, mean)
	if math.Abs(value) > 1 {
		return 1, 1 / value, !math.Signbit(mean)
	}
	return value, 1, !math.Signbit(mean)
}

// triangularizeByColumns applies h to columns k and k+1 of the pair. If the block's first columns of S and of P are
// parallel then, up to rounding errors, it makes them multiples of e_1 by a rotation of rows; otherwise it changes
// nothing and returns false.
func triangularizeByColumns[T dense.Wide](m *pencil[T], k int, h householder.Givens[T]) bool {
	column := func(a dense.Matrix[T]) (x, y T, norm float64) {
		x, _ = h.Turn(a.At(k, k), a.At(k, k+1))
		y, _ = h.Turn(a.At(k+1, k), a.At(k+1, k+1))
		return x, y, frobenius(a.Slice(k, k+2, k, k+2))
	}
	s0, s1, normS := column(m.s)
	p0, p1, normP := column(m.p)
	g, _ := householder.ToFirst(s0, s1)
	if math.Hypot(dense.Abs(p0), dense.Abs(p1))*normS > math.Hypot(dense.Abs(s0), dense.Abs(s1))*normP {
		g, _ = householder.ToFirst(p0, p1)
	}
	_, restS := g.Turn(s0, s1)
	_, restP := g.Turn(p0, p1)
	if dense.Abs(restS) > zeroingUnits*dense.EpsDouble*normS || dense.Abs(restP) > zeroingUnits*dense.EpsDouble*normP {
		return false
	}
	m.rotateColumns(k, h, k+2, k+2)
	m.rotateRows(k, g, k, k)
	m.s.Set(k+1, k, 0)
	m.p.Set(k+1, k, 0)
	return true
}

// triangularizeByRows is triangularizeByColumns for a rotation g of rows k and k+1 that makes the block's last rows of
// S and of P parallel; a rotation of columns makes these multiples of e_2.
func triangularizeByRows(m *pencil[float64], k int, g householder.Givens[float64]) bool {
	row := func(a dense.Matrix[float64]) (x, y, norm float64) {
		_, x = g.Turn(a.At(k, k), a.At(k+1, k))
		_, y = g.Turn(a.At(k, k+1), a.At(k+1, k+1))
		return x, y, frobenius(a.Slice(k, k+2, k, k+2))
	}
	s0, s1, normS := row(m.s)
	p0, p1, normP := row(m.p)
	h, _ := householder.ToSecond(s0, s1)
	if math.Hypot(p0, p1)*normS > math.Hypot(s0, s1)*normP {
		h, _ = householder.ToSecond(p0, p1)
	}
	restS, _ := h.Turn(s0, s1)
	restP, _ := h.Turn(p0, p1)
	if math.Abs(restS) > zeroingUnits*dense.EpsDouble*normS || math.Abs(restP) > zeroingUnits*dense.EpsDouble*normP {
		return false
	}
	m.rotateRows(k, g, k, k)
	m.rotateColumns(k, h, k+2, k+2)
	m.s.Set(k+1, k, 0)
	m.p.Set(k+1, k, 0)
	return true
}
