package sched

import "sync/atomic"

// Beside calls lead, and on the other workers help(worker) again whenever lead has called announce, for work that lead lays down and does not wait for.
// A call of help that begins after announce sees what was written before it; several announcements may be answered by one call. worker is from 1 to
// Threads()-1. Where no other worker comes help is not called at all, so that lead must be able to do everything.
//
// The error of lead ends it and is returned; so is a panic in help as a *PanicError, but only when lead has ended, and cancellation that is there at the
// start.
func (t *Team) Beside(lead func(announce func()) error, help func(worker int)) error {
	var news atomic.Int64
	var over atomic.Bool
	return t.For(t.Threads(), func(_, share int) error {
		if share == 0 {
			defer over.Store(true)
			return lead(func() { news.Add(1) })
		}
		for seen := int64(0); !over.Load(); {
			Await(func() bool { return over.Load() || news.Load() != seen })
			if over.Load() {
				break
			}
			seen = news.Load()
			help(share)
		}
		return nil
	})
}
