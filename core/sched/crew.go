package sched

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// A worker that has no loop waits this long for the next one before its goroutine ends. To start another takes up to 70
	// microseconds, a loop handed to a waiting worker less than one.
	warmTime = 200 * time.Microsecond
	// The caller waits this long for the last worker before it lets the scheduler wake it.
	meetTime = 50 * time.Microsecond
	// Looks at a condition between two calls of the Go scheduler, and calls of the scheduler between two looks at the clock.
	looksPerYield, yieldsPerClock = 64, 16
)

// crew is the goroutines that help with a team's loops.
type crew struct {
	busy    atomic.Bool // a loop is running
	resting atomic.Bool // workers without a loop end
	workers []worker
}

// worker is the place where a goroutine of the crew gets its loops. It fills a line of the cache.
type worker struct {
	loop  atomic.Pointer[loop] // handed out and not yet taken
	alive atomic.Bool          // a goroutine attends
	_     [cacheLine - 16]byte
}

const cacheLine = 64

// call hands l to the workers, and starts those that have ended.
func (c *crew) call(workers []worker, l *loop) {
	for w := range workers {
		workers[w].loop.Store(l)
	}
	c.wake(workers)
}

// wake starts those of the workers that have ended.
func (c *crew) wake(workers []worker) {
	c.resting.Store(false)
	started := false
	for w := range workers {
		if workers[w].alive.CompareAndSwap(false, true) {
			go c.attend(w)
			started = true
		}
	}
	if started {
		// The goroutine that was started last waits for its starter to pause, which a loop does not do soon; it can be
		// taken by another processor at once when a newer one has its place.
		go func() {}()
	}
}

// attend runs the loops that come to worker w until none has come for a while.
func (c *crew) attend(w int) {
	self := &c.workers[w]
	for {
		if l := c.await(self); l != nil {
			l.work(w + 1)
			l.leave()
			continue
		}
		self.alive.Store(false)
		// A loop that came before this was seen has not started another goroutine.
		if self.loop.Load() == nil || !self.alive.CompareAndSwap(false, true) {
			return
		}
	}
}

// await returns the next loop of a worker, nil if none comes.
func (c *crew) await(self *worker) (taken *loop) {
	spinUntil(warmTime, func() bool {
		l := self.loop.Load()
		if l != nil && self.loop.CompareAndSwap(l, nil) {
			taken = l
		}
		return taken != nil || c.resting.Load()
	})
	return taken
}

// spinUntil returns when the condition holds or the time is over. It lets other goroutines run.
func spinUntil(limit time.Duration, holds func() bool) {
	var deadline time.Time
	for yields := 0; ; yields++ {
		for range looksPerYield {
			if holds() {
				return
			}
		}
		runtime.Gosched()
		if yields%yieldsPerClock == 0 {
			now := time.Now()
			if deadline.IsZero() {
				deadline = now.Add(limit)
			} else if now.After(deadline) {
				return
			}
		}
	}
}
