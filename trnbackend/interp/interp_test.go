package interp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/graphtest"
	"trnsci/trnbackend/interp"
)

// run returns the results of a graph.
func run(t *testing.T, g *graph.Graph, in [][]byte) [][]byte {
	t.Helper()
	e := interp.New()
	defer e.Close()
	p, err := e.Compile(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	buffers, out := make([]trnbackend.Buffer, len(in)), make([]trnbackend.Buffer, len(g.Results()))
	for i, shape := range g.ParameterShapes() {
		if buffers[i], err = e.Upload(shape, in[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Run(buffers, out); err != nil {
		t.Fatal(err)
	}
	got := make([][]byte, len(out))
	for i, b := range out {
		got[i] = make([]byte, b.Shape().Bytes())
		if err := b.Download(got[i]); err != nil {
			t.Fatal(err)
		}
	}
	return got
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// Without sums there is only one right result: that of plain loops with rounding after every operation.
func TestElementsAreThoseOfPlainLoopsToTheLastBit(t *testing.T) {
	limits := graphtest.Limits{
		Nodes: 30, NoOps: []graph.Op{graph.Dot, graph.ReduceSum},
		DTypes: []graph.DType{graph.F32, graph.BF16, graph.S32, graph.Pred, graph.F64},
	}
	for seed := range uint64(150) {
		g := graphtest.Random(source(seed), limits)
		in := graphtest.Inputs(source(seed), g)
		want, got := graphtest.Evaluate(g, in), run(t, g, in)
		for i, shape := range g.ResultShapes() {
			for k, x := range trnbackend.Decode(shape.DType, got[i]) {
				if y := want.Values(i)[k]; math.Float64bits(x) != math.Float64bits(y) && (x == x || y == y) {
					t.Fatalf("seed %d: element %d of result %d is %v, not %v\n%s", seed, k, i, x, y, g.Text())
				}
			}
		}
	}
}

// Arrays of odd sizes, larger than the chunk of one thread.
func TestLargeArraysAreWholeAndInOrder(t *testing.T) {
	const rows, cols = 131, 173
	b := graph.NewBuilder("large")
	x := b.Iota(graph.Of(graph.S32, rows, cols), 0)
	y := b.Iota(graph.Of(graph.S32, rows, cols), 1)
	place := b.Add(b.Multiply(x, b.Fill(x.Shape(), cols)), y) // i cols + j
	b.Result("place", place)
	b.Result("transposed", b.Transpose(place, 1, 0))
	b.Result("rows", b.ReduceSum(place, 1))
	b.Result("columns", b.ReduceMax(place, 0))
	b.Result("all", b.ReduceSum(b.Convert(place, graph.F64), 0, 1))
	b.Result("backwards", b.Select(b.Compare(graph.LT, x, y), place, b.Negate(place)))
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, g, nil)
	var want [6][]float64
	want[1], want[3] = make([]float64, rows*cols), make([]float64, cols)
	all := 0.0
	for i := range rows {
		sum := 0
		for j := range cols {
			p := i*cols + j
			sum += p
			want[0] = append(want[0], float64(p))
			want[1][j*rows+i] = float64(p)
			want[3][j] = float64(p)
			signed := p
			if i >= j {
				signed = -p
			}
			want[5] = append(want[5], float64(signed))
		}
		want[2] = append(want[2], float64(sum))
		all += float64(sum)
	}
	want[4] = []float64{all}
	for i, r := range g.Results() {
		for k, v := range trnbackend.Decode(g.ResultShapes()[i].DType, got[i]) {
			if v != want[i][k] {
				t.Fatalf("%s: element %d is %v, not %v", r.Name, k, v, want[i][k])
			}
		}
	}
}

// Later operations that reuse memory must not overwrite a result or an argument.
func TestResultsOutliveTheRun(t *testing.T) {
	b := graph.NewBuilder("kept")
	x := b.Parameter("x", graph.Of(graph.F32, 3))
	early := b.Reshape(b.Add(x, x), 3, 1)
	b.Result("early", early)
	late := x
	for range 6 {
		late = b.Add(b.Negate(late), b.Multiply(x, x))
	}
	b.Result("late", late)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, g, [][]byte{trnbackend.Encode(graph.F32, []float64{1, 2, 3})})
	for i, want := range [][]float64{{2, 4, 6}, {1, 2, 3}} { // -(-(x)+x^2)+x^2 is x
		for k, v := range trnbackend.Decode(graph.F32, got[i]) {
			if v != want[k] {
				t.Errorf("element %d of result %d is %v, not %v", k, i, v, want[k])
			}
		}
	}
}
