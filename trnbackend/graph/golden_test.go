package graph_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trnsci/trnbackend/graph"
)

// goldenGraphs builds the graphs whose texts, written by hand, are in testdata.
var goldenGraphs = map[string]func(b *graph.Builder){
	"sources":    buildSources,
	"unary":      buildUnary,
	"binary":     buildBinary,
	"predicates": buildPredicates,
	"dot":        buildDot,
	"dot_bf16":   buildDotBF16,
	"reduce":     buildReduce,
	"layout":     buildLayout,
	"slices":     buildSlices,
	"gather":     buildGather,
	"join":       buildJoin,
	"matvec":     buildMatvec,
}

func TestGoldenFiles(t *testing.T) {
	texts := goldens(t)
	for name, build := range goldenGraphs {
		want := texts[name]
		b := graph.NewBuilder(titleOf(want))
		build(b)
		g, err := b.Build()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if g.Text() != want {
			t.Errorf("%s: built\n%swant\n%s", name, g.Text(), want)
		}
	}
	if len(texts) != len(goldenGraphs) {
		t.Errorf("%d files for %d graphs", len(texts), len(goldenGraphs))
	}
}

// titleOf returns what stands in quotes in the first line.
func titleOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.Trim(strings.TrimPrefix(line, "graph "), `"`)
}

func TestGoldenFilesHaveEveryOperation(t *testing.T) {
	all := strings.Join(texts(goldens(t)), "")
	for _, o := range graph.Ops() {
		if !strings.Contains(all, "= "+o.String()+" ") {
			t.Errorf("no file with %s", o)
		}
	}
}

// TestDocumentation requires that docs/device.md has every operation, and in its example the text of a golden file.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "device.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Operations")
	table, _, _ = strings.Cut(table, "\n## ")
	for _, o := range graph.Ops() {
		if !strings.Contains(table, "`"+o.String()+"`") {
			t.Errorf("docs/device.md has no %s", o)
		}
	}
	if !strings.Contains(string(page), "```\n"+goldens(t)["matvec"]+"```") {
		t.Error("the example in docs/device.md is not testdata/matvec.txt")
	}
}

func texts(files map[string]string) []string {
	var all []string
	for _, text := range files {
		all = append(all, text)
	}
	return all
}

func buildSources(b *graph.Builder) {
	b.Result("x", b.Parameter("x", graph.Of(graph.F32)))
	b.Result("moved", b.Donated("moved", graph.Of(graph.F64, 2, 3)))
	b.Parameter("unused", graph.Of(graph.Pred, 0, 4))
	// 2^24 + 1 is a tie
	b.Result("singles", b.Constant(graph.Of(graph.F32, 2, 2), 0.1, math.Copysign(0, -1), math.NaN(), 16777217))
	// the largest one is (2 - 2^-7) 2^127
	b.Result("halves", b.Constant(graph.Of(graph.BF16, 3), 0.1, 3.39e38, 3.4e38))
	b.Result("integers", b.Constant(graph.Of(graph.S32, 2), math.Inf(-1), 7.9))
	b.Result("true", b.Scalar(graph.Pred, -3))
	b.Result("double", b.Constant(graph.Of(graph.F64, 1), 0.1))
	b.Result("nothing", b.Constant(graph.Of(graph.F32, 0)))
	b.Result("indices", b.Iota(graph.Of(graph.S32, 2, 5), 1))
}

func buildUnary(b *graph.Builder) {
	x := b.Parameter("x", graph.Of(graph.F32, 3))
	p := b.Parameter("p", graph.Of(graph.Pred, 2))
	y := b.Sign(b.Abs(b.Negate(x)))
	y = b.Tanh(b.Rsqrt(b.Sqrt(b.Log(b.Exp(y)))))
	b.Result("y", b.Convert(y, graph.BF16))
	b.Result("q", b.Not(p))
}

func buildBinary(b *graph.Builder) {
	x, y := b.Parameter("x", graph.Of(graph.S32, 2, 1)), b.Parameter("y", graph.Of(graph.S32, 2, 1))
	z := b.Subtract(x, b.Add(x, y))
	z = b.Divide(b.Multiply(z, y), x)
	b.Result("z", b.Minimum(y, b.Maximum(z, x)))
}

