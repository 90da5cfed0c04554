package sched

import "sync/atomic"

// RunWithHelpers calls main, and on the other workers help(worker) again after each announcement by main, for work that
// main queues and does not wait for. A call of help that begins after announce sees what was written before it; one
// call may answer several announcements. worker ranges from 1 to Threads()-1. If no other worker is free, help is never
// called: main must be able to do everything.
//
// The error of main ends the run and is returned. A panic in help is returned as a *PanicError, but only after main has
// ended. If the context is cancelled at the start, main is not called.
func (t *Team) RunWithHelpers(main func(announce func()) error, help func(worker int)) error {
	var announced atomic.Int64
	var over atomic.Bool
	return t.For(t.Threads(), func(_, share int) error {
		if share == 0 {
			defer over.Store(true)
			return main(func() { announced.Add(1) })
		}
		for seen := int64(0); !over.Load(); {
			Await(func() bool { return over.Load() || announced.Load() != seen })
			if over.Load() {
				break
			}
			seen = announced.Load()
			help(share)
		}
		return nil
	})
}
