package graphtest

import (
	"math"

	"trnsci/trnbackend/graph"
)

// libraryUlps is what exponentials, logarithms and the like of a device's mathematical library may be off: single precision ones of good
// libraries are within 4.
const libraryUlps = 8

// interval is an element: what the definition gives, and all that an executor may give, lo to hi. NaN at all three says that only NaN is right.
// With any, everything is.
type interval struct {
	v, lo, hi float64
	any       bool
}

func exactly(v float64) interval { return interval{v, v, v, false} }

// anything returns the element of a type about which nothing is known but what the definition gives.
func anything(d graph.DType, v float64) interval {
	if d == graph.Pred {
		return interval{v, 0, 1, false}
	}
	return interval{v, math.Inf(-1), math.Inf(1), true}
}

// known reports whether there is only one right value.
func (x interval) known() bool { return !x.any && (x.lo == x.hi || x.v != x.v) }

// maybeZero reports whether 0 may be given, or is.
func (x interval) maybeZero() bool { return x.lo <= 0 && x.hi >= 0 }

// accepts reports whether an executor may give y.
func (x interval) accepts(y float64) bool {
	switch {
	case x.any:
		return true
	case x.v != x.v:
		return y != y
	}
	return x.lo <= y && y <= x.hi
}

// hull returns the interval of type d around what an operation gives at the ends of its operands.
func hull(d graph.DType, v float64, ends ...float64) interval {
	r := exactly(v)
	r.lo, r.hi = ends[0], ends[0]
	nans := 0
	for _, x := range ends {
		if x != x {
			nans++
		}
		r.lo, r.hi = min(r.lo, x), max(r.hi, x) // NaN if one is
	}
	switch {
	case nans == len(ends) && v != v:
		return exactly(math.NaN())
	case nans > 0 || v != v:
		return anything(d, v)
	}
	return r
}

// widened returns an interval whose ends may be off by units in the last place of type d, and overflow as that type does.
func (x interval) widened(d graph.DType, ulps float64) interval {
	if x.any || x.v != x.v {
		return x
	}
	off := func(end float64) float64 {
		if math.IsInf(end, 0) {
			return 0
		}
		return ulps*d.Eps()*math.Abs(end) + d.SmallestNormal()
	}
	lo, hi := x.lo-off(x.lo), x.hi+off(x.hi)
	if low := d.Round(lo); math.IsInf(low, 0) {
		lo = low
	}
	if high := d.Round(hi); math.IsInf(high, 0) {
		hi = high
	}
	return interval{x.v, lo, hi, false}
}

// unary returns an operation on one element of type from.
func unary(op graph.Op, from, to graph.DType, x interval) interval {
	v := to.Round(op.Unary(from, x.v))
	if x.any || from == graph.S32 && to == graph.S32 && x.lo == math.MinInt32 && !x.known() {
		return anything(to, v)
	}
	at := func(x float64) float64 { return op.Unary(from, x) }
	switch op {
	case graph.Convert:
		return convert(to, x)
	case graph.Abs:
		r := hull(to, v, at(x.lo), at(x.hi))
		if x.maybeZero() {
			r.lo = 0
		}
		return r
	case graph.Negate, graph.Sign, graph.Not:
		return hull(to, v, at(x.lo), at(x.hi))
	case graph.Rsqrt:
		if x.maybeZero() {
			return anything(to, v) // infinity with the sign of the zero
		}
	case graph.Sqrt:
		return rounded(to, v, 1, at(x.lo), at(x.hi))
	}
	return hull(to, v, at(x.lo), at(x.hi)).widened(to, libraryUlps)
}

func convert(to graph.DType, x interval) interval {
	v := to.Round(x.v)
	switch {
	case to == graph.Pred && x.maybeZero() && !x.known():
		return anything(to, v)
	case to == graph.S32 || to == graph.Pred:
		return hull(to, v, to.Round(x.lo), to.Round(x.hi))
	}
	return rounded(to, v, 1, x.lo, x.hi)
}

// rounded returns the interval around exact results, widened unless there is but one and it is a number of type d, which is always so for doubles.
func rounded(d graph.DType, v, ulps float64, ends ...float64) interval {
	r := hull(d, v, ends...)
	if d != graph.F64 && r.known() && (r.lo != r.lo || d.Round(r.lo) == r.lo) {
		return r
	}
	return r.widened(d, ulps)
}

// binary returns an operation on two elements of type d.
func binary(op graph.Op, d graph.DType, x, y interval) interval {
	v := d.Round(op.Binary(d, x.v, y.v))
	order := op == graph.Maximum || op == graph.Minimum || op == graph.And || op == graph.Or
	switch {
	case x.any || y.any || d == graph.S32 && !order && !(x.known() && y.known()):
		return anything(d, v)
	case d == graph.S32 && !order:
		return exactly(v)
	case op == graph.Divide && y.maybeZero() && !(x.known() && x.v == 0 && y.known()):
		return anything(d, v)
	}
	at := func(x, y float64) float64 { return op.Binary(d, x, y) }
	ends := []float64{at(x.lo, y.lo), at(x.lo, y.hi), at(x.hi, y.lo), at(x.hi, y.hi)}
	if order {
		return hull(d, v, ends...)
	}
	return rounded(d, v, 1, ends...)
}

// compare returns the predicate whether two elements are in a relation.
func compare(d graph.Direction, x, y interval) interval {
	v := 0.0
	if d.Holds(x.v, y.v) {
		v = 1
	}
	apart := !x.any && !y.any && (x.hi < y.lo || y.hi < x.lo || x.v != x.v || y.v != y.v)
	if x.known() && y.known() || apart {
		return exactly(v)
	}
	if ordered := d != graph.EQ && d != graph.NE; ordered && !x.any && !y.any && d.Holds(x.lo, y.hi) == d.Holds(x.hi, y.lo) {
		return exactly(v) // as for 1 <= x with x from 1 to 2
	}
	return anything(graph.Pred, v)
}

// choose returns x where p holds and y elsewhere.
func choose(d graph.DType, p, x, y interval) interval {
	v := y.v
	if p.v != 0 {
		v = x.v
	}
	switch {
	case p.known() && p.v != 0:
		return x
	case p.known():
		return y
	case x.any || y.any:
		return anything(d, v)
	}
	return hull(d, v, x.lo, x.hi, y.lo, y.hi)
}
