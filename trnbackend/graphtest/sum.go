package graphtest

import (
	"math"

	"trnsci/trnbackend/graph"
)

// sum adds elements of type d, in any order.
type sum struct {
	d                graph.DType
	v, lo, hi, large float64 // large: the sum of the largest absolute values
	terms            int
	open             bool // a term may be anything
	nan, up, down    bool // a term is NaN, or an infinity
}

func (s *sum) add(x interval) {
	s.terms++
	if s.d == graph.S32 {
		s.v = graph.Add.Binary(s.d, s.v, x.v)
		s.open = s.open || !x.known()
		return
	}
	s.v += x.v
	switch {
	case x.any:
		s.open = true
	case x.v != x.v:
		s.nan = true
	case x.known() && math.IsInf(x.v, 1):
		s.up = true
	case x.known() && math.IsInf(x.v, -1):
		s.down = true
	default:
		s.lo += x.lo
		s.hi += x.hi
		s.large += max(math.Abs(x.lo), math.Abs(x.hi))
	}
}

// total returns the sum as an element of type d.
func (s *sum) total() interval {
	v := s.d.Round(s.v)
	const halfway = 2 // below half the largest number no order of the sum overflows
	switch {
	case s.open:
		return anything(s.d, v)
	case s.d == graph.S32:
		return exactly(v)
	case s.nan || s.up && s.down:
		return exactly(math.NaN())
	case math.IsInf(s.d.Round(halfway*s.large), 0):
		return anything(s.d, v)
	case s.up || s.down:
		return exactly(v)
	case s.terms == 0:
		return exactly(0)
	}
	n := float64(s.terms)
	off := n * (s.d.Eps()*s.large + s.d.SmallestNormal())
	return interval{v, s.lo - off, s.hi + off, false}
}

// product returns x y without rounding, for a sum.
func product(x, y interval) interval {
	v := x.v * y.v
	if x.any || y.any {
		return anything(graph.F64, v)
	}
	return hull(graph.F64, v, x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi)
}
