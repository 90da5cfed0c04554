package pjrt

import (
	"context"
	"fmt"
	"sync"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/hlo"
)

// program is a compiled graph.
type program struct {
	executor *Executor
	graph    *graph.Graph
	kept     []int64 // parameters whose buffers no result takes over

	mu     sync.RWMutex // held for reading by runs, for writing by Close
	handle handle       // nil once it is closed
}

// newProgram returns the program of a handle, which it owns. The plugin's program must have as many results as the
// graph, since the plugin writes that many.
func (e *Executor) newProgram(g *graph.Graph, h handle, doing string) (*program, error) {
	count, err := e.driver.outputs(h)
	if err == nil && count != len(g.Results()) {
		err = fmt.Errorf("the compiled program has %d results, the graph %d", count, len(g.Results()))
	}
	if err != nil {
		_ = e.driver.freeProgram(h) // the first error counts
		return nil, e.failure(doing, err)
	}
	p := &program{executor: e, graph: g, handle: h}
	for i, result := range g.Donation() {
		if result < 0 {
			p.kept = append(p.kept, int64(i))
		}
	}
	e.live.addProgram(p, h)
	return p, nil
}

// Graph returns what was compiled.
func (p *program) Graph() *graph.Graph { return p.graph }

// Close frees the program once no run is being queued.
func (p *program) Close() error {
	const doing = "closing a program"
	if p.executor.enter(doing) != nil {
		return nil // Close of the executor has freed it
	}
	defer p.executor.leave()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.handle == nil {
		return nil
	}
	p.executor.live.dropProgram(p)
	h := p.handle
	p.handle = nil
	if err := p.executor.driver.freeProgram(h); err != nil {
		return p.executor.failure(doing, err)
	}
	return nil
}

// Run queues a run. Donated buffers are dead afterwards, also if queuing fails; if a buffer is refused, all stay as
// they are.
func (p *program) Run(in, out []trnbackend.Buffer) error {
	doing := "running graph " + p.graph.Name()
	if err := p.executor.enter(doing); err != nil {
		return err
	}
	defer p.executor.leave()
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.handle == nil {
		return freed(doing)
	}
	if err := trnbackend.CheckRun(p.graph, in, out); err != nil {
		return err
	}
	places, err := p.places(out)
	if err != nil {
		return err
	}
	arrays, err := p.arguments(in)
	defer p.drop(arrays)
	if err != nil {
		return err
	}
	results, err := p.execute(arrays)
	if err != nil {
		return p.executor.failure(doing, err)
	}
	for i, shape := range p.graph.ResultShapes() {
		a := p.executor.live.add(results[i], shape.Bytes())
		if places[i] == nil || !places[i].write(a) {
			out[i] = p.executor.newBuffer(shape, a)
		}
	}
	return nil
}

// places returns the buffers that get the results, nil for new ones.
func (p *program) places(out []trnbackend.Buffer) ([]*buffer, error) {
	places := make([]*buffer, len(out))
	for i, given := range out {
		if given == nil {
			continue
		}
		b, err := p.executor.own(given)
		if err == nil && b.isFreed() {
			err = trnbackend.ErrFreed
		}
		if err != nil {
			return nil, fmt.Errorf("graph %s: place of result %q: %w", p.graph.Name(), p.graph.Results()[i].Name, err)
		}
		places[i] = b
	}
	return places, nil
}

// arguments returns the arrays of the buffers, of which the caller becomes a user, also if there is an error. If there
// is none, donated buffers are freed.
func (p *program) arguments(in []trnbackend.Buffer) ([]*array, error) {
	buffers, arrays := make([]*buffer, len(in)), make([]*array, 0, len(in))
	for i, given := range in {
		b, err := p.executor.own(given)
		if err != nil {
			return arrays, p.refuse(i, err)
		}
		a := b.use()
		if a == nil {
			return arrays, p.refuse(i, trnbackend.ErrFreed)
		}
		buffers[i], arrays = b, append(arrays, a)
	}
	for i, b := range buffers {
		if !p.graph.Input(i).Donated {
			continue
		}
		a := b.donate()
		if a == nil {
			return arrays, p.refuse(i, trnbackend.ErrFreed)
		}
		p.executor.drop(a)
	}
	return arrays, nil
}

// refuse is an error of the buffer of parameter i.
func (p *program) refuse(i int, err error) error {
	return fmt.Errorf("graph %s: buffer of parameter %q: %w", p.graph.Name(), p.graph.Input(i).Name, err)
}

func (p *program) drop(arrays []*array) {
	for _, a := range arrays {
		p.executor.drop(a)
	}
}

func (p *program) execute(arrays []*array) ([]handle, error) {
	in, out := make([]handle, len(arrays)), make([]handle, len(p.graph.Results()))
	for i, a := range arrays {
		in[i] = a.handle
	}
	return out, p.executor.driver.execute(p.handle, in, out, p.kept)
}

// Compile compiles a graph. XLA cannot be interrupted: the context is checked only before.
func (e *Executor) Compile(ctx context.Context, g *graph.Graph) (trnbackend.Program, error) {
	doing := "compiling graph " + g.Name()
	if err := e.enter(doing); err != nil {
		return nil, err
	}
	defer e.leave()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := e.caps.Check(g); err != nil {
		return nil, err
	}
	code, err := hlo.Encode(g)
	if err != nil {
		return nil, err
	}
	h, err := e.driver.compile(code, e.options)
	if err != nil {
		return nil, e.failure(doing, err)
	}
	return e.newProgram(g, h, doing)
}
