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
	buffers []trnbackend.Buffer
	memory  int64 // the caller's limit; 0 is none
}

// Begin starts a call.
func (s *Session) Begin(ctx context.Context) (*Call, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	return &Call{session: s, ctx: ctx, started: time.Now(), report: trnbackend.Report{Device: s.Name()}}, nil
}

// End frees the buffers of the call and returns its report.
func (c *Call) End() trnbackend.Report {
	for _, b := range c.buffers {
		b.Free()
	}
	c.buffers = nil
	c.report.Seconds = time.Since(c.started).Seconds()
	c.session.calls.Done()
	return c.report
}

// LimitMemory makes the call plan with at most so many bytes of the device's memory, for devices that share it with others, the host first of all.
// 0 is no limit.
func (c *Call) LimitMemory(bytes int64) { c.memory = bytes }

// Caps returns what the device can do, with no more memory than the call is allowed.
func (c *Call) Caps() trnbackend.Caps {
	caps := c.session.caps
	if c.memory > 0 && (caps.Memory == 0 || caps.Memory > c.memory) {
		caps.Memory = c.memory
	}
	return caps
}

// Program returns the program of a graph, which is compiled if it is not there yet.
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
	if err := c.fits(shape.Bytes()); err != nil {
		return nil, err
	}
	b, err := c.session.executor.Upload(shape, data)
	if err != nil {
		return nil, err
	}
	c.buffers = append(c.buffers, b)
	c.report.BytesIn += shape.Bytes()
	return b, nil
}

// fits returns an error if the device has not so many bytes left, as far as it knows.
func (c *Call) fits(bytes int64) error {
	limit := c.session.caps.Memory
	if limit == 0 {
		return nil
	}
	memory, err := c.session.Memory()
	if err != nil {
		return err
	}
	if free := limit - memory.Used; bytes > free {
		return &trnbackend.DeviceError{Device: c.session.Name(), Doing: "allocating", Err: fmt.Errorf("%d bytes needed, %d free", bytes, free)}
	}
	return nil
}

// Run runs a program and returns its results.
func (c *Call) Run(p trnbackend.Program, in ...trnbackend.Buffer) ([]trnbackend.Buffer, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, context.Cause(c.ctx)
	}
	out := make([]trnbackend.Buffer, len(p.Graph().Results()))
	if err := p.Run(in, out); err != nil {
		return nil, err
	}
	c.buffers = append(c.buffers, out...)
	c.report.Dispatches++
	return out, nil
}

// Download waits for a buffer and returns what it holds.
func (c *Call) Download(b trnbackend.Buffer) ([]byte, error) {
	data := make([]byte, b.Shape().Bytes())
	if err := b.Download(data); err != nil {
		return nil, err
	}
	c.report.BytesOut += int64(len(data))
	return data, nil
}

// OnHost notes a step that the host does, and why; one that is noted already is not noted again.
func (c *Call) OnHost(step string) {
	if !slices.Contains(c.report.HostSteps, step) {
		c.report.HostSteps = append(c.report.HostSteps, step)
	}
}

// Bound sets the error bound of the result.
func (c *Call) Bound(bound float64) { c.report.ErrorBound = bound }
