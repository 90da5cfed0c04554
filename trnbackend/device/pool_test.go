package device_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/interp"
)

// counting is the interpreter with little memory. It counts the results that were written into live buffers and the new
// ones, fails runs and downloads on request, and records the memory in use when it is closed.
type counting struct {
	*interp.Executor
	memory        int64
	replaces      bool // says that places are not written
	placed, fresh atomic.Int64
	fails         atomic.Bool
	atEnd         int64
}

func (e *counting) Caps() trnbackend.Caps {
	caps := e.Executor.Caps()
	caps.Memory, caps.Reuses = e.memory, !e.replaces
	return caps
}

func (e *counting) Compile(ctx context.Context, g *graph.Graph) (trnbackend.Program, error) {
	p, err := e.Executor.Compile(ctx, g)
	return &countingProgram{p, e}, err
}

func (e *counting) Close() error {
	m, err := e.Memory()
	e.atEnd = m.Used
	return errors.Join(err, e.Executor.Close())
}

type countingProgram struct {
	trnbackend.Program
	executor *counting
}

func (p *countingProgram) Run(in, out []trnbackend.Buffer) error {
	if p.executor.fails.Load() {
		return errors.New("told to fail")
	}
	for _, place := range out {
		if place != nil {
			p.executor.placed.Add(1)
		} else {
			p.executor.fresh.Add(1)
		}
	}
	return p.Program.Run(in, out)
}

// results requires the numbers of results that were written into places and of new ones since the last check.
func (e *counting) results(t *testing.T, what string, placed, fresh int64) {
	t.Helper()
	if p, f := e.placed.Swap(0), e.fresh.Swap(0); p != placed || f != fresh {
		t.Errorf("%s: %d results in places and %d new ones, not %d and %d", what, p, f, placed, fresh)
	}
}

// bytesOf requires the bytes that are kept and the other bytes in use.
func bytesOf(t *testing.T, what string, s *device.Session, kept, used int64) {
	t.Helper()
	if m, err := s.Memory(); err != nil || s.Kept() != kept || m.Used != used {
		t.Errorf("%s: %d bytes are kept and %d in use, not %d and %d: %v", what, s.Kept(), m.Used, kept, used, err)
	}
}

func onCounting(memory int64) (*counting, *device.Session) {
	e := &counting{Executor: interp.New(), memory: memory}
	return e, device.NewSession(e, "")
}

// begin starts a call that has a program, and an input of n numbers.
func begin(t *testing.T, ctx context.Context, s *device.Session, n int) (*device.Call, trnbackend.Program,
	trnbackend.Buffer) {
	t.Helper()
	call, err := s.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	g := double(t, n)
	p, err := call.Program(g)
	if err != nil {
		t.Fatal(err)
	}
	x, err := call.Upload(g.ParameterShapes()[0], make([]byte, 4*n))
	if err != nil {
		t.Fatal(err)
	}
	return call, p, x
}

func TestResultsAreWrittenIntoKeptBuffers(t *testing.T) {
	e, s := onCounting(8000) // of which 1000 are kept
	run(t, s, 10)
	e.results(t, "first", 0, 1)
	bytesOf(t, "first", s, 40, 0)
	for range 3 {
		run(t, s, 10)
		e.results(t, "again", 1, 0)
	}
	run(t, s, 11)
	e.results(t, "another shape", 0, 1)
	bytesOf(t, "two shapes", s, 84, 0)
	run(t, s, 240)
	bytesOf(t, "the two oldest go for one of 960 bytes", s, 960, 0)
	run(t, s, 251)
	e.results(t, "two large ones", 0, 2)
	bytesOf(t, "one of 1004 bytes is too large", s, 960, 0)
	if err := s.Close(); err != nil || e.atEnd != 0 {
		t.Errorf("%d bytes are in use when the device is closed: %v", e.atEnd, err)
	}
}

func TestFewBuffersAreKept(t *testing.T) {
	const most = 64
	_, s := onCounting(1 << 20)
	for n := range most + 10 {
		run(t, s, n+1)
	}
	const first, last = 10 + 1, most + 10
	bytesOf(t, "the first ones went", s, 4*(last*(last+1)-(first-1)*first)/2, 0)
}

func TestExecutorsThatReplacePlacesGetNone(t *testing.T) {
	e := &counting{Executor: interp.New(), memory: 8000, replaces: true}
	s := device.NewSession(e, "")
	run(t, s, 10)
	run(t, s, 10)
	e.results(t, "two runs", 0, 2)
	bytesOf(t, "nothing", s, 0, 0)
}

