// Package quasi works on the 2 x 2 diagonal blocks of quasi-triangular matrices, the real Schur forms: it brings blocks
// to standard form, exchanges neighbouring blocks, and reads eigenvalues off. For complex matrices, whose Schur forms
// are triangular, it exchanges diagonal elements.
//
// In standard form a 2 x 2 block [a b; c a] has equal diagonal elements and off-diagonal elements of opposite sign, and
// holds the complex pair a +- i sqrt(-bc). zt is the transposed (or adjoint) orthogonal (unitary) factor of the form
// throughout, or has no rows.
package quasi

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/householder"
)

// rotation is the matrix G = [C S; -S C].
type rotation = householder.Givens[float64]

var identity = rotation{C: 1}

// times returns the rotation G H.
func times(g, h rotation) rotation {
	return rotation{C: g.C*h.C - g.S*h.S, S: g.C*h.S + g.S*h.C}
}

// rotateColumns multiplies two columns of m, starting at column k, by G^T from the right, in the rows before end.
func rotateColumns[W dense.Float](g rotation, m dense.Matrix[W], k, end int) {
	cs, sn := W(g.C), W(g.S)
	for i := range end {
		r := m.Data[i*m.Stride+k : i*m.Stride+k+2 : i*m.Stride+k+2]
		r[0], r[1] = cs*r[0]+sn*r[1], cs*r[1]-sn*r[0]
	}
}

// Block2 is the matrix [A B; C D]. Its arithmetic is that of double precision for single-precision matrices too.
type Block2 struct{ A, B, C, D float64 }

// BlockAt returns the diagonal block of rows i and i+1 of t.
func BlockAt[W dense.Float](t dense.Matrix[W], i int) Block2 {
	x := t.Data[i*(t.Stride+1):]
	y := x[t.Stride:]
	return Block2{float64(x[0]), float64(x[1]), float64(y[0]), float64(y[1])}
}

// storeBlock rounds m to W and stores it as the diagonal block of rows i and i+1 of t.
func storeBlock[W dense.Float](t dense.Matrix[W], i int, m Block2) {
	x := t.Data[i*(t.Stride+1):]
	y := x[t.Stride:]
	x[0], x[1], y[0], y[1] = W(m.A), W(m.B), W(m.C), W(m.D)
}

// IsStandard reports whether m is triangular or a complex pair in standard form.
func (m Block2) IsStandard() bool {
	return m.C == 0 || (m.A == m.D && m.B != 0 && math.Signbit(m.B) != math.Signbit(m.C))
}

// Standardize returns the rotation G for which s = G m G^T is in standard form: triangular if the eigenvalues are real,
// otherwise with equal diagonal elements and off-diagonal elements of opposite sign. A block of extreme size is scaled
// first, because its rotation would not be orthogonal; unscaling may round an element of s to zero.
func (m Block2) Standardize() (s Block2, g rotation) {
	if m.IsStandard() {
		return m, identity
	}
	scale := householder.SafeScale(max(math.Abs(m.A), math.Abs(m.B), math.Abs(m.C), math.Abs(m.D)))
	s, g = m.scaled(scale).standardizeScaled()
	return s.scaled(1 / scale), g
}

