package dense

import "math"

// Parameters of double precision, for code whose arithmetic is float64 for every element type. Eps, SmallestNormal and
// SmallestSubnormal give those of a type.
const (
	// EpsDouble is the distance from 1 to the next larger number (LAPACK's dlamch('P')).
	EpsDouble = 0x1p-52
	// RoundoffDouble is the unit roundoff: the bound of the relative error of one rounding (dlamch('E')).
	RoundoffDouble = 0x1p-53
	// SmallestNormalDouble is the smallest positive normal number (dlamch('U')).
	SmallestNormalDouble = 0x1p-1022
)

// Eps returns the distance from 1 to the next larger number of T's real type: 2^-23 or 2^-52.
func Eps[T Scalar]() float64 {
	var z T
	switch any(z).(type) {
	case float32, complex64:
		return 0x1p-23
	}
	return EpsDouble
}

// SmallestNormal returns the smallest positive normal number of T's real type: 2^-126 or 2^-1022.
func SmallestNormal[T Scalar]() float64 {
	if IsSingle[T]() {
		return 0x1p-126
	}
	return SmallestNormalDouble
}

// SmallestSubnormal returns the smallest positive number of T's real type: 2^-149 or 2^-1074.
func SmallestSubnormal[T Scalar]() float64 {
	if IsSingle[T]() {
		return math.SmallestNonzeroFloat32
	}
	return math.SmallestNonzeroFloat64
}

// MaxExponent returns the largest k for which 2^k is a finite number of T's real type: 127 or 1023.
func MaxExponent[T Scalar]() int {
	if IsSingle[T]() {
		return 127
	}
	return 1023
}

// LargestPower returns 2^MaxExponent, the largest power of two of T's real type.
func LargestPower[T Scalar]() float64 {
	if IsSingle[T]() {
		return 0x1p127
	}
	return 0x1p1023
}

// IsFinite reports whether neither part of x is an infinity or a NaN.
func IsFinite[T Scalar](x T) bool {
	// x-x is 0 for finite numbers and NaN otherwise, for every element type.
	d := x - x
	return d == 0
}
