package schedtest

import (
	"context"
	"sync"

	"trnsci/core/sched"
)

// observation is what a call did. It is the context of the call, too, so that it sees when the call looks at it.
type observation struct {
	context.Context
	progress sched.Progress

	err   error
	parts int64 // loop parts that were due after the cancellation

	mu        sync.Mutex
	cancelled bool
	reports   int64   // of progress
	after     int64   // of them after the cancellation
	seen      int64   // progress at the last look at the context
	gap       float64 // the largest share of the progress between two looks
}

// observe executes call, and cancels its context in the first progress report for which at holds.
func observe(
	ctx context.Context, threads int, at func(done, total int64) bool, call func(team *sched.Team) error,
) *observation {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o := &observation{Context: ctx}
	o.progress.OnReport = func(done, total int64) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.reports++
		if o.cancelled {
			o.after++
		}
		if !o.cancelled && at(done, total) {
			o.cancelled = true
			cancel()
		}
	}
	team := sched.NewTeam(o, threads, &o.progress)
	o.err = call(team)
	team.ReleaseWorkers()
	o.look()
	o.parts = team.PartsAfterCancel()
	return o
}

// Err is the context's.
func (o *observation) Err() error {
	o.look()
	return o.Context.Err()
}

// Done is the context's.
func (o *observation) Done() <-chan struct{} {
	o.look()
	return o.Context.Done()
}

func (o *observation) look() {
	o.mu.Lock()
	defer o.mu.Unlock()
	done, total := o.progress.Read()
	if total > 0 {
		o.gap = max(o.gap, float64(done-o.seen)/float64(total))
	}
	o.seen = done
}
