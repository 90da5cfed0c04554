package graph_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"trnsci/trnbackend/graph"
)

// built returns the graph that build describes.
func built(t *testing.T, build func(b *graph.Builder)) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder("g")
	build(b)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	checkRoundTrip(t, g)
	return g
}

// body returns the lines of a graph's text behind the first one.
func body(g *graph.Graph) string {
	_, rest, _ := strings.Cut(g.Text(), "\n")
	return rest
}

func TestBuildLeavesOutWhatNoResultNeeds(t *testing.T) {
	g := built(t, func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(graph.F32))
		b.Parameter("unused", graph.Of(graph.S32))
		b.Exp(b.Negate(x))
		b.Result("y", b.Abs(x))
		b.Scalar(graph.F32, 1)
	})
	const want = `%0 = parameter f32[] "x"
%1 = parameter s32[] "unused"
%2 = abs f32[] %0
result "y" %2
`
	if body(g) != want {
		t.Error(body(g))
	}
}

func TestBuildMergesEqualNodes(t *testing.T) {
	g := built(t, func(b *graph.Builder) {
		x, y := b.Parameter("x", graph.Of(graph.F32, 2)), b.Parameter("y", graph.Of(graph.F32, 2))
		b.Result("square", b.Multiply(b.Add(b.Exp(x), y), b.Add(b.Exp(x), y)))
		b.Result("again", b.Add(b.Exp(x), y))
		b.Result("swapped", b.Add(y, b.Exp(x)))
		b.Result("below", b.Compare(graph.LT, x, y))
		b.Result("above", b.Compare(graph.GT, x, y))
	})
	const want = `%0 = parameter f32[2] "x"
%1 = parameter f32[2] "y"
%2 = exp f32[2] %0
%3 = add f32[2] %2 %1
%4 = multiply f32[2] %3 %3
%5 = add f32[2] %1 %2
%6 = compare pred[2] %0 %1 direction=LT
%7 = compare pred[2] %0 %1 direction=GT
result "square" %4
result "again" %3
result "swapped" %5
result "below" %6
result "above" %7
`
	if body(g) != want {
		t.Error(body(g))
	}
}

func TestConstantsOfEqualText(t *testing.T) {
	payload := math.Float64frombits(math.Float64bits(math.NaN()) ^ 1<<63 ^ 1<<20)
	g := built(t, func(b *graph.Builder) {
		b.Result("zero", b.Scalar(graph.F32, 0))
		b.Result("minus", b.Scalar(graph.F32, negativeZero))
		b.Result("none", b.Scalar(graph.F32, nan))
		b.Result("none2", b.Scalar(graph.F32, payload))
		b.Result("integer", b.Scalar(graph.S32, -0.5))
		b.Result("integer2", b.Scalar(graph.S32, 0))
		b.Result("half", b.Scalar(graph.BF16, 257))
		b.Result("half2", b.Scalar(graph.BF16, 256))
	})
	const want = `%0 = constant f32[] {0}
%1 = constant f32[] {-0}
%2 = constant f32[] {NaN}
%3 = constant s32[] {0}
%4 = constant bf16[] {256}
result "zero" %0
result "minus" %1
result "none" %2
result "none2" %2
result "integer" %3
result "integer2" %3
result "half" %4
result "half2" %4
`
	if body(g) != want {
		t.Error(body(g))
	}
	if !math.Signbit(g.Nodes()[1].Attributes.(graph.Literal)[0]) ||
		math.Signbit(g.Nodes()[0].Attributes.(graph.Literal)[0]) {
		t.Error("zeros lose their signs")
	}
}

