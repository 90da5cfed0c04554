package programs

import (
	"math"

	"trnsci/core/dense"
)

// productSize is what is known of a product X Y before it is computed.
type productSize struct {
	terms      int     // of each sum
	rowX, colY float64 // the Euclidean lengths of the longest row of X and of the longest column of Y
}

// updateBound returns a bound of |C' - (alpha X Y + beta C)| for every element of what a device computes as C' in the precision and has not returned
// yet, for the given alpha, X, Y, beta and C before they are rounded to the device's type, if nothing overflows. largestC is the largest modulus in C; where
// beta is 0 nothing is added. With u half the distance from 1 to the next number of the type, and s its smallest normal number, below which any operand
// and any result may be set to 0:
//
//   - Beside what is relative to it, a few s of each element of X and Y are lost where it is rounded to the type, written as parts and read: of a row or
//     column at most a vector of length t, sqrt(k) times as much. Rows are then no longer than x = rowX + t and columns than y = colY + t, and by the
//     inequality of Cauchy and Schwarz the moduli of k products sum to at most x y, and exact sums change by x y - rowX colY.
//   - The sums are off by g x y, with productError's g, in which the roundings of alpha and of its product are too, and by 3 s for each addition and
//     product of numbers, which later roundings raise by at most g: altogether |Z' - X Y| <= g x y + (x y - rowX colY) + (1 + g) underflow.
//   - alpha is off by 2 s beside its rounding, and the product with Z' by s.
//   - beta, C and their product are rounded, 3 u |beta C|, and each may lose 2 s.
//   - The sum of both is rounded, u times what it may be, and may lose 3 s.
//
// Products of two small errors, u^2 and u s, are covered by the slack (N. J. Higham, Accuracy and Stability of Numerical Algorithms, sections 2.1 and 3.1).
func updateBound(p Precision, z productSize, alpha, beta, largestC float64) float64 {
	const (
		operandLosses = 16    // of an element, in units of s: one rounding and one reading, and those of up to five operations for each part but the last
		dots          = 6     // products of parts, at most
		each          = 2 * 3 // losses in units of s for a product of numbers and for an addition
		slack         = 1.001 // for products of small errors and rounding in the bound itself
	)
	u, s := p.dtype().Eps()/2, smallestNormal(p.dtype())
	alpha, beta = math.Abs(alpha), math.Abs(beta)
	t := math.Sqrt(float64(z.terms)) * operandLosses * s
	g := p.productError(z.terms)
	moduli := (z.rowX + t) * (z.colY + t) // of the products, summed
	underflow := float64(dots*each*(z.terms+1)) * s
	off := g*moduli + t*(z.rowX+z.colY+t) + (1+g)*underflow
	bound := alpha*off + 2*s*(moduli+off+1)
	if beta != 0 {
		offC := 3*u*beta*largestC + 2*s*(beta+largestC+1)
		bound += offC + u*(alpha*moduli+bound+beta*largestC+offC) + 3*s
	}
	return slack * bound
}

// returnedBound returns the bound of a result that comes back in type T, of which the largest modulus is given, from that of what the device computed: the
// rounding to T is added where T has fewer digits. Where the result is infinite or NaN, something overflowed and nothing is known: an infinity or a NaN
// in the device's arithmetic stays one in all that is computed from it.
func returnedBound[T dense.Float](p Precision, bound, largest float64) float64 {
	if !dense.IsFinite(largest) {
		return max(bound, math.Inf(1)) // NaN stays: then an argument was NaN
	}
	if eps := dense.Eps[T](); eps > p.dtype().Eps() {
		bound += eps * (largest + smallestNormal(FP32.dtype()))
	}
	return bound
}

// longest returns the largest Euclidean length of a row, or of a column, of any matrix of a stack. The squares are those of elements divided by a power of
// two near the largest modulus, so that they neither overflow nor vanish beside it.
func longest[T dense.Float](p *pace, stack []dense.Matrix[T], byRows bool) (float64, error) {
	modulus, err := largestModulus(p, stack, whole)
	if err != nil || modulus == 0 {
		return 0, err
	}
	_, exponent := math.Frexp(modulus)
	scale := math.Ldexp(1, -max(exponent, leastExponent))
	largest := 0.0
	for _, x := range stack {
		squares := make([]float64, x.Cols)
		for i := range x.Rows {
			sum := 0.0
			for j, v := range x.Row(i) {
				scaled := float64(v) * scale
				squares[j] += scaled * scaled
				sum += scaled * scaled
			}
			if byRows {
				largest = math.Max(largest, sum)
			}
			if err := p.did(x.Cols); err != nil {
				return 0, err
			}
		}
		if !byRows {
			for _, s := range squares {
				largest = math.Max(largest, s)
			}
		}
	}
	return math.Sqrt(largest) / scale, nil
}

// leastExponent is the smallest exponent that longest scales with: powers of two beyond 2^1000 are left alone.
const leastExponent = -1000

// largestModulus returns the largest modulus in a triangle of any matrix of a stack, NaN or an infinity if there is one.
func largestModulus[T dense.Float](p *pace, stack []dense.Matrix[T], t Triangle) (float64, error) {
	largest := 0.0
	for _, x := range stack {
		for i := range x.Rows {
			first, end := t.columns(i, x.Cols)
			for _, v := range x.Row(i)[first:end] {
				largest = math.Max(largest, math.Abs(float64(v)))
			}
			if err := p.did(x.Cols); err != nil {
				return 0, err
			}
		}
	}
	return largest, nil
}
