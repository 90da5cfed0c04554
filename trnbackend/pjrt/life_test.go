package pjrt

import (
	"context"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// graphOf returns the graph that a function builds.
func graphOf(t testing.TB, make func(b *graph.Builder)) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder("test")
	make(b)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// accumulate is the graph that adds twice a step to a donated state, both of n numbers.
func accumulate(t testing.TB, n int) *graph.Graph {
	t.Helper()
	return graphOf(t, func(b *graph.Builder) {
		state, step := b.Donated("state", graph.Of(graph.F32, n)), b.Parameter("step", graph.Of(graph.F32, n))
		b.Result("state", b.Add(state, b.Add(step, step)))
	})
}

// squares is the graph of a matrix product that takes a while.
func squares(t testing.TB, n int) *graph.Graph {
	t.Helper()
	return graphOf(t, func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(graph.F32, n, n))
		for range 4 {
			x = b.MatMul(x, x)
		}
		b.Result("r", x)
	})
}

func compiled(t testing.TB, e *Executor, g *graph.Graph) trnbackend.Program {
	t.Helper()
	p, err := e.Compile(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func uploadTo(t testing.TB, e *Executor, x ...float64) trnbackend.Buffer {
	t.Helper()
	b, err := e.Upload(graph.Of(graph.F32, len(x)), trnbackend.Encode(graph.F32, x))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// holds requires that a buffer of f32 has the elements.
func holds(t testing.TB, b trnbackend.Buffer, want ...float64) {
	t.Helper()
	data := make([]byte, b.Shape().Bytes())
	if err := b.Download(data); err != nil {
		t.Fatal(err)
	}
	for i, x := range trnbackend.Decode(graph.F32, data) {
		if x != want[i] {
			t.Errorf("element %d is %v, not %v", i, x, want[i])
		}
	}
}

// alive requires numbers of live buffers and programs.
func alive(t testing.TB, e *Executor, buffers, programs int) {
	t.Helper()
	if b, p := e.live.counts(); b != buffers || p != programs {
		t.Errorf("%d buffers and %d programs are alive, not %d and %d", b, p, buffers, programs)
	}
}

func TestRunsLeaveNothingBehind(t *testing.T) {
	const runs = 10_000
	e := openHost(t)
	p := compiled(t, e, accumulate(t, 2))
	state, step := uploadTo(t, e, 0, 1), uploadTo(t, e, 1, -1)
	for i := range runs {
		out := make([]trnbackend.Buffer, 1)
		if err := p.Run([]trnbackend.Buffer{state, step}, out); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		state = out[0]
		if i%1000 == 0 {
			alive(t, e, 2, 1)
		}
	}
	holds(t, state, 2*runs, 1-2*runs)
	alive(t, e, 2, 1)
	state.Free()
	step.Free()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	alive(t, e, 0, 0)
	if m, err := e.Memory(); err != nil || m.Used != 0 && !e.counts {
		t.Errorf("%d bytes in use: %v", m.Used, err)
	}
}

func TestPlacesKeepTheirIdentity(t *testing.T) {
	e := openHost(t)
	p := compiled(t, e, accumulate(t, 1))
	step := uploadTo(t, e, 3)
	place := uploadTo(t, e, 0)
	out := []trnbackend.Buffer{place}
	for i := range 3 {
		if err := p.Run([]trnbackend.Buffer{uploadTo(t, e, float64(i)), step}, out); err != nil {
			t.Fatal(err)
		}
		if out[0] != place {
			t.Error("a place is replaced, not written")
		}
	}
	holds(t, place, 8)
	alive(t, e, 2, 1)
}

// TestFreedWhileInUse frees buffers and closes the program and the device while other goroutines use them. Every call
// gives the right result or ErrFreed.
func TestFreedWhileInUse(t *testing.T) {
	const goroutines, rounds, n = 4, 20, 1000
	e := openHost(t)
	g := accumulate(t, n)
	for range rounds {
		p := compiled(t, e, g)
		step := uploadTo(t, e, make([]float64, n)...)
		var all sync.WaitGroup
		for range goroutines {
			all.Go(func() {
				for range rounds {
					if err := useOnce(e, p, step); err != nil {
						if !errors.Is(err, trnbackend.ErrFreed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		all.Go(step.Free)
		all.Go(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		alive(t, e, 0, 0)
	}
}

// useOnce runs a program once and frees the results.
func useOnce(e *Executor, p trnbackend.Program, step trnbackend.Buffer) error {
	state, err := e.Upload(step.Shape(), make([]byte, step.Shape().Bytes()))
	if err != nil {
		return err
	}
	defer state.Free()
	out := make([]trnbackend.Buffer, 1)
	if err := p.Run([]trnbackend.Buffer{state, step}, out); err != nil {
		return err
	}
	defer out[0].Free()
	return out[0].Download(make([]byte, step.Shape().Bytes()))
}

// TestClosedWhileItComputes closes everything while runs are still in progress.
func TestClosedWhileItComputes(t *testing.T) {
	const n = 256
	for _, closeProgram := range []bool{false, true} {
		e := openHost(t)
		p := compiled(t, e, squares(t, n))
		x, err := e.Upload(graph.Of(graph.F32, n, n), make([]byte, 4*n*n))
		if err != nil {
			t.Fatal(err)
		}
		out := make([]trnbackend.Buffer, 1)
		if err := p.Run([]trnbackend.Buffer{x}, out); err != nil {
			t.Fatal(err)
		}
		x.Free()
		if closeProgram {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			holds(t, out[0], make([]float64, n*n)...)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		out[0].Free()
	}
}

// TestDownloadsWhileDonated downloads a buffer while a run takes it over. Every download is complete, or finds the
// buffer freed.
func TestDownloadsWhileDonated(t *testing.T) {
	const goroutines, rounds, n = 3, 30, 1 << 16
	e := openHost(t)
	p := compiled(t, e, accumulate(t, n))
	ones, zeros := slices.Repeat([]float64{1}, n), make([]float64, n)
	step := uploadTo(t, e, ones...)
	for range rounds {
		state, out := uploadTo(t, e, zeros...), make([]trnbackend.Buffer, 1)
		var all sync.WaitGroup
		for range goroutines {
			all.Go(func() {
				data := slices.Repeat([]byte{0xff}, 4*n)
				switch err := state.Download(data); {
				case errors.Is(err, trnbackend.ErrFreed):
				case err != nil:
					t.Error(err)
				case slices.Max(data) != 0:
					t.Error("a download has what the run wrote")
				}
			})
		}
		all.Go(func() {
			if err := p.Run([]trnbackend.Buffer{state, step}, out); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		out[0].Free()
	}
	alive(t, e, 1, 1)
}

func TestSerializedProgram(t *testing.T) {
	e, other := openHost(t), openHost(t)
	g := accumulate(t, 2)
	data, err := e.Serialize(compiled(t, e, g))
	if u := (*trnbackend.UnsupportedError)(nil); errors.As(err, &u) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := other.Load(g, data)
	if err != nil {
		t.Fatal(err)
	}
	state := uploadTo(t, other, 1, 2)
	out := make([]trnbackend.Buffer, 1)
	if err := p.Run([]trnbackend.Buffer{state, uploadTo(t, other, 10, 20)}, out); err != nil {
		t.Fatal(err)
	}
	holds(t, out[0], 21, 42)
	if err := state.Download(make([]byte, 8)); !errors.Is(err, trnbackend.ErrFreed) {
		t.Errorf("a loaded program does not take the donated buffer: %v", err)
	}

	damaged := append([]byte{}, data...)
	damaged[len(damaged)/2] ^= 1
	for name, load := range map[string]func() (trnbackend.Program, error){
		"damaged":          func() (trnbackend.Program, error) { return other.Load(g, damaged) },
		"cut":              func() (trnbackend.Program, error) { return other.Load(g, data[:len(data)-1]) },
		"empty":            func() (trnbackend.Program, error) { return other.Load(g, nil) },
		"of another graph": func() (trnbackend.Program, error) { return other.Load(accumulate(t, 3), data) },
	} {
		if _, err := load(); err == nil {
			t.Errorf("a program that is %s is loaded", name)
		}
	}
	if _, err := other.Serialize(compiled(t, e, g)); err == nil {
		t.Error("a program of another client is serialized")
	}
}

// TestSplittingKeepsTheRest computes x - bf16(x), which is 0 if the compiler leaves out roundings.
func TestSplittingKeepsTheRest(t *testing.T) {
	e := openHost(t)
	p := compiled(t, e, graphOf(t, func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(graph.F32, 2))
		b.Result("rest", b.Subtract(x, b.Convert(b.Convert(x, graph.BF16), graph.F32)))
	}))
	out := make([]trnbackend.Buffer, 1)
	if err := p.Run([]trnbackend.Buffer{uploadTo(t, e, 1+0x1p-10, -3+0x1p-9)}, out); err != nil {
		t.Fatal(err)
	}
	holds(t, out[0], 0x1p-10, 0x1p-9)
}

// TestMoreMemoryThanThereIs runs a program whose result fits into no machine.
func TestMoreMemoryThanThereIs(t *testing.T) {
	const n = 1 << 22
	e := openHost(t)
	p := compiled(t, e, graphOf(t, func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(graph.F32, n))
		b.Result("r", b.Broadcast(x, []int{n, n}, 0))
	}))
	x := uploadTo(t, e, make([]float64, n)...)
	out := make([]trnbackend.Buffer, 1)
	err := p.Run([]trnbackend.Buffer{x}, out)
	if err == nil {
		err = out[0].Download(nil)
	}
	if d := (*trnbackend.DeviceError)(nil); !errors.As(err, &d) {
		t.Errorf("the error is %v", err)
	}
}

func TestCapsTellTheVersions(t *testing.T) {
	e := openHost(t)
	caps := e.Caps()
	for _, part := range []string{"PJRT 0.", "cpu", ".so of ", "lowering ", "processor "} {
		if !strings.Contains(caps.CacheKey, part) {
			t.Errorf("the cache key %q does not have %q", caps.CacheKey, part)
		}
	}
	if readable := regexp.MustCompile(`^cpu \(XLA, PJRT 0\.\d+\)$`); !readable.MatchString(caps.Version) {
		t.Errorf("the version is %q", caps.Version)
	}
	if !caps.Has(graph.F64) {
		t.Errorf("no f64 among %v", caps.DTypes)
	}
	caps.DTypes[0] = graph.DType(math.MaxUint8)
	if again := e.Caps(); !again.Has(graph.F32) {
		t.Error("a caller changed the types of the device")
	}
}

// BenchmarkRun measures the overhead of a run, of f32[2] whose result is freed.
func BenchmarkRun(b *testing.B) {
	e := openHost(b)
	p := compiled(b, e, accumulate(b, 2))
	step, state := uploadTo(b, e, 0, 0), uploadTo(b, e, 0, 0)
	for b.Loop() {
		out := make([]trnbackend.Buffer, 1)
		if err := p.Run([]trnbackend.Buffer{state, step}, out); err != nil {
			b.Fatal(err)
		}
		state = out[0]
	}
}

// BenchmarkRunAndDownload measures a run whose result is read.
func BenchmarkRunAndDownload(b *testing.B) {
	e := openHost(b)
	p := compiled(b, e, accumulate(b, 2))
	step, state := uploadTo(b, e, 0, 0), uploadTo(b, e, 0, 0)
	data := make([]byte, state.Shape().Bytes())
	for b.Loop() {
		out := make([]trnbackend.Buffer, 1)
		if err := p.Run([]trnbackend.Buffer{state, step}, out); err != nil {
			b.Fatal(err)
		}
		state = out[0]
		if err := state.Download(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDownload reads two numbers that have been computed.
func BenchmarkDownload(b *testing.B) {
	e := openHost(b)
	x, data := uploadTo(b, e, 1, 2), make([]byte, 8)
	for b.Loop() {
		if err := x.Download(data); err != nil {
			b.Fatal(err)
		}
	}
}
