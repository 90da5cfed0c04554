package graphtest

import (
	"math"

	"trnsci/trnbackend/graph"
)

// libraryUlps is the allowed error of exponentials, logarithms and other functions of a device's mathematical library:
// those of good libraries are within 4 in single precision.
const libraryUlps = 8

// interval is an element: its value by definition, v, and the range of what an executor may give, lo to hi. If all
// three are NaN, only NaN is right; with any, everything is.
type interval struct {
	v, lo, hi float64
	any       bool
}

func exactly(v float64) interval { return interval{v, v, v, false} }

// anything returns an element for which every number of the type is right.
func anything(d graph.DType, v float64) interval {
	if d == graph.Pred {
		return interval{v, 0, 1, false}
	}
	return interval{v, math.Inf(-1), math.Inf(1), true}
}

// known reports whether there is only one right value.
func (x interval) known() bool { return !x.any && (x.lo == x.hi || x.v != x.v) }

// maybeZero reports whether the element may be 0.
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

// widened returns an interval whose ends may be off by units in the last place of type d, and overflow as that type
// does.
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

// unaryJudge returns an operation on one element x of type from, where v is what the definition gives for x.v.
type unaryJudge func(op graph.Op, from, to graph.DType, v float64, x interval) interval

// exactEnds is for monotonic operations whose results are exact.
func exactEnds(op graph.Op, from, to graph.DType, v float64, x interval) interval {
	return hull(to, v, op.Unary(from, x.lo), op.Unary(from, x.hi))
}

func modulus(op graph.Op, from, to graph.DType, v float64, x interval) interval {
	r := exactEnds(op, from, to, v, x)
	if x.maybeZero() {
		r.lo = 0
	}
	return r
}

// library is for monotonic functions of mathematical libraries.
func library(op graph.Op, from, to graph.DType, v float64, x interval) interval {
	return exactEnds(op, from, to, v, x).widened(to, libraryUlps)
}

func squareRoot(op graph.Op, from, to graph.DType, v float64, x interval) interval {
	return rounded(to, v, 1, op.Unary(from, x.lo), op.Unary(from, x.hi))
}

func reciprocalRoot(op graph.Op, from, to graph.DType, v float64, x interval) interval {
	if x.maybeZero() {
		return anything(to, v) // infinity with the sign of the zero
	}
	return library(op, from, to, v, x)
}

func converted(_ graph.Op, _, to graph.DType, v float64, x interval) interval {
	switch {
	case to == graph.Pred && x.maybeZero() && !x.known():
		return anything(to, v)
	case to == graph.S32 || to == graph.Pred:
		return hull(to, v, to.Round(x.lo), to.Round(x.hi))
	}
	return rounded(to, v, 1, x.lo, x.hi)
}

// rounded returns the interval around exact results, widened unless there is but one and it is a number of type d,
// which is always so for doubles.
func rounded(d graph.DType, v, ulps float64, ends ...float64) interval {
	r := hull(d, v, ends...)
	if d != graph.F64 && r.known() && (r.lo != r.lo || d.Round(r.lo) == r.lo) {
		return r
	}
	return r.widened(d, ulps)
}

// ordering is for operations that return one of their operands' values.
func ordering(op graph.Op, d graph.DType, x, y interval) interval {
	v := d.Round(op.Binary(d, x.v, y.v))
	if x.any || y.any {
		return anything(d, v)
	}
	return hull(d, v, ends(op, d, x, y)...)
}

// arithmetic is for sums, differences, products and quotients. Those of integers wrap around, so they are known only
// where the operands are.
func arithmetic(op graph.Op, d graph.DType, x, y interval) interval {
	v := d.Round(op.Binary(d, x.v, y.v))
	known := x.known() && y.known()
	switch {
	case x.any || y.any || d == graph.S32 && !known:
		return anything(d, v)
	case d == graph.S32:
		return exactly(v)
	case op == graph.Divide && y.maybeZero() && !(known && x.v == 0):
		return anything(d, v)
	}
	return rounded(d, v, 1, ends(op, d, x, y)...)
}

// ends returns what an operation gives at the ends of both operands.
func ends(op graph.Op, d graph.DType, x, y interval) []float64 {
	at := func(x, y float64) float64 { return op.Binary(d, x, y) }
	return []float64{at(x.lo, y.lo), at(x.lo, y.hi), at(x.hi, y.lo), at(x.hi, y.hi)}
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
	if ordered := d != graph.EQ && d != graph.NE; ordered && !x.any && !y.any &&
		d.Holds(x.lo, y.hi) == d.Holds(x.hi, y.lo) {
		return exactly(v) // such as 1 <= x for x from 1 to 2
	}
	return anything(graph.Pred, v)
}

// choose returns x if p holds, else y.
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
