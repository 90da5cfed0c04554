package device

import (
	"context"
	"fmt"
	"slices"
	"time"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// Call is one computation on a session, for one goroutine. End frees the buffers that the call made.
type Call struct {
	session *Session
	ctx     context.Context
	started time.Time
	report  trnbackend.Report
	memory  int64           // the caller's limit; 0 is none
	plan    func(steps int) // see Watch
	step    func(steps int)
	reserve func(bytes int64) error // see Reserve
	// the run that writes each buffer; nil if there is none, or if the buffer may be dead
	buffers map[trnbackend.Buffer]*dispatch
}

// dispatch is one run of a program.
type dispatch struct {
	finished bool // the device has written all results
}

// Begin starts a call.
func (s *Session) Begin(ctx context.Context) (*Call, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	return &Call{
		session: s, ctx: ctx, started: time.Now(), report: trnbackend.Report{Device: s.Name()},
		buffers: map[trnbackend.Buffer]*dispatch{},
		plan:    func(int) {}, step: func(int) {}, reserve: func(int64) error { return nil },
	}, nil
}

// End frees the buffers of the call and returns its report.
func (c *Call) End() trnbackend.Report {
	for b := range c.buffers {
		c.Free(b)
	}
	c.report.Seconds = time.Since(c.started).Seconds()
	c.session.calls.Done()
	return c.report
}

// Free gives up a buffer before the end of the call. It is the only way to free a buffer of a call: a buffer that the
// device has finished may be kept as a place for a later run.
func (c *Call) Free(b trnbackend.Buffer) {
	if d := c.buffers[b]; d != nil && d.finished {
		c.session.pool.put(b)
	} else {
		b.Free()
	}
	delete(c.buffers, b)
}

// Watch sets the functions that are told how many steps the call will take, and each step that is done. Programs of
// many runs have steps.
func (c *Call) Watch(plan, step func(steps int)) { c.plan, c.step = plan, step }

// Reserve sets a function that the call asks before it takes much of the host's memory, so that too large a call is an
// error and does not end the process.
func (c *Call) Reserve(ask func(bytes int64) error) { c.reserve = ask }

// FitsHost returns an error if the host does not have that many bytes.
func (c *Call) FitsHost(bytes int64) error { return c.reserve(bytes) }

// Plan adds to the number of steps that the call will take.
func (c *Call) Plan(steps int) { c.plan(steps) }

// Step reports that steps are done.
func (c *Call) Step(steps int) { c.step(steps) }

// Context returns the context whose cancellation ends the call. Programs check it between pieces of work on the host
// that take some milliseconds.
func (c *Call) Context() context.Context { return c.ctx }

// LimitMemory limits the bytes of the device's memory that the call plans with, for devices that share their memory
// with others, above all with the host. 0 is no limit.
func (c *Call) LimitMemory(bytes int64) { c.memory = bytes }

// Caps returns what the device can do, with its memory limited to what the call may use.
func (c *Call) Caps() trnbackend.Caps {
	caps := c.session.caps
	if c.memory > 0 && (caps.Memory == 0 || caps.Memory > c.memory) {
		caps.Memory = c.memory
	}
	return caps
}

// Program returns the program of a graph, compiling it if necessary.
func (c *Call) Program(g *graph.Graph) (trnbackend.Program, error) {
	p, from, err := c.session.program(c.ctx, g)
	switch {
	case err != nil:
	case from == compiled:
		c.report.Compiles++
	default:
		c.report.CacheHits++
	}
	return p, err
}

// Upload copies an array to the device.
func (c *Call) Upload(shape graph.Shape, data []byte) (trnbackend.Buffer, error) {
	if int64(len(data)) != shape.Bytes() {
		return nil, fmt.Errorf("%d bytes for %s", len(data), shape)
	}
	if c.ctx.Err() != nil {
		return nil, context.Cause(c.ctx)
	}
	if err := c.fits(shape.Bytes(), 0); err != nil {
		return nil, err
	}
	b, err := c.session.executor.Upload(shape, data)
	if err != nil {
		return nil, err
	}
	c.buffers[b] = nil
	c.report.BytesIn += shape.Bytes()
	return b, nil
}

// Fits returns an error if the device or the host does not have the memory for the parameters and results of a graph.
// Programs ask before the host packs their data, so that what is too large is refused before memory is taken for it. A
// device whose memory is not known is assumed to share the host's.
func (c *Call) Fits(g *graph.Graph) error {
	var needed int64
	for _, s := range g.ParameterShapes() {
		needed += s.Bytes()
	}
	for i, s := range g.ResultShapes() {
		if !slices.Contains(g.Donation(), i) { // else it takes over a parameter
			needed += s.Bytes()
		}
	}
	if err := c.fits(needed, 0); err != nil {
		return err
	}
	if c.session.caps.Memory == 0 {
		needed *= 2
	}
	return c.FitsHost(needed)
}

// fits returns an error if the device is known not to have the needed bytes left. Buffers that are kept for later runs
// are freed if they are in the way of the needed bytes or of those that may be needed as well.
func (c *Call) fits(needed, perhaps int64) error {
	limit := c.session.caps.Memory
	if limit == 0 {
		return nil
	}
	free, err := c.free(limit)
	if err == nil && needed+perhaps > free && c.session.pool.drain() {
		free, err = c.free(limit)
	}
	if err == nil && needed > free {
		err = &trnbackend.DeviceError{Device: c.session.Name(), Doing: "allocating",
			Err: fmt.Errorf("%d bytes needed, %d free", needed, free)}
	}
	return err
}

// free returns the bytes that are left of the device's memory.
func (c *Call) free(limit int64) (int64, error) {
	memory, err := c.session.executor.Memory()
	return limit - memory.Used, err
}

// Run runs a program and returns its results, which are written into buffers kept from earlier runs where there are
// any. No run begins after the context is cancelled.
func (c *Call) Run(p trnbackend.Program, in ...trnbackend.Buffer) ([]trnbackend.Buffer, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, context.Cause(c.ctx)
	}
	g := p.Graph()
	out, fresh := c.places(g)
	err := c.fits(fresh, g.Peak())
	if err == nil {
		err = p.Run(in, out)
		c.donated(g, in)
	}
	if err != nil {
		for _, place := range out {
			if place != nil {
				place.Free() // and not kept: the device may still write to it
			}
		}
		return nil, err
	}
	d := &dispatch{}
	for _, b := range out {
		c.buffers[b] = d
	}
	c.report.Dispatches++
	return out, nil
}