func TestBuildFoldsConstants(t *testing.T) {
	for _, c := range []struct {
		name string
		add  func(b *graph.Builder) graph.Value
		want string
	}{
		{"wrap", func(b *graph.Builder) graph.Value {
			return b.Add(b.Constant(graph.Of(graph.S32, 2), most, 1), b.Constant(graph.Of(graph.S32, 2), 1, 1))
		}, "s32[2] {-2147483648 2}"},
		{"product of integers", func(b *graph.Builder) graph.Value {
			return b.Multiply(b.Scalar(graph.S32, 65536), b.Scalar(graph.S32, 65537))
		}, "s32[] {65536}"},
		{"negated zero", func(b *graph.Builder) graph.Value { return b.Negate(b.Scalar(graph.S32, 0)) }, "s32[] {0}"},
		{"division by zero",
			func(b *graph.Builder) graph.Value {
				return b.Divide(b.Scalar(graph.S32, 5),
					b.Scalar(graph.S32, 0))
			}, "s32[] {-1}"},
		{"no number", func(b *graph.Builder) graph.Value { return b.Negate(b.Log(b.Scalar(graph.F32, -1))) },
			"f32[] {NaN}"},
		{"overflow", func(b *graph.Builder) graph.Value {
			return b.Multiply(b.Scalar(graph.F32, 1e30), b.Scalar(graph.F32, -1e30))
		}, "f32[] {-Inf}"},
		{"bf16 tie",
			func(b *graph.Builder) graph.Value {
				return b.Add(b.Scalar(graph.BF16, 256),
					b.Scalar(graph.BF16, 1))
			}, "bf16[] {256}"},
		{"bf16 tie upwards",
			func(b *graph.Builder) graph.Value {
				return b.Add(b.Scalar(graph.BF16, 258),
					b.Scalar(graph.BF16, 1))
			}, "bf16[] {260}"},
		{"f32 tie",
			func(b *graph.Builder) graph.Value {
				return b.Add(b.Scalar(graph.F32, 1<<24),
					b.Scalar(graph.F32, 1))
			}, "f32[] {1.6777216e+07}"},
		{"f64", func(b *graph.Builder) graph.Value { return b.Add(b.Scalar(graph.F64, 1<<24), b.Scalar(graph.F64, 1)) },
			"f64[] {1.6777217e+07}"},
		{"to an integer",
			func(b *graph.Builder) graph.Value {
				return b.Convert(b.Scalar(graph.F32, -2.75),
					graph.S32)
			}, "s32[] {-2}"},
		{"to a predicate",
			func(b *graph.Builder) graph.Value {
				return b.Convert(b.Scalar(graph.F32, nan),
					graph.Pred)
			}, "pred[] {1}"},
		{"comparison", func(b *graph.Builder) graph.Value {
			return b.Compare(graph.LE, b.Constant(graph.Of(graph.F32, 3), 1, 2, nan),
				b.Constant(graph.Of(graph.F32, 3), 1, 1, 1))
		}, "pred[3] {1 0 0}"},
		{"logic", func(b *graph.Builder) graph.Value {
			return b.Or(b.And(b.Scalar(graph.Pred, 1), b.Scalar(graph.Pred, 0)), b.Not(b.Scalar(graph.Pred, 0)))
		}, "pred[] {1}"},
		{"choice", func(b *graph.Builder) graph.Value {
			return b.Select(b.Constant(graph.Of(graph.Pred, 2), 1, 0), b.Constant(graph.Of(graph.S32, 2), 1, 2),
				b.Constant(graph.Of(graph.S32, 2), 3, 4))
		}, "s32[2] {1 4}"},
		{"shape", func(b *graph.Builder) graph.Value {
			return b.Reshape(b.Constant(graph.Of(graph.S32, 2, 2), 1, 2, 3, 4), 4)
		}, "s32[4] {1 2 3 4}"},
		{"empty", func(b *graph.Builder) graph.Value { return b.Exp(b.Constant(graph.Of(graph.F32, 0, 2))) },
			"f32[0,2] {}"},
	} {
		g := built(t, func(b *graph.Builder) { b.Result("y", c.add(b)) })
		if want := "%0 = constant " + c.want + "\nresult \"y\" %0\n"; body(g) != want {
			t.Errorf("%s:\n%s", c.name, body(g))
		}
	}
}

func TestBuildFoldsUpToItsLimit(t *testing.T) {
	const largest = 64
	g := built(t, func(b *graph.Builder) {
		b.Result("y", b.Negate(b.Constant(graph.Of(graph.F32, largest), make([]float64, largest)...)))
	})
	if last := g.Nodes()[len(g.Nodes())-1]; last.Op != graph.Constant ||
		!math.Signbit(last.Attributes.(graph.Literal)[largest-1]) {
		t.Error(body(g))
	}
}

func TestBuildLeavesOtherNodesOfConstants(t *testing.T) {
	const large = 65 // elements, one more than are folded
	elements := make([]float64, large)
	for name, add := range map[string]func(b *graph.Builder) graph.Value{
		"negate": func(b *graph.Builder) graph.Value {
			return b.Negate(b.Constant(graph.Of(graph.F32, large), elements...))
		},
		"broadcast": func(b *graph.Builder) graph.Value { return b.Fill(graph.Of(graph.F32, 2), 1) },
		"reduce-sum": func(b *graph.Builder) graph.Value {
			return b.ReduceSum(b.Constant(graph.Of(graph.F32, 2), 1, 2),
				0)
		},
		"add": func(b *graph.Builder) graph.Value {
			return b.Add(b.Scalar(graph.F32, 1), b.Parameter("x", graph.Of(graph.F32)))
		},
	} {
		g := built(t, func(b *graph.Builder) { b.Result("y", add(b)) })
		last := g.Nodes()[len(g.Nodes())-1]
		if last.Op.String() != name {
			t.Errorf("%s became\n%s", name, body(g))
		}
	}
}

