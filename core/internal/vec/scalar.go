package vec

import "trnsci/core/kernel"

// Parts returns the real and the imaginary part of x.
func Parts[E kernel.Scalar](x E) (re, im float64) {
	switch z := any(x).(type) {
	case float32:
		return float64(z), 0
	case float64:
		return z, 0
	case complex64:
		return float64(real(z)), float64(imag(z))
	}
	z := any(x).(complex128)
	return real(z), imag(z)
}

// FromReal returns the real number re as an E.
func FromReal[E kernel.Scalar](re float64) (x E) {
	switch p := any(&x).(type) {
	case *float32:
		*p = float32(re)
	case *float64:
		*p = re
	case *complex64:
		*p = complex(float32(re), 0)
	case *complex128:
		*p = complex(re, 0)
	}
	return x
}

// Conj returns the conjugate of x.
func Conj[E kernel.Scalar](x E) E {
	switch p := any(&x).(type) {
	case *complex64:
		*p = complex(real(*p), -imag(*p))
	case *complex128:
		*p = complex(real(*p), -imag(*p))
	}
	return x
}

// RealDot returns the real part of conj(x) y.
func RealDot[E kernel.Scalar](x, y E) float64 {
	a, b := Parts(x)
	c, d := Parts(y)
	return a*c + b*d
}

// AbsSquared returns |x|^2.
func AbsSquared[C kernel.Complex](x C) float64 {
	re, im := Parts(x)
	return re*re + im*im
}
