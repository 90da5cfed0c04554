package compliance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// array is an input or an expected result.
type array struct {
	shape    graph.Shape
	elements []float64
}

func vector(d graph.DType, elements ...float64) array {
	return array{graph.Of(d, len(elements)), elements}
}

// of returns an array with dimensions.
func of(d graph.DType, dims []int, elements ...float64) array {
	return array{graph.Of(d, dims...), elements}
}

func scalar(d graph.DType, x float64) array { return array{graph.Of(d), []float64{x}} }

// operation adds the tested operation on the parameters of a graph.
type operation func(b *graph.Builder, in []graph.Value) graph.Value

// testCase is one operation on given inputs and what it gives.
type testCase struct {
	name string
	op   operation
	in   []array
	want array
	ulps float64 // allowed error of floats; 0 is exact
}

// check runs the cases, each as a subtest.
func check(t *testing.T, e trnbackend.Executor, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := build(t, c.name, c.in, c.op)
			if got := g.ResultShapes()[0]; !got.Equal(c.want.shape) {
				t.Fatalf("the graph gives %s, the case says %s", got, c.want.shape)
			}
			data := make([][]byte, len(c.in))
			for i, x := range c.in {
				data[i] = trnbackend.Encode(x.shape.DType, x.elements)
			}
			got, err := evaluate(e, g, data)
			skipUnsupported(t, err)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, c.want, trnbackend.Decode(c.want.shape.DType, got[0]), c.ulps)
		})
	}
}

// build makes a graph of one operation.
func build(t *testing.T, name string, in []array, op operation) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder(name)
	values := make([]graph.Value, len(in))
	for i, x := range in {
		values[i] = b.Parameter(fmt.Sprint("x", i), x.shape)
	}
	b.Result("r", op(b, values))
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// evaluate compiles a graph, runs it once and frees everything.
func evaluate(e trnbackend.Executor, g *graph.Graph, in [][]byte) ([][]byte, error) {
	caps := e.Caps()
	if err := caps.Check(g); err != nil {
		return nil, err
	}
	p, err := e.Compile(context.Background(), g)
	if err != nil {
		return nil, fmt.Errorf("compiling: %w", err)
	}
	defer p.Close()
	buffers, out := make([]trnbackend.Buffer, len(in)), make([]trnbackend.Buffer, len(g.Results()))
	for i, shape := range g.ParameterShapes() {
		if buffers[i], err = e.Upload(shape, in[i]); err != nil {
			return nil, fmt.Errorf("uploading: %w", err)
		}
		defer buffers[i].Free()
	}
	if err := p.Run(buffers, out); err != nil {
		return nil, fmt.Errorf("running: %w", err)
	}
	got := make([][]byte, len(out))
	for i, b := range out {
		defer b.Free()
		got[i] = make([]byte, g.ResultShapes()[i].Bytes())
		if err := b.Download(got[i]); err != nil {
			return nil, fmt.Errorf("downloading: %w", err)
		}
	}
	return got, nil
}

// compare requires the elements: NaN where NaN is expected, and zeros of either sign where zero is.
func compare(t *testing.T, want array, got []float64, ulps float64) {
	t.Helper()
	if len(got) != len(want.elements) {
		t.Fatalf("%d elements, not %d", len(got), len(want.elements))
	}
	for i, x := range want.elements {
		y := got[i]
		off := ulps * want.shape.DType.Eps() * math.Abs(x)
		if y != x && !(x != x && y != y) && !(ulps > 0 && math.Abs(y-x) <= off) {
			t.Errorf("element %d is %v, not %v", i, y, x)
		}
	}
}

func skipUnsupported(t *testing.T, err error) {
	t.Helper()
	if u := (*trnbackend.UnsupportedError)(nil); errors.As(err, &u) {
		t.Skip(err)
	}
}
