package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// PlaceIn places n elements of which the first ones are random, and the others NaN.
func PlaceIn[E kernel.Scalar](rng *rand.Rand, m Arena[float32], n, random int) []E {
	words := int(unsafe.Sizeof(E(0)) / unsafe.Sizeof(m[0]))
	x := unsafe.Slice((*E)(unsafe.Pointer(&m.Place(rng, n*words)[0])), n)
	nan := math.NaN()
	for i := range x {
		x[i] = ElementOf[E](complex(nan, nan))
		if i < random {
			x[i] = ElementOf[E](complex(rng.NormFloat64(), rng.NormFloat64()))
		}
	}
	return x
}

// ComplexOf returns x as a complex number.
func ComplexOf[E kernel.Scalar](x E) complex128 { return complex(vec.Parts(x)) }

// EpsilonOf returns the distance from 1 to the next real number of an element type.
func EpsilonOf[E kernel.Scalar]() float64 {
	switch any(E(0)).(type) {
	case float32, complex64:
		return Epsilon[float32]()
	}
	return Epsilon[float64]()
}

func IsComplex[E kernel.Scalar]() bool {
	switch any(E(0)).(type) {
	case complex64, complex128:
		return true
	}
	return false
}

// ElementOf returns z, or its real part.
func ElementOf[E kernel.Scalar](z complex128) (x E) {
	switch p := any(&x).(type) {
	case *float32:
		*p = float32(real(z))
	case *float64:
		*p = real(z)
	case *complex64:
		*p = complex64(z)
	case *complex128:
		*p = z
	}
	return x
}

// LongComplex is a sum of complex products.
type LongComplex struct{ Re, Im LongSum }

// Add adds x y, or x conj(y).
func (s *LongComplex) Add(x, y complex128, conj bool) {
	sign := 1.0
	if conj {
		sign = -1
	}
	s.Re.Add(real(x), real(y))
	s.Re.Add(-sign*imag(x), imag(y))
	s.Im.Add(sign*real(x), imag(y))
	s.Im.Add(imag(x), real(y))
}

func (s *LongComplex) Check(got complex128, eps float64, n int) error {
	if err := s.Re.Check(real(got), eps, n); err != nil {
		return fmt.Errorf("real part: %w", err)
	}
	if err := s.Im.Check(imag(got), eps, n); err != nil {
		return fmt.Errorf("imaginary part: %w", err)
	}
	return nil
}

func SameElement[E kernel.Scalar](x, y E) bool {
	p, q := ComplexOf(x), ComplexOf(y)
	return math.Float64bits(real(p)) == math.Float64bits(real(q)) &&
		math.Float64bits(imag(p)) == math.Float64bits(imag(q))
}
