package graph_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"trnsci/trnbackend/graph"
)

// operands are values that the cases of this file choose from.
type operands struct {
	f, f23, f32, f23b, f234, f0 graph.Value // f32, with the dimensions that the name says; f23b is a second one
	h23, d23                    graph.Value // bf16, f64
	s, s4, s23                  graph.Value // s32
	p, p23                      graph.Value // pred
	wide                        graph.Value // f32[1,2^40]
}

func newOperands(b *graph.Builder) operands {
	n := 0
	in := func(d graph.DType, dims ...int) graph.Value {
		n++
		return b.Parameter(fmt.Sprint("x", n), graph.Of(d, dims...))
	}
	return operands{
		f: in(graph.F32), f23: in(graph.F32, 2, 3), f32: in(graph.F32, 3, 2), f23b: in(graph.F32, 2, 3),
		f234: in(graph.F32, 2, 3, 4),
		f0:   in(graph.F32, 0, 3),
		h23:  in(graph.BF16, 2, 3), d23: in(graph.F64, 2, 3),
		s: in(graph.S32), s4: in(graph.S32, 4), s23: in(graph.S32, 2, 3),
		p: in(graph.Pred), p23: in(graph.Pred, 2, 3),
		wide: in(graph.F32, 1, 1<<40),
	}
}

func contract(x, y int) graph.Dimensions {
	return graph.Dimensions{Contract: [2][]int{{x}, {y}}}
}

func TestShapes(t *testing.T) {
	b := graph.NewBuilder("shapes")
	o := newOperands(b)
	three := func(x int) []int { return []int{x, x, x} }
	for i, c := range []struct {
		value graph.Value
		want  string
	}{
		{b.Constant(graph.Of(graph.F32, 1, 2), 3, 4), "f32[1,2]"},
		{b.Scalar(graph.S32, 3), "s32[]"},
		{b.Fill(graph.Of(graph.BF16, 0, 4), 3), "bf16[0,4]"},
		{b.Fill(graph.Of(graph.Pred), 1), "pred[]"},
		{b.Iota(graph.Of(graph.F64, 4, 2), 1), "f64[4,2]"},
		{b.Negate(o.s23), "s32[2,3]"},
		{b.Abs(o.h23), "bf16[2,3]"},
		{b.Sign(o.f0), "f32[0,3]"},
		{b.Exp(o.f), "f32[]"},
		{b.Log(o.d23), "f64[2,3]"},
		{b.Sqrt(o.f23), "f32[2,3]"},
		{b.Rsqrt(o.f23), "f32[2,3]"},
		{b.Tanh(o.f23), "f32[2,3]"},
		{b.Not(o.p23), "pred[2,3]"},
		{b.Convert(o.f23, graph.S32), "s32[2,3]"},
		{b.Add(o.f23, o.f23b), "f32[2,3]"},
		{b.Divide(o.s, o.s), "s32[]"},
		{b.And(o.p23, o.p23), "pred[2,3]"},
		{b.Or(o.p, o.p), "pred[]"},
		{b.Compare(graph.LT, o.s23, o.s23), "pred[2,3]"},
		{b.Compare(graph.EQ, o.p, o.p), "pred[]"},
		{b.Select(o.p23, o.h23, o.h23), "bf16[2,3]"},
		{b.Dot(o.f23, o.f32, contract(1, 0)), "f32[2,2]"},
		{b.Dot(o.f0, o.f32, contract(1, 0)), "f32[0,2]"},
		{b.Dot(o.f0, o.f0, contract(0, 0)), "f32[3,3]"},
		{b.Dot(o.h23, o.h23, contract(1, 1)), "f32[2,2]"},
		{b.Dot(o.d23, o.d23, contract(0, 0)), "f64[3,3]"},
		{b.Dot(o.f, o.f, graph.Dimensions{}), "f32[]"},
		{b.Dot(o.f234, o.f23, graph.Dimensions{Contract: [2][]int{{0}, {0}}, Batch: [2][]int{{1}, {1}}}), "f32[3,4]"},
		{b.MatMul(o.f32, o.f23), "f32[3,3]"},
		{b.ReduceSum(o.f234, 2, 0), "f32[3]"},
		{b.ReduceMax(o.s23, 0, 1), "s32[]"},
		{b.ReduceMin(o.f0, 0), "f32[3]"},
		{b.ReduceSum(o.f), "f32[]"},
		{b.Broadcast(o.f, []int{2, 0}), "f32[2,0]"},
		{b.Broadcast(o.f23, []int{2, 4, 3}, 0, 2), "f32[2,4,3]"},
		{b.Reshape(o.f234, 4, 6), "f32[4,6]"},
		{b.Reshape(o.f, 1, 1), "f32[1,1]"},
		{b.Reshape(o.f0, 5, 0), "f32[5,0]"},
		{b.Transpose(o.f234, 2, 0, 1), "f32[4,2,3]"},
		{b.Transpose(o.f), "f32[]"},
		{b.Slice(o.f234, []int{0, 1, 4}, []int{2, 3, 4}, []int{2, 1, 5}), "f32[1,2,0]"},
		{b.Slice(o.f234, three(0), []int{2, 3, 4}, three(3)), "f32[1,1,2]"},
		{b.Slice(o.f, nil, nil, nil), "f32[]"},
		{b.DynamicSlice(o.f23, []int{0, 3}, o.s, o.s), "f32[0,3]"},
		{b.DynamicSlice(o.f, nil), "f32[]"},
		{b.DynamicUpdateSlice(o.f23, b.Reshape(o.f, 1, 1), o.s, o.s), "f32[2,3]"},
		{b.GatherRows(o.f234, o.s4), "f32[4,3,4]"},
		{b.Concatenate(0, o.f23, o.f0, o.f23b), "f32[4,3]"},
		{b.Concatenate(1, o.p23), "pred[2,3]"},
		{b.Pad(o.f23, o.f, []int{0, 1}, []int{2, 0}), "f32[4,4]"},
		{b.Pad(o.f, o.f, nil, nil), "f32[]"},
	} {
		if got := c.value.Shape().String(); got != c.want {
			t.Errorf("case %d: shape %s, want %s", i, got, c.want)
		}
	}
	if b.Err() != nil {
		t.Error(b.Err())
	}
}

