// Package sched runs the parallel parts of a solver: a Team is the number of threads a call may use, the context that
// can cancel it, and the counters that show how far it got. It is made once at the border and passed down.
//
// A nil *Team is valid everywhere: one thread, never cancelled, no progress.
package sched

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Team is the means one call may use. Its methods are safe for concurrent use.
type Team struct {
	threads  int
	ctx      context.Context
	progress *Progress
}

// Progress counts the steps of a long call. Readers may look at it while the call runs.
type Progress struct{ done, total atomic.Int64 }

// Read returns the steps done and the steps there are; total is 0 until the call knows it.
func (p *Progress) Read() (done, total int64) { return p.done.Load(), p.total.Load() }

// NewTeam returns a team of the given number of threads (at least 1) whose work ends early when ctx is cancelled.
// progress is nil for a call that is not watched.
func NewTeam(ctx context.Context, threads int, progress *Progress) *Team {
	return &Team{threads: max(1, threads), ctx: ctx, progress: progress}
}

// Threads returns the largest number of goroutines the call may keep busy.
func (t *Team) Threads() int {
	if t == nil {
		return 1
	}
	return t.threads
}

// Serial returns a team of one thread with t's context and progress: what a body hands to the routines it calls.
func (t *Team) Serial() *Team {
	if t.Threads() == 1 {
		return t
	}
	return NewTeam(t.ctx, 1, t.progress)
}

// Quiet returns a team of one thread with t's context but without its progress: for members of a batch, whose steps the
// batch counts.
func (t *Team) Quiet() *Team {
	if t == nil {
		return nil
	}
	return NewTeam(t.ctx, 1, nil)
}

// Err returns nil while the call may go on, and the context's error once it is cancelled. Solvers look at it at least
// every few milliseconds of work.
func (t *Team) Err() error {
	if t == nil {
		return nil
	}
	return t.ctx.Err()
}

// Plan adds n to the number of steps the call is going to take.
func (t *Team) Plan(n int) {
	if t != nil && t.progress != nil {
		t.progress.total.Add(int64(n))
	}
}

// Step reports that n planned steps are done.
func (t *Team) Step(n int) {
	if t != nil && t.progress != nil {
		t.progress.done.Add(int64(n))
	}
}

// PanicError is a panic that happened in a team's body, turned into an error where the goroutines meet again.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// For calls body(worker, i) once for every 0 <= i < n and returns when all calls have ended. Items are handed out in
// increasing order to at most Threads() workers, the caller's goroutine being one of them; worker < Threads() names the
// worker so that it can own scratch memory. The first error ends the loop early and is returned; so is cancellation,
// and a panic in body comes back as a *PanicError. Which worker gets an item is not fixed, so bodies whose result must
// not depend on the thread count write to places that depend on i alone.
func (t *Team) For(n int, body func(worker, i int) error) error {
	var (
		next   atomic.Int64
		failed atomic.Bool
		once   sync.Once
		first  error
		wg     sync.WaitGroup
	)
	fail := func(err error) {
		once.Do(func() { first = err })
		failed.Store(true)
	}
	work := func(worker int) {
		defer func() {
			if v := recover(); v != nil {
				fail(&PanicError{Value: v, Stack: debug.Stack()})
			}
		}()
		for !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if err := t.Err(); err != nil {
				fail(err)
				return
			}
			if err := body(worker, i); err != nil {
				fail(err)
				return
			}
		}
	}
	for w := 1; w < min(t.Threads(), n); w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work(w)
		}()
	}
	work(0)
	wg.Wait()
	return first
}
