package qz

import (
	"math"

	"trnsci/core/dense"
)

const (
	// Elements that a rotation should have made zero are set to zero up to this many eps times the norm of their block.
	zeroingUnits = 20
	// Rotations of two columns after which they are orthogonal to working precision; two do, the last one finds nothing.
	jacobiRotations = 4
)

// inBlock reports whether row k belongs to a 2 x 2 diagonal block.
func (m *pencil[T]) inBlock(k int) bool { return m.startsBlock(k) || (k > 0 && m.startsBlock(k-1)) }

// startsBlock reports whether row k is the first one of a 2 x 2 diagonal block.
func (m *pencil[T]) startsBlock(k int) bool { return k+1 < m.order() && m.s.At(k+1, k) != 0 }

// multiplyColumn multiplies column k of the pair, which ends in row last of S, and of Z by a number of modulus 1.
func (m *pencil[T]) multiplyColumn(k, last int, factor T) {
	for i := range last + 1 {
		m.s.Set(i, k, m.s.At(i, k)*factor)
	}
	for i := range k + 1 {
		m.p.Set(i, k, m.p.At(i, k)*factor)
	}
	if m.zt.Rows > 0 {
		row := m.zt.Row(k)
		for j := range row {
			row[j] *= factor
		}
	}
}

// makePositive makes P[k,k], in a block of one row, real and not negative.
func (m *pencil[T]) makePositive(k int) {
	x := m.p.At(k, k)
	size := dense.FromReal[T](dense.Abs(x))
	if x != size {
		m.multiplyColumn(k, k, dense.Conj(phaseOf(x)))
	}
	m.p.Set(k, k, size)
}

// block2 is the diagonal block [a b; c d].
type block2 struct{ a, b, c, d float64 }

func blockAt(m dense.Matrix[float64], k int) block2 {
	return block2{m.At(k, k), m.At(k, k+1), m.At(k+1, k), m.At(k+1, k+1)}
}

// pairOf returns, for the block s of S beside the block of P with the positive diagonal elements p and q and nothing
// else, the alpha with positive imaginary part and the beta that both eigenvalues of a complex pair have, and false if
// the eigenvalues are real. beta is the geometric mean of p and q; alpha is an eigenvalue of [a r, b; c, d/r], r =
// sqrt(q/p).
func pairOf(s block2, p, q float64) (alpha complex128, beta float64, isComplex bool) {
	r := math.Sqrt(q / p)
	half := (s.a*r - s.d/r) / 2
	// |b c| - half^2, where b and c have opposite signs.
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
			value, both, _ := pairOf(blockAt(real.s, k), real.p.At(k, k), real.p.At(k+1, k+1))
			alpha[k], alpha[k+1] = value, complex(dense.Real(value), -dense.Imag(value))
			beta[k], beta[k+1] = both, both
			k++
			continue
		}
		alpha[k], beta[k] = widen(m.s.At(k, k)), dense.Real(m.p.At(k, k))
	}
}

// standardize brings the 2 x 2 block of a real pair in rows k and k+1, where P is triangular and not singular, to
// standard form: it splits it if its eigenvalues are real, and makes P's block diagonal and positive otherwise. It
// returns false if the block has real eigenvalues and does not split up to rounding errors.
func standardize(m *pencil[float64], k int) bool {
	q := m.quotient(k)
	half := (q[0][0] - q[1][1]) / 2
	if half*half+q[0][1]*q[1][0] >= 0 {
		return split(m, k)
	}
	if diagonalize(m, k); !isPair(m, k) {
		return split(m, k) // a pair that is real up to rounding errors
	}
	return true
}

// isPair reports whether the block of rows k and k+1 holds a complex pair in standard form.
func isPair(m *pencil[float64], k int) bool {
	_, _, ok := pairOf(blockAt(m.s, k), m.p.At(k, k), m.p.At(k+1, k+1))
	return ok
}

