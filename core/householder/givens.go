package householder

import (
	"math"

	"trnsci/core/dense"
)

// Givens is the rotation G = [C S; -conj(S) C] with real C, C^2 + |S|^2 = 1. Applied to two rows or two columns (x, y)
// it makes them (C x + S y, C y - conj(S) x). A real one has the memory layout of a kernel's rotation: C, then S.
type Givens[T dense.Wide] struct{ C, S T }

// Identity returns the rotation that changes nothing.
func Identity[T dense.Wide]() Givens[T] { return NewGivens[T](1, 0) }

// NewGivens returns the rotation of cosine c and sine s as they are.
func NewGivens[T dense.Wide](c float64, s T) Givens[T] { return Givens[T]{dense.FromReal[T](c), s} }

// unitGivens is NewGivens with the length of (c, s), which is 1 up to a few rounding errors, corrected to 1: a column
// of a unitary factor takes part in several rotations for each eigenvalue, whose errors add up.
func unitGivens[T dense.Wide](c float64, s T) Givens[T] {
	re, im := dense.Real(s), dense.Imag(s)
	// Not c (1 - excess/2): numbers below 1 are closer to each other than those above, so that this would shorten.
	half := -excess(c, re, im) / 2
	return NewGivens(math.FMA(half, c, c), dense.FromParts[T](math.FMA(half, re, re), math.FMA(half, im, im)))
}

// excess returns c^2 + re^2 + im^2 - 1, which is small, to about a rounding error.
func excess(c, re, im float64) float64 {
	if c*c < 0.5 {
		return math.FMA(c, c, math.FMA(re, re, im*im-1))
	}
	return math.FMA(c, c, -1) + re*re + im*im
}

// Normalize returns c and s with c^2 + s^2 closer to 1. It is cheap enough for the inner loop of a QL sweep: three
// fused multiply-adds and no branch, with an error of a few eps^2 relative to the correction. ToFirst computes the
// excess to a rounding error whichever of the two is larger.
func Normalize(c, s float64) (float64, float64) {
	lack := math.FMA(-s, s, math.FMA(-c, c, 1)) / 2
	return c + c*lack, s + s*lack
}

// Conj returns the rotation whose elements are the complex conjugates.
func (g Givens[T]) Conj() Givens[T] { return Givens[T]{g.C, dense.Conj(g.S)} }

// Turn applies the rotation to one pair.
func (g Givens[T]) Turn(x, y T) (T, T) { return g.C*x + g.S*y, g.C*y - dense.Conj(g.S)*x }

const (
	// Moduli below tinyPair lose digits in a quotient by their subnormal norm; they are multiplied by enlargePair first.
	tinyPair    = 0x1p-960
	enlargePair = 0x1p+100
	// What is smaller than this times its partner changes nothing in double precision.
	negligibleRatio = 0x1p-200
	// Sums of squares between these are as precise as any.
	leastSquares, mostSquares = 0x1p-900, 0x1p+900
)

// ToFirst returns the rotation that takes (f, g), of any size, to (r, 0). r has the phase of f.
//
// Method: LAPACK's lartg (Bindel, Demmel, Kahan and Marques, On computing Givens rotations reliably and efficiently,
// ACM Trans. Math. Softw. 28, 2002), with C and S corrected to unit length.
func ToFirst[T dense.Wide](f, g T) (q Givens[T], r T) {
	if g == 0 {
		return Identity[T](), f
	}
	if x, ok := any(f).(float64); ok {
		if q, r, ok := realToFirst(x, any(g).(float64)); ok {
			return any(q).(Givens[T]), any(r).(T)
		}
	}
	size := dense.Abs(f)
	norm := math.Hypot(size, dense.Abs(g))
	if norm < tinyPair {
		q, r = ToFirst(f*enlargePair, g*enlargePair)
		return q, r / enlargePair
	}
	if size <= norm*negligibleRatio {
		return NewGivens(0, dense.Conj(g)/dense.FromReal[T](norm)), dense.FromReal[T](norm)
	}
	phase := Phase(f)
	return unitGivens(size/norm, phase*dense.Conj(g)/dense.FromReal[T](norm)), phase * dense.FromReal[T](norm)
}

// ToFirstOfNorm is ToFirst for real numbers the sum of whose squares is known to a few rounding errors. It returns
// false if that is zero or not of moderate size.
func ToFirstOfNorm(x, y, squares float64) (q Givens[float64], r float64, ok bool) {
	if !(squares >= leastSquares) || squares > mostSquares {
		return q, 0, false
	}
	norm := math.Copysign(math.Sqrt(squares), x)
	c, s := x/norm, y/norm
	correction := -excess(c, s, 0) / 2
	return Givens[float64]{math.FMA(correction, c, c), math.FMA(correction, s, s)}, norm, true
}

// realToFirst is ToFirst for numbers of moderate size; it returns false for others.
func realToFirst(x, y float64) (q Givens[float64], r float64, ok bool) {
	return ToFirstOfNorm(x, y, x*x+y*y)
}

// ToSecond returns the rotation that takes (f, g) to (0, r).
func ToSecond[T dense.Wide](f, g T) (q Givens[T], r T) {
	q, r = ToFirst(g, f)
	// ToFirst maps g, f to c g + s f and c f - conj(s) g.
	return Givens[T]{q.C, -dense.Conj(q.S)}, r
}

// Phase returns x/|x| for an x that is not zero.
func Phase[T dense.Wide](x T) T {
	size := dense.Abs(x)
	if size < tinyPair {
		return Phase(x * enlargePair)
	}
	return x / dense.FromReal[T](size)
}

// RotateReal applies the rotation, rounded to W, to two rows of equal length.
func RotateReal[W dense.Float](g Givens[float64], x, y []W) {
	c, s := W(g.C), W(g.S)
	y = y[:len(x)]
	for j, p := range x {
		q := y[j]
		x[j], y[j] = c*p+s*q, c*q-s*p
	}
}

// RotateRows applies the rotation to two rows of equal length.
func RotateRows[T dense.Wide](g Givens[T], x, y []T) {
	if v, ok := any(x).([]complex128); ok {
		rotateComplex(any(g).(Givens[complex128]), v, any(y).([]complex128))
		return
	}
	y = y[:len(x)]
	c, s := g.C, g.S
	for j, p := range x {
		q := y[j]
		x[j], y[j] = c*p+s*q, c*q-s*p
	}
}

// rotateComplex is RotateRows for complex rows; the cosine is real.
func rotateComplex(g Givens[complex128], x, y []complex128) {
	y = y[:len(x)]
	c, re, im := real(g.C), real(g.S), imag(g.S)
	for j, p := range x {
		a, b := real(p), imag(p)
		d, e := real(y[j]), imag(y[j])
		x[j] = complex(c*a+(re*d-im*e), c*b+(re*e+im*d))
		y[j] = complex(c*d-(re*a+im*b), c*e-(re*b-im*a))
	}
}

// RotateColumns applies the rotation to columns k and k+1 of m in the rows from first on and before end.
func RotateColumns[T dense.Wide](g Givens[T], m dense.Matrix[T], k, first, end int) {
	c, s, t := g.C, g.S, dense.Conj(g.S)
	for i := first; i < end; i++ {
		at := i*m.Stride + k
		pair := m.Data[at : at+2 : at+2]
		x, y := pair[0], pair[1]
		pair[0], pair[1] = c*x+s*y, c*y-t*x
	}
}
