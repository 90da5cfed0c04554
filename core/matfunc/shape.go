package matfunc

import (
	"math"
	"math/cmplx"

	"trnsci/core/dense"
)

// shape is the pattern of nonzero elements of a square matrix.
type shape int

const (
	full shape = iota
	upper
	lower
	diagonal
)

// shapeOf returns the narrowest shape of a.
func shapeOf[T dense.Scalar](a dense.Matrix[T]) shape {
	isUpper, isLower := true, true
	for i := 0; i < a.Rows && (isUpper || isLower); i++ {
		row := a.Row(i)
		isUpper = isUpper && isZero(row[:i])
		isLower = isLower && isZero(row[i+1:])
	}
	switch {
	case isUpper && isLower:
		return diagonal
	case isUpper:
		return upper
	case isLower:
		return lower
	}
	return full
}

func isZero[T dense.Scalar](x []T) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// diagonals are the main diagonal of a triangular matrix and the one beside it, on the side where the triangle is.
type diagonals struct{ main, beside []complex128 }

func diagonalsOf[T dense.Scalar](a dense.Matrix[T], where shape) (d diagonals) {
	n := a.Rows
	d.main, d.beside = make([]complex128, n), make([]complex128, max(0, n-1))
	for i := range n {
		d.main[i] = dense.Convert[complex128](a.At(i, i))
		switch {
		case i == 0:
		case where == upper:
			d.beside[i-1] = dense.Convert[complex128](a.At(i-1, i))
		default:
			d.beside[i-1] = dense.Convert[complex128](a.At(i, i-1))
		}
	}
	return d
}

// expOf is the exponential function, real for real numbers.
func expOf(x complex128) complex128 {
	const least, most = 709, 720 // where e^|x| may overflow, and where it does for every phase
	re, im := real(x), imag(x)
	switch {
	case re > least && re < most: // math.Exp overflows on amd64 for some numbers below the logarithm of the largest one
		modulus := math.Exp(re-1) * math.E
		if im == 0 {
			return complex(modulus, 0)
		}
		sine, cosine := math.Sincos(im)
		return complex(modulus*cosine, modulus*sine)
	case im == 0:
		return complex(math.Exp(re), 0)
	}
	return cmplx.Exp(x)
}

// expDifference returns the divided difference (e^y - e^x) / (y - x), which is e^x for x = y (Higham, Functions of
// Matrices, section 10.4.2). That of real numbers is e^y (1 - e^-(y - x)) / (y - x) for the larger y, which is infinite
// where it overflows.
func expDifference(x, y complex128) complex128 {
	if imag(x) == 0 && imag(y) == 0 && x != y {
		larger, distance := max(real(x), real(y)), math.Abs(real(y)-real(x))
		return complex(real(expOf(complex(larger, 0)))*(-math.Expm1(-distance)/distance), 0)
	}
	half := (y - x) / 2
	if cmplx.Abs(half) > 1 {
		return (expOf(y) - expOf(x)) / (y - x)
	}
	middle := expOf((x + y) / 2)
	if half == 0 {
		return middle
	}
	return middle * (cmplx.Sinh(half) / half)
}

// boundedBytes returns a number of bytes as an integer, at most math.MaxInt64.
func boundedBytes(bytes float64) int64 {
	if bytes >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(bytes)
}