func TestBuildCopiesItsArguments(t *testing.T) {
	dims, elements, order, list := []int{2, 3}, []float64{1, 2, 3, 4, 5, 6}, []int{1, 0}, []int{1}
	b := graph.NewBuilder("g")
	x := b.Constant(graph.Shape{DType: graph.F32, Dims: dims}, elements...)
	y := b.Transpose(b.Add(x, b.Parameter("p", x.Shape())), order...)
	z := b.Dot(y, b.Broadcast(b.Scalar(graph.F32, 1), dims), graph.Dimensions{Contract: [2][]int{list, []int{0}}})
	x.Shape().Dims[0], dims[0], elements[0], order[0], list[0] = 9, 9, 9, 9, 9
	b.Result("z", z)
	g, err := b.Build()
	const want = `%0 = constant f32[2,3] {1 2 3 4 5 6}
%1 = parameter f32[2,3] "p"
%2 = add f32[2,3] %0 %1
%3 = transpose f32[3,2] %2 dims=[1,0]
%4 = constant f32[] {1}
%5 = broadcast f32[2,3] %4 dims=[]
%6 = dot f32[3,3] %3 %5 contract=[1][0] batch=[][]
result "z" %6
`
	if err != nil || body(g) != want {
		t.Errorf("error %v\n%s", err, body(g))
	}
}

func TestBuilderGoesOnBehindBuild(t *testing.T) {
	b := graph.NewBuilder("g")
	x := b.Parameter("x", graph.Of(graph.F32))
	b.Result("y", b.Negate(x))
	first, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	text := first.Text()
	b.Result("z", b.Abs(x))
	second, err := b.Build()
	if err != nil || len(second.Results()) != 2 || first.Text() != text || second.Key() == first.Key() ||
		len(first.Nodes()) != 2 {
		t.Errorf("error %v, first\n%ssecond\n%s", err, first.Text(), second.Text())
	}
}

func TestBuildRefuses(t *testing.T) {
	if _, err := graph.NewBuilder("empty").Build(); err == nil || err.Error() != "graph empty has no result" {
		t.Errorf("error %v", err)
	}
	b := graph.NewBuilder("\xff")
	b.Result("y", b.Scalar(graph.F32, 1))
	if _, err := b.Build(); err == nil || !strings.Contains(err.Error(), "not UTF-8") {
		t.Errorf("error %v", err)
	}
}

// chain describes a graph of the given number of nodes, no two of which are alike.
func chain(nodes int) *graph.Builder {
	b := graph.NewBuilder("chain")
	x := b.Parameter("x", graph.Of(graph.F32, 8, 8))
	y := x
	for range nodes - 1 {
		y = b.Add(y, x)
	}
	b.Result("y", y)
	return b
}

func TestMostOperations(t *testing.T) {
	g, err := chain(graph.MaxOps).Build()
	if err != nil || len(g.Nodes()) != graph.MaxOps {
		t.Fatal(err)
	}
	checkRoundTrip(t, g)
	if _, err := chain(graph.MaxOps + 1).Build(); err == nil ||
		err.Error() != "graph chain has 4097 operations, the limit is 4096" {
		t.Errorf("error %v", err)
	}
}

// BenchmarkBuild times the largest graph.
func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		if _, err := chain(graph.MaxOps).Build(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestKeySeesEverything(t *testing.T) {
	keys := map[string]string{}
	for name, build := range goldenGraphs {
		keys[built(t, build).Key()] = name
	}
	x := graph.Of(graph.F32, 2)
	for i, build := range []func(b *graph.Builder){
		func(b *graph.Builder) { b.Result("y", b.Parameter("x", x)) },
		func(b *graph.Builder) { b.Result("y", b.Donated("x", x)) },
		func(b *graph.Builder) { b.Result("z", b.Parameter("x", x)) },
		func(b *graph.Builder) { b.Result("y", b.Parameter("z", x)) },
		func(b *graph.Builder) { b.Result("y", b.Parameter("x", x.As(graph.BF16))) },
		func(b *graph.Builder) { y := b.Parameter("x", x); b.Result("y", y); b.Result("z", y) },
		func(b *graph.Builder) { y := b.Parameter("x", x); b.Result("z", y); b.Result("y", y) },
	} {
		keys[built(t, build).Key()] = fmt.Sprint(i)
	}
	if len(keys) != len(goldenGraphs)+7 {
		t.Errorf("two graphs have one key: %v", keys)
	}
	for key := range keys {
		if len(key) != 64 || strings.Trim(key, "0123456789abcdef") != "" {
			t.Errorf("key %q", key)
		}
	}
}
