package graph_test

import (
	"fmt"
	"math"
	"testing"

	"trnsci/trnbackend/graph"
)

const (
	least = math.MinInt32
	most  = math.MaxInt32
)

var (
	inf, nan     = math.Inf(1), math.NaN()
	negativeZero = math.Copysign(0, -1)
)

// same compares numbers: NaN is itself, zeros have signs.
func same(x, y float64) bool {
	return x != x && y != y || x == y && math.Signbit(x) == math.Signbit(y)
}

func TestUnary(t *testing.T) {
	for _, c := range []struct {
		o       graph.Op
		d       graph.DType
		x, want float64
	}{
		{graph.Negate, graph.F32, 0, negativeZero}, {graph.Negate, graph.F32, -2, 2},
		{graph.Negate, graph.S32, least, least}, {graph.Negate, graph.S32, most, least + 1}, {graph.Negate, graph.F64,
			least, -least},
		{graph.Abs, graph.S32, least, least}, {graph.Abs, graph.S32, -3, 3}, {graph.Abs, graph.F32, least, -least},
		{graph.Abs, graph.F32, negativeZero, 0}, {graph.Abs, graph.BF16, -inf, inf},
		{graph.Sign, graph.F32, -0.1, -1}, {graph.Sign, graph.F32, inf, 1}, {graph.Sign, graph.F32, negativeZero,
			negativeZero},
		{graph.Sign, graph.F32, nan, nan}, {graph.Sign, graph.S32, least, -1},
		{graph.Exp, graph.F64, 0, 1}, {graph.Exp, graph.F64, -inf, 0}, {graph.Log, graph.F64, 1, 0}, {graph.Log,
			graph.F64, 0, -inf},
		{graph.Log, graph.F64, -1, nan}, {graph.Sqrt, graph.F64, 9, 3}, {graph.Sqrt, graph.F64, -1, nan},
		{graph.Rsqrt, graph.F64, 16, 0.25}, {graph.Rsqrt, graph.F64, 0, inf}, {graph.Rsqrt, graph.F64, inf, 0},
		{graph.Tanh, graph.F64, inf, 1}, {graph.Tanh, graph.F64, negativeZero, negativeZero},
		{graph.Not, graph.Pred, 0, 1}, {graph.Not, graph.Pred, 1, 0}, {graph.Convert, graph.F32, 2.5, 2.5},
	} {
		if got := c.o.Unary(c.d, c.x); !same(got, c.want) {
			t.Errorf("%s of %v in %s is %v, not %v", c.o, c.x, c.d, got, c.want)
		}
	}
}

func TestBinary(t *testing.T) {
	for _, c := range []struct {
		o          graph.Op
		d          graph.DType
		x, y, want float64
	}{
		{graph.Add, graph.S32, most, 1, least}, {graph.Subtract, graph.S32, least, 1, most},
		{graph.Multiply, graph.S32, 1 << 16, 1 << 15, least}, {graph.Multiply, graph.S32, 1 << 16, 1 << 16, 0},
		{graph.Divide, graph.S32, 7, -2, -3}, {graph.Divide, graph.S32, -7, 2, -3}, {graph.Divide, graph.S32, 7, 0, -1},
		{graph.Divide, graph.S32, 0, 0, -1}, {graph.Divide, graph.S32, least, -1, least}, {graph.Divide, graph.S32, 5,
			-1, -5},
		{graph.Maximum, graph.S32, -1, least, -1}, {graph.Minimum, graph.S32, -1, least, least},
		{graph.Add, graph.F64, 1, 2, 3}, {graph.Subtract, graph.F64, inf, inf, nan}, {graph.Multiply, graph.F64, 0, inf,
			nan},
		{graph.Divide, graph.F64, 1, negativeZero, -inf}, {graph.Divide, graph.F64, 0, 0, nan}, {graph.Divide,
			graph.F64, 7, 2, 3.5},
		{graph.Maximum, graph.F32, nan, inf, nan}, {graph.Maximum, graph.F32, inf, nan, nan}, {graph.Maximum, graph.F32,
			1, -2, 1},
		{graph.Minimum, graph.F32, nan, -inf, nan}, {graph.Minimum, graph.F32, -inf, nan, nan}, {graph.Minimum,
			graph.F32, 1, -2, -2},
		{graph.And, graph.Pred, 1, 1, 1}, {graph.And, graph.Pred, 1, 0, 0}, {graph.And, graph.Pred, 0, 1,
			0}, {graph.And, graph.Pred, 0, 0, 0},
		{graph.Or, graph.Pred, 1, 1, 1}, {graph.Or, graph.Pred, 1, 0, 1}, {graph.Or, graph.Pred, 0, 1, 1}, {graph.Or,
			graph.Pred, 0, 0, 0},
	} {
		if got := c.o.Binary(c.d, c.x, c.y); !same(got, c.want) {
			t.Errorf("%v %s %v in %s is %v, not %v", c.x, c.o, c.y, c.d, got, c.want)
		}
	}
}

func TestScalarsOfOtherOperationsPanic(t *testing.T) {
	for name, call := range map[string]func(){
		"unary":            func() { graph.Add.Unary(graph.F32, 1) },
		"binary":           func() { graph.Compare.Binary(graph.F32, 1, 1) },
		"integers":         func() { graph.And.Binary(graph.S32, 1, 1) },
		"no such op":       func() { graph.Op(99).Binary(graph.F32, 1, 1) },
		"a source, unary":  func() { graph.Iota.Unary(graph.S32, 1) },
		"a source, binary": func() { graph.Iota.Binary(graph.F32, 1, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

func TestDirections(t *testing.T) {
	directions := []graph.Direction{graph.EQ, graph.NE, graph.LT, graph.LE, graph.GT, graph.GE}
	for _, c := range []struct {
		x, y float64
		want string // for each direction, 1 if it holds
	}{
		{1, 1, "100101"}, {1, 2, "011100"}, {2, 1, "010011"}, {0, negativeZero, "100101"},
		{nan, nan, "010000"}, {nan, 1, "010000"}, {1, nan, "010000"}, {-inf, inf, "011100"}, {inf, inf, "100101"},
	} {
		got := ""
		for _, d := range directions {
			if d.Holds(c.x, c.y) {
				got += "1"
			} else {
				got += "0"
			}
		}
		if got != c.want {
			t.Errorf("%v and %v: %v hold by %s, want %s", c.x, c.y, directions, got, c.want)
		}
	}
	if s := fmt.Sprint(directions, graph.Direction(6)); s != "[EQ NE LT LE GT GE] direction(6)" {
		t.Error(s)
	}
}

func TestKindsOfOperations(t *testing.T) {
	var unary, binary, reduce, all []string
	names := map[string]bool{}
	for _, o := range graph.Ops() {
		names[o.String()] = true
		all = append(all, o.String())
		if o.IsUnary() {
			unary = append(unary, o.String())
		}
		if o.IsBinary() {
			binary = append(binary, o.String())
		}
		if o.IsReduce() {
			reduce = append(reduce, o.String())
		}
	}
	if s := fmt.Sprint(unary); s != "[negate abs sign exp log sqrt rsqrt tanh not convert]" {
		t.Error("unary", s)
	}
	if s := fmt.Sprint(binary); s != "[add subtract multiply divide maximum minimum and or compare]" {
		t.Error("binary", s)
	}
	if s := fmt.Sprint(reduce); s != "[reduce-sum reduce-max reduce-min]" {
		t.Error("reductions", s)
	}
	if len(names) != len(all) || names[""] {
		t.Errorf("two operations have one name, or one has none: %v", all)
	}
}
