package trnbackend_test

import (
	"errors"
	"strings"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// buffer has a shape and no elements.
type buffer struct{ shape graph.Shape }

func (b *buffer) Shape() graph.Shape    { return b.shape }
func (b *buffer) Download([]byte) error { return errors.New("no elements") }
func (b *buffer) Free()                 {}

func of(d graph.DType, dims ...int) trnbackend.Buffer { return &buffer{graph.Of(d, dims...)} }

// example returns a graph with a donated input of f32[2], another input of that shape and one of s32[]; its results are
// f32[2] and f32[2].
func example(t *testing.T) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder("example")
	x, y := b.Donated("x", graph.Of(graph.F32, 2)), b.Parameter("y", graph.Of(graph.F32, 2))
	i := b.Parameter("i", graph.Of(graph.S32))
	b.Result("sum", b.Add(x, y))
	b.Result("scaled", b.Multiply(y, b.Broadcast(b.Convert(i, graph.F32), []int{2})))
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestCheckRun(t *testing.T) {
	g := example(t)
	type buffers = []trnbackend.Buffer
	x, y, i := of(graph.F32, 2), of(graph.F32, 2), of(graph.S32)
	first, second := of(graph.F32, 2), of(graph.F32, 2)
	for _, c := range []struct {
		name    string
		in, out buffers
		want    string // of the error; empty if there is none
	}{
		{"no places", buffers{x, y, i}, buffers{nil, nil}, ""},
		{"one place", buffers{x, y, i}, buffers{nil, second}, ""},
		{"all places", buffers{x, y, i}, buffers{first, second}, ""},
		{"too few inputs", buffers{x, y}, buffers{nil, nil}, "graph example takes 3 buffers and gives 2, not 2 and 2"},
		{"too few results", buffers{x, y, i}, buffers{nil}, "not 3 and 1"},
		{"too many results", buffers{x, y, i}, buffers{nil, nil, nil}, "not 3 and 3"},
		{"no input", buffers{x, nil, i}, buffers{nil, nil},
			`graph example: parameter "y" is f32[2], there is no buffer`},
		{"dimensions of an input", buffers{of(graph.F32, 3), y, i}, buffers{nil, nil},
			`parameter "x" is f32[2], the buffer is f32[3]`},
		{"type of an input", buffers{x, y, of(graph.F32)}, buffers{nil, nil},
			`parameter "i" is s32[], the buffer is f32[]`},
		{"shape of a result", buffers{x, y, i}, buffers{nil, of(graph.F32, 2, 1)},
			`graph example: result "scaled" is f32[2], the buffer is f32[2,1]`},
		{"donated twice", buffers{x, x, i}, buffers{nil, nil}, "used twice"},
		{"donated and written", buffers{x, y, i}, buffers{x, nil}, "used twice"},
		{"read and written", buffers{x, y, i}, buffers{nil, y}, "used twice"},
		{"written twice", buffers{x, y, i}, buffers{first, first}, "used twice"},
	} {
		err := trnbackend.CheckRun(g, c.in, c.out)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestCheckRunAllowsOneBufferForTwoInputsThatAreOnlyRead(t *testing.T) {
	b := graph.NewBuilder("product")
	shape := graph.Of(graph.F32, 2)
	b.Result("z", b.Multiply(b.Parameter("x", shape), b.Parameter("y", shape)))
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	x := of(graph.F32, 2)
	if err := trnbackend.CheckRun(g, []trnbackend.Buffer{x, x}, []trnbackend.Buffer{nil}); err != nil {
		t.Error(err)
	}
}

func TestCapsCheck(t *testing.T) {
	g := example(t)
	all := []graph.DType{graph.F32, graph.S32}
	for _, c := range []struct {
		name string
		caps trnbackend.Caps
		want string
	}{
		{"everything", trnbackend.Caps{DTypes: all}, ""},
		{"exactly enough", trnbackend.Caps{DTypes: all, MostOps: len(g.Nodes()), NoOps: []graph.Op{graph.Dot}}, ""},
		{"operations", trnbackend.Caps{DTypes: all, MostOps: len(g.Nodes()) - 1},
			"graph example: 7 operations, the device takes 6"},
		{"type", trnbackend.Caps{DTypes: []graph.DType{graph.F32, graph.BF16}},
			"graph example: the device has no type s32 (it has [f32 bf16])"},
		{"operation", trnbackend.Caps{DTypes: all, NoOps: []graph.Op{graph.Exp, graph.Broadcast}},
			"the device has no operation broadcast"},
	} {
		c.caps.Device = "small"
		err := c.caps.Check(g)
		var unsupported *trnbackend.UnsupportedError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" &&
			(!errors.As(err, &unsupported) || unsupported.Device != "small" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
	caps := trnbackend.Caps{DTypes: all}
	if !caps.Has(graph.S32) || caps.Has(graph.F64) {
		t.Error("Has is wrong about types")
	}
}

func TestErrors(t *testing.T) {
	err := error(&trnbackend.DeviceError{Device: "d", Doing: "loading", Err: trnbackend.ErrFreed})
	if !errors.Is(err, trnbackend.ErrFreed) || !strings.HasPrefix(err.Error(), "device d: loading: the buffer") {
		t.Error(err)
	}
}
