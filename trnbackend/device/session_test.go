package device_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/interp"
)

// double returns a graph that doubles n numbers.
func double(t *testing.T, n int) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder("double")
	x := b.Parameter("x", graph.Of(graph.F32, n))
	b.Result("y", b.Add(x, x))
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// saving is the interpreter with serializable programs: a serialized program is the key of its graph. It counts calls
// and fails on request.
type saving struct {
	*interp.Executor
	compiles, loads atomic.Int64
	fail            atomic.Bool
}

func newSaving() *saving { return &saving{Executor: interp.New()} }

func (s *saving) Compile(ctx context.Context, g *graph.Graph) (trnbackend.Program, error) {
	s.compiles.Add(1)
	if s.fail.Load() {
		return nil, errors.New("told to fail")
	}
	return s.Executor.Compile(ctx, g)
}

func (s *saving) Serialize(p trnbackend.Program) ([]byte, error) { return []byte(p.Graph().Key()), nil }

func (s *saving) Load(g *graph.Graph, data []byte) (trnbackend.Program, error) {
	if string(data) != g.Key() {
		return nil, errors.New("another graph")
	}
	s.loads.Add(1)
	return s.Executor.Compile(context.Background(), g)
}

// run doubles 1, 2, ... on a session and returns the report.
func run(t *testing.T, s *device.Session, n int) trnbackend.Report {
	t.Helper()
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	g := double(t, n)
	p, err := call.Program(g)
	if err != nil {
		call.End()
		t.Fatal(err)
	}
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = float64(i + 1)
	}
	x, err := call.Upload(g.ParameterShapes()[0], trnbackend.Encode(graph.F32, numbers))
	if err != nil {
		t.Fatal(err)
	}
	results, err := call.Run(p, x)
	if err != nil {
		t.Fatal(err)
	}
	data, err := call.Download(results[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, y := range trnbackend.Decode(graph.F32, data) {
		if y != 2*numbers[i] {
			t.Errorf("2 * %g is %g", numbers[i], y)
		}
	}
	return call.End()
}

func TestReportCounts(t *testing.T) {
	s, err := device.Open("interp", device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, s, 10)
	if r.Device != "interp" || r.Compiles != 1 || r.CacheHits != 0 || r.Dispatches != 1 || r.BytesIn != 40 ||
		r.BytesOut != 40 || r.Seconds <= 0 {
		t.Errorf("first: %+v", r)
	}
	if r := run(t, s, 10); r.Compiles != 0 || r.CacheHits != 1 {
		t.Errorf("second: %+v", r)
	}
	if m, err := s.Memory(); err != nil || m.Used != 0 {
		t.Errorf("%d bytes left, %v", m.Used, err)
	}
}

func TestManyGoroutinesCompileOnce(t *testing.T) {
	executor := newSaving()
	s := device.NewSession(executor, "")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				run(t, s, 16)
			}
		})
	}
	group.Wait()
	if got := executor.compiles.Load(); got != 1 {
		t.Errorf("%d compilations", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestProgramsOnDisk(t *testing.T) {
	dir := t.TempDir()
	fresh := func() (*saving, trnbackend.Report) {
		executor := newSaving()
		s := device.NewSession(executor, dir)
		defer s.Close()
		return executor, run(t, s, 3)
	}
	if e, r := fresh(); e.compiles.Load() != 1 || r.Compiles != 1 {
		t.Errorf("first process: %d compilations, %+v", e.compiles.Load(), r)
	}
	if e, r := fresh(); e.compiles.Load() != 0 || e.loads.Load() != 1 || r.Compiles != 0 || r.CacheHits != 1 {
		t.Errorf("second process: %d compilations, %+v", e.compiles.Load(), r)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	for name, damaged := range map[string][]byte{"short": whole[:len(whole)/2], "empty": {}, "flipped": flipped} {
		if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if e, _ := fresh(); e.compiles.Load() != 1 {
			t.Errorf("%s: %d compilations", name, e.compiles.Load())
		}
		if again, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("%s: the file was not replaced: %v", name, err)
		}
	}
	keepsFile := func(name string, data []byte, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(files[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(files[0], mode); err != nil {
			t.Fatal(err)
		}
		if e, _ := fresh(); e.compiles.Load() != 1 {
			t.Errorf("%s: %d compilations", name, e.compiles.Load())
		}
		if again, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%s: the file was replaced: %v", name, err)
		}
	}
	keepsFile("foreign", []byte("something else"), 0o600)
	keepsFile("protected", flipped, 0o400)
}

func TestAFailureIsNotKept(t *testing.T) {
	executor := newSaving()
	s := device.NewSession(executor, "")
	executor.fail.Store(true)
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call.Program(double(t, 4)); err == nil {
		t.Error("no error")
	}
	call.End()
	executor.fail.Store(false)
	if r := run(t, s, 4); r.Compiles != 1 {
		t.Errorf("%+v", r)
	}
}

func TestClosedAndCanceled(t *testing.T) {
	s := device.NewSession(interp.New(), "")
	ctx, cancel := context.WithCancel(context.Background())
	call, err := s.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p, err := call.Program(double(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := call.Run(p, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled call runs: %v", err)
	}
	call.End()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if _, err := s.Begin(context.Background()); !errors.Is(err, trnbackend.ErrFreed) {
		t.Errorf("a closed session begins: %v", err)
	}
}

func TestBoundsOfSeveralResults(t *testing.T) {
	s := device.NewSession(interp.New(), "")
	for _, c := range []struct {
		bounds []float64
		want   float64
	}{{nil, 0}, {[]float64{2}, 2}, {[]float64{1, 3, 2}, 3}, {[]float64{0, 3}, 3}, {[]float64{3, math.Inf(1), 5},
		math.Inf(1)}} {
		call, err := s.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range c.bounds {
			call.Bound(b)
		}
		if got := call.End().ErrorBound; got != c.want {
			t.Errorf("bounds %v: the report says %g, not %g", c.bounds, got, c.want)
		}
	}
}
