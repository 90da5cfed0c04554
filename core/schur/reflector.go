package schur

import (
	"math"

	lapack "gonum.org/v1/gonum/lapack/gonum"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Squares of vectors with norms below tinyNorm or above hugeNorm lose digits or overflow. Such vectors are multiplied by
// enlarge or by shrink first, which brings even the smallest subnormal and the largest number between those limits.
const (
	tinyNorm = 0x1p-450
	hugeNorm = 0x1p+500
	enlarge  = 0x1p+900
	shrink   = 0x1p-520
)

// safeScale returns the power of two by which numbers of this size are multiplied before squares are formed of them.
func safeScale(norm float64) float64 {
	switch {
	case norm < tinyNorm:
		return enlarge
	case norm > hugeNorm:
		return shrink
	}
	return 1
}

// householder overwrites x by the vector v with v[0] = 1 for which P^H, P = I - tau v v^H, maps x to beta e_1. beta is real
// unless tau is 0. tau is 0, and v is meaningless, exactly when x already is a multiple of e_1.
func householder[W dense.Scalar](x []W) (beta, tau W) {
	tail := dense.Vec(x[1:])
	tailNorm := blas.Nrm2(tail)
	if tailNorm == 0 {
		return x[0], 0
	}
	norm := math.Hypot(dense.Abs(x[0]), tailNorm)
	if norm < tinyNorm {
		blas.Scal(dense.FromReal[W](enlarge), dense.Vec(x))
		beta, tau = householder(x)
		return beta * dense.FromReal[W](1/enlarge), tau
	}
	beta = dense.FromReal[W](-math.Copysign(norm, dense.Real(x[0])))
	tau = (beta - x[0]) / beta
	blas.Scal(1/(x[0]-beta), tail)
	x[0] = 1
	return beta, tau
}

// reflector is I - tau v v^T with v = (1, v1, v2), in the form its application needs: t1 = tau v1, t2 = tau v2. It acts
// on two elements when v2 is 0. tau = 0 is the identity.
type reflector struct{ v1, v2, tau, t1, t2 float64 }

// newReflector returns the reflector that maps (a, b, c) to (beta, 0, 0). It is the identity only for b = c = 0: blocks
// that are coupled by tiny elements would never separate if those were left alone.
func newReflector(a, b, c float64) (p reflector, beta float64) {
	if b == 0 && c == 0 {
		return reflector{}, a
	}
	scale := safeScale(math.Sqrt(a*a + b*b + c*c))
	a, b, c = a*scale, b*scale, c*scale
	beta = -math.Copysign(math.Sqrt(a*a+b*b+c*c), a)
	p.v1, p.v2 = b/(a-beta), c/(a-beta)
	p.tau = (beta - a) / beta
	p.t1, p.t2 = p.tau*p.v1, p.tau*p.v2
	return p, beta / scale
}

// rows3 applies the reflector from the left to three rows of equal length.
func (p reflector) rows3(x, y, z []float64) {
	y, z = y[:len(x)], z[:len(x)]
	for j, xj := range x {
		s := xj + p.v1*y[j] + p.v2*z[j]
		x[j] = xj - p.tau*s
		y[j] -= p.t1 * s
		z[j] -= p.t2 * s
	}
}

// rows2 applies the reflector from the left to two rows of equal length.
func (p reflector) rows2(x, y []float64) {
	y = y[:len(x)]
	for j, xj := range x {
		s := xj + p.v1*y[j]
		x[j] = xj - p.tau*s
		y[j] -= p.t1 * s
	}
}

// columns3 applies the reflector from the right to three columns of m, starting at column k, in the rows before end.
func (p reflector) columns3(m dense.Matrix[float64], k, end int) {
	for i := range end {
		r := m.Data[i*m.Stride+k : i*m.Stride+k+3 : i*m.Stride+k+3]
		s := r[0] + p.v1*r[1] + p.v2*r[2]
		r[0] -= p.tau * s
		r[1] -= p.t1 * s
		r[2] -= p.t2 * s
	}
}

// columns2 applies the reflector from the right to two columns of m, starting at column k, in the rows before end.
func (p reflector) columns2(m dense.Matrix[float64], k, end int) {
	for i := range end {
		r := m.Data[i*m.Stride+k : i*m.Stride+k+2 : i*m.Stride+k+2]
		s := r[0] + p.v1*r[1]
		r[0] -= p.tau * s
		r[1] -= p.t1 * s
	}
}

// rotation is the matrix G = [cs sn; -sn cs].
type rotation struct{ cs, sn float64 }

func (g rotation) isIdentity() bool { return g.cs == 1 && g.sn == 0 }

// rows multiplies two rows of equal length by G from the left.
func (g rotation) rows(x, y []float64) {
	y = y[:len(x)]
	for j, xj := range x {
		x[j] = g.cs*xj + g.sn*y[j]
		y[j] = g.cs*y[j] - g.sn*xj
	}
}

// columns multiplies two columns of m, starting at column k, by G^T from the right, in the rows before end.
func (g rotation) columns(m dense.Matrix[float64], k, end int) {
	for i := range end {
		r := m.Data[i*m.Stride+k : i*m.Stride+k+2 : i*m.Stride+k+2]
		r[0], r[1] = g.cs*r[0]+g.sn*r[1], g.cs*r[1]-g.sn*r[0]
	}
}

// block2 is the matrix [a b; c d].
type block2 struct{ a, b, c, d float64 }

// isStandard reports whether m is triangular or a complex pair in standard form.
func (m block2) isStandard() bool {
	return m.c == 0 || (m.a == m.d && m.b != 0 && math.Signbit(m.b) != math.Signbit(m.c))
}

// standardize returns the rotation G for which s = G m G^T is in standard form: triangular if the eigenvalues are real,
// otherwise with equal diagonal elements and off-diagonal elements of opposite sign. A block of extreme size is scaled
// first, because its rotation would not be orthogonal; unscaling may round an element of s to zero.
func (m block2) standardize() (s block2, g rotation) {
	if m.isStandard() {
		return m, rotation{cs: 1}
	}
	scale := safeScale(max(math.Abs(m.a), math.Abs(m.b), math.Abs(m.c), math.Abs(m.d)))
	m = m.times(scale)
	s.a, s.b, s.c, s.d, _, _, _, _, g.cs, g.sn = lapack.Implementation{}.Dlanv2(m.a, m.b, m.c, m.d)
	return s.times(1 / scale), g
}

// smallestEigenvalue returns, up to a small factor, the modulus of the smaller eigenvalue of m: its determinant divided
// by the modulus of the larger one.
func (m block2) smallestEigenvalue() float64 {
	largest := max(math.Abs(m.a), math.Abs(m.d), math.Sqrt(math.Abs(m.b))*math.Sqrt(math.Abs(m.c)))
	if largest == 0 {
		return 0
	}
	return math.Abs(m.a/largest*m.d - m.b/largest*m.c)
}

func (m block2) times(x float64) block2 { return block2{m.a * x, m.b * x, m.c * x, m.d * x} }
