// Package staging holds what device programs share on the host: padded sizes, matrices packed into the arrays of a
// graph and back, and the check by which this work ends when the call is cancelled.
package staging

import (
	"context"
	"errors"

	"trnsci/core/sched"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
)

// PieceElements is how many elements the host works on between two checks of the call's context: less than a
// millisecond of work, at some nanoseconds each.
const PieceElements = 1 << 16

// CancelCheck ends the host's part of a call when the call's context is cancelled. It is for one goroutine.
type CancelCheck struct {
	ctx  context.Context
	done int // elements since the last check
}

// NewCancelCheck returns the check for a call.
func NewCancelCheck(call *device.Call) *CancelCheck { return &CancelCheck{ctx: call.Context()} }

// Step counts work on n elements. After every PieceElements it checks the context and returns the cause if the call is
// cancelled.
func (c *CancelCheck) Step(n int) error {
	c.done += n
	if c.done < PieceElements {
		return nil
	}
	c.done = 0
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return nil
}

// Team returns a team of one thread for functions of package core: the work that takes long is the device's.
func (c *CancelCheck) Team() *sched.Team { return sched.NewTeam(c.ctx, 1, nil) }

// Cause returns an error of package core, or the cause of the cancellation if that is what the error reports.
func (c *CancelCheck) Cause(err error) error {
	if cancelled := c.ctx.Err(); err != nil && cancelled != nil && errors.Is(err, cancelled) {
		return context.Cause(c.ctx)
	}
	return err
}

// Encode is trnbackend.Encode with cancellation.
func (c *CancelCheck) Encode(d graph.DType, x []float64) ([]byte, error) {
	data := make([]byte, 0, len(x)*d.Bytes())
	for len(x) > 0 {
		n := min(len(x), PieceElements)
		data = append(data, trnbackend.Encode(d, x[:n])...)
		if err := c.Step(n); err != nil {
			return nil, err
		}
		x = x[n:]
	}
	return data, nil
}

// Decode is trnbackend.Decode with cancellation.
func (c *CancelCheck) Decode(d graph.DType, data []byte) ([]float64, error) {
	x := make([]float64, 0, len(data)/d.Bytes())
	for len(data) > 0 {
		n := min(len(data), PieceElements*d.Bytes())
		x = append(x, trnbackend.Decode(d, data[:n])...)
		if err := c.Step(n / d.Bytes()); err != nil {
			return nil, err
		}
		data = data[n:]
	}
	return x, nil
}
