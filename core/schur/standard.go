package schur

import (
	"math"

	"trnsci/core/dense"
)

// rotation is the matrix G = [cs sn; -sn cs].
type rotation struct{ cs, sn float64 }

func (g rotation) isIdentity() bool { return g.cs == 1 && g.sn == 0 }

// times returns the rotation G H.
func (g rotation) times(h rotation) rotation {
	return rotation{g.cs*h.cs - g.sn*h.sn, g.cs*h.sn + g.sn*h.cs}
}

// rotateRows multiplies two rows of equal length by G from the left.
func rotateRows[W dense.Float](g rotation, x, y []W) {
	cs, sn := W(g.cs), W(g.sn)
	y = y[:len(x)]
	for j, xj := range x {
		x[j] = cs*xj + sn*y[j]
		y[j] = cs*y[j] - sn*xj
	}
}

// rotateColumns multiplies two columns of m, starting at column k, by G^T from the right, in the rows before end.
func rotateColumns[W dense.Float](g rotation, m dense.Matrix[W], k, end int) {
	cs, sn := W(g.cs), W(g.sn)
	for i := range end {
		r := m.Data[i*m.Stride+k : i*m.Stride+k+2 : i*m.Stride+k+2]
		r[0], r[1] = cs*r[0]+sn*r[1], cs*r[1]-sn*r[0]
	}
}

// block2 is the matrix [a b; c d]. Single-precision blocks too are worked on in double precision.
type block2 struct{ a, b, c, d float64 }

// block2At returns the diagonal block of rows i and i+1 of t.
func block2At[W dense.Float](t dense.Matrix[W], i int) block2 {
	x := t.Data[i*(t.Stride+1):]
	y := x[t.Stride:]
	return block2{float64(x[0]), float64(x[1]), float64(y[0]), float64(y[1])}
}

// storeBlock2 rounds m to W and stores it as the diagonal block of rows i and i+1 of t.
func storeBlock2[W dense.Float](t dense.Matrix[W], i int, m block2) {
	x := t.Data[i*(t.Stride+1):]
	y := x[t.Stride:]
	x[0], x[1], y[0], y[1] = W(m.a), W(m.b), W(m.c), W(m.d)
}

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
	s, g = m.times(scale).standardizeScaled()
	return s.times(1 / scale), g
}

// standardizeScaled is standardize for elements of which squares may be formed.
//
// Source: Bai and Demmel, On swapping diagonal blocks in real Schur form, Linear Algebra Appl. 186, 1993, in the form of LAPACK's
// dlanv2.
func (m block2) standardizeScaled() (s block2, g rotation) {
	switch {
	case m.isStandard(): // because scaling has rounded elements to zero
		return m, rotation{cs: 1}
	case m.b == 0:
		return block2{a: m.d, b: -m.c, d: m.a}, rotation{sn: 1}
	}
	// Below this, in units of the squared size of the block, the discriminant may be rounding errors.
	const certain = 4 * eps
	p := (m.a - m.d) / 2
	larger, smaller := max(math.Abs(m.b), math.Abs(m.c)), min(math.Abs(m.b), math.Abs(m.c))
	if math.Signbit(m.b) != math.Signbit(m.c) {
		smaller = -smaller
	}
	size := max(math.Abs(p), larger)
	discriminant := (p/size)*(p/size) + (larger/size)*(smaller/size)
	if discriminant >= certain { // real eigenvalues: (c, z) is orthogonal to the eigenvector of d + z
		z := p + math.Copysign(size*math.Sqrt(discriminant), p)
		tau := math.Hypot(m.c, z)
		return block2{a: m.d + z, b: m.b - m.c, d: m.d - larger/z*smaller}, rotation{z / tau, m.c / tau}
	}
	g = m.equalizer()
	s = m.rotated(g)
	mean := (s.a + s.d) / 2
	s.a, s.d = mean, mean
	switch {
	case s.isStandard():
		return s, g
	case s.b == 0:
		h := rotation{sn: 1}
		return block2{a: mean, b: -s.c, d: mean}, h.times(g)
	}
	// Real eigenvalues mean +- sqrt(bc) after all.
	rootB, rootC := math.Sqrt(math.Abs(s.b)), math.Sqrt(math.Abs(s.c))
	root := math.Copysign(rootB*rootC, s.c)
	length := math.Sqrt(math.Abs(s.b + s.c))
	h := rotation{rootB / length, rootC / length}
	return block2{a: mean + root, b: s.b - s.c, d: mean - root}, h.times(g)
}

// equalizer returns a rotation G for which G m G^T has equal diagonal elements.
func (m block2) equalizer() rotation {
	sum, difference := m.b+m.c, m.a-m.d
	scale := safeScale(max(math.Abs(sum), math.Abs(difference)))
	sum, difference = sum*scale, difference*scale
	length := math.Hypot(sum, difference)
	cs := math.Sqrt((1 + math.Abs(sum)/length) / 2)
	sn := -difference / length / (2 * cs)
	if math.Signbit(sum) {
		sn = -sn
	}
	return rotation{cs, sn}
}

// rotated returns G m G^T.
func (m block2) rotated(g rotation) block2 {
	r := block2{g.cs*m.a + g.sn*m.c, g.cs*m.b + g.sn*m.d, g.cs*m.c - g.sn*m.a, g.cs*m.d - g.sn*m.b}
	return block2{r.a*g.cs + r.b*g.sn, r.b*g.cs - r.a*g.sn, r.c*g.cs + r.d*g.sn, r.d*g.cs - r.c*g.sn}
}

// frequency returns the imaginary part of the first eigenvalue of a standard block: sqrt(-bc).
func (m block2) frequency() float64 { return geometricMean(math.Abs(m.b), math.Abs(m.c)) }

// smallestEigenvalue returns, up to a small factor, the modulus of the smaller eigenvalue of m: its determinant divided
// by the modulus of the larger one.
func (m block2) smallestEigenvalue() float64 {
	largest := max(math.Abs(m.a), math.Abs(m.d), m.frequency())
	if largest == 0 {
		return 0
	}
	return math.Abs(m.a/largest*m.d - m.b/largest*m.c)
}

func (m block2) times(x float64) block2 { return block2{m.a * x, m.b * x, m.c * x, m.d * x} }

// standardizeBlock brings the diagonal block of rows i and i+1 of t to standard form, and multiplies zt by the rotation.
func standardizeBlock[W dense.Float](t, zt dense.Matrix[W], i int) {
	m, g := block2At(t, i).standardize()
	storeBlock2(t, i, m)
	if g.isIdentity() {
		return
	}
	end := i + 2
	rotateRows(g, t.Row(i)[end:], t.Row(i + 1)[end:])
	rotateColumns(g, t, i, i)
	if zt.Rows > 0 {
		rotateRows(g, zt.Row(i), zt.Row(i+1))
	}
}

// restandardize repairs blocks of which an element became zero when T was scaled back to subnormal size.
func restandardize[W dense.Float](t, zt dense.Matrix[W]) {
	for i := range t.Rows - 1 {
		if t.At(i+1, i) == 0 {
			continue
		}
		standardizeBlock(t, zt, i)
		if t.At(i+1, i) != 0 {
			t.Set(i+1, i+1, t.At(i, i)) // equal already, but for the sign of a zero
		}
	}
}
