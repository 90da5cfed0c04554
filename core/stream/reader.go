package stream

import (
	"fmt"

	"trnsci/core/dense"
)

// NewReader returns a reader that converts the elements of a to T, rounding where T has fewer digits. Real arrays are
// read as real numbers, complex ones as complex numbers in their own precision.
func NewReader[T dense.Scalar](a Array) Reader[T] {
	switch a := a.(type) {
	case *File:
		return &fileReader[T]{File: a}
	case Memory[float32]:
		return memoryReader[T, float32]{a}
	case Memory[float64]:
		return memoryReader[T, float64]{a}
	case Memory[complex64]:
		return memoryReader[T, complex64]{a}
	case Memory[complex128]:
		return memoryReader[T, complex128]{a}
	case *Function[float32]:
		return &functionReader[T, float32]{Function: a}
	case *Function[float64]:
		return &functionReader[T, float64]{Function: a}
	case *Function[complex64]:
		return &functionReader[T, complex64]{Function: a}
	case *Function[complex128]:
		return &functionReader[T, complex128]{Function: a}
	}
	panic(fmt.Sprintf("stream: no reader for %T", a))
}

// Rounds reports whether elements of a lose digits when they are read as T.
func Rounds[T dense.Scalar](a Array) bool { return !a.Kind().IsSingle() && dense.IsSingle[T]() }