func TestOnlyFinishedResultsAreKept(t *testing.T) {
	e, s := onCounting(8000)
	call, p, x := begin(t, context.Background(), s, 10)
	if _, err := call.Run(p, x); err != nil { // without waiting for it
		t.Fatal(err)
	}
	call.End()
	bytesOf(t, "not waited for", s, 0, 0)

	ctx, cancel := context.WithCancel(context.Background())
	call, p, x = begin(t, ctx, s, 10)
	out, err := call.Run(p, x)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := call.Download(out[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("downloading in a canceled call: %v", err)
	}
	if _, err := call.Upload(x.Shape(), make([]byte, 40)); !errors.Is(err, context.Canceled) {
		t.Errorf("uploading in a canceled call: %v", err)
	}
	call.End()
	bytesOf(t, "canceled", s, 0, 0)

	run(t, s, 10)
	bytesOf(t, "waited for", s, 40, 0)
	e.fails.Store(true)
	call, p, x = begin(t, context.Background(), s, 10)
	if _, err := call.Run(p, x); err == nil {
		t.Error("the run did not fail")
	}
	call.End()
	bytesOf(t, "a run that may still write the place has failed", s, 0, 0)
}

func TestDonatedBuffersAreNotKept(t *testing.T) {
	e, s := onCounting(8000)
	b := graph.NewBuilder("step")
	state := b.Donated("state", graph.Of(graph.F32, 10))
	b.Result("state", b.Add(state, state))
	b.Result("first", b.Slice(state, []int{0}, []int{1}, []int{1}))
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for round, placed := range []int64{0, 3} {
		call, _, x := begin(t, context.Background(), s, 10)
		p, err := call.Program(g)
		if err != nil {
			t.Fatal(err)
		}
		out := []trnbackend.Buffer{x}
		for range 3 {
			if out, err = call.Run(p, out[0]); err != nil {
				t.Fatal(err)
			}
			if _, err = call.Download(out[1]); err != nil {
				t.Fatal(err)
			}
		}
		call.End()
		// A result that takes over what is donated gets no place, and counts as new.
		e.results(t, "three steps", placed, 6-placed)
		if round == 0 {
			bytesOf(t, "the last state and three numbers", s, 40+3*4, 0)
		}
	}
}

func TestKeptBuffersMakeRoom(t *testing.T) {
	_, s := onCounting(1000) // of which 125 are kept
	run(t, s, 30)
	bytesOf(t, "kept", s, 120, 0)
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	shape := graph.Of(graph.F32, 225)
	if _, err := call.Upload(shape, make([]byte, shape.Bytes())); err != nil {
		t.Errorf("900 of 1000 bytes, 120 of which are only kept: %v", err)
	}
	bytesOf(t, "drained for an upload", s, 0, 900)
	call.End()

	run(t, s, 30)
	call, p, x := begin(t, context.Background(), s, 115)
	bytesOf(t, "460 bytes beside what is kept", s, 120, 460)
	if _, err := call.Run(p, x); err != nil {
		t.Errorf("a result of 460 bytes beside an input of 460: %v", err)
	}
	bytesOf(t, "drained for a run", s, 0, 920)
	var failed *trnbackend.DeviceError
	if _, err := call.Run(p, x); !errors.As(err, &failed) ||
		!strings.Contains(err.Error(), "460 bytes needed, 80 free") {
		t.Errorf("a third array of 460 bytes: %v", err)
	}
	call.End()
	bytesOf(t, "ended", s, 0, 0)
}

func TestFreeGivesABufferToTheSameCall(t *testing.T) {
	e, s := onCounting(8000)
	call, p, x := begin(t, context.Background(), s, 10)
	defer call.End()
	out, err := call.Run(p, x)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call.Download(out[0]); err != nil {
		t.Fatal(err)
	}
	call.Free(out[0])
	again, err := call.Run(p, x)
	if err != nil || !slices.Equal(again, out) {
		t.Errorf("%v is not the place %v: %v", again, out, err)
	}
	e.results(t, "two runs", 1, 1)
}

// Calls of many goroutines in few shapes take one another's buffers; run checks the results.
func TestManyGoroutinesShareKeptBuffers(t *testing.T) {
	const goroutines, rounds = 8, 60
	e, s := onCounting(1 << 20)
	var group sync.WaitGroup
	for i := range goroutines {
		group.Go(func() {
			for k := range rounds {
				run(t, s, 1000+(i+k)%3)
			}
		})
	}
	group.Wait()
	if fresh := e.fresh.Load(); fresh > 3*goroutines {
		t.Errorf("%d new results in %d runs of 3 shapes", fresh, goroutines*rounds)
	}
	if m, err := s.Memory(); err != nil || m.Used != 0 {
		t.Errorf("%d bytes are left: %v", m.Used, err)
	}
}
