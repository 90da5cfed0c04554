package graph_test

import (
	"math"
	"slices"
	"testing"

	"trnsci/trnbackend/graph"
)

func TestParametersAndResults(t *testing.T) {
	g := built(t, func(b *graph.Builder) {
		b.Scalar(graph.F32, 1)
		x := b.Parameter("x", graph.Of(graph.F32, 2))
		y := b.Negate(x)
		z := b.Parameter("z", graph.Of(graph.S32))
		b.Result("second", z)
		b.Result("first", y)
		b.Result("third", y)
	})
	if g.Name() != "g" || !slices.Equal(g.Parameters(), []int{0, 2}) {
		t.Errorf("%s: parameters %v", g.Name(), g.Parameters())
	}
	if want := []graph.Result{{Name: "second", Node: 2}, {Name: "first", Node: 1},
		{Name: "third", Node: 1}}; !slices.Equal(g.Results(), want) {
		t.Errorf("results %v", g.Results())
	}
	f2, s := graph.Of(graph.F32, 2), graph.Of(graph.S32)
	if !slices.EqualFunc(g.ParameterShapes(), []graph.Shape{f2, s}, graph.Shape.Equal) {
		t.Errorf("parameters of shapes %v", g.ParameterShapes())
	}
	if !slices.EqualFunc(g.ResultShapes(), []graph.Shape{s, f2, f2}, graph.Shape.Equal) {
		t.Errorf("results of shapes %v", g.ResultShapes())
	}
	if !g.Uses(graph.S32) || g.Uses(graph.BF16) {
		t.Error("the types are reported wrongly")
	}
}

func TestLastUse(t *testing.T) {
	g := built(t, func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(graph.F32)) // 0
		b.Parameter("unused", graph.Of(graph.F32)) // 1
		y := b.Exp(x)                              // 2
		z := b.Add(y, x)                           // 3
		b.Result("z", z)
		b.Result("w", b.Multiply(z, z)) // 4
	})
	if want := []int{3, 1, 3, 5, 5}; !slices.Equal(g.LastUse(), want) {
		t.Errorf("%v, want %v", g.LastUse(), want)
	}
}

