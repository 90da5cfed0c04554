// Package sched runs the parallel parts of a solver. A Team stands for the threads that a call may use, the context
// that can cancel it, and its progress. It is made once, where the call enters the library, and passed down. Its
// workers spin for a moment after each loop, and after the call, before their threads go to sleep, so that even short
// loops and calls profit from a second thread.
//
// Progress is planned top-down: a routine plans its work, in units of cost, before it begins, and gives each routine
// that it calls a phase, a share of its own steps, in which that one plans. Hence the total of a call never changes
// once it is known, and the number of steps done never falls.
//
// A nil *Team is valid everywhere: one thread, never cancelled, no progress.
package sched

import "context"

// Team is the set of resources that one call may use. Its methods are safe for concurrent use.
type Team struct {
	threads int
	call    *call
	workers *workerPool   // nil for one thread
	node    *progressNode // nil if nothing is reported
	silent  *Team         // the same team without a node; nil where node is nil
}

// NewTeam returns a team of the given number of threads, at least 1, whose work ends early when ctx is cancelled.
// progress is nil for a call that nobody watches.
func NewTeam(ctx context.Context, threads int, progress *Progress) *Team {
	both := &struct { // in one allocation
		team Team
		call call
	}{call: call{ctx: ctx}}
	t := &both.team
	t.threads, t.call = max(1, threads), &both.call
	if t.threads > 1 {
		t.workers = takePool(t.threads - 1)
	}
	if progress != nil {
		return t.reporting(&progressNode{root: progress})
	}
	return t
}

// reporting returns a team like t that reports to a node.
func (t *Team) reporting(node *progressNode) *Team {
	silent := &Team{threads: t.threads, call: t.call, workers: t.workers}
	return &Team{threads: t.threads, call: t.call, workers: t.workers, node: node, silent: silent}
}

// Threads returns the largest number of goroutines that the call may keep busy.
func (t *Team) Threads() int {
	if t == nil {
		return 1
	}
	return t.threads
}

// Serial returns a team of one thread with t's context and progress: the body of a loop passes it to the routines
// that it calls.
func (t *Team) Serial() *Team {
	if t.Threads() == 1 {
		return t
	}
	serial := &Team{threads: 1, call: t.call}
	if t.node != nil {
		return serial.reporting(t.node)
	}
	return serial
}

// SerialWithoutProgress returns a team of one thread with t's context but without its progress: for the members of a
// batch, whose steps the batch counts.
func (t *Team) SerialWithoutProgress() *Team {
	if t == nil {
		return nil
	}
	return &Team{threads: 1, call: t.call}
}

// ReleaseWorkers leaves the team's workers to the next call that makes a team. They wait for it as they do for the next
// loop, a fraction of a millisecond, and sleep if it does not come. The team can still be used.
func (t *Team) ReleaseWorkers() {
	if t != nil && t.workers != nil {
		t.workers.rest()
	}
}

// StartWorkers wakes the team's workers up ahead of a loop that follows soon: that takes longer than many a loop. They
// sleep again if no loop follows.
func (t *Team) StartWorkers() {
	if t != nil && t.workers != nil {
		t.workers.start(t.helpers(t.threads))
	}
}

// helpers returns the mailboxes of those who help the caller with a loop of n parts.
func (t *Team) helpers(n int) []worker { return t.workers.workers[:min(t.threads, n)-1] }

// WorthSharing reports whether it pays to share work among the team's threads. least is the smallest amount that pays
// if the workers are waiting; if they have to be woken up, it has to be coldFactor as much, but for one after some
// calls in a row that would have shared their work with waiting workers.
func (t *Team) WorthSharing(work, least int) bool {
	if t.Threads() == 1 || work < least {
		return false
	}
	return work >= coldFactor*least || t.workers.waiting() || burst.goesOn()
}

// Err returns nil while the call may go on, and the context's error once it is cancelled. Solvers call it at least
// every few milliseconds of work.
func (t *Team) Err() error {
	if t == nil {
		return nil
	}
	return t.call.err()
}

// Context returns the context that ends the call early.
func (t *Team) Context() context.Context {
	if t == nil {
		return context.Background()
	}
	return t.call.ctx
}

// PartsAfterCancel returns the number of loop parts, rounds and loads that were due after the context had ended. None
// of the loop parts and loads was executed. A call that obeys its context meets about one for each thread on its way
// out; one that goes on working meets many. Package schedtest judges them.
func (t *Team) PartsAfterCancel() int64 {
	if t == nil {
		return 0
	}
	return t.call.lateParts.Load()
}

// Plan states how many steps the caller is going to take, and returns the team for them: t itself, whose steps Step,
// Reach and the phases of Phase then count. A routine plans once, before its first step, and weighs its steps by cost,
// so that they take about the same time each.
//
// If the steps of t are planned already, by a routine that calls the present one for a part of its work, that plan
// stays in force, and the team that Plan returns reports nothing.
func (t *Team) Plan(steps int) *Team {
	if t == nil || t.node == nil || t.node.plan(int64(steps)) {
		return t
	}
	return t.silent
}

// Step reports that the given number of further steps is done.
func (t *Team) Step(steps int) {
	if t != nil && t.node != nil {
		t.node.update(t.node.done.Add(int64(steps)))
	}
}

// Reach reports that at least the given number of planned steps is done in all: for iterations that know the work that
// is left, not the work that is done.
func (t *Team) Reach(steps int) {
	if t != nil && t.node != nil {
		raise(&t.node.done, int64(steps))
		t.node.update(t.node.done.Load())
	}
}

// Phase returns a team for a part of the work that t has planned, the given number of its steps. The routine that gets
// it plans in units of its own, which are mapped to those of t. End completes the phase.
func (t *Team) Phase(steps int) *Team {
	if t == nil || t.node == nil {
		return t
	}
	return t.reporting(&progressNode{parent: t.node, weight: int64(max(0, steps))})
}

// Remainder is Phase for all steps that t has planned and that are not done.
func (t *Team) Remainder() *Team {
	if t == nil || t.node == nil {
		return t
	}
	return t.Phase(int(t.node.total.Load() - t.node.done.Load()))
}

// End reports that the phase is done, whatever its routine has reported.
func (t *Team) End() {
	if t != nil && t.node != nil && t.node.parent != nil {
		t.node.report(t.node.weight)
	}
}
