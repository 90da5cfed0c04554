package compliance

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// float returns a float type of the device, single precision if it has it.
func float(e trnbackend.Executor) graph.DType {
	for _, d := range floatTypes {
		if caps := e.Caps(); caps.Has(d) {
			return d
		}
	}
	return graph.F32
}

func upload(t *testing.T, e trnbackend.Executor, x array) trnbackend.Buffer {
	t.Helper()
	b, err := e.Upload(x.shape, trnbackend.Encode(x.shape.DType, x.elements))
	if err != nil {
		t.Fatalf("uploading %s: %v", x.shape, err)
	}
	if !b.Shape().Equal(x.shape) {
		t.Fatalf("a buffer of %s says %s", x.shape, b.Shape())
	}
	return b
}

// holds requires that a buffer is live and has the elements.
func holds(t *testing.T, b trnbackend.Buffer, elements ...float64) {
	t.Helper()
	if b == nil {
		t.Fatal("there is no buffer")
	}
	data := make([]byte, b.Shape().Bytes())
	if err := b.Download(data); err != nil {
		t.Fatalf("downloading %s: %v", b.Shape(), err)
	}
	compare(t, array{b.Shape(), elements}, trnbackend.Decode(b.Shape().DType, data), 0)
}

// freed requires that a call failed with trnbackend.ErrFreed.
func freed(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, trnbackend.ErrFreed) {
		t.Errorf("%s: the error is %v, not ErrFreed", what, err)
	}
}

func download(b trnbackend.Buffer) error { return b.Download(make([]byte, b.Shape().Bytes())) }

// compile compiles the graph that a function builds.
func compile(t *testing.T, e trnbackend.Executor, make func(b *graph.Builder)) trnbackend.Program {
	t.Helper()
	b := graph.NewBuilder("life")
	make(b)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Compile(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	if p.Graph().Key() != g.Key() {
		t.Error("a program has another graph than the one that was compiled")
	}
	return p
}

func run(t *testing.T, p trnbackend.Program, in, out []trnbackend.Buffer) {
	t.Helper()
	if err := p.Run(in, out); err != nil {
		t.Fatalf("running: %v", err)
	}
}

// doubled compiles x + x of 2 numbers.
func doubled(t *testing.T, e trnbackend.Executor, d graph.DType) trnbackend.Program {
	t.Helper()
	return compile(t, e, func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(d, 2))
		b.Result("r", b.Add(x, x))
	})
}

func testBuffers(t *testing.T, e trnbackend.Executor) {
	eachType(t, e, allTypes, func(t *testing.T, d graph.DType) {
		for _, x := range []array{scalar(d, 1), vector(d), of(d, []int{2, 0, 3}),
			labelled(d, []int{2, 3}, 0, 1, 2, 3, 4, 5)} {
			data := trnbackend.Encode(d, x.elements)
			b, err := e.Upload(x.shape, data)
			if err != nil {
				t.Fatalf("%s: %v", x.shape, err)
			}
			clear(data) // the buffer has its own copy
			holds(t, b, x.elements...)
			if b.Download(make([]byte, x.shape.Bytes()+1)) == nil {
				t.Errorf("%s is downloaded into a slice that is too long", x.shape)
			}
			if _, err := e.Upload(x.shape, make([]byte, x.shape.Bytes()+1)); err == nil {
				t.Errorf("%s is uploaded from a slice that is too long", x.shape)
			}
			b.Free()
			freed(t, "downloading a freed buffer", download(b))
			b.Free()
		}
		if _, err := e.Upload(graph.Of(d, -1), nil); err == nil {
			t.Error("a negative dimension is accepted")
		}
	})
	testBits(t, e)
	testMemory(t, e)
}

// testBits requires that numbers pass through a device unchanged.
func testBits(t *testing.T, e trnbackend.Executor) {
	d := float(e)
	data := trnbackend.Encode(d, []float64{zero, inf, -inf, 1 + d.Eps(), 1e-30, -1e30})
	b, err := e.Upload(graph.Of(d, 6), data)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	got := make([]byte, len(data))
	if err := b.Download(got); err != nil || !bytes.Equal(got, data) {
		t.Errorf("uploaded %v, downloaded %v: %v", data, got, err)
	}
}

// testMemory requires that buffers are counted by devices that count.
func testMemory(t *testing.T, e trnbackend.Executor) {
	before, err := e.Memory()
	if err != nil {
		t.Fatal(err)
	}
	b := upload(t, e, of(float(e), []int{100}, make([]float64, 100)...))
	during, err := e.Memory()
	if err != nil {
		t.Fatal(err)
	}
	b.Free()
	b.Free()
	after, err := e.Memory()
	switch {
	case err != nil:
		t.Fatal(err)
	case during.Used == 0:
		t.Logf("device %s does not count its memory", e.Name())
	case during.Used-before.Used < b.Shape().Bytes() || after.Used != before.Used:
		t.Errorf("%d bytes in use, %d with a buffer of %d, %d when it is freed", before.Used, during.Used,
			b.Shape().Bytes(), after.Used)
	}
}

