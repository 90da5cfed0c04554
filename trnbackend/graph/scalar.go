package graph

import "math"

// Unary returns what a unary operation makes of one element of type d, before it is rounded to the type of the result.
func (o Op) Unary(d DType, x float64) float64 {
	if d == S32 && x == math.MinInt32 && (o == Negate || o == Abs) {
		return x // wraps around
	}
	f := o.entry().unary
	if f == nil {
		panic("graph: " + o.String() + " is not unary")
	}
	return f(x)
}

// Binary returns what a binary operation other than Compare makes of two elements of type d, before it is rounded to
// the type of the result. Maximum and Minimum of a number and NaN are NaN.
func (o Op) Binary(d DType, x, y float64) float64 {
	e := o.entry()
	switch {
	case d == S32 && e.integer != nil:
		return e.integer(int32(x), int32(y))
	case d == S32 || e.binary == nil:
		panic("graph: " + o.String() + " is not a binary operation on elements of type " + d.String())
	}
	return e.binary(x, y)
}

// sign keeps zeros and NaN.
func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func maximum(x, y float64) float64 {
	if x != x || y != y {
		return math.NaN()
	}
	return math.Max(x, y)
}

func minimum(x, y float64) float64 {
	if x != x || y != y {
		return math.NaN()
	}
	return math.Min(x, y)
}

// divideIntegers gives -1 for x/0, as XLA does. The smallest integer over -1 is itself, in XLA and in Go.
func divideIntegers(x, y int32) float64 {
	if y == 0 {
		return -1
	}
	return float64(x / y)
}

// Holds reports whether x and y are in the relation d.
func (d Direction) Holds(x, y float64) bool {
	switch d {
	case EQ:
		return x == y
	case NE:
		return x != y
	case LT:
		return x < y
	case LE:
		return x <= y
	case GT:
		return x > y
	}
	return x >= y
}