// diagonalize makes P's block of rows k and k+1 diagonal and positive, with the larger element first: one-sided Jacobi
// rotations make its columns orthogonal, and one of rows brings them on the axes.
func diagonalize(m *pencil[float64], k int) {
	for range jacobiRotations {
		p := blockAt(m.p, k)
		first, second := math.Hypot(p.a, p.c), math.Hypot(p.b, p.d)
		inner := p.a*p.b + p.c*p.d
		if math.Abs(inner) <= eps*first*second && first >= second {
			break
		}
		m.right(k, orthogonalize(first, second, inner), k+2, k+2)
	}
	p := blockAt(m.p, k)
	if p.b != 0 || p.c != 0 {
		g, r := toFirst(p.a, p.c)
		m.left(k, g, k, k+1)
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
	if m.p.At(k, k) < m.p.At(k+1, k+1) { // equal but for a rounding error
		exchange := newPlane(0, 1.)
		m.right(k, exchange, k+2, k+2)
		m.left(k, exchange, k, k)
	}
}

// orthogonalize returns the plane that makes two columns with these norms and this inner product orthogonal, and the
// first one the longer.
func orthogonalize(first, second, inner float64) plane[float64] {
	angle := math.Atan2(2*inner, (first-second)*(first+second)) / 2
	return newPlane(math.Cos(angle), math.Sin(angle))
}

// split makes the block of rows k and k+1 with real eigenvalues triangular. These come in the order of the diagonal of
// S P^-1, the larger one first if its elements are equal, as in the standard form of a real block in LAPACK.
//
// The eigenvalue alpha/beta of larger modulus is computed, which has no cancellation. If it comes first, columns are
// turned so that the first one is the null vector of beta S - alpha P, and rows so that its images under S and P, which
// are parallel, become multiples of e_1; else rows and columns change their parts.
func split(m *pencil[float64], k int) bool {
	q := m.quotient(k)
	s, p := blockAt(m.s, k), blockAt(m.p, k)
	alpha, beta, isLargest := largerEigenvalue(q)
	c := block2{beta*s.a - alpha*p.a, beta*s.b - alpha*p.b, beta*s.c - alpha*p.c, beta*s.d - alpha*p.d}
	if isLargest != (q[0][0] >= q[1][1]) {
		x, y := c.a, c.c
		if math.Hypot(c.b, c.d) > math.Hypot(c.a, c.c) {
			x, y = c.b, c.d
		}
		g, _ := toFirst(x, y)
		return separateLast(m, k, g)
	}
	x, y := c.a, c.b
	if math.Hypot(c.c, c.d) > math.Hypot(c.a, c.b) {
		x, y = c.c, c.d
	}
	h, _ := toSecond(x, y)
	return separate(m, k, h)
}

// largerEigenvalue returns the eigenvalue of larger modulus of a block q with real eigenvalues, as a quotient of
// numbers up to 1, and whether it is the larger one with its sign, too.
func largerEigenvalue(q [2][2]float64) (alpha, beta float64, isLargest bool) {
	mean, half := (q[0][0]+q[1][1])/2, (q[0][0]-q[1][1])/2
	root := math.Sqrt(max(0, half*half+q[0][1]*q[1][0]))
	value := mean + math.Copysign(root, mean)
	if math.Abs(value) > 1 {
		return 1, 1 / value, !math.Signbit(mean)
	}
	return value, 1, !math.Signbit(mean)
}

// separate turns columns k and k+1 of the pair by h, after which the block's first column of S and that of P are
// parallel up to rounding errors, and rows so that both become multiples of e_1. It returns false, and changes nothing,
// if they do not.
func separate[T dense.Wide](m *pencil[T], k int, h plane[T]) bool {
	column := func(a dense.Matrix[T]) (x, y T, norm float64) {
		x, _ = h.turn(a.At(k, k), a.At(k, k+1))
		y, _ = h.turn(a.At(k+1, k), a.At(k+1, k+1))
		return x, y, frobenius(a.Slice(k, k+2, k, k+2))
	}
	s0, s1, normS := column(m.s)
	p0, p1, normP := column(m.p)
	g, _ := toFirst(s0, s1)
	if math.Hypot(dense.Abs(p0), dense.Abs(p1))*normS > math.Hypot(dense.Abs(s0), dense.Abs(s1))*normP {
		g, _ = toFirst(p0, p1)
	}
	_, restS := g.turn(s0, s1)
	_, restP := g.turn(p0, p1)
	if dense.Abs(restS) > zeroingUnits*eps*normS || dense.Abs(restP) > zeroingUnits*eps*normP {
		return false
	}
	m.right(k, h, k+2, k+2)
	m.left(k, g, k, k)
	m.s.Set(k+1, k, 0)
	m.p.Set(k+1, k, 0)
	return true
}

// separateLast is separate for a plane g that turns rows k and k+1 so that the block's last row of S and that of P are
// parallel; columns are turned so that both become multiples of e_2.
func separateLast(m *pencil[float64], k int, g plane[float64]) bool {
	row := func(a dense.Matrix[float64]) (x, y, norm float64) {
		_, x = g.turn(a.At(k, k), a.At(k+1, k))
		_, y = g.turn(a.At(k, k+1), a.At(k+1, k+1))
		return x, y, frobenius(a.Slice(k, k+2, k, k+2))
	}
	s0, s1, normS := row(m.s)
	p0, p1, normP := row(m.p)
	h, _ := toSecond(s0, s1)
	if math.Hypot(p0, p1)*normS > math.Hypot(s0, s1)*normP {
		h, _ = toSecond(p0, p1)
	}
	restS, _ := h.turn(s0, s1)
	restP, _ := h.turn(p0, p1)
	if math.Abs(restS) > zeroingUnits*eps*normS || math.Abs(restP) > zeroingUnits*eps*normP {
		return false
	}
	m.left(k, g, k, k)
	m.right(k, h, k+2, k+2)
	m.s.Set(k+1, k, 0)
	m.p.Set(k+1, k, 0)
	return true
}