func TestDonation(t *testing.T) {
	a, c := graph.Of(graph.F32, 2, 3), graph.Of(graph.F32, 3, 2)
	for _, test := range []struct {
		name  string
		build func(b *graph.Builder)
		want  []int
	}{
		{"shape", func(b *graph.Builder) {
			x, y := b.Donated("x", a), b.Parameter("y", a)
			b.Result("t", b.Transpose(x, 1, 0))
			b.Result("s", b.Add(x, y))
		}, []int{1, -1}},
		{"in order", func(b *graph.Builder) {
			x, y, z := b.Donated("x", a), b.Donated("y", a), b.Donated("z", a)
			b.Result("s", b.Add(x, y))
			b.Result("t", b.Add(y, z))
		}, []int{0, 1, -1}},
		{"type", func(b *graph.Builder) { b.Result("y", b.Convert(b.Donated("x", a), graph.BF16)) }, []int{-1}},
		{"nothing fits", func(b *graph.Builder) { b.Result("y", b.Reshape(b.Donated("x", a), c.Dims...)) }, []int{-1}},
		{"itself", func(b *graph.Builder) {
			x := b.Donated("x", a)
			b.Result("y", b.Negate(x))
			b.Result("x", x)
		}, []int{1}},
		{"itself, behind another parameter", func(b *graph.Builder) {
			x, y := b.Donated("x", a), b.Donated("y", a)
			b.Result("y", y)
			b.Result("x", b.Negate(x))
		}, []int{1, 0}},
		{"itself twice", func(b *graph.Builder) {
			x, y := b.Donated("x", a), b.Donated("y", a)
			b.Result("first", x)
			b.Result("second", x)
			b.Result("third", b.Add(x, y))
		}, []int{0, 1}},
		{"not donated", func(b *graph.Builder) { b.Result("x", b.Parameter("x", a)) }, []int{-1}},
	} {
		if got := built(t, test.build).Donation(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestCost(t *testing.T) {
	f23, f34, f234 := graph.Of(graph.F32, 2, 3), graph.Of(graph.F32, 3, 4), graph.Of(graph.F32, 2, 3, 4)
	in := func(b *graph.Builder, name string, s graph.Shape) graph.Value { return b.Parameter(name, s) }
	for _, c := range []struct {
		name string
		add  func(b *graph.Builder) graph.Value
		want graph.Cost // flops, bytes read, bytes written
	}{
		{"parameter", func(b *graph.Builder) graph.Value { return in(b, "x", f23) }, graph.Cost{}},
		{"constant", func(b *graph.Builder) graph.Value { return b.Scalar(graph.F32, 1) }, graph.Cost{}},
		{"reshape", func(b *graph.Builder) graph.Value { return b.Reshape(in(b, "x", f23), 6) }, graph.Cost{}},
		{"iota", func(b *graph.Builder) graph.Value { return b.Iota(f23.As(graph.F64), 0) },
			graph.Cost{BytesWritten: 6 * 8}},
		{"unary", func(b *graph.Builder) graph.Value { return b.Exp(in(b, "x", f23)) },
			graph.Cost{Flops: 6, BytesRead: 24, BytesWritten: 24}},
		{"convert", func(b *graph.Builder) graph.Value { return b.Convert(in(b, "x", f23), graph.BF16) },
			graph.Cost{Flops: 6, BytesRead: 24, BytesWritten: 12}},
		{"binary", func(b *graph.Builder) graph.Value { return b.Add(in(b, "x", f23), in(b, "y", f23)) },
			graph.Cost{Flops: 6, BytesRead: 48, BytesWritten: 24}},
		{"compare", func(b *graph.Builder) graph.Value { return b.Compare(graph.EQ, in(b, "x", f23), in(b, "y", f23)) },
			graph.Cost{Flops: 6, BytesRead: 48, BytesWritten: 6}},
		{"select", func(b *graph.Builder) graph.Value {
			return b.Select(in(b, "p", f23.As(graph.Pred)), in(b, "x", f23), in(b, "y", f23))
		}, graph.Cost{Flops: 6, BytesRead: 6 + 48, BytesWritten: 24}},
		{"dot", func(b *graph.Builder) graph.Value { return b.MatMul(in(b, "x", f23), in(b, "y", f34)) },
			graph.Cost{Flops: 2 * 2 * 3 * 4, BytesRead: 4 * (6 + 12), BytesWritten: 4 * 8}},
		{"dot with batches and two sums", func(b *graph.Builder) graph.Value {
			return b.Dot(in(b, "x", f234), in(b, "y", graph.Of(graph.F32, 2, 4, 3, 5)),
				graph.Dimensions{Contract: [2][]int{{1, 2}, {2, 1}}, Batch: [2][]int{{0}, {0}}})
		}, graph.Cost{Flops: 2 * 2 * 3 * 4 * 5, BytesRead: 4 * (24 + 120), BytesWritten: 4 * 10}},
		{"dot of bf16", func(b *graph.Builder) graph.Value {
			return b.MatMul(in(b, "x", f23.As(graph.BF16)), in(b, "y", f34.As(graph.BF16)))
		}, graph.Cost{Flops: 48, BytesRead: 2 * 18, BytesWritten: 4 * 8}},
		{"empty dot", func(b *graph.Builder) graph.Value {
			return b.MatMul(in(b, "x", graph.Of(graph.F32, 2, 0)), in(b, "y", graph.Of(graph.F32, 0, 4)))
		}, graph.Cost{BytesWritten: 32}},
		{"reduce", func(b *graph.Builder) graph.Value { return b.ReduceMax(in(b, "x", f234), 1) },
			graph.Cost{Flops: 24, BytesRead: 96, BytesWritten: 32}},
		{"broadcast", func(b *graph.Builder) graph.Value { return b.Broadcast(in(b, "x", f23), []int{5, 2, 3}, 1, 2) },
			graph.Cost{BytesRead: 24, BytesWritten: 120}},
		{"transpose", func(b *graph.Builder) graph.Value { return b.Transpose(in(b, "x", f23), 1, 0) },
			graph.Cost{BytesRead: 24, BytesWritten: 24}},
		{"slice", func(b *graph.Builder) graph.Value {
			return b.Slice(in(b, "x", f23), []int{0, 0}, []int{1, 2}, []int{1, 1})
		}, graph.Cost{BytesRead: 8, BytesWritten: 8}},
		{"dynamic slice", func(b *graph.Builder) graph.Value {
			return b.DynamicSlice(in(b, "x", f23), []int{1, 2}, in(b, "i", graph.Of(graph.S32)),
				in(b, "j", graph.Of(graph.S32)))
		}, graph.Cost{BytesRead: 8 + 2*4, BytesWritten: 8}},
		{"gather", func(b *graph.Builder) graph.Value {
			return b.GatherRows(in(b, "x", f234), in(b, "rows", graph.Of(graph.S32, 5)))
		},
			graph.Cost{BytesRead: 5*48 + 5*4, BytesWritten: 5 * 48}},
		{"concatenate", func(b *graph.Builder) graph.Value {
			return b.Concatenate(0, in(b, "x", f23), in(b, "y", graph.Of(graph.F32, 1, 3)))
		},
			graph.Cost{BytesRead: 36, BytesWritten: 36}},
	} {
		g := built(t, func(b *graph.Builder) { b.Result("y", c.add(b)) })
		if got := g.Cost(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestCostAddsUp(t *testing.T) {
	g := built(t, func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(graph.F32, 10))
		b.Result("y", b.ReduceSum(b.Multiply(x, x), 0))
	})
	if want := (graph.Cost{Flops: 10 + 10, BytesRead: 80 + 40, BytesWritten: 40 + 4}); g.Cost() != want ||
		g.NodeCost(1).Add(g.NodeCost(2)) != want {
		t.Errorf("%+v, want %+v", g.Cost(), want)
	}
}

func TestCostDoesNotWrapAround(t *testing.T) {
	const n = 1 << 24 // 2 n^3 passes 2^63
	g := built(t, func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(graph.F64, n, n))
		b.Result("y", b.MatMul(b.MatMul(x, x), x))
	})
	if flops := g.Cost().Flops; flops != math.MaxInt64 {
		t.Errorf("%d flops", flops)
	}
}
