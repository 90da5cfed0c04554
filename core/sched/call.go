package sched

import (
	"context"
	"fmt"
	"sync/atomic"
)

// call is the state that all teams of one call share.
type call struct {
	ctx context.Context
	// Parts that were due after ctx had ended. Nothing is written to it before.
	lateParts atomic.Int64
}

// err returns the context's error.
func (c *call) err() error { return c.ctx.Err() }

// errBeforePart is err where a part of a loop is about to begin.
func (c *call) errBeforePart() error {
	err := c.ctx.Err()
	if err != nil {
		c.lateParts.Add(1)
	}
	return err
}

// PanicError is a panic in a body of a team's loop, returned as the loop's error.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }
