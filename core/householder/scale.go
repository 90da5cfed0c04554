package householder

import (
	"math"

	"trnsci/core/dense"
)

// Squares of vectors with norms below tinyNorm or above hugeNorm lose digits or overflow. Such vectors are multiplied
// by enlarge or by shrink first, which brings even the smallest subnormal and the largest number between those limits.
const (
	tinyNorm = 0x1p-450
	hugeNorm = 0x1p+500
	enlarge  = 0x1p+900
	shrink   = 0x1p-520
)

// SafeScale returns a power of two by which numbers of the given norm or largest modulus are multiplied before squares
// of them are formed in double precision: 1 for all but extreme norms.
func SafeScale(norm float64) float64 {
	switch {
	case norm < tinyNorm:
		return enlarge
	case norm > hugeNorm:
		return shrink
	}
	return 1
}

// tinyNormOf returns the norm below which Generate multiplies a vector of type W by a factor, and the factor.
func tinyNormOf[W dense.Scalar]() (least, factor float64) {
	const tinySingle, enlargeSingle = 0x1p-80, 0x1p+80
	if dense.IsSingle[W]() {
		return tinySingle, enlargeSingle
	}
	return tinyNorm, enlarge
}

// leastSquareSum is the square of tinyNorm: sums of squares above it have lost nothing that counts to underflow.
const leastSquareSum = tinyNorm * tinyNorm

// Length returns the length of (x, y), or an infinity where it exceeds the square root of the largest number. Where the
// sum of squares is not tiny it takes a quarter of the time of math.Hypot.
func Length(x, y float64) float64 {
	if sum := x*x + y*y; sum > leastSquareSum {
		return math.Sqrt(sum)
	}
	return math.Hypot(x, y)
}