// standardizeScaled is Standardize for elements whose squares neither overflow nor underflow.
//
// Source: Bai and Demmel, On swapping diagonal blocks in real Schur form, Linear Algebra Appl. 186, 1993, in the form
// of LAPACK's dlanv2.
func (m Block2) standardizeScaled() (s Block2, g rotation) {
	switch {
	case m.IsStandard(): // because scaling has rounded elements to zero
		return m, identity
	case m.B == 0:
		return Block2{A: m.D, B: -m.C, D: m.A}, rotation{S: 1}
	}
	// Below this, in units of the squared size of the block, the discriminant may be rounding errors.
	const certain = 4 * dense.EpsDouble
	p := (m.A - m.D) / 2
	larger, smaller := max(math.Abs(m.B), math.Abs(m.C)), min(math.Abs(m.B), math.Abs(m.C))
	if math.Signbit(m.B) != math.Signbit(m.C) {
		smaller = -smaller
	}
	size := max(math.Abs(p), larger)
	discriminant := (p/size)*(p/size) + (larger/size)*(smaller/size)
	if discriminant >= certain { // real eigenvalues: (c, z) is orthogonal to the eigenvector of d + z
		z := p + math.Copysign(size*math.Sqrt(discriminant), p)
		tau := math.Hypot(m.C, z)
		return Block2{A: m.D + z, B: m.B - m.C, D: m.D - larger/z*smaller}, rotation{C: z / tau, S: m.C / tau}
	}
	g = m.equalizer()
	s = m.rotated(g)
	mean := (s.A + s.D) / 2
	s.A, s.D = mean, mean
	switch {
	case s.IsStandard():
		return s, g
	case s.B == 0:
		h := rotation{S: 1}
		return Block2{A: mean, B: -s.C, D: mean}, times(h, g)
	}
	// Real eigenvalues mean +- sqrt(bc) after all.
	rootB, rootC := math.Sqrt(math.Abs(s.B)), math.Sqrt(math.Abs(s.C))
	root := math.Copysign(rootB*rootC, s.C)
	length := math.Sqrt(math.Abs(s.B + s.C))
	h := rotation{C: rootB / length, S: rootC / length}
	return Block2{A: mean + root, B: s.B - s.C, D: mean - root}, times(h, g)
}

// equalizer returns a rotation G for which G m G^T has equal diagonal elements.
func (m Block2) equalizer() rotation {
	sum, difference := m.B+m.C, m.A-m.D
	scale := householder.SafeScale(max(math.Abs(sum), math.Abs(difference)))
	sum, difference = sum*scale, difference*scale
	length := math.Hypot(sum, difference)
	cs := math.Sqrt((1 + math.Abs(sum)/length) / 2)
	sn := -difference / length / (2 * cs)
	if math.Signbit(sum) {
		sn = -sn
	}
	return rotation{C: cs, S: sn}
}

// rotated returns G m G^T.
func (m Block2) rotated(g rotation) Block2 {
	r := Block2{g.C*m.A + g.S*m.C, g.C*m.B + g.S*m.D, g.C*m.C - g.S*m.A, g.C*m.D - g.S*m.B}
	return Block2{r.A*g.C + r.B*g.S, r.B*g.C - r.A*g.S, r.C*g.C + r.D*g.S, r.D*g.C - r.C*g.S}
}

// ImagPart returns the imaginary part of the first eigenvalue of a standard block: sqrt(-bc).
func (m Block2) ImagPart() float64 { return geometricMean(math.Abs(m.B), math.Abs(m.C)) }

// SmallestEigenvalue returns, up to a small factor, the modulus of the smaller eigenvalue of m: its determinant divided
// by the modulus of the larger one.
func (m Block2) SmallestEigenvalue() float64 {
	largest := max(math.Abs(m.A), math.Abs(m.D), m.ImagPart())
	if largest == 0 {
		return 0
	}
	return math.Abs(m.A/largest*m.D - m.B/largest*m.C)
}

func (m Block2) scaled(x float64) Block2 { return Block2{m.A * x, m.B * x, m.C * x, m.D * x} }

// StandardizeAt brings the diagonal block of rows i and i+1 of t to standard form, and multiplies zt by the rotation.
func StandardizeAt[W dense.Float](t, zt dense.Matrix[W], i int) {
	m, g := BlockAt(t, i).Standardize()
	storeBlock(t, i, m)
	if g == identity {
		return
	}
	end := i + 2
	householder.RotateReal(g, t.Row(i)[end:], t.Row(i + 1)[end:])
	rotateColumns(g, t, i, i)
	if zt.Rows > 0 {
		householder.RotateReal(g, zt.Row(i), zt.Row(i+1))
	}
}

// Restandardize repairs blocks of which an element became zero when T was scaled back to subnormal size.
func Restandardize[W dense.Float](t, zt dense.Matrix[W]) {
	for i := range t.Rows - 1 {
		if t.At(i+1, i) == 0 {
			continue
		}
		StandardizeAt(t, zt, i)
		if t.At(i+1, i) != 0 {
			t.Set(i+1, i+1, t.At(i, i)) // equal already, but for the sign of a zero
		}
	}
}
