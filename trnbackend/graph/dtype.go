package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"trnsci/core/precision"
)

// DType is the type of the elements of an array.
type DType uint8

// The types. Their names in text are those of DType.String.
const (
	F32  DType = iota // IEEE single precision
	BF16              // the upper half of a single: 8 bits of precision
	S32               // two's complement
	Pred              // false or true, one byte
	F64               // IEEE double precision, where the executor has it
	dtypeCount
)

var dtypeNames = [dtypeCount]string{"f32", "bf16", "s32", "pred", "f64"}

func (d DType) String() string { return nameOf(dtypeNames[:], uint8(d), "type") }

// Bytes returns the bytes of one element in a buffer.
func (d DType) Bytes() int { return [dtypeCount]int{4, 2, 4, 1, 8}[d] }

// IsFloat reports whether d is a floating-point type.
func (d DType) IsFloat() bool { return d == F32 || d == BF16 || d == F64 }

// IsNumber reports whether d has arithmetic.
func (d DType) IsNumber() bool { return d != Pred }

// Eps returns the distance from 1 to the next number of a floating-point type.
func (d DType) Eps() float64 {
	switch d {
	case F32:
		return 0x1p-23
	case BF16:
		return 0x1p-7
	case F64:
		return 0x1p-52
	}
	return 0
}

// SmallestNormal returns the smallest positive normal number of a floating-point type.
func (d DType) SmallestNormal() float64 {
	if d == F64 {
		return 0x1p-1022
	}
	return 0x1p-126
}

// Largest returns the largest finite number of f32 or f64.
func (d DType) Largest() float64 {
	if d == F64 {
		return math.MaxFloat64
	}
	return math.MaxFloat32
}

// Round returns the number of type d nearest to x, ties to even. A number becomes an integer towards zero, at most the
// largest one and at least the smallest one; NaN becomes 0. Everything but 0 becomes true, as 1.
func (d DType) Round(x float64) float64 {
	switch d {
	case F32:
		return float64(float32(x))
	case BF16:
		return precision.RoundBF16(x)
	case S32:
		switch {
		case x != x:
			return 0
		case x >= math.MaxInt32:
			return math.MaxInt32
		case x <= math.MinInt32:
			return math.MinInt32
		}
		return math.Trunc(x) + 0 // integers have no negative zero
	case Pred:
		if x != 0 {
			return 1
		}
		return 0
	}
	return x
}

// literal returns x as an element of a constant. All NaNs become one, so that texts and keys determine the graph.
func (d DType) literal(x float64) float64 {
	if x = d.Round(x); x != x {
		return math.NaN()
	}
	return x
}

// Shape is the type and the dimensions of an array. No dimension is negative; a scalar has none.
type Shape struct {
	DType DType
	Dims  []int
}

// Of returns the shape of an array of type d.
func Of(d DType, dims ...int) Shape { return Shape{d, dims} }

// Rank returns the number of dimensions.
func (s Shape) Rank() int { return len(s.Dims) }

// Size returns the number of elements.
func (s Shape) Size() int {
	size := 1
	for _, d := range s.Dims {
		size *= d
	}
	return size
}

// Bytes returns the bytes of a buffer of this shape.
func (s Shape) Bytes() int64 { return int64(s.Size()) * int64(s.DType.Bytes()) }

// Equal reports whether two shapes are the same.
func (s Shape) Equal(t Shape) bool { return s.DType == t.DType && slices.Equal(s.Dims, t.Dims) }

// As returns the shape with another type.
func (s Shape) As(d DType) Shape { return Shape{d, s.Dims} }

// String returns the form in texts of graphs: f32[2,3].
func (s Shape) String() string { return s.DType.String() + dimsText(s.Dims) }

func dimsText(dims []int) string {
	return strings.ReplaceAll(fmt.Sprint(dims), " ", ",")
}

// nameOf returns a name from a table, or the number of what is not in it, for messages.
func nameOf(names []string, i uint8, kind string) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}