// here returns the file and line of its caller.
func here() string {
	_, _, line, _ := runtime.Caller(1)
	return fmt.Sprintf("infer_test.go:%d", line)
}

func TestMistakes(t *testing.T) {
	type B = *graph.Builder
	type O = operands
	type V = graph.Value
	twice := graph.Dimensions{Contract: [2][]int{{0}, {0}}, Batch: [2][]int{{0}, {1}}}
	alone := graph.Dimensions{Contract: [2][]int{{0}, nil}}
	for _, c := range []struct {
		op, want string
		where    string
		add      func(b B, o O) V
	}{
		{"parameter", "the name is empty", here(), func(b B, _ O) V { return b.Parameter("", graph.Of(graph.F32)) }},
		{"parameter", `the name "x1" is taken`,
			here(), func(b B, _ O) V { return b.Donated("x1", graph.Of(graph.F32)) }},
		{"parameter", `the name "a b" has a character`,
			here(), func(b B, _ O) V { return b.Parameter("a b", graph.Of(graph.F32)) }},
		{"parameter", `the name "a,b" has a character`,
			here(), func(b B, _ O) V { return b.Parameter("a,b", graph.Of(graph.F32)) }},
		{"parameter", `the name "é" has a character`,
			here(), func(b B, _ O) V { return b.Parameter("é", graph.Of(graph.F32)) }},
		{"parameter", "256 bytes",
			here(), func(b B, _ O) V { return b.Parameter(strings.Repeat("x", 256), graph.Of(graph.F32)) }},
		{"parameter", "dimensions [2 -1]",
			here(), func(b B, _ O) V { return b.Parameter("x", graph.Of(graph.F32, 2, -1)) }},
		{"parameter", "type 77 does not exist", here(), func(b B, _ O) V { return b.Parameter("x", graph.Of(77)) }},
		{"constant", "1 elements for f32[2]",
			here(), func(b B, _ O) V { return b.Constant(graph.Of(graph.F32, 2), 1) }},
		{"constant", "type 77 does not exist", here(), func(b B, _ O) V { return b.Scalar(77, 1) }},
		{"broadcast", "dimensions [-2]", here(), func(b B, _ O) V { return b.Fill(graph.Of(graph.F32, -2), 1) }},
		{"iota", "dimension [0] of f32[]", here(), func(b B, _ O) V { return b.Iota(graph.Of(graph.F32), 0) }},
		{"iota", "dimension [-1] of f32[3]", here(), func(b B, _ O) V { return b.Iota(graph.Of(graph.F32, 3), -1) }},
		{"iota", "indices of type pred", here(), func(b B, _ O) V { return b.Iota(graph.Of(graph.Pred, 3), 0) }},
		{"iota", "pass the largest integer",
			here(), func(b B, _ O) V { return b.Iota(graph.Of(graph.S32, 1<<31+1), 0) }},
		{"negate", "pred[2,3] has no arithmetic", here(), func(b B, o O) V { return b.Negate(o.p23) }},
		{"abs", "no arithmetic", here(), func(b B, o O) V { return b.Abs(o.p) }},
		{"sign", "no arithmetic", here(), func(b B, o O) V { return b.Sign(o.p) }},
		{"exp", "s32[2,3] is not of a floating-point type", here(), func(b B, o O) V { return b.Exp(o.s23) }},
		{"log", "not of a floating-point type", here(), func(b B, o O) V { return b.Log(o.p) }},
		{"sqrt", "not of a floating-point type", here(), func(b B, o O) V { return b.Sqrt(o.s) }},
		{"rsqrt", "not of a floating-point type", here(), func(b B, o O) V { return b.Rsqrt(o.s) }},
		{"tanh", "not of a floating-point type", here(), func(b B, o O) V { return b.Tanh(o.s) }},
		{"not", "f32[] is not a predicate", here(), func(b B, o O) V { return b.Not(o.f) }},
		{"convert", "type 77 does not exist", here(), func(b B, o O) V { return b.Convert(o.f, 77) }},
		{"add", "operands f32[2,3] and f32[3,2] differ", here(), func(b B, o O) V { return b.Add(o.f23, o.f32) }},
		{"subtract", "operands f32[2,3] and bf16[2,3] differ",
			here(), func(b B, o O) V { return b.Subtract(o.f23, o.h23) }},
		{"multiply", "operands f32[2,3] and f32[] differ", here(), func(b B, o O) V { return b.Multiply(o.f23, o.f) }},
		{"divide", "no arithmetic", here(), func(b B, o O) V { return b.Divide(o.p, o.p) }},
		{"maximum", "no arithmetic", here(), func(b B, o O) V { return b.Maximum(o.p, o.p) }},
		{"minimum", "no arithmetic", here(), func(b B, o O) V { return b.Minimum(o.p, o.p) }},
		{"and", "f32[] is not a predicate", here(), func(b B, o O) V { return b.And(o.f, o.f) }},
		{"or", "s32[] is not a predicate", here(), func(b B, o O) V { return b.Or(o.s, o.s) }},
		{"compare", "direction 6 does not exist", here(), func(b B, o O) V { return b.Compare(6, o.s, o.s) }},
		{"select", "by f32[2,3]", here(), func(b B, o O) V { return b.Select(o.f23, o.f23, o.f23) }},
		{"select", "between f32[2,3] and bf16[2,3]", here(), func(b B, o O) V { return b.Select(o.p23, o.f23, o.h23) }},
		{"select", "by pred[]", here(), func(b B, o O) V { return b.Select(o.p, o.f23, o.f23) }},
		{"dot", "no product of s32[2,3] and s32[2,3]",
			here(), func(b B, o O) V { return b.Dot(o.s23, o.s23, contract(0, 0)) }},
		{"dot", "no product of f32[2,3] and bf16[2,3]",
			here(), func(b B, o O) V { return b.Dot(o.f23, o.h23, contract(0, 0)) }},
		{"dot", "dimension 1 of f32[2,3] and 1 of f32[3,2] differ",
			here(), func(b B, o O) V { return b.Dot(o.f23, o.f32, contract(1, 1)) }},
		{"dot", "dimensions [2] of f32[2,3]", here(), func(b B, o O) V { return b.Dot(o.f23, o.f32, contract(2, 0)) }},
		{"dot", "dimensions [0 0] of f32[2,3]", here(), func(b B, o O) V { return b.Dot(o.f23, o.f23, twice) }},
		{"dot", "dimensions [0] and [] do not pair", here(), func(b B, o O) V { return b.Dot(o.f23, o.f23, alone) }},
		{"dot", "too many elements", here(), func(b B, o O) V { return b.Dot(o.wide, o.wide, contract(0, 0)) }},
		{"dot", "matrices of shapes f32[2,3] and f32[2,3,4]",
			here(), func(b B, o O) V { return b.MatMul(o.f23, o.f234) }},
		{"dot", "matrices of shapes f32[] and f32[]", here(), func(b B, o O) V { return b.MatMul(o.f, o.f) }},
		{"reduce-sum", "dimensions [2] of f32[2,3]", here(), func(b B, o O) V { return b.ReduceSum(o.f23, 2) }},
		{"reduce-max", "dimensions [1 1] of f32[2,3]", here(), func(b B, o O) V { return b.ReduceMax(o.f23, 1, 1) }},
		{"reduce-min", "no arithmetic", here(), func(b B, o O) V { return b.ReduceMin(o.p23, 0) }},
		{"broadcast", "1 dimensions named for f32[2,3]",
			here(), func(b B, o O) V { return b.Broadcast(o.f23, []int{2, 3}, 0) }},
		{"broadcast", "does not fit dimensions [0 1] of f32[3,2]",
			here(), func(b B, o O) V { return b.Broadcast(o.f23, []int{3, 2}, 0, 1) }},
		{"broadcast", "does not fit dimensions [1 0]",
			here(), func(b B, o O) V { return b.Broadcast(o.f23, []int{3, 2}, 1, 0) }},
		{"broadcast", "does not fit dimensions [0 2]",
			here(), func(b B, o O) V { return b.Broadcast(o.f23, []int{2, 3}, 0, 2) }},
		{"broadcast", "too many elements",
			here(), func(b B, o O) V { return b.Broadcast(o.wide, []int{1 << 9, 1, 1 << 40}, 1, 2) }},
		{"reshape", "f32[2,3] has 6 elements, f32[5] has 5", here(), func(b B, o O) V { return b.Reshape(o.f23, 5) }},
		{"reshape", "dimensions [-2 -3]", here(), func(b B, o O) V { return b.Reshape(o.f23, -2, -3) }},
		{"transpose", "[0] is not an order", here(), func(b B, o O) V { return b.Transpose(o.f23, 0) }},
		{"transpose", "[0 0] is not an order", here(), func(b B, o O) V { return b.Transpose(o.f23, 0, 0) }},
		{"slice", "ranges [0] [1] [1] for f32[2,3]",
			here(), func(b B, o O) V { return b.Slice(o.f23, []int{0}, []int{1}, []int{1}) }},
		{"slice", "range -1:4:1 of dimension 0 of s32[4]",
			here(), func(b B, o O) V { return b.Slice(o.s4, []int{-1}, []int{4}, []int{1}) }},
		{"slice", "range 0:5:1 of dimension 0 of s32[4]",
			here(), func(b B, o O) V { return b.Slice(o.s4, []int{0}, []int{5}, []int{1}) }},
		{"slice", "range 3:2:1", here(), func(b B, o O) V { return b.Slice(o.s4, []int{3}, []int{2}, []int{1}) }},
		{"slice", "range 0:4:0", here(), func(b B, o O) V { return b.Slice(o.s4, []int{0}, []int{4}, []int{0}) }},
		{"dynamic-slice", "1 starts for f32[2,3]",
			here(), func(b B, o O) V { return b.DynamicSlice(o.f23, []int{1, 1}, o.s) }},
		{"dynamic-slice", "a start is f32[], not s32[]",
			here(), func(b B, o O) V { return b.DynamicSlice(o.s4, []int{1}, o.f) }},
		{"dynamic-slice", "a start is s32[4], not s32[]",
			here(), func(b B, o O) V { return b.DynamicSlice(o.s4, []int{1}, o.s4) }},
		{"dynamic-slice", "a part [5] of s32[4]",
			here(), func(b B, o O) V { return b.DynamicSlice(o.s4, []int{5}, o.s) }},
		{"dynamic-slice", "a part [-1] of s32[4]",
			here(), func(b B, o O) V { return b.DynamicSlice(o.s4, []int{-1}, o.s) }},
		{"dynamic-slice", "a part [1 1] of s32[4]",
			here(), func(b B, o O) V { return b.DynamicSlice(o.s4, []int{1, 1}, o.s) }},
		{"dynamic-update-slice", "different types",
			here(), func(b B, o O) V { return b.DynamicUpdateSlice(o.f23, o.h23, o.s, o.s) }},
		{"dynamic-update-slice", "a part [3 2] of f32[2,3]",
			here(), func(b B, o O) V { return b.DynamicUpdateSlice(o.f23, o.f32, o.s, o.s) }},
		{"dynamic-update-slice", "0 starts for f32[2,3]",
			here(), func(b B, o O) V { return b.DynamicUpdateSlice(o.f23, o.f23) }},
		{"gather-rows", "rows f32[] of f32[2,3]", here(), func(b B, o O) V { return b.GatherRows(o.f23, o.f) }},
		{"gather-rows", "rows s32[2,3] of f32[2,3]", here(), func(b B, o O) V { return b.GatherRows(o.f23, o.s23) }},
		{"gather-rows", "rows s32[4] of f32[]", here(), func(b B, o O) V { return b.GatherRows(o.f, o.s4) }},
		{"gather-rows", "rows s32[4] of f32[0,3]", here(), func(b B, o O) V { return b.GatherRows(o.f0, o.s4) }},
		{"concatenate", "0 operands", here(), func(b B, _ O) V { return b.Concatenate(0) }},
		{"concatenate", "dimension [0] of f32[]", here(), func(b B, o O) V { return b.Concatenate(0, o.f, o.f) }},
		{"concatenate", "f32[2,3] and f32[3,2] do not fit along dimension 0",
			here(), func(b B, o O) V { return b.Concatenate(0, o.f23, o.f32) }},
		{"concatenate", "do not fit", here(), func(b B, o O) V { return b.Concatenate(0, o.f23, o.s23) }},
		{"concatenate", "do not fit", here(), func(b B, o O) V { return b.Concatenate(0, o.f23, o.f234) }},
		{"pad", "f32[2,3] with s32[]", here(), func(b B, o O) V { return b.Pad(o.f23, o.s, []int{0, 0}, []int{0, 0}) }},
		{"pad", "f32[2,3] with f32[2,3]",
			here(), func(b B, o O) V { return b.Pad(o.f23, o.f23, []int{0, 0}, []int{0, 0}) }},
		{"pad", "[0] before", here(), func(b B, o O) V { return b.Pad(o.f23, o.f, []int{0}, []int{0, 0}) }},
		{"pad", "[0 -1] behind", here(), func(b B, o O) V { return b.Pad(o.f23, o.f, []int{0, 0}, []int{0, -1}) }},
		{"result", "the name is empty", here(), func(b B, o O) V { b.Result("", o.f); return V{} }},
		{"result", `"y" is not a value of this graph`, here(), func(b B, _ O) V { b.Result("y", V{}); return V{} }},
		{"result", `the name "y" is taken`,
			here(), func(b B, o O) V { b.Result("y", o.f); b.Result("y", o.f); return V{} }},
		{"add", "an operand is of another graph, or none", here(), func(b B, o O) V { return b.Add(o.f, V{}) }},
		{"dot", "an operand is of another graph, or none", here(), func(b B, o O) V { return b.MatMul(o.f23, V{}) }},
		{"negate", "an operand is of another graph, or none",
			here(), func(b B, _ O) V { return b.Negate(newOperands(graph.NewBuilder("other")).f) }},
	} {
		b := graph.NewBuilder("mistakes")
		c.add(b, newOperands(b))
		_, err := b.Build()
		if err == nil {
			t.Errorf("%s: no error %q", c.where, c.want)
			continue
		}
		head := fmt.Sprintf("graph mistakes: %s at %s: ", c.op, c.where)
		if message, found := strings.CutPrefix(err.Error(), head); !found || !strings.Contains(message, c.want) {
			t.Errorf("%s: %v, want %s ... %s", c.where, err, head, c.want)
		}
	}
}

func TestFirstMistakeStays(t *testing.T) {
	b := graph.NewBuilder("sticky")
	x := b.Parameter("x", graph.Of(graph.F32, 2))
	bad := b.Not(x)
	first := b.Err()
	if first == nil || bad != (graph.Value{}) || !bad.Shape().Equal(graph.Of(graph.F32)) {
		t.Fatalf("error %v, value of shape %s", first, bad.Shape())
	}
	b.Result("y", b.MatMul(b.Add(bad, x), b.Reshape(x, 7)))
	b.Parameter("x", graph.Of(graph.F32))
	if g, err := b.Build(); err != first || g != nil {
		t.Errorf("graph %v, error %v, want %v", g, err, first)
	}
}
