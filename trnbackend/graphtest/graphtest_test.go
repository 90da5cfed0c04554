package graphtest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

var everyType = []graph.DType{graph.F32, graph.BF16, graph.S32, graph.Pred, graph.F64}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func TestRandomGraphsHaveAllOperationsAndTypes(t *testing.T) {
	ops, dtypes := map[graph.Op]int{}, map[graph.DType]int{}
	scalars, empty, known, all := 0, 0, 0, 0
	for seed := range uint64(200) {
		g := Random(source(seed), Limits{Nodes: 20, DTypes: everyType})
		for _, n := range g.Nodes() {
			ops[n.Op]++
			dtypes[n.Shape.DType]++
			if n.Shape.Rank() == 0 {
				scalars++
			}
			if n.Shape.Size() == 0 {
				empty++
			}
		}
		k, a := Evaluate(g, Inputs(source(seed), g)).Known()
		known, all = known+k, all+a
	}
	for _, op := range graph.Ops() {
		if ops[op] < 5 {
			t.Errorf("%d nodes of operation %s", ops[op], op)
		}
	}
	for _, d := range everyType {
		if dtypes[d] < 100 {
			t.Errorf("%d nodes of type %s", dtypes[d], d)
		}
	}
	if scalars < 100 || empty < 50 {
		t.Errorf("%d scalars, %d empty arrays", scalars, empty)
	}
	t.Logf("%d of %d elements are known", known, all)
	if known < all*3/4 {
		t.Errorf("only %d of %d elements are known", known, all)
	}
}

func TestRandomKeepsItsLimits(t *testing.T) {
	limits := Limits{Nodes: 30, DTypes: []graph.DType{graph.F32}, NoOps: []graph.Op{graph.Pad, graph.Dot, graph.Exp}}
	for seed := range uint64(50) {
		g := Random(source(seed), limits)
		if g.Text() != Random(source(seed), limits).Text() {
			t.Fatalf("seed %d gives two graphs", seed)
		}
		for _, n := range g.Nodes() {
			if n.Shape.DType != graph.F32 || n.Op == graph.Pad || n.Op == graph.Dot || n.Op == graph.Exp {
				t.Fatalf("seed %d: %s of type %s", seed, n.Op, n.Shape.DType)
			}
		}
	}
}

// evaluated returns a reference for a graph of two inputs of 3 numbers of type d.
func evaluated(t *testing.T, d graph.DType, x, y []float64,
	result func(b *graph.Builder, x, y graph.Value) graph.Value) *Reference {
	t.Helper()
	b := graph.NewBuilder("one")
	s := graph.Of(d, len(x))
	b.Result("r", result(b, b.Parameter("x", s), b.Parameter("y", s)))
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return Evaluate(g, [][]byte{trnbackend.Encode(d, x), trnbackend.Encode(d, y)})
}

func TestCompareAcceptsRoundingAndNothingElse(t *testing.T) {
	third := float64(float32(1) / 3)
	r := evaluated(t, graph.F32, []float64{1, 1, 2}, []float64{3, 2, math.NaN()},
		func(b *graph.Builder, x, y graph.Value) graph.Value { return b.Divide(x, y) })
	for _, c := range []struct {
		got  []float64
		want string
	}{
		{[]float64{third, 0.5, math.NaN()}, ""},
		{[]float64{third * (1 + 0x1p-23), 0.5, math.NaN()}, ""},
		{[]float64{third * (1 + 0x1p-21), 0.5, math.NaN()}, "element [0]"},
		{[]float64{third, 0.5 * (1 + 0x1p-23), math.NaN()}, "element [1]"}, // exact, so nothing else is right
		{[]float64{third, 0.5, 0}, "element [2]"},
		{[]float64{math.NaN(), 0.5, math.NaN()}, "element [0]"},
	} {
		err := r.Compare([][]byte{trnbackend.Encode(graph.F32, c.got)})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, not %q", c.got, err, c.want)
		}
	}
	if r.Compare([][]byte{make([]byte, 8)}) == nil {
		t.Error("a buffer that is too short is accepted")
	}
}

func TestPredicatesNearTiesAreNotCompared(t *testing.T) {
	r := evaluated(t, graph.F32, []float64{1, 1, 4}, []float64{3, 2, 2},
		func(b *graph.Builder, x, y graph.Value) graph.Value {
			// the first one is near a tie, the last one at one
			third := b.Constant(graph.Of(graph.F32, 3), 1.0/3, 0.25, 2)
			return b.Compare(graph.GE, b.Divide(x, y), third)
		})
	known, all := r.Known()
	if known != 2 || all != 3 {
		t.Errorf("%d of %d known", known, all)
	}
	if r.Compare([][]byte{{0, 1, 1}}) != nil || r.Compare([][]byte{{1, 1, 1}}) != nil ||
		r.Compare([][]byte{{1, 0, 1}}) == nil || r.Compare([][]byte{{1, 1, 0}}) == nil {
		t.Error("a predicate is judged wrongly")
	}
}

func TestSumsMayBeRoundedInAnyOrder(t *testing.T) {
	x := []float64{1e8, 1, -1e8, 1, 0.5}
	r := evaluated(t, graph.F32, x, x,
		func(b *graph.Builder, x, _ graph.Value) graph.Value { return b.ReduceSum(x, 0) })
	forwards := float32(0) // loses the first 1
	for _, v := range x {
		forwards += float32(v)
	}
	for _, c := range []struct {
		got   float64
		right bool
	}{{2.5, true}, {float64(forwards), true}, {2.5 + 1000, false}, {math.NaN(), false}} {
		if err := r.Compare([][]byte{trnbackend.Encode(graph.F32, []float64{c.got})}); (err == nil) != c.right {
			t.Errorf("%v: %v", c.got, err)
		}
	}
}

func TestShrinkFindsTheOperationThatFails(t *testing.T) {
	shrunk := 0
	for seed := range uint64(30) {
		g := Random(source(seed), Limits{Nodes: 30, DTypes: everyType})
		fails := func(g *graph.Graph) bool {
			for _, n := range g.Nodes() {
				if n.Op == graph.Transpose && n.Shape.Rank() > 1 {
					return true
				}
			}
			return false
		}
		if !fails(g) {
			continue
		}
		shrunk++
		small := Shrink(g, fails)
		if !fails(small) || len(small.Nodes()) != 2 || len(small.Results()) != 1 {
			t.Errorf("seed %d:\n%s", seed, small.Text())
		}
	}
	if shrunk == 0 {
		t.Error("no such graph was found")
	}
}

func TestEveryOperationIsJudgedAndGenerated(t *testing.T) {
	if len(judges) != len(graph.Ops()) || len(generators) != len(graph.Ops()) {
		t.Fatalf("%d judges and %d generators for %d operations", len(judges), len(generators), len(graph.Ops()))
	}
	for _, op := range graph.Ops() {
		if given := op == graph.Parameter; (judges[op] == nil) != given || (generators[op].make == nil) != given {
			t.Errorf("%s: judged %t, generated %t", op, judges[op] != nil, generators[op].make != nil)
		}
	}
}
