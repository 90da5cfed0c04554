package compliance

import (
	"sync"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// stranger is a buffer of no device.
type stranger struct{ shape graph.Shape }

func (s *stranger) Shape() graph.Shape    { return s.shape }
func (s *stranger) Download([]byte) error { return nil }
func (s *stranger) Free()                 {}

// testRefusals requires errors for buffers that do not fit; the other buffers stay as they are.
func testRefusals(t *testing.T, e trnbackend.Executor) {
	d := float(e)
	p := compile(t, e, func(b *graph.Builder) {
		x, y := b.Donated("x", graph.Of(d, 2)), b.Parameter("y", graph.Of(d, 2))
		b.Result("r", b.Add(x, y))
	})
	x, y, long, gone := upload(t, e, vector(d, 1, 2)), upload(t, e, vector(d, 3, 4)), upload(t, e,
		vector(d, 1, 2, 3)), upload(t, e, vector(d, 0, 0))
	gone.Free()
	foreign := &stranger{graph.Of(d, 2)}
	list := func(buffers ...trnbackend.Buffer) []trnbackend.Buffer { return buffers }
	for _, c := range []struct {
		name    string
		in, out []trnbackend.Buffer
		freed   bool
	}{
		{"too few inputs", list(x), list(nil), false},
		{"too many inputs", list(x, y, y), list(nil), false},
		{"no input", list(x, nil), list(nil), false},
		{"an input of another shape", list(x, long), list(nil), false},
		{"an input that is freed", list(x, gone), list(nil), true},
		{"an input of another device", list(x, foreign), list(nil), false},
		{"no place", list(x, y), nil, false},
		{"too many places", list(x, y), list(nil, nil), false},
		{"a place of another shape", list(x, y), list(long), false},
		{"a place that is freed", list(x, y), list(gone), true},
		{"a place of another device", list(x, y), list(foreign), false},
		{"a place that is an input", list(x, y), list(y), false},
		{"a place that is donated", list(x, y), list(x), false},
	} {
		err := p.Run(c.in, c.out)
		if err == nil {
			t.Errorf("%s is accepted", c.name)
		} else if c.freed {
			freed(t, c.name, err)
		}
	}
	holds(t, x, 1, 2)
	holds(t, y, 3, 4)
	holds(t, long, 1, 2, 3)
	out := list(nil)
	run(t, p, list(x, y), out)
	holds(t, out[0], 4, 6)
}

// testPrograms runs two programs of one device on each other's results, and a closed one.
func testPrograms(t *testing.T, e trnbackend.Executor) {
	d := float(e)
	p := doubled(t, e, d)
	q := compile(t, e, func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(d, 2))
		b.Result("square", b.Multiply(x, x))
		b.Result("sum", b.ReduceSum(x, 0))
	})
	x, doubled, squares := upload(t, e, vector(d, 1, -3)), make([]trnbackend.Buffer, 1), make([]trnbackend.Buffer, 2)
	run(t, p, []trnbackend.Buffer{x}, doubled)
	run(t, q, doubled, squares)
	holds(t, squares[0], 4, 36)
	holds(t, squares[1], -4)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	freed(t, "running a closed program", p.Run([]trnbackend.Buffer{x}, make([]trnbackend.Buffer, 1)))
	holds(t, doubled[0], 2, -6) // results stay
	run(t, q, doubled, squares)
	holds(t, squares[1], -4)
}

// testGoroutines runs one program in several goroutines, with one buffer for each and one that all share.
func testGoroutines(t *testing.T, e trnbackend.Executor) {
	const goroutines, rounds = 8, 20
	d := float(e)
	p := compile(t, e, func(b *graph.Builder) {
		x, y := b.Donated("x", graph.Of(d, 2)), b.Parameter("y", graph.Of(d, 2))
		b.Result("r", b.Add(x, b.Multiply(y, b.Fill(y.Shape(), 2))))
	})
	shared := upload(t, e, vector(d, 1, -1))
	var all sync.WaitGroup
	for i := range goroutines {
		all.Go(func() {
			start := float64(i)
			x, err := e.Upload(graph.Of(d, 2), trnbackend.Encode(d, []float64{start, start}))
			if err != nil {
				t.Error(err)
				return
			}
			out := []trnbackend.Buffer{x}
			for range rounds {
				in := []trnbackend.Buffer{out[0], shared}
				out[0] = nil
				if err := p.Run(in, out); err != nil {
					t.Error(err)
					return
				}
			}
			data := make([]byte, x.Shape().Bytes())
			if err := out[0].Download(data); err != nil {
				t.Error(err)
				return
			}
			compare(t, vector(d, start+2*rounds, start-2*rounds), trnbackend.Decode(d, data), 0)
		})
	}
	all.Wait()
	holds(t, shared, 1, -1)
}
