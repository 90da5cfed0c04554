// Package sched runs the parallel parts of a solver: a Team is the number of threads a call may use, the context that
// can cancel it, and the counters that show how far it got. It is made once at the border and passed down. Its workers wait
// for the next loop of the call for a moment before their goroutines end, so that short loops are worth a second thread.
//
// Progress is planned from the top: a routine plans its work, by cost, before it begins, and gives the routines that it calls phases of that, in which
// they plan their own. So what a call reports as its total does not change, and what is done does not fall.
//
// A nil *Team is valid everywhere: one thread, never cancelled, no progress.
package sched

import (
	"context"
	"fmt"
)

// Team is the means one call may use. Its methods are safe for concurrent use.
type Team struct {
	threads int
	ctx     context.Context
	crew    *crew    // nil for one thread
	portion *portion // of the call's progress; nil if nothing is reported
	silent  *Team    // the same without a portion, where there is one
}

// NewTeam returns a team of the given number of threads (at least 1) whose work ends early when ctx is cancelled.
// progress is nil for a call that is not watched.
func NewTeam(ctx context.Context, threads int, progress *Progress) *Team {
	t := &Team{threads: max(1, threads), ctx: ctx}
	if t.threads > 1 {
		t.crew = &crew{workers: make([]worker, t.threads-1)}
	}
	if progress != nil {
		return t.reporting(&portion{progress: progress})
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
	serial := &Team{threads: 1, ctx: t.ctx}
	if t.portion != nil {
		return serial.reporting(t.portion)
	}
	return serial
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

// PanicError is a panic that happened in a team's body, turned into an error where the goroutines meet again.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }
