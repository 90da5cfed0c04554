package graph

import "math"

// Unary returns what a unary operation makes of one element of type d, before it is rounded to the type of the result.
func (o Op) Unary(d DType, x float64) float64 {
	if d == S32 && x == math.MinInt32 && (o == Negate || o == Abs) {
		return x // wraps around
	}
	switch o {
	case Negate:
		return -x
	case Abs:
		return math.Abs(x)
	case Sign:
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x // zeros and NaN
	case Exp:
		return math.Exp(x)
	case Log:
		return math.Log(x)
	case Sqrt:
		return math.Sqrt(x)
	case Rsqrt:
		return 1 / math.Sqrt(x)
	case Tanh:
		return math.Tanh(x)
	case Not:
		return 1 - x
	case Convert:
		return x
	}
	panic("graph: " + o.String() + " is not unary")
}

// Binary returns what a binary operation other than Compare makes of two elements of type d, before it is rounded to the type of the result. The larger
// and the smaller of a number and NaN are NaN.
func (o Op) Binary(d DType, x, y float64) float64 {
	if d == S32 {
		return o.integer(int32(x), int32(y))
	}
	switch o {
	case Add:
		return x + y
	case Subtract:
		return x - y
	case Multiply:
		return x * y
	case Divide:
		return x / y
	case Maximum, Minimum:
		switch {
		case x != x || y != y:
			return math.NaN()
		case o == Maximum:
			return math.Max(x, y)
		}
		return math.Min(x, y)
	case And:
		return x * y
	case Or:
		return math.Max(x, y)
	}
	panic("graph: " + o.String() + " is not binary")
}

// integer is Binary for integers, which wrap around. As in XLA, x/0 is -1 and the smallest integer over -1 is itself,
// which Go has too.
func (o Op) integer(x, y int32) float64 {
	switch o {
	case Add:
		return float64(x + y)
	case Subtract:
		return float64(x - y)
	case Multiply:
		return float64(x * y)
	case Divide:
		if y == 0 {
			return -1
		}
		return float64(x / y)
	case Maximum:
		return float64(max(x, y))
	case Minimum:
		return float64(min(x, y))
	}
	panic("graph: " + o.String() + " is not an operation on integers")
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
