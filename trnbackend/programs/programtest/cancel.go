package programtest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/interp"
	"trnsci/trnbackend/programs/staging"
)

// countdown is a context that is cancelled after a number of checks.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func (c *countdown) cancelled() bool { return c.left.Load() < 0 }

// watched is the interpreter, which counts the runs that begin after the cancellation of a context.
type watched struct {
	*interp.Executor
	ctx  *countdown
	late int
}

type watchedProgram struct {
	trnbackend.Program
	executor *watched
}

func (w *watched) Compile(ctx context.Context, g *graph.Graph) (trnbackend.Program, error) {
	p, err := w.Executor.Compile(ctx, g)
	if err != nil {
		return nil, err
	}
	return &watchedProgram{p, w}, nil
}

func (p *watchedProgram) Run(in, out []trnbackend.Buffer) error {
	if p.executor.ctx.cancelled() {
		p.executor.late++
	}
	return p.Program.Run(in, out)
}

// CancelsAnywhere runs op on the interpreter with a context that is cancelled at each of its checks in turn, or at 32
// of many. The check that finds it must be among the last ones, no run of a program may begin later, and nothing may be
// left on the device. There must be at least one check for each staging.PieceElements of the elements that the host
// works on.
func CancelsAnywhere(t *testing.T, elements int, op func(call *device.Call) error) {
	t.Helper()
	w := &watched{Executor: interp.New()}
	s := device.NewSession(w, "")
	defer s.Close()
	after := func(checks int64) (checked int64, err error) {
		w.ctx, w.late = &countdown{Context: context.Background()}, 0
		w.ctx.left.Store(checks)
		call, err := s.Begin(w.ctx)
		if err != nil {
			t.Fatal(err)
		}
		err = op(call)
		call.End()
		return checks - w.ctx.left.Load(), err
	}
	const forever = 1 << 40
	var checks int64
	for range 2 { // the first call compiles, which checks too
		var err error
		if checks, err = after(forever); err != nil {
			t.Fatal(err)
		}
	}
	if checks < int64(elements/staging.PieceElements) {
		t.Errorf("%d checks of the context for %d elements", checks, elements)
	}
	t.Logf("%d checks", checks)
	const tries = 32
	for k := int64(0); k < checks; k += 1 + checks/tries {
		const more = 5 // checks that find the same again on the way out; each part of a loop begins with one
		n, err := after(k)
		if !errors.Is(err, context.Canceled) || n > k+more || w.late > 0 {
			t.Errorf("cancelled at check %d of %d: %v, %d checks, %d runs began later", k, checks, err, n, w.late)
		}
		if m, err := s.Memory(); err != nil || m.Used != 0 {
			t.Fatalf("cancelled at check %d: %d bytes are left: %v", k, m.Used, err)
		}
	}
}
