package matfunc

import (
	"math"
	"math/cmplx"

	"trnsci/core/dense"
)

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

// principalSqrt returns the square root with a real part that is not negative, on the upper half of the imaginary axis
// for negative numbers.
func principalSqrt(z complex128) complex128 {
	if imag(z) == 0 {
		z = complex(real(z), 0) // a negative zero would choose the lower half
	}
	return cmplx.Sqrt(z)
}

// principalLog returns the logarithm with an imaginary part above -pi and up to pi.
func principalLog(z complex128) complex128 {
	const bits = 64
	if imag(z) == 0 {
		z = complex(real(z), 0)
	}
	// math.Log returns that of the smallest normal number for smaller ones on amd64
	if cmplx.Abs(z) < dense.SmallestNormalDouble {
		return cmplx.Log(z*(1<<bits)) - bits*math.Ln2
	}
	return cmplx.Log(z)
}

// unwinding returns the integer k for which the logarithm of exp(z) is z - 2 pi i k (Higham, Functions of Matrices,
// section 11.1).
func unwinding(z complex128) float64 { return math.Ceil((imag(z) - math.Pi) / (2 * math.Pi)) }

// logDifference returns the logarithm of y minus that of x, without the cancellation that the difference of the two
// logarithms has where x and y are close (Higham, Functions of Matrices, equation (11.28)).
func logDifference(x, y complex128) complex128 {
	plain := principalLog(y) - principalLog(x)
	if cmplx.Abs(y-x) > cmplx.Abs(x+y)/2 {
		return plain
	}
	return 2*atanh((y-x)/(y+x)) + complex(0, 2*math.Pi*unwinding(plain))
}

// atanh returns the inverse hyperbolic tangent of a z with |z| < 1, to full relative precision even for small z, unlike
// cmplx.Atanh: the real part is log(|1 + z| / |1 - z|), where the quotient of the squares is 1 + 4 re z / |1 - z|^2.
func atanh(z complex128) complex128 {
	x, y := real(z), imag(z)
	return complex(math.Log1p(4*x/((1-x)*(1-x)+y*y))/4, math.Atan2(2*y, (1-x)*(1+x)-y*y)/2)
}

// principalPower returns z^p for a z that is not zero, real for a positive z.
func principalPower(z complex128, p float64) complex128 {
	if imag(z) == 0 && real(z) > 0 {
		return complex(math.Pow(real(z), p), 0)
	}
	return cmplx.Exp(complex(p, 0) * principalLog(z))
}

// powerDifference returns the divided difference (y^p - x^p) / (y - x) of principal powers, p x^(p-1) for x = y (Higham
// and Lin, SIAM J. Matrix Anal. Appl. 32, 2011, equations (5.5) and (5.6)).
func powerDifference(x, y complex128, p float64) complex128 {
	exponent := complex(p, 0)
	switch {
	case x == y:
		return exponent * cmplx.Exp((exponent-1)*principalLog(x))
	case cmplx.Abs(y-x) > cmplx.Abs(x+y)/2:
		return (principalPower(y, p) - principalPower(x, p)) / (y - x)
	}
	middle := cmplx.Exp(exponent / 2 * (principalLog(x) + principalLog(y)))
	return middle * 2 * cmplx.Sinh(exponent/2*logDifference(x, y)) / (y - x)
}

// rootMinusOne returns z^(1/2^k) - 1 without cancellation: (z - 1) divided by the product of 1 + z^(1/2^j) for j = 1 to
// k, which begins with a root of z if z is in the left half plane (Al-Mohy, Numer. Algorithms 59, 2012, algorithm 2).
func rootMinusOne(z complex128, k int) complex128 {
	if k == 0 {
		return z - 1
	}
	if real(z) <= 0 {
		z = principalSqrt(z)
		k--
	}
	difference, product := z-1, complex(1, 0)
	for range k {
		z = principalSqrt(z)
		product *= 1 + z
	}
	return difference / product
}

// root returns the k-th root of x.
func root(x float64, k int) float64 { return math.Pow(x, 1/float64(k)) }