func buildPredicates(b *graph.Builder) {
	x, y := b.Parameter("x", graph.Of(graph.F32, 4)), b.Parameter("y", graph.Of(graph.F32, 4))
	p := b.And(b.Compare(graph.EQ, x, y), b.Compare(graph.NE, x, y))
	p = b.Or(p, b.Compare(graph.LT, x, y))
	q := b.Compare(graph.LE, x, y)
	p = b.Compare(graph.GE, b.Compare(graph.GT, p, q), q)
	b.Result("z", b.Select(p, x, y))
}

func buildDot(b *graph.Builder) {
	x, y := b.Parameter("x", graph.Of(graph.F32, 5, 2, 3)), b.Parameter("y", graph.Of(graph.F32, 5, 3, 4))
	b.Result("batched", b.MatMul(x, y))
	z := b.Dot(x, y, graph.Dimensions{Contract: [2][]int{{0, 2}, {0, 1}}})
	b.Result("sum", z)
	b.Result("outer", b.Dot(z, z, graph.Dimensions{}))
	b.Result("inner", b.Dot(z, z, graph.Dimensions{Contract: [2][]int{{0, 1}, {0, 1}}}))
}

func buildDotBF16(b *graph.Builder) {
	x, y := b.Parameter("x", graph.Of(graph.BF16, 2, 3)), b.Parameter("y", graph.Of(graph.BF16, 4, 3))
	b.Result("z", b.Dot(x, y, graph.Dimensions{Contract: [2][]int{{1}, {1}}}))
}

func buildReduce(b *graph.Builder) {
	x := b.Parameter("x", graph.Of(graph.F32, 2, 3, 4))
	b.Result("sums", b.ReduceSum(x, 2, 0))
	b.Result("most", b.ReduceMax(x, 0, 1, 2))
	b.Result("least", b.ReduceMin(x))
}

func buildLayout(b *graph.Builder) {
	x, s := b.Parameter("x", graph.Of(graph.F32, 2, 3)), b.Parameter("s", graph.Of(graph.F32))
	y := b.Transpose(b.Broadcast(x, []int{4, 2, 5, 3}, 1, 3), 3, 0, 2, 1)
	b.Result("y", b.Add(b.Reshape(y, 120), b.Broadcast(s, []int{120})))
}

func buildSlices(b *graph.Builder) {
	x := b.Parameter("x", graph.Of(graph.F32, 6, 5))
	i, j := b.Parameter("i", graph.Of(graph.S32)), b.Parameter("j", graph.Of(graph.S32))
	part := b.Add(b.Slice(x, []int{1, 0}, []int{6, 5}, []int{2, 3}), b.DynamicSlice(x, []int{3, 2}, i, j))
	b.Result("y", b.DynamicUpdateSlice(x, part, j, i))
}

func buildGather(b *graph.Builder) {
	table, rows := b.Parameter("table", graph.Of(graph.BF16, 7, 2, 3)), b.Parameter("rows", graph.Of(graph.S32, 4))
	b.Result("y", b.GatherRows(table, rows))
}

func buildJoin(b *graph.Builder) {
	x, y := b.Parameter("x", graph.Of(graph.F32, 2, 3)), b.Parameter("y", graph.Of(graph.F32, 2, 1))
	all := b.Concatenate(1, x, y, x)
	b.Result("z", b.Pad(all, b.Scalar(graph.F32, math.Inf(-1)), []int{0, 1}, []int{3, 0}))
}

func buildMatvec(b *graph.Builder) {
	a, x := b.Parameter("a", graph.Of(graph.F32, 3, 3)), b.Donated("x", graph.Of(graph.F32, 3))
	y := b.Dot(a, x, graph.Dimensions{Contract: [2][]int{{1}, {0}}})
	scale := b.Rsqrt(b.ReduceSum(b.Multiply(y, y), 0))
	b.Result("x", b.Multiply(y, b.Broadcast(scale, []int{3})))
}