// testPlaces runs with empty places, with buffers in them, and with results that are parameters, constants or equal to
// another result.
func testPlaces(t *testing.T, e trnbackend.Executor) {
	d := float(e)
	p := doubled(t, e, d)
	x, y, out := upload(t, e, vector(d, 1, 2)), upload(t, e, vector(d, 3, -4)), make([]trnbackend.Buffer, 1)
	run(t, p, []trnbackend.Buffer{x}, out)
	holds(t, out[0], 2, 4)
	run(t, p, []trnbackend.Buffer{y}, out) // over the result of the first run
	holds(t, out[0], 6, -8)
	own := []trnbackend.Buffer{upload(t, e, vector(d, 0, 0))}
	run(t, p, out, own) // a result is an input
	holds(t, own[0], 12, -16)
	holds(t, x, 1, 2)
	for _, b := range []trnbackend.Buffer{x, y, out[0], own[0]} {
		b.Free()
	}

	same := compile(t, e, func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(d, 2))
		b.Parameter("unused", graph.Of(d, 1))
		sum := b.Add(x, x)
		b.Result("sum", sum)
		b.Result("again", sum)
		b.Result("x", x)
		b.Result("constant", b.Constant(graph.Of(d, 2), 5, 6))
	})
	x, unused, out := upload(t, e, vector(d, 1, 2)), upload(t, e, vector(d, 9)), make([]trnbackend.Buffer, 4)
	run(t, same, []trnbackend.Buffer{x, unused}, out)
	x.Free() // the other buffers stay alive
	out[0].Free()
	holds(t, out[1], 2, 4)
	holds(t, out[2], 1, 2)
	holds(t, out[3], 5, 6)
	freed(t, "downloading the first of two equal results", download(out[0]))
}

func testDonation(t *testing.T, e trnbackend.Executor) {
	d := float(e)
	p := compile(t, e, func(b *graph.Builder) {
		state, step := b.Donated("state", graph.Of(d, 2)), b.Parameter("step", graph.Of(d, 2))
		b.Donated("without_taker", graph.Of(d, 3))
		b.Result("state", b.Add(state, step))
	})
	first, step, other := upload(t, e, vector(d, 1, 2)), upload(t, e, vector(d, 10, 20)), upload(t, e,
		vector(d, 0, 0, 0))
	out := make([]trnbackend.Buffer, 1)
	run(t, p, []trnbackend.Buffer{first, step, other}, out)
	holds(t, out[0], 11, 22)
	holds(t, step, 10, 20)
	freed(t, "downloading a donated buffer", download(first))
	freed(t, "downloading a donated buffer that no result takes over", download(other))
	other = upload(t, e, vector(d, 0, 0, 0))
	freed(t, "running with a donated buffer",
		p.Run([]trnbackend.Buffer{first, step, other}, make([]trnbackend.Buffer, 1)))
	first.Free()

	// The state is donated in each run, as in an iteration.
	for range 3 {
		state := out[0]
		out[0] = nil
		run(t, p, []trnbackend.Buffer{state, step, upload(t, e, vector(d, 0, 0, 0))}, out)
	}
	holds(t, out[0], 41, 82)

	both := upload(t, e, vector(d, 1, 1))
	if err := p.Run([]trnbackend.Buffer{both, both, upload(t, e, vector(d, 0, 0, 0))},
		make([]trnbackend.Buffer, 1)); err == nil {
		t.Error("a buffer is donated and read in one run")
	}
}

// testClose requires that all calls on a closed executor fail.
func testClose(t *testing.T, e trnbackend.Executor) {
	d := float(e)
	p, x, out := doubled(t, e, d), upload(t, e, vector(d, 1, 2)), make([]trnbackend.Buffer, 1)
	run(t, p, []trnbackend.Buffer{x}, out)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	freed(t, "running a program of a closed device", p.Run([]trnbackend.Buffer{x}, make([]trnbackend.Buffer, 1)))
	freed(t, "downloading from a closed device", download(out[0]))
	_, err := e.Upload(x.Shape(), make([]byte, x.Shape().Bytes()))
	freed(t, "uploading to a closed device", err)
	_, err = e.Compile(context.Background(), p.Graph())
	freed(t, "compiling on a closed device", err)
	_, err = e.Memory()
	freed(t, "asking a closed device for its memory", err)
	x.Free()
	out[0].Free()
	if err := p.Close(); err != nil {
		t.Errorf("closing a program of a closed device: %v", err)
	}
}
