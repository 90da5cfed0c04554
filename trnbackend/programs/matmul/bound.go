package matmul

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/staging"
)

// productSize is what is known of a product X Y before it is computed.
type productSize struct {
	terms      int     // of each sum
	rowX, colY float64 // the Euclidean lengths of the longest row of X and of the longest column of Y
}

// updateBound returns a bound of |C' - (alpha X Y + beta C)| for every element, where C' is what a device computes in
// the precision and has not returned yet, and alpha, X, Y, beta and C are the given numbers before they are rounded to
// the device's type. It holds if nothing overflows. largestC is the largest modulus in C; where beta is 0 nothing is
// added. With the unit roundoff u of the type, and its smallest normal number s, below which any operand and any result
// may be set to 0:
//
//   - Beside the relative errors, each element of X and Y loses a few s where it is rounded to the type,
//     written as parts and read. A row or column loses at most a vector of length t, sqrt(k) times as much.
//     Rows are then no longer than x = rowX + t and columns than y = colY + t. By the inequality of Cauchy and
//     Schwarz the moduli of k products sum to at most x y, and exact sums change by x y - rowX colY.
//   - The sums are off by g x y with g = ProductError, which includes the roundings of alpha and of its
//     product, and by 3 s for each addition and product of numbers, which later roundings raise by at most g:
//     altogether |Z' - X Y| <= g x y + (x y - rowX colY) + (1 + g) underflow.
//   - alpha is off by 2 s beside its rounding, and the product with Z' by s.
//   - beta, C and their product are rounded, 3 u |beta C|, and each may lose 2 s.
//   - The sum of both is rounded, u times its largest possible value, and may lose 3 s.
//
// Products of two small errors, u^2 and u s, are covered by the slack (N. J. Higham, Accuracy and Stability of
// Numerical Algorithms, sections 2.1 and 3.1).
func updateBound(p precision.Precision, z productSize, alpha, beta, largestC float64) float64 {
	const (
		// of an element in units of s: a rounding, a reading, up to 5 operations for each part but the last
		operandLosses = 16
		dots          = 6     // products of parts, at most
		each          = 2 * 3 // losses in units of s for a product of numbers and for an addition
		slack         = 1.001 // for products of small errors and for rounding in the bound itself
	)
	u, s := p.Roundoff(), product.DType(p).SmallestNormal()
	alpha, beta = math.Abs(alpha), math.Abs(beta)
	t := math.Sqrt(float64(z.terms)) * operandLosses * s
	g := p.ProductError(z.terms)
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

// returnedBound returns the bound of a result that comes back in type T, with the given largest modulus, from the bound
// of what the device computed: the rounding to T is added where T has fewer digits. Where the result is infinite or
// NaN, something overflowed and nothing is known: an infinity or a NaN in the device's arithmetic stays one in all that
// is computed from it.
func returnedBound[T dense.Float](p precision.Precision, bound, largest float64) float64 {
	if !dense.IsFinite(largest) {
		return max(bound, math.Inf(1)) // NaN stays: then an argument was NaN
	}
	if eps := dense.Eps[T](); eps > 2*p.Roundoff() {
		bound += eps * (largest + graph.F32.SmallestNormal())
	}
	return bound
}

// longest returns the largest Euclidean length of a row, or of a column, of any matrix of a stack whose largest modulus
// is given. The squares are those of elements divided by a power of two near that modulus: they neither overflow nor
// vanish beside the largest one.
func longest[T dense.Float](
	check *staging.CancelCheck, stack []dense.Matrix[T], modulus float64, byRows bool,
) (float64, error) {
	const leastExponent = -1000 // smaller ones would scale by powers of two that are not finite
	if modulus == 0 {
		return 0, nil
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
			if err := check.Step(x.Cols); err != nil {
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
