// Package dense defines the matrices and vectors that every numerical package of this module works on: row-major
// matrices with a stride, strided views of foreign memory, and the scalar helpers that generic code over four element
// types needs.
//
// Only functions whose names say so copy elements. A view does not own its memory; the maker of the slice does.
package dense

import (
	"math"
	"unsafe"
)

// Float is the set of real element types.
type Float interface{ float32 | float64 }

// Complex is the set of complex element types.
type Complex interface{ complex64 | complex128 }

// Scalar is the set of element types of the dense solvers.
type Scalar interface{ Float | Complex }

// Wide is the set of double-precision element types. Solvers whose arithmetic is done in double precision for every
// input dtype are written over it.
type Wide interface{ float64 | complex128 }

// IsComplex reports whether T has an imaginary part.
func IsComplex[T Scalar]() bool {
	var z T
	switch any(z).(type) {
	case complex64, complex128:
		return true
	}
	return false
}

// IsSingle reports whether T's real type is float32.
func IsSingle[T Scalar]() bool {
	var z T
	switch any(z).(type) {
	case float32, complex64:
		return true
	}
	return false
}

// Parts returns the number of real numbers in a T: 2 for a complex type, 1 for a real one.
func Parts[T Scalar]() int {
	if IsComplex[T]() {
		return 2
	}
	return 1
}

// Bytes returns the size of a T in bytes.
func Bytes[T Scalar]() int { return int(unsafe.Sizeof(*new(T))) }

// Conj returns the complex conjugate of x, which is x itself for a real type.
func Conj[T Scalar](x T) T {
	switch v := any(x).(type) {
	case complex64:
		return any(complex(real(v), -imag(v))).(T)
	case complex128:
		return any(complex(real(v), -imag(v))).(T)
	}
	return x
}

// Conjugate replaces the elements of x by their complex conjugates.
func Conjugate[T Scalar](x []T) {
	switch z := any(x).(type) {
	case []complex64:
		for i, v := range z {
			z[i] = complex(real(v), -imag(v))
		}
	case []complex128:
		for i, v := range z {
			z[i] = complex(real(v), -imag(v))
		}
	}
}

// ConjugateTo sets dst, which is as long as src, to the complex conjugate of src.
func ConjugateTo[T Scalar](dst, src []T) {
	if !IsComplex[T]() {
		copy(dst, src)
		return
	}
	for i, v := range src {
		dst[i] = Conj(v)
	}
}

// Real returns the real part of x in double precision.
func Real[T Scalar](x T) float64 {
	switch v := any(x).(type) {
	case float32:
		return float64(v)
	case float64:
		return v
	case complex64:
		return float64(real(v))
	case complex128:
		return real(v)
	}
	panic("dense: unreachable scalar type")
}

// Imag returns the imaginary part of x in double precision: 0 for a real type.
func Imag[T Scalar](x T) float64 {
	switch v := any(x).(type) {
	case complex64:
		return float64(imag(v))
	case complex128:
		return imag(v)
	}
	return 0
}

// Reals returns the memory of x as numbers of its real type R: alternating real and imaginary parts, or x itself.
func Reals[R Float, T Scalar](x []T) []R {
	parts := int(unsafe.Sizeof(*new(T)) / unsafe.Sizeof(*new(R)))
	return unsafe.Slice((*R)(unsafe.Pointer(unsafe.SliceData(x))), parts*len(x))
}

// Pairs returns the memory of x as complex numbers T, of alternating real and imaginary parts in x.
func Pairs[T Complex, R Float](x []R) []T {
	parts := int(unsafe.Sizeof(*new(T)) / unsafe.Sizeof(*new(R)))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/parts)
}

// FromReal returns x as a T with imaginary part 0, rounded to T's precision.
func FromReal[T Scalar](x float64) T {
	var z T
	switch any(z).(type) {
	case float32:
		return any(float32(x)).(T)
	case float64:
		return any(x).(T)
	case complex64:
		return any(complex(float32(x), 0)).(T)
	}
	return any(complex(x, 0)).(T)
}

// FromParts returns re + i*im as a T. A real T drops im, so callers pass 0 there.
func FromParts[T Scalar](re, im float64) T {
	var z T
	switch any(z).(type) {
	case complex64:
		return any(complex(float32(re), float32(im))).(T)
	case complex128:
		return any(complex(re, im)).(T)
	}
	return FromReal[T](re)
}

// Convert returns x in the dtype D, rounded to D's precision. Converting a complex number to a real type keeps the
// real part; callers do so only where the imaginary part is zero by construction.
func Convert[D, S Scalar](x S) D { return FromParts[D](Real(x), Imag(x)) }

// Abs returns the modulus of x without overflow in the intermediate square.
func Abs[T Scalar](x T) float64 {
	switch v := any(x).(type) {
	case float32:
		return math.Abs(float64(v))
	case float64:
		return math.Abs(v)
	case complex64:
		return math.Hypot(float64(real(v)), float64(imag(v)))
	case complex128:
		return math.Hypot(real(v), imag(v))
	}
	panic("dense: unreachable scalar type")
}
