package vec

import (
	"unsafe"

	"trnsci/core/kernel"
)

// Type is an element type, by which the kernels in assembly are told apart.
type Type uint8

// The element types.
const (
	Float32 Type = iota
	Float64
	Complex64
	Complex128
)

// TypeOf returns the type of E.
func TypeOf[E kernel.Scalar]() Type {
	switch any(E(0)).(type) {
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	}
	return Complex128
}

// FloatType returns the type of a real T. It costs nothing.
func FloatType[T kernel.Float]() Type {
	if unsafe.Sizeof(T(0)) == unsafe.Sizeof(float64(0)) {
		return Float64
	}
	return Float32
}

// IsComplex reports whether elements have an imaginary part.
func (t Type) IsComplex() bool { return t >= Complex64 }

// IsDouble reports whether elements consist of float64 numbers.
func (t Type) IsDouble() bool { return t&1 != 0 }

// RealBytes returns the size of a real number.
func (t Type) RealBytes() int {
	if t.IsDouble() {
		return int(unsafe.Sizeof(float64(0)))
	}
	return int(unsafe.Sizeof(float32(0)))
}

// Bytes returns the size of an element.
func (t Type) Bytes() int {
	if t.IsComplex() {
		return 2 * t.RealBytes()
	}
	return t.RealBytes()
}

// Vectors of pairs with the sign bit of one of the two set in each pair.
var (
	imagSigns   = SignBits([2]float64{1, -1})
	imagSigns32 = SignBits([2]float32{1, -1})
	realSigns   = SignBits([2]float64{-1, 1})
	realSigns32 = SignBits([2]float32{-1, 1})
)

// ImagSigns returns a vector of the sign bits of imaginary parts.
func (t Type) ImagSigns() unsafe.Pointer {
	if t.IsDouble() {
		return unsafe.Pointer(&imagSigns)
	}
	return unsafe.Pointer(&imagSigns32)
}

// RealSigns returns a vector of the sign bits of real parts.
func (t Type) RealSigns() unsafe.Pointer {
	if t.IsDouble() {
		return unsafe.Pointer(&realSigns)
	}
	return unsafe.Pointer(&realSigns32)
}
