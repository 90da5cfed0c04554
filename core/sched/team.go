// Package sched runs the parallel parts of a solver: a Team is the number of threads a call may use, the context that
// can cancel it, and the counters that show how far it got. It is made once at the border and passed down. Its workers wait
// for the next loop of the call for a moment before their goroutines end, so that short loops are worth a second thread.
//
// A nil *Team is valid everywhere: one thread, never cancelled, no progress.
package sched

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Team is the means one call may use. Its methods are safe for concurrent use.
type Team struct {
	threads  int
	ctx      context.Context
	progress *Progress
	crew     *crew // nil for one thread
}

// Progress counts the steps of a long call. Readers may look at it while the call runs.
type Progress struct{ done, total atomic.Int64 }

// Read returns the steps done and the steps there are; total is 0 until the call knows it.
func (p *Progress) Read() (done, total int64) { return p.done.Load(), p.total.Load() }

// NewTeam returns a team of the given number of threads (at least 1) whose work ends early when ctx is cancelled.
// progress is nil for a call that is not watched.
func NewTeam(ctx context.Context, threads int, progress *Progress) *Team {
	t := &Team{threads: max(1, threads), ctx: ctx, progress: progress}
	if t.threads > 1 {
		t.crew = &crew{workers: make([]worker, t.threads-1)}
	}
	return t
}

// Rest ends the goroutines that wait for the team's next loop. They end by themselves soon after the last one; a call that
// returns to somebody else lets its team rest first, so that no processor is kept busy. The team can be used again.
func (t *Team) Rest() {
	if t != nil && t.crew != nil {
		t.crew.resting.Store(true)
	}
}

// Wake starts the goroutines of the team's workers if they have ended, so that they are there for a loop that comes soon: to start
// them takes longer than many a loop does. They end again if none comes.
func (t *Team) Wake() {
	if t != nil && t.crew != nil {
		t.crew.wake(t.crew.workers)
	}
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

// Context returns the context that ends the call early.
func (t *Team) Context() context.Context {
	if t == nil {
		return context.Background()
	}
	return t.ctx
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