// places returns a place for each result of a graph, with a kept buffer if there is one, and the bytes of the empty
// places. A result that takes over a donated buffer needs no place.
func (c *Call) places(g *graph.Graph) (out []trnbackend.Buffer, fresh int64) {
	out = make([]trnbackend.Buffer, len(g.Results()))
	donation := g.Donation()
	for i, shape := range g.ResultShapes() {
		if slices.Contains(donation, i) {
			continue
		}
		if out[i] = c.session.pool.take(shape); out[i] == nil {
			fresh += shape.Bytes()
		}
	}
	return out, fresh
}

// donated records which inputs of a run are dead.
func (c *Call) donated(g *graph.Graph, in []trnbackend.Buffer) {
	for i := range g.Parameters() {
		if i < len(in) && g.Input(i).Donated {
			if _, mine := c.buffers[in[i]]; mine {
				c.buffers[in[i]] = nil
			}
		}
	}
}

// Download waits for a buffer and returns what it holds.
func (c *Call) Download(b trnbackend.Buffer) ([]byte, error) {
	if c.ctx.Err() != nil {
		return nil, context.Cause(c.ctx)
	}
	data := make([]byte, b.Shape().Bytes())
	if err := b.Download(data); err != nil {
		return nil, err
	}
	if d := c.buffers[b]; d != nil {
		d.finished = true
	}
	c.report.BytesOut += int64(len(data))
	return data, nil
}

// OnHost records a step that the host does, and why, once.
func (c *Call) OnHost(step string) {
	if !slices.Contains(c.report.HostSteps, step) {
		c.report.HostSteps = append(c.report.HostSteps, step)
	}
}

// Bound enters a bound of the error of one of the call's results, infinity where none is known. The report has the
// largest bound.
func (c *Call) Bound(bound float64) { c.report.ErrorBound = max(c.report.ErrorBound, bound) }
